"""A terminal for a test."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import commands
import psutil

from ask.errors import Exit

from .running import Json

ASK = Path(sys.executable).with_name("ask")


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str

    def json(self) -> Json:
        """Of an answer that is none of the errors."""
        assert self.code in (Exit.DONE, Exit.UNDECIDED), self.err
        document: Json = json.loads(self.out)
        return document


class Shell:
    """A terminal in the folder of a running system."""

    def __init__(self, data_dir: Path, home: Path) -> None:
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("ASK_", "NATS_"))},
            "ASK_DATA_DIR": str(data_dir),
            "XDG_STATE_HOME": str(home),
            "COLUMNS": "200",
        }

    async def start(self, *command: str | Path, **variables: str) -> Process:
        environment = self._environment | variables
        return await asyncio.create_subprocess_exec(
            *command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment
        )

    async def ask(self, *arguments: str, typed: str = "") -> Said:
        run = partial(commands.ask, *arguments, environment=self._environment, typed=typed)
        ended = await asyncio.to_thread(run)
        return Said(ended.returncode, ended.stdout, ended.stderr)


async def banner_of(up: Process) -> str:
    """What `ask up` says when everything has started."""
    assert up.stdout is not None
    banner = ""
    async with asyncio.timeout(60):
        while "Ctrl-C" not in banner:
            line = await up.stdout.readline()
            assert line, banner
            banner += line.decode()
    return banner


async def ended(up: Process, number: signal.Signals = signal.SIGINT) -> None:
    """After a signal; it leaves no process and no complaint behind."""
    processes = psutil.Process(up.pid).children(recursive=True)
    up.send_signal(number)
    _, err = await asyncio.wait_for(up.communicate(), 30)
    assert (up.returncode, err.decode()) == (0, "")
    assert [process for process in processes if process.is_running()] == []
