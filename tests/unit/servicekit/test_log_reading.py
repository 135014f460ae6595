"""When who reads along with a turn looks into its log."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest
import virtual_time
from contracts.turns import TurnEvent, TurnEventKind
from nats.js.errors import NotFoundError
from servicekit.bus import Bus
from servicekit.turnlog import TurnLog

ENTRY = TurnEvent(
    request_id="req-1",
    session_id="s",
    n=0,
    round=0,
    kind=TurnEventKind.STARTED,
    at=datetime(2026, 11, 20, tzinfo=UTC),
)
STORED_AT_S = 100.3


class Server:
    """One that stores an entry at some moment, and as much of a bus as reads it."""

    def __init__(self) -> None:
        self.looks: list[float] = []
        self.hear: Callable[[], Awaitable[None]] | None = None
        self.reconnected: Callable[[], Awaitable[None]] | None = None
        self.connection = self.jetstream = self

    def on_reconnect(self, hook: Callable[[], Awaitable[None]]) -> None:
        self.reconnected = hook

    async def subscribe(self, subject: str, cb: Callable[[], Awaitable[None]]) -> Any:
        self.hear = cb
        return SimpleNamespace(unsubscribe=self._unsubscribe)

    async def _unsubscribe(self) -> None:
        self.hear = None

    async def get_msg(self, stream: str, **wanted: Any) -> Any:
        now = asyncio.get_running_loop().time()
        self.looks.append(now)
        if now < STORED_AT_S or wanted["seq"] > 1:
            raise NotFoundError
        return SimpleNamespace(seq=1, data=ENTRY.to_json(), subject=ENTRY.subject)


def read(said: Callable[[Server], Callable[[], Awaitable[None]] | None]) -> tuple[float, list[float]]:
    """When an entry is read that is stored after 100 s, and when somebody has looked."""
    server = Server()

    async def scenario() -> None:
        log = TurnLog(cast(Bus, server))

        async def say() -> None:
            await asyncio.sleep(STORED_AT_S)
            word = said(server)
            if word is not None:
                await word()

        async with log.reading("req-1") as reader:
            saying = asyncio.create_task(say())
            logged = await reader.next(1_000)
            assert logged is not None and logged.entry == ENTRY
            await saying

    return virtual_time.run(scenario), server.looks


@pytest.mark.parametrize("said", [lambda s: s.hear, lambda s: s.reconnected], ids=["heard", "reconnected"])
def test_it_looks_when_it_hears_of_an_entry_or_may_have_missed_one(
    said: Callable[[Server], Callable[[], Awaitable[None]]],
) -> None:
    assert read(said)[0] == pytest.approx(STORED_AT_S)


def test_it_looks_the_more_seldom_the_longer_nothing_comes() -> None:
    read_at, looks = read(lambda server: None)
    assert STORED_AT_S < read_at < STORED_AT_S + 8
    assert looks[:5] == pytest.approx([0, 1, 3, 7, 15])
