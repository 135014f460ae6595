"""What is left of a session on the bus when it is erased, on a real NATS and a real Redis."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from contracts import keys, subjects
from contracts.messages import EraseSession, SessionErased
from servicekit.bus import Bus
from servicekit.errors import BusUnavailable
from servicekit.settings import ServiceSettings

from .orchestrator_harness import System, running, until


@pytest.fixture
async def system(nats_url: str, redis_url: str) -> AsyncIterator[System]:
    async with running(nats_url, redis_url) as made:
        yield made


class Edge:
    """Has sessions erased."""

    def __init__(self, system: System) -> None:
        self._bus = system.edge
        self.done: list[str] = []
        self._bus.listen(subjects.erased("e"), self._on_erased, SessionErased)

    async def _on_erased(self, word: SessionErased) -> None:
        self.done.append(word.exchange)

    async def erase(self, session_id: str) -> None:
        wish = EraseSession(session_id=session_id, exchange=session_id, edge_id="e")
        await self._bus.send(subjects.SESSION_ERASE, wish)
        await until(lambda: session_id in self.done)


async def kept(system: System, request_id: str) -> set[str]:
    """Under which subjects anything is stored of a turn."""
    found: set[str] = set()
    for stream in ("TURNS", "EVENTS", "DEAD"):
        info = await system.edge.jetstream.stream_info(stream, subjects_filter=">")
        found |= {name for name in info.state.subjects or {} if request_id in name.split(".")}
    return found


async def test_nothing_of_a_session_is_left_and_nothing_of_another_is_gone(system: System) -> None:
    edge = Edge(system)
    await system.start(orchestrators=2)
    await system.ask("req-1", session_id="mine")
    await system.ask("req-10", session_id="theirs")
    await system.edge.jetstream.publish(subjects.dead("planner", "req-1"), b"{}")
    assert await kept(system, "req-1") >= {"turn.event.req-1", "plan.ready.req-1", "dead.planner.req-1"}
    before = await kept(system, "req-10")
    await edge.erase("mine")
    assert await kept(system, "req-1") == set()
    assert await kept(system, "req-10") == before
    assert not await system.redis.exists(keys.turn("req-1"))
    assert await system.redis.exists(keys.turn("req-10"))
    # One orchestrator did it, once.
    await asyncio.sleep(0.2)
    assert edge.done == ["mine"]


async def test_what_workers_say_after_a_session_was_erased_goes_too(system: System) -> None:
    edge = Edge(system)
    system.hold()
    await system.start()
    await system.post("req-1", user_message="…", seconds=6)
    await until(lambda: bool(system.calls))
    await edge.erase("s")
    assert await kept(system, "req-1") == set()
    system.let_go.set()

    async def answer_stored() -> None:
        while (await system.edge.jetstream.stream_info("EVENTS")).state.last_seq < 2:
            await asyncio.sleep(0.02)

    async with asyncio.timeout(30):
        await answer_stored()
        while await kept(system, "req-1"):
            await asyncio.sleep(0.02)
        # Its timer rings once more, and nothing comes of it.
        while (await system.edge.jetstream.stream_info("COMMANDS")).state.messages:
            await asyncio.sleep(0.05)
    assert await kept(system, "req-1") == set()


async def test_a_session_without_turns_is_erased_at_once(system: System) -> None:
    edge = Edge(system)
    await system.start()
    await edge.erase("never seen")


@pytest.mark.parametrize("wide", ["*", ">", "", "req-1.x", "req 1", "req-1\r\n"])
async def test_nothing_wider_than_a_turn_can_be_said(nats_url: str, wide: str) -> None:
    bus = Bus("orchestrator", ServiceSettings(nats_url=nats_url))
    await bus.connect()
    await bus.jetstream.publish(subjects.turn_event("req-1"), b"{}")
    with pytest.raises(ValueError, match="request id"):
        await bus.erase(wide)
    assert (await bus.jetstream.stream_info("TURNS")).state.messages == 1
    await bus.jetstream.delete_stream("EVENTS")
    with pytest.raises(BusUnavailable):
        await bus.erase("req-1")
    await bus.broker.stop()
