"""Drivers that ask for one turn and wait for its answer: over HTTP, and over the raw chain."""

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable, Sequence
from time import perf_counter
from typing import Any, Self

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js import JetStreamContext


class HttpDriver:
    """One keep-alive connection. Written by hand: a comfortable client costs as much as the system."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str) -> None:
        self._reader, self._writer, self._host = reader, writer, host
        self.session = f"bench-{secrets.token_hex(6)}"

    @classmethod
    async def connect(cls, host: str, port: int) -> Self:
        return cls(*await asyncio.open_connection(host, port), f"{host}:{port}")

    async def turn(self, headers: str = "") -> None:
        asked = {"sessionId": self.session, "userMessage": "Gehe zur Langendorfstrasse 19b"}
        status, answer = await self.post("/api/chat", asked, headers)
        if b'"overallStatus":"ok"' not in answer:
            raise RuntimeError(f"{status}: {answer[:300].decode()}")

    async def keyed_turn(self) -> None:
        """One that may be sent again."""
        await self.turn(f"idempotency-key: {secrets.token_hex(8)}\r\n")

    async def post(self, path: str, document: dict[str, Any], headers: str = "") -> tuple[int, bytes]:
        """(HTTP status, body). `headers` are whole lines. Raises `EOFError` or `OSError` when cut off."""
        body = json.dumps(document).encode()
        self._writer.write(
            f"POST {path} HTTP/1.1\r\nhost: {self._host}\r\ncontent-type: application/json\r\n{headers}"
            f"content-length: {len(body)}\r\n\r\n".encode()
            + body
        )
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        return int(head.split(b" ", 2)[1]), await self._reader.readexactly(length)

    async def close(self) -> None:
        self._writer.close()
        await self._writer.wait_closed()


class ChainDriver:
    """Starts chains and waits for their end on one inbox."""

    def __init__(self, connection: Client, js: JetStreamContext) -> None:
        self._connection, self._js = connection, js
        self._inbox = connection.new_inbox()
        self._waiting: dict[str, asyncio.Future[None]] = {}

    async def open(self) -> None:
        await self._connection.subscribe(self._inbox, cb=self._on_end)

    async def _on_end(self, msg: Msg) -> None:
        # After a crash an end may come twice.
        end = self._waiting.pop(json.loads(msg.data)["id"], None)
        if end is not None:
            end.set_result(None)

    async def turn(self, **more: object) -> None:
        """`more` goes into the document, for those of the chain who know what to do with it."""
        id = secrets.token_hex(8)
        end = self._waiting[id] = asyncio.get_running_loop().create_future()
        document = {"id": id, "hop": 0, "reply": self._inbox, "padding": "x" * 200, **more}
        ack = await self._js.publish_async(
            "chain.begin", json.dumps(document).encode(), headers={"Nats-Msg-Id": f"{id}/begin"}
        )
        await ack
        await end


async def one_by_one(turn: Callable[[], Awaitable[None]], count: int) -> list[float]:
    """Seconds of each of `count` turns, one after the other."""
    found = []
    for _ in range(count):
        started = perf_counter()
        await turn()
        found.append(perf_counter() - started)
    return found


async def at_once(turns: Sequence[Callable[[], Awaitable[None]]], count: int) -> tuple[float, list[float]]:
    """(turns per second, seconds of each) with `len(turns)` in flight."""
    left = count
    found: list[float] = []

    async def lane(turn: Callable[[], Awaitable[None]]) -> None:
        nonlocal left
        while left > 0:
            left -= 1
            started = perf_counter()
            await turn()
            found.append(perf_counter() - started)

    started = perf_counter()
    await asyncio.gather(*(lane(turn) for turn in turns))
    return count / (perf_counter() - started), found
