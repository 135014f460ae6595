"""Processes of a contestant: started, killed and ended by their ids, and what they use."""

import asyncio
import os
import signal
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic

import psutil

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 8.0
_POLL_S = 0.05


class Program:
    """A process that listens on a port of this machine, and its children."""

    def __init__(
        self,
        name: str,
        argv: Sequence[str | Path],
        *,
        port: int | None,
        environment: Mapping[str, str],
        folder: Path,
    ) -> None:
        self.name = name
        self.port = port
        self._argv = [str(each) for each in argv]
        self._environment = dict(environment)
        self._log = folder / f"{name.replace(' ', '-')}.log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def spawn(self) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._argv,
                env={**os.environ, **self._environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    async def start(self) -> None:
        """Until somebody listens. Raises `RuntimeError` with the end of its log."""
        self.spawn()
        assert self._process is not None
        until = monotonic() + START_TIMEOUT_S
        while not await self._listens():
            if self._process.poll() is not None or monotonic() > until:
                raise RuntimeError(f"{self.name} has not started:\n{self._log.read_text()[-2000:]}")
            await asyncio.sleep(_POLL_S)

    async def _listens(self) -> bool:
        if self.port is None:
            return b"ready" in self._log.read_bytes()
        with suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", self.port)
            writer.close()
            return True
        return False

    def kill(self) -> None:
        """At once, with its children: they are a group of their own."""
        assert self._process is not None
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()

    async def stop(self) -> None:
        """Ask it to end; kill what has not gone in time."""
        if self._process is None:
            return
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            await asyncio.to_thread(self._process.wait, STOP_TIMEOUT_S)
        self.kill()


def family(pids: Iterable[int]) -> list[psutil.Process]:
    """Everybody below these processes, the youngest last."""
    found = []
    for pid in pids:
        with suppress(psutil.NoSuchProcess):
            found += psutil.Process(pid).children(recursive=True)
    return found


class Usage:
    """CPU time and memory of process trees. What a child used before it ended counts if its parent waited."""

    def __init__(self, roots: Mapping[str, int]) -> None:
        self._roots = dict(roots)

    def cpu_ms(self) -> dict[str, float]:
        """User and system time by name of the tree, in milliseconds."""
        return self._summed(lambda process: sum(process.cpu_times()[:2]) * 1000)

    def memory_mb(self) -> dict[str, float]:
        """By name of the tree. On Linux what processes share counts once (PSS), elsewhere for each (RSS)."""
        return self._summed(lambda process: _memory(process) / 2**20)

    def _summed(self, figure: Callable[[psutil.Process], float]) -> dict[str, float]:
        found = dict.fromkeys(self._roots, 0.0)
        for name, pid in self._roots.items():
            for process in (psutil.Process(pid), *family([pid])):
                with suppress(psutil.NoSuchProcess):
                    found[name] += figure(process)
        return found


def _memory(process: psutil.Process) -> int:
    used = process.memory_full_info()
    return getattr(used, "pss", 0) or used.rss
