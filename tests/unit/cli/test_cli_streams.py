"""`ask turn` and `ask dead` on a real nats-server."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import nats
import pytest
from contracts import subjects
from contracts.subjects import DeadReason, Header
from contracts.turns import TurnEvent, TurnEventKind
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig
from nats.js.errors import NotFoundError
from typer.testing import CliRunner, Result

from ask import bus, dead, deadview, replaying, turn
from ask.errors import AskError
from ask.main import app
from ask.stack import Stack

NOTHING: Mapping[str, str] = {}
PAST, FUTURE = "2026-01-01T00:00:00+00:00", "2126-01-01T00:00:00+00:00"


@pytest.fixture
async def url(tmp_path: Path) -> AsyncIterator[str]:
    async with Stack(tmp_path / "data", services=[]) as stack:
        yield stack.nats_url


@pytest.fixture
async def js(url: str) -> AsyncIterator[JetStreamContext]:
    connection = await nats.connect(url)
    yield connection.jetstream()
    await connection.close()


async def _bury(
    js: JetStreamContext, subject: str, data: bytes, number: int = 1, told: Mapping[str, str] = NOTHING
) -> dead.Entry:
    headers = {
        Header.ORIGIN: subject,
        Header.REASON: DeadReason.FAILED,
        Header.ERROR: "ValueError: no",
        Header.DELIVERIES: "12",
        Header.REQUEST_ID: "req-1",
        Header.MESSAGE_ID: f"dead/COMMANDS/{number}/req-1/plan/ticket",
    }
    service = "orchestrator" if subjects.takes("orchestrator", subject) else "planner"
    stored = await js.publish(subjects.dead(service, "req-1"), data, headers={**headers, **told})
    return await dead.find(js, stored.seq)


async def _log(js: JetStreamContext, kind: TurnEventKind, n: int = 0, round: int = 0, **detail: str) -> None:
    event = TurnEvent(
        request_id="req-1", session_id="s", n=n, round=round, kind=kind, at=datetime.now(UTC), detail=detail
    )
    await js.publish(event.subject, event.to_json())


async def _give_up(js: JetStreamContext, data: bytes) -> None:
    """A command that its only consumer never acknowledges."""
    config = ConsumerConfig(
        durable_name="planner", filter_subject=subjects.PLAN_REQUESTED, max_deliver=1, ack_wait=0.2
    )
    await js.add_consumer(subjects.COMMANDS.name, config)
    await js.publish(subjects.PLAN_REQUESTED, data, headers={Header.MESSAGE_ID: "req-2/plan"})
    pull = await js.pull_subscribe_bind("planner", subjects.COMMANDS.name)
    await pull.fetch(1, timeout=30)
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


async def test_a_buried_message_tells_all_about_itself_and_is_sent_again_as_a_new_one(
    js: JetStreamContext,
) -> None:
    await js.publish(subjects.plan_ready("req-1"), b"{}", headers={Header.MESSAGE_ID: "req-1/plan.ready"})
    entry = await _bury(js, subjects.plan_ready("req-1"), b'{"a": 1}', told={Header.DEADLINE: PAST})
    assert (entry.subject, entry.stream, entry.sequence) == ("plan.ready.req-1", "COMMANDS", 1)
    assert (entry.service, entry.reason, entry.error) == ("orchestrator", "failed", "ValueError: no")
    assert (entry.deliveries, entry.request_id) == (12, "req-1")
    assert entry.headers == {
        Header.MESSAGE_ID: "req-1/plan/ticket",
        Header.REQUEST_ID: "req-1",
        Header.DEADLINE: PAST,
    }

    await dead.send(js, entry, js)
    sent = await js.get_msg(subjects.EVENTS.name, 2)
    assert (sent.subject, sent.data) == ("plan.ready.req-1", b'{"a": 1}')
    assert sent.headers is not None
    fresh = sent.headers.pop(Header.MESSAGE_ID)
    assert fresh.startswith("replay/")
    assert sent.headers == {name: entry.headers[name] for name in (Header.REQUEST_ID, Header.DEADLINE)}
    assert await _entries(js) == []


async def test_an_entry_of_an_earlier_version_has_a_reason_and_no_more(js: JetStreamContext) -> None:
    headers = {Header.ORIGIN: subjects.PLAN_REQUESTED, Header.REASON: "ValueError: no"}
    await js.publish(subjects.dead("planner", "req-1"), b"{}", headers=headers)
    [entry] = await _entries(js)
    assert (entry.reason, entry.error, entry.deliveries) == ("ValueError: no", "", 0)
    assert (entry.stream, entry.sequence) == ("", 0)


async def test_a_message_that_the_server_gave_up_on_is_found_in_its_stream_and_takes_its_own_place(
    js: JetStreamContext,
) -> None:
    await _give_up(js, b'{"plan": "me"}')
    [entry] = await _entries(js)
    assert (entry.subject, entry.stream, entry.sequence) == (subjects.PLAN_REQUESTED, "COMMANDS", 1)
    assert (entry.service, entry.reason, entry.deliveries) == ("planner", "given up", 1)
    assert (entry.error, entry.request_id) == ("1 Zustellungen ohne Antwort", "req-2")
    assert entry.data == b'{"plan": "me"}'

    await dead.send(js, entry, js)
    again = await js.get_msg(subjects.COMMANDS.name, 2)
    assert (again.subject, again.data) == (subjects.PLAN_REQUESTED, b'{"plan": "me"}')
    # Its new id says nothing about its turn any more.
    assert again.headers is not None and again.headers[Header.REQUEST_ID] == "req-2"
    with pytest.raises(NotFoundError):
        await js.get_msg(subjects.COMMANDS.name, 1)
    assert await _entries(js) == []


async def test_dropping_the_note_of_the_server_takes_the_message_out_of_the_way(
    url: str, js: JetStreamContext, capsys: pytest.CaptureFixture[str]
) -> None:
    await _give_up(js, b"{}")
    await asyncio.to_thread(deadview.drop, url, 1, sure=False)
    assert "COMMANDS" in capsys.readouterr().out
    assert await _entries(js) == []
    assert (await js.stream_info(subjects.COMMANDS.name)).state.messages == 0


async def test_what_an_event_of_others_is_about_stays_when_its_note_is_dropped(
    url: str, js: JetStreamContext
) -> None:
    # Others than who could not handle it may read it: it goes with its age.
    await js.publish(subjects.plan_ready("req-2"), b"{}")
    note = {"stream": "EVENTS", "stream_seq": 1, "consumer": "orchestrator", "deliveries": 12}
    advisory = "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.EVENTS.orchestrator"
    await js.publish(advisory, json.dumps(note).encode())
    await asyncio.to_thread(deadview.drop, url, 1, sure=False)
    assert await _entries(js) == []
    assert (await js.stream_info(subjects.EVENTS.name)).state.messages == 1


async def test_a_message_that_has_gone_since_is_a_clear_line_and_its_entry_stays(
    js: JetStreamContext,
) -> None:
    await _give_up(js, b"{}")
    await js.delete_msg(subjects.COMMANDS.name, 1)
    [entry] = await _entries(js)
    with pytest.raises(AskError, match="gibt es nicht mehr"):
        await dead.send(js, entry, js)
    assert await _entries(js) == [entry]
    await dead.drop(js, entry)
    assert await _entries(js) == []


async def test_another_message_that_has_its_number_since_is_not_taken_for_it(js: JetStreamContext) -> None:
    await _give_up(js, b"{}")
    config = (await js.stream_info(subjects.COMMANDS.name)).config
    await js.delete_stream(subjects.COMMANDS.name)
    await js.add_stream(config)
    await js.publish(subjects.PLAN_REQUESTED, b'{"another": "one"}')
    [entry] = await _entries(js)
    assert (entry.sequence, entry.data) == (1, b"")
    await dead.drop(js, entry)
    assert (await js.get_msg(subjects.COMMANDS.name, 1)).data == b'{"another": "one"}'


async def test_who_drops_or_sends_what_another_has_just_dropped_is_not_disturbed(
    js: JetStreamContext,
) -> None:
    await _give_up(js, b"{}")
    [entry] = await _entries(js)
    await dead.drop(js, entry)
    await dead.drop(js, entry)
    assert await _entries(js) == []


@pytest.mark.parametrize(
    ("service", "origin", "is_sent"),
    [
        ("planner", "", False),
        ("planner", subjects.PLAN_REQUESTED, True),
        # With the rights of an edge, or of another tool service, it would say what it may not.
        ("planner", subjects.CHAT_REQUESTED, False),
        ("tools-geo", subjects.tool_call("parcels.by_xy"), True),
        ("tools-geo", subjects.tool_call("oereb.egrid_by_xy"), False),
        ("tools-geo", subjects.tool_result("tools-oereb", "req-1"), False),
        ("tools-hello", subjects.tool_call("maps.sheet"), True),
        ("tools-hello", subjects.CHAT_REQUESTED, False),
        ("orchestrator", subjects.plan_ready("req-1"), True),
        ("orchestrator", subjects.PLAN_REQUESTED, False),
    ],
)
async def test_only_what_comes_to_a_service_is_sent_to_it_again(
    js: JetStreamContext, service: str, origin: str, is_sent: bool
) -> None:
    headers = {Header.ORIGIN: origin} if origin else None
    await js.publish(subjects.dead(service, "req-1"), b"?", headers=headers)
    [entry] = await _entries(js)
    if is_sent:
        await dead.send(js, entry, js)
    else:
        with pytest.raises(AskError, match=f"nicht wiederholbar: {service}"):
            await dead.send(js, entry, js)
    assert len(await _entries(js)) == (not is_sent)


@pytest.mark.parametrize("command", [deadview.show, deadview.drop, deadview.replay])
async def test_an_unknown_entry_is_a_clear_line(url: str, command: Any) -> None:
    more: dict[Any, Any] = {deadview.drop: {"sure": True}, deadview.replay: {"patience_s": 0}}
    with pytest.raises(AskError, match="Eintrag 42"):
        await asyncio.to_thread(command, url, 42, **more.get(command, {}))


CLICK = b'{"choiceId": "req-1.0.1"}'


@pytest.mark.parametrize(
    ("subject", "data", "deadline", "is_over"),
    [
        (subjects.PLAN_REQUESTED, b"{}", PAST, True),
        (subjects.PLAN_REQUESTED, b"{}", FUTURE, False),
        (subjects.tool_call("layers.search"), b"no json", PAST, True),
        (subjects.tool_call("layers.search"), b"no json", FUTURE, False),
        # Nobody knows until when an answer is waited for: as long as its turn has not ended.
        (subjects.plan_ready("req-1"), b'{"kind": "plan.ready"}', "", False),
        (subjects.CHAT_REQUESTED, b'{"userMessage": "?"}', FUTURE, False),
        # It is the timer of its turn; but nobody may begin one of days ago.
        (subjects.CHAT_REQUESTED, b'{"userMessage": "?"}', "just now", False),
        (subjects.CHAT_REQUESTED, b'{"userMessage": "?"}', PAST, True),
        (subjects.CHAT_REQUESTED, CLICK, FUTURE, False),
        # It would use up the choice.
        (subjects.CHAT_REQUESTED, CLICK, "just now", True),
    ],
)
async def test_a_message_is_sent_only_where_somebody_waits_for_it(
    js: JetStreamContext, subject: str, data: bytes, deadline: str, is_over: bool
) -> None:
    now = datetime.now(UTC)
    until = (now - timedelta(seconds=1)).isoformat() if deadline == "just now" else deadline
    entry = await _bury(js, subject, data, told={Header.DEADLINE: until} if until else NOTHING)
    since = replaying.over_since(entry, await replaying.look(js, entry), now)
    assert since == (datetime.fromisoformat(until) if is_over else None)


async def test_an_answer_without_a_turn_is_over_when_no_turn_lasts_as_long(js: JetStreamContext) -> None:
    entry = await _bury(js, subjects.plan_ready("req-1"), b'{"kind": "plan.ready"}')
    seen = await replaying.look(js, entry)
    later = entry.at + timedelta(seconds=subjects.COMMANDS.max_age_s)
    assert replaying.over_since(entry, seen, later - timedelta(seconds=1)) is None
    assert replaying.over_since(entry, seen, later) == later


@pytest.mark.parametrize(
    ("subject", "data", "ends"),
    [
        (subjects.PLAN_REQUESTED, b'{"kind": "plan.requested"}', [True, True]),
        (subjects.tool_result("tools-geo", "req-1"), b'{"round": 1}', [False, True]),
        (subjects.CHAT_REQUESTED, b'{"userMessage": "?"}', [True, True]),
        (subjects.CHAT_REQUESTED, CLICK, [False, True]),
        (subjects.CHAT_REQUESTED, b'{"choiceId": "req-1.0.9"}', [False, False]),
        (subjects.CHAT_CANCELLED, b'{"kind": "chat.cancelled"}', [False, True]),
        (subjects.plan_ready("req-1"), b"no json", [False, True]),
    ],
)
async def test_a_turn_is_over_when_the_round_of_the_message_has_ended(
    js: JetStreamContext, subject: str, data: bytes, ends: list[bool]
) -> None:
    entry = await _bury(js, subject, data, told={Header.DEADLINE: FUTURE})
    assert not (await replaying.look(js, entry)).begun
    await _log(js, TurnEventKind.STARTED)
    assert (await replaying.look(js, entry)).end is None
    await _log(js, TurnEventKind.FINISHED, 1)
    await _log(js, TurnEventKind.CHOICE_MADE, 2, 1, choiceId="req-1.0.1")
    found = [(await replaying.look(js, entry)).end is not None]
    await _log(js, TurnEventKind.FINISHED, 3, 1)
    found.append((await replaying.look(js, entry)).end is not None)
    assert found == ends


async def test_what_nobody_can_read_in_a_log_is_passed_over(js: JetStreamContext) -> None:
    await js.publish(subjects.turn_event("req-1"), b"?")
    await _log(js, TurnEventKind.FINISHED)
    entry = await _bury(js, subjects.PLAN_REQUESTED, b'{"kind": "plan.requested"}')
    end = (await replaying.look(js, entry)).end
    assert end is not None and end.status == "forwarded"


async def test_a_replayed_message_that_dies_again_is_found_under_its_new_number(js: JetStreamContext) -> None:
    entry = await _bury(js, subjects.PLAN_REQUESTED, b"{}", 7, told={Header.DEADLINE: FUTURE})
    # Of the same turn, but another message.
    await _bury(js, subjects.PLAN_REQUESTED, b"{}", 8)
    await _bury(js, subjects.PLAN_REQUESTED, b"{}", 9)
    sent = [replaying.Sent(entry, "COMMANDS", 9)]
    assert [each async for each in replaying.followed(js, sent, entry.number, 10)] == [(entry, 3)]
    assert [each async for each in replaying.followed(js, sent, 3, 0)] == [(entry, None)]


async def test_list_show_replay_and_drop_on_the_terminal(
    url: str, js: JetStreamContext, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def said(command: Any, *arguments: Any, **more: Any) -> str:
        await asyncio.to_thread(command, url, *arguments, **more)
        return capsys.readouterr().out

    assert "Keine" in await said(deadview.show_list, as_json=False)
    await _bury(
        js, subjects.plan_ready("req-1"), b'{"a": 1}', 1, told={Header.ERROR: "ValueError: " + "no " * 100}
    )
    await _bury(js, subjects.plan_ready("req-1"), b"\xff", 2, told={Header.ERROR: "a\x1b[31mred"})
    monkeypatch.setenv("COLUMNS", "100")
    head, first, second = (await said(deadview.show_list, as_json=False)).splitlines()
    assert head.split() == ["Eintrag", "Zeit", "Dienst", "Grund", "Betreff", "Fehler"]
    assert first.split()[3:6] == ["orchestrator", "failed", "plan.ready"] and first.startswith("1  ")
    assert len(first) == 100 and first.endswith("…") and "ValueError: no no" in first
    assert second.endswith("a [31mred")
    listed = [json.loads(line) for line in (await said(deadview.show_list, as_json=True)).splitlines()]
    assert [entry["entry"] for entry in listed] == [1, 2]
    assert listed[0]["error"] == "ValueError: " + "no " * 99 + "no"
    shown = json.loads(await said(deadview.show, 1))
    assert shown["message"] == {"a": 1}
    assert shown["headers"] == {Header.MESSAGE_ID: "req-1/plan/ticket", Header.REQUEST_ID: "req-1"}
    assert shown.items() >= listed[0].items()
    facts = (listed[0]["service"], listed[0]["stream"], listed[0]["sequence"])
    assert facts == ("orchestrator", "COMMANDS", 1)
    assert (listed[0]["deliveries"], listed[0]["requestId"]) == (12, "req-1")
    replayed = (await said(deadview.replay, 2, patience_s=0)).splitlines()
    assert "Eintrag 2 ist wieder unterwegs" in replayed[0]
    assert "noch nicht beendet" in replayed[1] and "ask turn req-1" in replayed[1]
    assert len((await said(deadview.replay, None, patience_s=0)).splitlines()) == 2
    assert (await js.stream_info(subjects.EVENTS.name)).state.messages == 2
    await _bury(js, subjects.plan_ready("req-1"), b"{}", 3)
    assert await said(deadview.drop, 3, sure=False) == "Eintrag 3 ist gelöscht.\n"
    await _bury(js, subjects.plan_ready("req-1"), b"{}", 4)
    again = (await said(deadview.replay, 4, patience_s=0, as_json=True)).splitlines()
    assert [json.loads(line) for line in again] == [
        {"outcome": "replayed", "entry": 4, "subject": "plan.ready.req-1"},
        {"outcome": "no_end", "entry": 4, "requestId": "req-1"},
    ]
    await _bury(js, subjects.plan_ready("req-1"), b"{}", 5)
    dropped = json.loads(await said(deadview.drop, 5, sure=False, as_json=True))
    assert (dropped["outcome"], dropped["entry"]) == ("dropped", 5)
    assert await _entries(js) == []


async def test_a_turn_that_is_over_is_told_so_and_nothing_is_sent(
    url: str, js: JetStreamContext, capsys: pytest.CaptureFixture[str]
) -> None:
    await _log(js, TurnEventKind.FINISHED)
    await _bury(js, subjects.plan_ready("req-1"), b'{"kind": "plan.ready"}')
    assert await asyncio.to_thread(deadview.replay, url, 1, patience_s=60)
    told = capsys.readouterr().out
    assert "Die Anfrage req-1 ist seit" in told and "Nichts wurde gesendet" in told
    assert told.count("\n") == 1
    assert (await js.stream_info(subjects.EVENTS.name)).state.messages == 0
    assert await _entries(js) == []


async def test_when_a_turn_was_over_is_told_to_programs_too(
    url: str, js: JetStreamContext, capsys: pytest.CaptureFixture[str]
) -> None:
    await _log(js, TurnEventKind.FINISHED)
    await _bury(js, subjects.plan_ready("req-1"), b'{"kind": "plan.ready"}')
    assert await asyncio.to_thread(deadview.replay, url, 1, patience_s=60, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert (told["outcome"], told["requestId"]) == ("over", "req-1")
    assert datetime.fromisoformat(told["since"]).tzinfo is not None


async def test_of_all_entries_one_that_cannot_be_replayed_holds_up_no_other(
    url: str, js: JetStreamContext, capsys: pytest.CaptureFixture[str]
) -> None:
    await js.publish(subjects.dead("planner", "req-1"), b"?")
    await _bury(js, subjects.PLAN_REQUESTED, b"{}", told={Header.DEADLINE: FUTURE})
    assert not await asyncio.to_thread(deadview.replay, url, None, patience_s=0)
    said = capsys.readouterr()
    assert "Eintrag 1" in said.err and "Eintrag 2 ist wieder unterwegs" in said.out
    assert [entry.number for entry in await _entries(js)] == [1]


async def test_all_entries_are_dropped_after_a_question(url: str, js: JetStreamContext) -> None:
    for number in (1, 2):
        await _bury(js, subjects.PLAN_REQUESTED, b"{}", number)

    async def drop(*more: str, typed: str) -> Result:
        command = ["dead", "drop", "--all", "--nats", url, *more]
        return await asyncio.to_thread(lambda: CliRunner().invoke(app, command, input=typed))

    for typed in ("n\n", ""):
        refused = await drop(typed=typed)
        assert refused.exit_code == 1 and "2 Einträge löschen?" in refused.output
        assert len(await _entries(js)) == 2
    agreed = await drop(typed="y\n")
    assert agreed.exit_code == 0 and agreed.output.count("ist gelöscht") == 2
    assert await _entries(js) == []
    await _bury(js, subjects.PLAN_REQUESTED, b"{}", 3)
    assert "?" not in (await drop("--yes", typed="")).output
    assert await _entries(js) == []
    assert (await drop(typed="")).exit_code == 0


async def test_reading_leaves_no_consumer_behind(url: str, js: JetStreamContext) -> None:
    async with bus.connected(url) as other:
        assert [m async for m in bus.messages(other, subjects.DEAD.name, ">")] == []
    assert (await js.stream_info(subjects.DEAD.name)).state.consumer_count == 0
