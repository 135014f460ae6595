"""What becomes of a stream whose client leaves."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack

import pytest
from starlette.types import Message

from edge.event_stream import EventStream


class Client:
    """Takes so many messages and leaves."""

    def __init__(self, takes: int) -> None:
        self.taken: list[Message] = []
        self._takes = takes
        self._left = asyncio.Event()

    async def send(self, message: Message) -> None:
        if len(self.taken) == self._takes:
            self._left.set()
            await asyncio.Event().wait()
        self.taken.append(message)

    async def receive(self) -> Message:
        await self._left.wait()
        return {"type": "http.disconnect"}


async def endless(closed: list[str]) -> AsyncGenerator[bytes, None]:
    try:
        while True:
            yield b": ping\n\n"
    finally:
        closed.append("frames")


@pytest.mark.parametrize("takes", [0, 1, 2, 5])
async def test_a_client_that_leaves_gives_its_place_back_however_early(takes: int) -> None:
    closed: list[str] = []
    place = AsyncExitStack()
    place.callback(closed.append, "place")
    client = Client(takes)
    async with asyncio.timeout(30):
        await EventStream(endless(closed), {}, send_timeout_s=30, place=place)(
            {}, client.receive, client.send
        )
    assert len(client.taken) == takes
    # Frames that were never asked for have nothing to close.
    assert closed == (["frames", "place"] if takes else ["place"])


async def test_a_client_that_takes_nothing_any_more_is_cut_off() -> None:
    closed: list[str] = []
    client = Client(2)
    client.receive = asyncio.Event().wait  # type: ignore[assignment]
    async with asyncio.timeout(30):
        await EventStream(endless(closed), {}, send_timeout_s=0.01)({}, client.receive, client.send)
    assert closed == ["frames"]
