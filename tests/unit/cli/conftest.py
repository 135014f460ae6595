"""Tiny services that answer `/readyz`, and an `ask up` that runs them instead of the real ones."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from ask.services import Service

_FAKE = """
import http.server, os, signal, subprocess, sys

if "stubborn" in sys.argv:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
if "parent" in sys.argv:
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
signal.signal(signal.SIGUSR1, lambda *_: sys.exit('{"event": "given up", "reason": "nobody lets it in"}'))
if "broken" in sys.argv:
    sys.exit("this cannot work")

class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/readyz" else 404)
        self.end_headers()

http.server.HTTPServer(("127.0.0.1", int(os.environ["HEALTH_PORT"])), Answer).serve_forever()
"""

_UP = """
import asyncio, os, signal, sys
from rich.console import Console
from ask import settings, up
from ask.errors import AskError
from ask.services import Service

# Otherwise inherited: the tests themselves may run under nohup.
signal.signal(signal.SIGHUP, getattr(signal, os.environ.pop("HANGUP")))
services = [Service(name, (sys.executable, {fake!r}, name)) for name in sys.argv[1:]]
try:
    asyncio.run(up.run(settings.load(), os.environ, Console(highlight=False), services))
except AskError as error:
    sys.exit(str(error))
"""


@pytest.fixture
def fake(tmp_path: Path) -> Callable[..., Service]:
    """Makes a service; further arguments make it stubborn, broken or a parent."""
    script = tmp_path / "fake.py"
    script.write_text(_FAKE)

    def make(name: str, *arguments: str) -> Service:
        return Service(name, (sys.executable, str(script), *arguments))

    return make


class Up:
    """An `ask up` in a process of its own."""

    def __init__(self, process: subprocess.Popen[str], output: Path) -> None:
        self.process = process
        self._output = output

    def output(self) -> str:
        return self._output.read_text()

    def wait_for(self, words: str, timeout_s: float = 20.0) -> str:
        """The output as soon as it has the words."""
        until = time.monotonic() + timeout_s
        while words not in self.output():
            assert time.monotonic() < until, f"no {words!r} in:\n{self.output()}"
            assert self.process.poll() is None or words in self.output(), self.output()
            time.sleep(0.02)
        return self.output()

    def wait(self, timeout_s: float = 20.0) -> int:
        return self.process.wait(timeout_s)

    def family(self) -> list[psutil.Process]:
        """The process and all below it."""
        own = psutil.Process(self.process.pid)
        return [own, *own.children(recursive=True)]


@pytest.fixture
def start_up(tmp_path: Path) -> Iterator[Callable[..., Up]]:
    """Starts an `ask up` with the named fake services and further environment variables.

    With `HANGUP="SIG_IGN"` as nohup starts it.
    """
    fake_script, up_script = tmp_path / "fake.py", tmp_path / "up.py"
    fake_script.write_text(_FAKE)
    up_script.write_text(_UP.format(fake=str(fake_script)))
    started: list[Up] = []

    def start(*services: str, **variables: str) -> Up:
        output = tmp_path / f"output-{len(started)}"
        environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(tmp_path),
            "PORT": "0",
            "HANGUP": "SIG_DFL",
            "ASK_DATA_DIR": str(tmp_path / "data"),
        }
        with output.open("w") as file:
            process = subprocess.Popen(
                [sys.executable, str(up_script), *services],
                env=environment | variables,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
        started.append(Up(process, output))
        return started[-1]

    yield start
    for up in started:
        if up.process.poll() is None:
            up.process.terminate()
            up.process.wait(30)


def left(processes: list[psutil.Process]) -> list[str]:
    """Which of the processes still run."""
    gone_or_zombie = (psutil.NoSuchProcess, psutil.ZombieProcess)
    found = []
    for process in processes:
        try:
            if process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(f"{process.pid} {process.cmdline()}")
        except gone_or_zombie:
            continue
    return found


@pytest.fixture
def nothing_left() -> Callable[..., None]:
    """Fails when one of the processes still runs after a while."""

    def check(processes: list[psutil.Process], timeout_s: float = 8.0) -> None:
        until = time.monotonic() + timeout_s
        while left(processes) and time.monotonic() < until:
            time.sleep(0.02)
        assert left(processes) == []

    return check


@pytest.fixture
def remaining(tmp_path: Path) -> Callable[[], list[int]]:
    """Processes whose command lines have the folder of this test, as all have but that of Redis."""

    def found() -> list[int]:
        # Asked this way it is None for one that has ended and is not waited for yet, whosever it is.
        every = psutil.process_iter(["cmdline"])
        return [each.pid for each in every if str(tmp_path) in str(each.info["cmdline"])]

    return found
