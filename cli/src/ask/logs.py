"""The log files of the processes: one each, and the one before."""

import json
import os
import shutil
from pathlib import Path

MAX_BYTES = 50_000_000
_TAIL_BYTES = 16_384


def previous(log: Path) -> Path:
    return log.with_name(log.name + ".1")


def set_aside(log: Path) -> None:
    """Put the file of the last run aside as `<name>.log.1`."""
    log.replace(previous(log))


def shorten(log: Path) -> None:
    """Cut a file that a long run has made too large. Its writer appends and notices nothing."""
    if log.exists() and log.stat().st_size > MAX_BYTES:
        shutil.copyfile(log, previous(log))
        os.truncate(log, 0)


def last_line(log: Path, max_chars: int = 200) -> str:
    """The last line that says something; empty when there is none."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
            lines = file.read().decode(errors="replace").split("\n")
    except OSError:
        return ""
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return _told(last)[:max_chars]


def _told(line: str) -> str:
    """Of a line of a service what a person wants to read; of any other one all."""
    try:
        facts = json.loads(line)
        return f"{facts['event']}: {facts['reason']}"
    except (ValueError, LookupError, TypeError):
        return line
