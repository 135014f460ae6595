"""`ask turn` and `ask dead` on a real nats-server."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import nats
import pytest
from contracts import subjects
from contracts.subjects import Header
from contracts.turns import TurnEvent, TurnEventKind
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig
from nats.js.errors import NotFoundError

from ask import bus, dead, deadview, turn
from ask.errors import AskError
from ask.stack import Stack


@pytest.fixture
async def url(tmp_path: Path) -> AsyncIterator[str]:
    async with Stack(tmp_path / "data", services=[]) as stack:
        yield stack.nats_url


@pytest.fixture
async def js(url: str) -> AsyncIterator[JetStreamContext]:
    connection = await nats.connect(url)
    yield connection.jetstream()
    await connection.close()


async def _bury(js: JetStreamContext, subject: str, data: bytes, number: int = 1) -> None:
    headers = {
        Header.ORIGIN: subject,
        Header.REASON: "ValueError: no",
        Header.REQUEST_ID: "req-1",
        Header.MESSAGE_ID: f"dead/COMMANDS/{number}",
    }
    await js.publish(subjects.dead("planner", "req-1"), data, headers=headers)


async def _give_up(js: JetStreamContext, data: bytes) -> None:
    """A command that its only consumer never acknowledges."""
    config = ConsumerConfig(
        durable_name="planner", filter_subject=subjects.PLAN_REQUESTED, max_deliver=1, ack_wait=0.2
    )
    await js.add_consumer(subjects.COMMANDS.name, config)
    await js.publish(subjects.PLAN_REQUESTED, data, headers={Header.MESSAGE_ID: "req-2/plan"})
    pull = await js.pull_subscribe_bind("planner", subjects.COMMANDS.name)
    await pull.fetch(1, timeout=5)
    while (await js.stream_info(subjects.DEAD.name)).state.messages == 0:
        with pytest.raises(TimeoutError):
            await pull.fetch(1, timeout=0.3)


async def _entries(js: JetStreamContext) -> list[dead.Entry]:
    return [entry async for entry in dead.entries(js)]


async def test_the_events_of_a_turn_are_read_in_order_and_no_others(url: str, js: JetStreamContext) -> None:
    for n in range(3):
        for request_id in ("req-1", "req-2"):
            event = TurnEvent(
                request_id=request_id,
                session_id="s",
                n=n,
                round=0,
                kind=TurnEventKind.STARTED,
                at=datetime.now(UTC),
            )
            await js.publish(event.subject, event.to_json())
    events = await turn.read(url, "req-1")
    numbers = [(event.request_id, event.n) for event in events if isinstance(event, TurnEvent)]
    assert numbers == [("req-1", n) for n in range(3)]


async def test_an_unknown_turn_is_a_clear_line(url: str) -> None:
    with pytest.raises(AskError, match="req-9"):
        await turn.read(url, "req-9")


async def test_a_server_that_is_not_there_is_a_clear_line() -> None:
    with pytest.raises(AskError, match=r"nats://127\.0\.0\.1:9 ist nicht erreichbar"):
        await turn.read("nats://me:secret@127.0.0.1:9", "req-1")


async def test_a_server_without_our_streams_is_a_clear_line(js: JetStreamContext, url: str) -> None:
    await js.delete_stream(subjects.TURNS.name)
    with pytest.raises(AskError, match="TURNS"):
        await turn.read(url, "req-1")


async def test_a_buried_message_shows_origin_and_reason_and_is_sent_again_as_a_new_one(
    js: JetStreamContext,
) -> None:
    await js.publish(subjects.plan_ready("req-1"), b"{}", headers={Header.MESSAGE_ID: "req-1/plan.ready"})
    await _bury(js, subjects.plan_ready("req-1"), b'{"a": 1}')
    [entry] = await _entries(js)
    assert (entry.subject, entry.reason, entry.request_id) == ("plan.ready.req-1", "ValueError: no", "req-1")

    await dead.replay(js, entry)
    sent = await js.get_msg(subjects.EVENTS.name, 2)
    assert (sent.subject, sent.data) == ("plan.ready.req-1", b'{"a": 1}')
    assert sent.headers is not None
    assert sent.headers[Header.REQUEST_ID] == "req-1"
    assert Header.REASON not in sent.headers
    assert sent.headers[Header.MESSAGE_ID].startswith("replay/")
    assert await _entries(js) == []


async def test_a_message_that_the_server_gave_up_on_is_found_in_its_stream_and_takes_its_own_place(
    js: JetStreamContext,
) -> None:
    await _give_up(js, b'{"plan": "me"}')
    [entry] = await _entries(js)
    assert entry.subject == "COMMANDS #1"
    assert entry.reason == "planner: 1 Zustellungen ohne Erfolg"
    assert (await dead.body_of(js, entry)).data == b'{"plan": "me"}'

    await dead.replay(js, entry)
    again = await js.get_msg(subjects.COMMANDS.name, 2)
    assert (again.subject, again.data) == (subjects.PLAN_REQUESTED, b'{"plan": "me"}')
    with pytest.raises(NotFoundError):
        await js.get_msg(subjects.COMMANDS.name, 1)
    assert await _entries(js) == []


async def test_a_message_that_has_gone_since_is_a_clear_line_and_its_entry_stays(
    js: JetStreamContext,
) -> None:
    await _give_up(js, b"{}")
    await js.delete_msg(subjects.COMMANDS.name, 1)
    [entry] = await _entries(js)
    with pytest.raises(AskError, match="gibt es nicht mehr"):
        await dead.replay(js, entry)
    assert await _entries(js) == [entry]


async def test_an_entry_without_an_origin_cannot_be_replayed(js: JetStreamContext) -> None:
    await js.publish(subjects.dead("planner", "req-1"), b"?")
    [entry] = await _entries(js)
    with pytest.raises(AskError, match="nicht wiederholbar"):
        await dead.replay(js, entry)


async def test_an_unknown_entry_is_a_clear_line(js: JetStreamContext) -> None:
    with pytest.raises(AskError, match="42"):
        await dead.find(js, 42)


async def test_list_show_and_replay_on_the_terminal(
    url: str, js: JetStreamContext, capsys: pytest.CaptureFixture[str]
) -> None:
    async def said(*arguments: Any, **more: Any) -> str:
        await asyncio.to_thread(*arguments, **more)
        return capsys.readouterr().out

    assert "Keine" in await said(deadview.show_list, url, as_json=False)
    await _bury(js, subjects.plan_ready("req-1"), b'{"a": 1}', 1)
    await _bury(js, subjects.plan_ready("req-1"), b"\xff", 2)
    assert "ValueError: no" in await said(deadview.show_list, url, as_json=False)
    listed = [json.loads(line) for line in (await said(deadview.show_list, url, as_json=True)).splitlines()]
    assert [entry["entry"] for entry in listed] == [1, 2]
    shown = json.loads(await said(deadview.show, url, 1))
    assert shown["message"] == {"a": 1}
    assert shown["subject"] == "plan.ready.req-1"
    assert "Eintrag 2" in await said(deadview.replay, url, 2)
    assert len((await said(deadview.replay, url, None)).splitlines()) == 1
    assert (await js.stream_info(subjects.EVENTS.name)).state.messages == 2
    assert await _entries(js) == []


async def test_reading_leaves_no_consumer_behind(url: str, js: JetStreamContext) -> None:
    async with bus.connected(url) as other:
        assert [m async for m in bus.messages(other, subjects.DEAD.name, ">")] == []
    assert (await js.stream_info(subjects.DEAD.name)).state.consumer_count == 0
