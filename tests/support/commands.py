"""`ask` in processes of its own that need not load it each time.

As with the services of `ask up` (`ask.forkserver`), a command is a fork of a process that has loaded its
modules and has not begun: arguments, environment, folder, input and output are its own, and so is its end.
That it starts by itself as well is shown where it is run as it is installed:
`tests/unit/cli/test_cli_pipes.py`.
"""

import atexit
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import TypedDict

from ask.forkserver import preload

COMMAND = "ask.main"
LOADED = (
    *("ask.main", "ask.chat", "ask.deadview", "ask.declaring", "ask.docs", "ask.feedback", "ask.mcpbridge"),
    *("ask.top", "ask.turn"),
)
TIMEOUT_S = 60.0


class _Order(TypedDict):
    arguments: tuple[str, ...]
    environment: dict[str, str]
    folder: str


def ask(
    *arguments: str, environment: Mapping[str, str], typed: str = "", timeout_s: float = TIMEOUT_S
) -> subprocess.CompletedProcess[str]:
    """Returns when the command has ended; threads may ask at the same time. Raises `TimeoutError`."""
    order: _Order = {"arguments": arguments, "environment": dict(environment), "folder": str(Path.cwd())}
    with TemporaryFile() as ordered, TemporaryFile() as said, TemporaryFile() as out, TemporaryFile() as err:
        for file, text in ((ordered, json.dumps(order)), (said, typed)):
            file.write(text.encode())
            file.seek(0)
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                files = [each.fileno() for each in (ordered, said, out, err, theirs)]
                socket.send_fds(_server(), [b"\n"], files)
            ours.settimeout(timeout_s)
            answer = ours.makefile()
            pid = int(answer.readline())
            try:
                code = int(answer.readline())
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                raise
        for file in (out, err):
            file.seek(0)
        return subprocess.CompletedProcess(arguments, code, out.read().decode(), err.read().decode())


@cache
def _server() -> socket.socket:
    """Ends with this process, at the latest."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen([sys.executable, __file__], stdin=theirs.fileno())

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def _serve(channel: socket.socket) -> list[int] | None:
    """Comes back in each process that is forked for an order, with its files; at the end, with nothing."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        said, files, _, _ = socket.recv_fds(channel, 1, 5)
        if not said:
            return None
        if os.fork() == 0:
            channel.close()
            return _attended(files)
        for each in files:
            os.close(each)


def _attended(files: list[int]) -> list[int]:
    """Comes back in the process that becomes the command; the one before it tells of it."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *files, answer = files
    if pid := os.fork():
        os.write(answer, b"%d\n" % pid)
        _, status = os.waitpid(pid, 0)
        os.write(answer, b"%d\n" % os.waitstatus_to_exitcode(status))
        os._exit(0)
    os.close(answer)
    return files


def _become(files: list[int]) -> None:
    with os.fdopen(files[0]) as ordered:
        order: _Order = json.load(ordered)
    for number, file in enumerate(files[1:]):
        os.dup2(file, number)
        os.close(file)
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    sys.argv = [COMMAND, *order["arguments"]]
    sys.path[0] = order["folder"]
    runpy.run_module(COMMAND, run_name="__main__", alter_sys=True)


def main() -> None:
    preload(LOADED)
    files = _serve(socket.socket(fileno=os.dup(0)))
    if files is not None:
        _become(files)


if __name__ == "__main__":
    main()
