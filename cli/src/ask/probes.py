"""Does a process on this machine answer yet? Each probe asks once and never raises."""

import asyncio
from collections.abc import Awaitable, Callable

Probe = Callable[[], Awaitable[bool]]

_TIMEOUT_S = 2.0


async def _exchange(port: int, question: bytes, enough: bytes) -> bytes:
    """What a server says first, up to `enough`; empty when it says nothing."""
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                if question:
                    writer.write(question)
                return await reader.readuntil(enough)
            finally:
                writer.close()
                await writer.wait_closed()
    except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return b""


def http_ready(port: int) -> Probe:
    """Ready when `/readyz` answers 200."""
    question = f"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode()

    async def probe() -> bool:
        return (await _exchange(port, question, b"\r\n")).split(b" ")[1:2] == [b"200"]

    return probe


def nats_ready(port: int) -> Probe:
    """Ready when the server introduces itself; JetStream has then recovered its files."""

    async def probe() -> bool:
        return (await _exchange(port, b"", b"\r\n")).startswith(b"INFO ")

    return probe


def redis_ready(port: int) -> Probe:
    """Ready when a ping is answered; while it reads its files, Redis answers with an error."""

    async def probe() -> bool:
        return (await _exchange(port, b"PING\r\n", b"\r\n")) == b"+PONG\r\n"

    return probe
