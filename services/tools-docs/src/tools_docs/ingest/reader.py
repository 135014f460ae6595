"""Reads documents in processes of their own: one that hangs or breaks its reader costs that document only."""

import asyncio
import json
import os
import sys
from types import TracebackType
from typing import Any, Self

from pydantic import TypeAdapter

from tools_docs.corpus import SourceDocument
from tools_docs.formats.kinds import Format
from tools_docs.formats.reading import Origin, Problem, Unreadable

_DOCUMENT = TypeAdapter(SourceDocument)
_ORIGIN = TypeAdapter(Origin)
_MAX_PROCESSES = 4


class _Process:
    """One reader; started when it is needed, and again after it was ended."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None

    async def read(self, kind: Format, content: bytes, origin: Origin, timeout_s: float) -> SourceDocument:
        try:
            async with asyncio.timeout(timeout_s):
                answer = await self._ask(kind, content, origin)
        except TimeoutError:
            await self.stop()
            raise Unreadable(Problem.TOO_SLOW) from None
        except (OSError, asyncio.IncompleteReadError, ValueError):
            # It has died: out of memory, or by a flaw in a library.
            await self.stop()
            raise Unreadable(Problem.BROKEN) from None
        except BaseException:
            # Whoever is interrupted leaves half an answer behind.
            await self.stop()
            raise
        if "problem" in answer:
            raise Unreadable(Problem(answer["problem"]), answer["detail"])
        return _DOCUMENT.validate_python(answer["document"])

    async def _ask(self, kind: Format, content: bytes, origin: Origin) -> dict[str, Any]:
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "tools_docs.ingest.worker",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
        assert self._process.stdin is not None and self._process.stdout is not None
        head = {"format": kind, "origin": _ORIGIN.dump_python(origin, mode="json")}
        self._process.stdin.write(json.dumps(head | {"size": len(content)}).encode() + b"\n" + content)
        await self._process.stdin.drain()
        size = int(await self._process.stdout.readuntil(b"\n"))
        found: dict[str, Any] = json.loads(await self._process.stdout.readexactly(size))
        return found

    async def stop(self) -> None:
        if self._process is not None:
            process, self._process = self._process, None
            if process.returncode is None:
                process.kill()
            await process.wait()


class Readers:
    """As many processes as the machine has cores to spare. Use it as `async with Readers() as readers`."""

    def __init__(self, timeout_s: float = 60.0) -> None:
        self._timeout_s = timeout_s
        spare = max(1, min(_MAX_PROCESSES, (os.cpu_count() or 1) - 1))
        self._all = [_Process() for _ in range(spare)]
        self._free: asyncio.LifoQueue[_Process] = asyncio.LifoQueue()
        for process in self._all:
            self._free.put_nowait(process)

    async def read(self, kind: Format, content: bytes, origin: Origin) -> SourceDocument:
        """Raises `Unreadable`."""
        process = await self._free.get()
        try:
            return await process.read(kind, content, origin, self._timeout_s)
        finally:
            self._free.put_nowait(process)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._all:
            await process.stop()
