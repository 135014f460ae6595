"""Processes that a supervisor has started, in either of two ways."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from ask.forkserver import Order
from ask.guard import Guard
from ask.probes import Probe


@dataclass(frozen=True)
class Program:
    """What to run, and how to see that it is ready."""

    name: str
    argv: tuple[str, ...]
    probe: Probe
    environment: Mapping[str, str] = field(default_factory=dict)
    """On top of the environment of this process."""


class Child:
    """A process that leads a group of its own, and whose end can be awaited: its exit code."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.exited: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def ended(self, code: int) -> None:
        if not self.exited.done():
            self.exited.set_result(code)

    def send(self, number: signal.Signals) -> None:
        if not self.exited.done():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)


Launcher = Callable[[Program, Path], Awaitable[Child]]
"""Starts a program whose output is appended to a file. Raises `OSError`."""


async def launch(program: Program, log: Path) -> Child:
    """As a process of its own from the beginning."""
    with log.open("ab") as output:
        popen = _start(program.argv, program.environment, stdin=subprocess.DEVNULL, output=output)
    child = Child(popen.pid)
    loop = asyncio.get_running_loop()

    def wait() -> None:
        code = popen.wait()
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(child.ended, code)

    threading.Thread(target=wait, name=f"wait-{program.name}", daemon=True).start()
    return child


class ForkServer:
    """Launches Python programs as forks of a process that has loaded `modules`; see `ask.forkserver`.

    What they share is in memory once, and they need not load it when they are started again. Programs that
    are not Python are launched as ever. When the process dies, what it forked ends too, and the next launch
    starts another.
    """

    def __init__(self, modules: Iterable[str], environment: Mapping[str, str], guard: Guard) -> None:
        self.pid: int | None = None
        self._modules = tuple(modules)
        self._environment = environment
        self._guard = guard
        self._children: dict[int, Child] = {}
        self._answers: deque[asyncio.Future[Child]] = deque()
        """As many as there are orders without an answer, in the same order."""
        self._starting = asyncio.Lock()
        self._writer: asyncio.StreamWriter | None = None
        self._listening: asyncio.Task[None] | None = None

    async def launch(self, program: Program, log: Path) -> Child:
        """Raises `OSError`."""
        if not _is_python(program.argv):
            return await launch(program, log)
        async with self._starting:
            writer = self._writer or await self.start()
        order: Order = {
            "argv": list(program.argv[1:]),
            "environment": {**os.environ, **program.environment},
            "log": str(log),
        }
        answer: asyncio.Future[Child] = asyncio.get_running_loop().create_future()
        self._answers.append(answer)
        writer.write(json.dumps(order).encode() + b"\n")
        return await answer

    async def start(self) -> asyncio.StreamWriter:
        """Returns at once; orders wait until the modules are loaded."""
        ours, theirs = socket.socketpair()
        with theirs:
            argv = (sys.executable, "-u", "-m", "ask.forkserver", *self._modules)
            process = _start(argv, self._environment, stdin=theirs.fileno(), output=subprocess.DEVNULL)
        self.pid = process.pid
        self._guard.watch(process.pid)
        reader, self._writer = await asyncio.open_unix_connection(sock=ours)
        self._listening = asyncio.create_task(self._listen(reader, self._writer, process))
        return self._writer

    async def stop(self) -> None:
        """After what it forked has ended."""
        if self._writer is not None and self._listening is not None:
            self._writer.close()
            await self._listening

    async def _listen(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, process: subprocess.Popen[bytes]
    ) -> None:
        with contextlib.suppress(OSError):
            async for line in reader:
                self._hear(json.loads(line))
        writer.close()
        self._writer = self.pid = None
        for child in self._children.values():
            child.send(signal.SIGKILL)
            child.ended(-signal.SIGKILL)
        self._children.clear()
        while self._answers:
            answer = self._answers.popleft()
            if not answer.done():
                answer.set_exception(OSError("the fork server has ended"))
        process.kill()  # whatever keeps it
        await asyncio.to_thread(process.wait)
        self._guard.forget(process.pid)

    def _hear(self, said: dict[str, int]) -> None:
        pid = said["pid"]
        if "code" in said:
            self._children.pop(pid).ended(said["code"])
            return
        child = self._children[pid] = Child(pid)
        answer = self._answers.popleft()
        if answer.cancelled():
            child.send(signal.SIGKILL)
        else:
            answer.set_result(child)


def _start(
    argv: Sequence[str], environment: Mapping[str, str], *, stdin: int | IO[bytes], output: int | IO[bytes]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        argv,
        env={**os.environ, **environment},
        stdin=stdin,
        stdout=output,
        stderr=subprocess.STDOUT,
        # A session of its own: Ctrl-C reaches the supervisor only.
        start_new_session=True,
    )


def _is_python(argv: tuple[str, ...]) -> bool:
    """Python that is named by a module or a file."""
    return argv[0] == sys.executable and (argv[1] == "-m" or argv[1].endswith(".py"))
