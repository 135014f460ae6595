"""A real nats-server and a real redis-server for each test that asks: free ports, own files.

They are programs of this machine, or images with `ASK_TEST_SERVERS=containers`; see `server_containers`.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Protocol

import pytest
from servicekit import streams

from ask.ports import Ports

_START_TIMEOUT_S = 10.0
_PORT_ATTEMPTS = 5
_PORTS = Ports()
_CONTAINERS = os.environ.get("ASK_TEST_SERVERS") == "containers"


def binary(*names: str) -> str:
    """The first that the virtual environment has, else the first on the PATH; in an image all are known."""
    if _CONTAINERS:
        return names[-1]
    beside_python = Path(sys.executable).parent
    for where in (str(beside_python), None):
        for name in names:
            if found := shutil.which(name, path=where):
                return found
    raise FileNotFoundError(f"none of {', '.join(names)} is installed")


class Running(Protocol):
    """What there is to know about a started server."""

    def poll(self) -> int | None: ...
    def kill(self) -> None: ...
    def send_signal(self, number: int) -> None: ...
    def wait(self) -> object: ...


def _run(command: list[str], log: Path) -> Running:
    if _CONTAINERS:
        from server_containers import ServerContainer

        return ServerContainer(command, log.parent, log)
    with log.open("ab") as output:
        return subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)


class ServerProcess:
    """A server that a test can kill and start again: same port, same files."""

    def __init__(self, command: Callable[[int], list[str]], log: Path) -> None:
        self._command = command
        self._log = log
        self._process: Running | None = None
        self.port = 0

    def start(self, without: str | None = None) -> None:
        """Returns when the port takes connections; the first time it looks for a free one.

        `without` leaves out one of its arguments.
        """
        attempts = 1 if self.port else _PORT_ATTEMPTS
        for _ in range(attempts):
            port = self.port or _PORTS.take()
            command = [part for part in self._command(port) if part != without]
            self._process = _run(command, self._log)
            if self._answers(port):
                self.port = port
                return
            self.kill()
        raise RuntimeError(f"did not start:\n{self._log.read_text(errors='replace')[-2000:]}")

    def _answers(self, port: int) -> bool:
        assert self._process is not None
        until = time.monotonic() + _START_TIMEOUT_S
        while time.monotonic() < until and self._process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=0.2):
                return True
            time.sleep(0.005)
        return False

    def kill(self) -> None:
        """SIGKILL; what was not on the disk is lost."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def send_signal(self, number: int) -> None:
        """After a SIGSTOP it takes connections and says nothing any more, like one behind a broken line."""
        assert self._process is not None
        self._process.send_signal(number)


@pytest.fixture
def nats_server(tmp_path: Path) -> Iterator[ServerProcess]:
    """nats-server with JetStream on files, without streams."""
    store = tmp_path / "nats"
    store.mkdir(exist_ok=True)
    program = binary("nats-server")
    server = ServerProcess(
        lambda port: [program, "-a", "127.0.0.1", "-p", str(port), "-js", "-sd", str(store)],
        tmp_path / "nats.log",
    )
    server.start()
    yield server
    server.kill()


@pytest.fixture
def redis_server(tmp_path: Path) -> Iterator[ServerProcess]:
    """redis-server with its append-only file on, empty."""
    store = tmp_path / "redis"
    store.mkdir()
    program = binary("redis-server", "valkey-server")
    options = {"bind": "127.0.0.1", "dir": str(store), "appendonly": "yes", "save": ""}
    arguments = [part for name, value in options.items() for part in (f"--{name}", value)]
    server = ServerProcess(lambda port: [program, "--port", str(port), *arguments], tmp_path / "redis.log")
    server.start()
    yield server
    server.kill()


@pytest.fixture
async def nats_url(nats_server: ServerProcess) -> AsyncIterator[str]:
    """NATS with all streams declared."""
    url = f"nats://127.0.0.1:{nats_server.port}"
    await streams.declare(url)
    yield url


@pytest.fixture
def redis_url(redis_server: ServerProcess) -> str:
    return f"redis://127.0.0.1:{redis_server.port}/0"


@pytest.fixture
def ack_wait_s() -> float:
    """Not over while a busy machine stands still. A test of what comes after it chooses a shorter one."""
    return 10
