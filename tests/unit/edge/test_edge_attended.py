"""Work for a client ends when the client leaves."""

import asyncio
from collections.abc import Awaitable

import pytest
from starlette.requests import ClientDisconnect, Request
from starlette.types import Message

from edge import attended
from edge.attended import attended as attend


class Client:
    """One that has sent its body, and leaves when told to."""

    def __init__(self) -> None:
        self.leaves = asyncio.Event()

    async def receive(self) -> Message:
        await self.leaves.wait()
        return {"type": "http.disconnect"}

    def wait_for(self, work: Awaitable[str]) -> Awaitable[str]:
        return attend(Request({"type": "http", "headers": []}, self.receive), work)


async def test_what_the_work_comes_to_is_the_answer() -> None:
    assert await Client().wait_for(asyncio.sleep(0, "done")) == "done"


async def test_an_error_of_the_work_is_that_of_the_answer() -> None:
    async def fail() -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await Client().wait_for(fail())


async def test_who_leaves_takes_the_work_along() -> None:
    client = Client()
    ended: list[str] = []

    async def work() -> str:
        try:
            client.leaves.set()
            await asyncio.sleep(60)
        finally:
            ended.append("cancelled")
        return "done"

    with pytest.raises(ClientDisconnect):
        await client.wait_for(work())
    assert ended == ["cancelled"]
    # Whoever waits next is not cancelled by what has been.
    async with asyncio.timeout(1):
        await asyncio.sleep(0)


async def test_work_that_loses_a_cancellation_is_cancelled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attended, "_AGAIN_S", 0.01)
    client = Client()
    client.leaves.set()

    async def work() -> str:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await asyncio.sleep(60)
        return "done"

    with pytest.raises(ClientDisconnect):
        await client.wait_for(work())


async def test_the_end_of_the_server_is_no_leaving_of_the_client() -> None:
    async def serve() -> None:
        await Client().wait_for(asyncio.sleep(60, "done"))

    serving = asyncio.create_task(serve())
    await asyncio.sleep(0)
    serving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await serving
