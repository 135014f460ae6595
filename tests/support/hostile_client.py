"""A client that says what it wants on a socket, and a look at what that costs a server."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager

import psutil

_LOOK_PERIOD_S = 0.01
_PATIENCE_S = 45.0


class Hostile:
    """One connection. `host` is where it comes from: any address of 127.0.0.0/8 is of this machine."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.sent_bytes = 0
        self._opened = time.monotonic()

    @classmethod
    async def connect(cls, port: int, host: str = "127.0.0.1") -> "Hostile":
        return cls(*await asyncio.open_connection("127.0.0.1", port, local_addr=(host, 0)))

    async def send(self, data: bytes) -> bool:
        """Whether the server still takes it."""
        try:
            self.writer.write(data)
            async with asyncio.timeout(_PATIENCE_S):
                await self.writer.drain()
        except OSError:
            return False
        self.sent_bytes += len(data)
        return not self.reader.at_eof()

    async def post(self, path: str, body: bytes) -> str:
        await self.send(head(path, len(body)) + body)
        return await self.status()

    async def status(self) -> str:
        """Of the next answer, which is read; or that there is none."""
        try:
            async with asyncio.timeout(_PATIENCE_S):
                answered = await self.reader.readuntil(b"\r\n\r\n")
                if length := answered.lower().partition(b"content-length:")[2]:
                    await self.reader.readexactly(int(length.split(b"\r\n")[0]))
        except (OSError, asyncio.IncompleteReadError):
            return "cut off"
        return answered.split()[1].decode()

    def stop_sending(self) -> None:
        """Without closing: what the server says is still read, unless it has gone already."""
        with contextlib.suppress(OSError):
            self.writer.write_eof()

    async def end(self) -> str:
        """What the server says before it closes."""
        try:
            async with asyncio.timeout(_PATIENCE_S):
                said = await self.reader.read()
        except OSError:
            said = b""
        return said.split()[1].decode() if said.startswith(b"HTTP/1.1 ") else "cut off"

    def close(self) -> None:
        self.writer.close()


def head(path: str, length: int) -> bytes:
    return (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


class Memory:
    """How much a process has grown since the look began, in bytes."""

    def __init__(self, pid: int) -> None:
        self._process = psutil.Process(pid)
        self._before = self._peak = self._process.memory_info().rss

    @property
    def grown_bytes(self) -> int:
        self._peak = max(self._peak, self._process.memory_info().rss)
        return self._peak - self._before

    def __str__(self) -> str:
        return f"+{self.grown_bytes / 1e6:.0f} MB"


@asynccontextmanager
async def watched(pid: int) -> AsyncIterator[Memory]:
    """Looks all the time."""
    memory = Memory(pid)

    async def look() -> None:
        while True:
            assert memory.grown_bytes >= 0
            await asyncio.sleep(_LOOK_PERIOD_S)

    looking = asyncio.create_task(look())
    try:
        yield memory
    finally:
        looking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await looking


async def counted(attempts: list[Awaitable[str]]) -> str:
    """What came of many attempts, e.g. `12 × 413, 3 × cut off`."""
    outcomes = await asyncio.gather(*attempts)
    return ", ".join(f"{outcomes.count(each)} × {each}" for each in sorted(set(outcomes)))
