"""Does a process on this machine answer yet? Each probe asks once and never raises."""

import asyncio
from collections.abc import Awaitable, Callable

Probe = Callable[[], Awaitable[bool]]

_TIMEOUT_S = 2.0


async def _exchange(port: int, question: bytes = b"", lines: int = 1) -> bytes:
    """The first lines that a server says; empty when it says fewer."""
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                if question:
                    writer.write(question)
                return b"".join([await reader.readuntil(b"\r\n") for _ in range(lines)])
            finally:
                writer.close()
                await writer.wait_closed()
    except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return b""


def http_ready(port: int) -> Probe:
    """Ready when `/readyz` answers 200."""
    question = f"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode()

    async def probe() -> bool:
        return (await _exchange(port, question)).split(b" ")[1:2] == [b"200"]

    return probe


def nats_ready(port: int) -> Probe:
    """Ready when the server introduces itself; JetStream has then recovered its files."""

    async def probe() -> bool:
        return (await _exchange(port)).startswith(b"INFO ")

    return probe


def redis_ready(port: int, password: str) -> Probe:
    """Ready when a ping is answered; while it reads its files, Redis answers with an error."""
    question = f"AUTH {password}\r\nPING\r\n".encode()

    async def probe() -> bool:
        return (await _exchange(port, question, lines=2)) == b"+OK\r\n+PONG\r\n"

    return probe
