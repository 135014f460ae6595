"""The tutorial is done, command by command, as somebody who reads it would."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pages
from edge_process import free_port

from ask.errors import Exit

ROOT = pages.ROOT
TUTORIAL = ROOT / "docs" / "tutorial" / "your-canton.md"
_STAYS = re.compile(r"make run$|tools_hello\.py$", re.MULTILINE)
"""What a reader leaves running in another terminal."""


class Reader:
    """Somebody with a few terminals in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for name in (".venv", "examples"):
            (folder / name).symlink_to(ROOT / name, target_is_directory=True)
        inherited = {name: value for name, value in os.environ.items() if name in ("PATH", "TMPDIR")}
        self._environment = {
            **inherited,
            "HOME": str(folder),
            "LANG": "de_CH.UTF-8",
            "PORT": str(free_port()),
            "COLUMNS": "200",
        }
        self._running: dict[str, subprocess.Popen[str]] = {}

    def run(self, commands: str) -> str:
        if _STAYS.search(commands):
            self._leave_running(commands)
            return ""
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", commands],
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
        )
        # Also a question back is an answer.
        assert done.returncode in (Exit.DONE, Exit.UNDECIDED), f"{commands}\n{done.stdout}"
        return done.stdout

    def _leave_running(self, commands: str) -> None:
        is_system = "make run" in commands
        if is_system:
            self.end()
        # There is nothing to install or to build any more.
        command = commands.replace("make run", "exec .venv/bin/ask up")
        log = self._folder / f"terminal-{len(self._running)}.log"
        with log.open("w") as output:
            self._running[commands] = subprocess.Popen(
                ["bash", "-c", command],
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
        ready = "ask.sogis läuft auf" if is_system else "ready"
        until = time.monotonic() + 60
        while ready not in log.read_text():
            assert self._running[commands].poll() is None, log.read_text()
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.1)

    def end(self) -> None:
        """Ctrl-C in each terminal."""
        for process in self._running.values():
            os.killpg(process.pid, signal.SIGINT)
        try:
            for process in self._running.values():
                process.wait(timeout=60)
        finally:
            for process in self._running.values():
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
            self._running.clear()


@contextmanager
def reader(folder: Path) -> Iterator[Reader]:
    somebody = Reader(folder)
    try:
        yield somebody
    finally:
        somebody.end()


def plain(text: str) -> str:
    return " ".join(text.split())


def test_the_tutorial_does_what_it_says(tmp_path: Path) -> None:
    said = ""
    compared = 0
    with reader(tmp_path) as somebody:
        for block in pages.blocks(TUTORIAL):
            if block.language == "sh":
                said = plain(somebody.run(block.text))
                continue
            assert block.language == "text"
            for line in block.text.splitlines():
                assert plain(line) in said, f"line {block.line}"
                compared += 1
    assert compared >= 9
