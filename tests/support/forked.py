"""Python programs in processes of their own that need not load what others have loaded before them.

As with the services of `ask up` (`ask.forkserver`), a program is a fork of a process that has loaded its
modules and has not begun: arguments, environment, folder, input and output are its own, and so is its end.
That `ask` starts by itself as well is shown in `tests/unit/cli/test_cli_pipes.py`, of services in
`tests/deploy`.
"""

import asyncio
import atexit
import json
import os
import runpy
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, TypedDict

from ask.forkserver import preload

SERVICES = (
    "edge.app",
    "orchestrator.app",
    "planner.app",
    "tools_docs.app",
    "tools_geo.app",
    "tools_oereb.app",
)
_NUMBER = struct.Struct("!i")


class _Order(TypedDict):
    module: str
    arguments: tuple[str, ...]
    environment: dict[str, str]
    folder: str


class Fork:
    """A program that runs, or has ended."""

    def __init__(self, told: socket.socket) -> None:
        self._told = told
        self._code: int | None = None
        self.pid = self._number()

    def __del__(self) -> None:
        self._told.close()

    @property
    def returncode(self) -> int | None:
        if self._code is None:
            with suppress(BlockingIOError):
                self._end_with(self._number(socket.MSG_DONTWAIT))
        return self._code

    def ended(self, timeout_s: float | None = None) -> int:
        """The exit code, when it is there. Raises `TimeoutError`."""
        if self._code is None:
            self._told.settimeout(timeout_s)
            self._end_with(self._number())
        assert self._code is not None
        return self._code

    async def wait(self) -> int:
        return await asyncio.to_thread(self.ended)

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _end_with(self, code: int) -> None:
        """Nothing more is told: closed now, since what is in a cycle is taken away in any order."""
        self._code = code
        self._told.close()

    def _number(self, flags: int = 0) -> int:
        number: int = _NUMBER.unpack(self._told.recv(_NUMBER.size, flags))[0]
        return number


def start(
    module: str,
    *arguments: str,
    loaded: tuple[str, ...],
    environment: Mapping[str, str],
    files: tuple[IO[Any], IO[Any], IO[Any]],
) -> Fork:
    """`python -m module arguments`, with these files for input and output; `loaded` is what it may need."""
    order: _Order = {
        "module": module,
        "arguments": arguments,
        "environment": dict(environment),
        "folder": str(Path.cwd()),
    }
    ours, theirs = socket.socketpair()
    with theirs, TemporaryFile() as ordered:
        ordered.write(json.dumps(order).encode())
        ordered.seek(0)
        socket.send_fds(_server(loaded), [b"\n"], [each.fileno() for each in (ordered, *files, theirs)])
    return Fork(ours)


def start_service(module: str, environment: Mapping[str, str], log: IO[Any]) -> Fork:
    """`python -m module`, a service that writes into `log`."""
    with Path(os.devnull).open("r+b") as nothing:
        return start(module, loaded=SERVICES, environment=environment, files=(nothing, nothing, log))


@cache
def _server(loaded: tuple[str, ...]) -> socket.socket:
    """Ends with this process, at the latest."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen([sys.executable, __file__, *loaded], stdin=theirs.fileno())

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def _serve(channel: socket.socket) -> list[int] | None:
    """Comes back in each process that is forked for an order, with its files; at the end, with nothing."""
    telling: dict[int, int] = {}
    signal.signal(signal.SIGCHLD, lambda *_: _tell(telling))
    while True:
        said, files, _, _ = socket.recv_fds(channel, 1, 5)
        if not said:
            return None
        # Nobody's end is told before it is known whom to tell.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
            for each in (files.pop(), channel.detach(), *telling.values()):
                os.close(each)
            return files
        *own, telling[pid] = files
        for each in own:
            os.close(each)
        os.write(telling[pid], _NUMBER.pack(pid))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})


def _tell(telling: dict[int, int]) -> None:
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG)) != (0, 0):
            pid, status = ended
            whom = telling.pop(pid)
            with suppress(BrokenPipeError):  # nobody waits any more
                os.write(whom, _NUMBER.pack(os.waitstatus_to_exitcode(status)))
            os.close(whom)


def _become(files: list[int]) -> None:
    with os.fdopen(files[0]) as ordered:
        order: _Order = json.load(ordered)
    for number, file in enumerate(files[1:]):
        os.dup2(file, number)
        os.close(file)
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    sys.argv = [order["module"], *order["arguments"]]
    sys.path[0] = order["folder"]
    runpy.run_module(order["module"], run_name="__main__", alter_sys=True)


def main() -> None:
    preload(sys.argv[1:])
    files = _serve(socket.socket(fileno=os.dup(0)))
    if files is not None:
        _become(files)


if __name__ == "__main__":
    main()
