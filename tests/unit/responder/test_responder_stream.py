"""What is appended is stored piece by piece, in order, and completely before the answer."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from contracts.messages import AnswerReady
from contracts.turns import AnswerDelta
from servicekit.testing import MemoryBus

from responder import handlers
from responder.answering import Responder
from responder.settings import Settings
from responder.stream import DeltaStream

from .responder_kit import about_documents

IDS: dict[str, Any] = {"request_id": "req-1", "session_id": "s", "round": 0, "step": 1, "call": 2}


class Log:
    def __init__(self) -> None:
        self.deltas: list[AnswerDelta] = []

    async def publish(self, delta: AnswerDelta) -> None:
        await asyncio.sleep(0)
        self.deltas.append(delta)

    @property
    def text(self) -> str:
        """As a reader puts it together."""
        text = ""
        for delta in self.deltas:
            text = delta.text if delta.restart else text + delta.text
        return text


async def test_pieces_are_stored_in_order_and_none_is_lost() -> None:
    log = Log()
    async with DeltaStream(log.publish, IDS, 1, 0.001) as sink:
        for n in range(50):
            await sink.append(f"{n} ")
            if n % 7 == 0:
                await asyncio.sleep(0.002)
    assert log.text == "".join(f"{n} " for n in range(50))
    assert [delta.k for delta in log.deltas] == list(range(len(log.deltas)))
    assert 1 < len(log.deltas) < 50
    assert len({delta.message_id for delta in log.deltas}) == len(log.deltas)


async def test_the_first_piece_is_stored_at_once() -> None:
    log = Log()
    async with DeltaStream(log.publish, IDS, 1, 3_600) as sink:
        await sink.append("Gemäss")
        for _ in range(10):
            await asyncio.sleep(0)
        assert log.text == "Gemäss"


async def test_what_was_stored_is_withdrawn_and_what_was_not_is_never_stored() -> None:
    log = Log()
    async with DeltaStream(log.publish, IDS, 1, 3_600) as sink:
        await sink.append("Falsch")
        for _ in range(10):
            await asyncio.sleep(0)
        await sink.append(" und nie gespeichert")
        await sink.restart()
        await sink.append("Richtig")
    assert [(delta.text, delta.restart) for delta in log.deltas] == [("Falsch", False), ("Richtig", True)]


async def test_a_restart_before_anything_was_stored_is_none() -> None:
    log = Log()
    async with DeltaStream(log.publish, IDS, 1, 3_600) as sink:
        await sink.append("nie")
        await sink.restart()
        await sink.append("Text")
    assert [(delta.text, delta.restart) for delta in log.deltas] == [("Text", False)]


async def test_a_piece_that_cannot_be_stored_fails_the_answer() -> None:
    async def fail(delta: AnswerDelta) -> None:
        raise ConnectionError("bus")

    with pytest.raises(ConnectionError):
        async with DeltaStream(fail, IDS, 1, 0.0) as sink:
            await sink.append("Text")
            await asyncio.sleep(0.01)


async def test_the_piece_under_way_at_the_end_is_waited_for() -> None:
    begun = asyncio.Event()

    async def fail(delta: AnswerDelta) -> None:
        begun.set()
        await asyncio.sleep(0.01)
        raise ConnectionError("bus")

    with pytest.raises(ConnectionError):
        async with DeltaStream(fail, IDS, 1, 0.0) as sink:
            await sink.append("Text")
            await begun.wait()


async def test_the_answer_follows_its_last_piece_on_the_bus() -> None:
    bus = MemoryBus("responder")
    handlers.register(bus, Responder(None, Settings()), 0.0)  # type: ignore[arg-type]
    request = about_documents(deadline=datetime.now(UTC) + timedelta(seconds=30))
    await bus.publish(request)
    await bus.settle()
    *deltas, ready = bus.published[1:]
    assert isinstance(ready, AnswerReady)
    assert ready.call_id == request.call_id
    assert "".join(delta.text for delta in deltas if isinstance(delta, AnswerDelta)) == ready.text != ""
