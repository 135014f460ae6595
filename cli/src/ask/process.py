"""One supervised operating system process."""

import asyncio
import contextlib
import signal
from pathlib import Path
from time import monotonic

from ask.backoff import Backoff
from ask.children import Child, Launcher, Program, launch
from ask.events import Crashed, Ready, Watcher
from ask.guard import Guard

NOT_FOUND = 127
"""The exit code of a program that cannot be started, as in a shell."""
_POLL_S = 0.05


class StartFailed(Exception):
    """A process has ended, or time was up, before it was ready; `exit_code` is None when time was up."""

    def __init__(self, name: str, exit_code: int | None, log: Path) -> None:
        super().__init__(name, exit_code, log)
        self.name = name
        self.exit_code = exit_code
        self.log = log


class Process:
    """Keeps a program running until it is stopped: a process that ends is started again after a pause."""

    def __init__(
        self, program: Program, log: Path, guard: Guard, watcher: Watcher, launcher: Launcher = launch
    ) -> None:
        self.program = program
        self.log = log
        self.restarts = 0
        self._guard = guard
        self._watcher = watcher
        self._launch = launcher
        self._backoff = Backoff()
        self._child: Child | None = None
        self._ready = asyncio.Event()
        self._ready_at: float | None = None
        self._stopping = asyncio.Event()
        self._supervision: asyncio.Task[None] | None = None

    @property
    def name(self) -> str:
        return self.program.name

    @property
    def pid(self) -> int | None:
        """None while there is no process."""
        return self._child.pid if self._child is not None else None

    @property
    def is_ready(self) -> bool:
        return self._ready.is_set()

    async def start(self, timeout_s: float) -> None:
        """Start and wait until ready; from then on crashes are repaired. Raises `StartFailed`."""
        try:
            child = await self._spawn()
        except OSError:
            raise StartFailed(self.name, NOT_FOUND, self.log) from None
        try:
            async with asyncio.timeout(timeout_s):
                await self._poll(child)
        except TimeoutError:
            await self._end(grace_s=1.0)
            raise StartFailed(self.name, None, self.log) from None
        if not self.is_ready:
            code = await child.exited
            self._forget(child)
            raise StartFailed(self.name, code, self.log)
        self._supervision = asyncio.create_task(self._supervise(child), name=f"supervise-{self.name}")

    async def wait_ready(self, timeout_s: float) -> None:
        """Until the process answers, e.g. after a `kill`. Raises `TimeoutError`."""
        async with asyncio.timeout(timeout_s):
            await self._ready.wait()

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Send a signal to the process and its children; the supervision goes on."""
        if self._child is not None:
            if number not in (signal.SIGSTOP, signal.SIGCONT):
                self._ready.clear()
            self._child.send(number)

    async def stop(self, grace_s: float) -> None:
        """End the process for good: ask it, and kill it when it has not gone after `grace_s`."""
        self._stopping.set()
        await self._end(grace_s)
        if self._supervision is not None:
            await self._supervision

    async def _spawn(self) -> Child:
        child = await self._launch(self.program, self.log)
        self._guard.watch(child.pid)
        self._child = child
        return child

    def _forget(self, child: Child) -> None:
        if self._child is child:
            self._child = None
            self._ready.clear()
            self._guard.forget(child.pid)

    async def _poll(self, child: Child) -> None:
        """Until the process is ready or has ended."""
        while not child.exited.done() and not self._stopping.is_set():
            if await self.program.probe():
                self._ready_at = monotonic()
                self._ready.set()
                self._watcher(Ready(self.name, again=self.restarts > 0))
                return
            await asyncio.wait([child.exited], timeout=_POLL_S)

    async def _supervise(self, child: Child | None) -> None:
        while child is not None:
            code = await child.exited
            self._forget(child)
            child = await self._restart(code)

    async def _restart(self, code: int) -> Child | None:
        """A new process after a pause, ready or already ended again; None when stopped meanwhile."""
        while not self._stopping.is_set():
            healthy_s = monotonic() - self._ready_at if self._ready_at is not None else 0.0
            self._ready_at = None
            pause_s = self._backoff.after_crash(healthy_s)
            self._watcher(Crashed(self.name, code, pause_s, self.log))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), pause_s)
            if self._stopping.is_set():
                break
            self.restarts += 1
            try:
                child = await self._spawn()
            except OSError:
                code = NOT_FOUND
                continue
            if self._stopping.is_set():  # while it was launched
                await self._end(grace_s=1.0)
                break
            await self._poll(child)
            return child
        return None

    async def _end(self, grace_s: float) -> None:
        child = self._child
        if child is None:
            return
        for number, patience_s in ((signal.SIGTERM, grace_s), (signal.SIGKILL, None)):
            child.send(number)
            await asyncio.wait([child.exited], timeout=patience_s)
            if child.exited.done():
                break
        self._forget(child)
