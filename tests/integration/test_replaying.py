"""Turns whose messages died, on a real NATS and a real Redis: `ask dead replay` completes them, or says that
they are over."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import nats
import pytest
from contracts import subjects
from contracts.messages import Command, PlanRequested
from contracts.status import Status
from contracts.turns import TurnEventKind
from nats.js import JetStreamContext
from prometheus_client import REGISTRY
from servicekit.bus import Bus
from world import GOTO, LOAD, SEARCH, plan

from ask import dead, deadview
from orchestrator.publisher import Publisher
from orchestrator.service import TurnService

from .orchestrator_harness import System, run, running, until


class Fault:
    """Whoever handles a message of this kind raises, until it is repaired."""

    def __init__(self) -> None:
        self.kind = ""

    def strike(self, kind: str) -> None:
        if kind == self.kind:
            raise RuntimeError("broken")


@pytest.fixture
def fault(monkeypatch: pytest.MonkeyPatch) -> Fault:
    """In all orchestrators: when they begin with a message, and `said` when they have saved what follows."""
    fault = Fault()

    def breaking(kind: type, name: str, kind_of: Callable[[Any], str]) -> None:
        handle: Callable[..., Awaitable[Any]] = getattr(kind, name)

        async def broken(itself: Any, what: Any, *more: Any) -> Any:
            fault.strike(kind_of(what))
            return await handle(itself, what, *more)

        monkeypatch.setattr(kind, name, broken)

    breaking(TurnService, "chat", lambda request: str(request.kind))
    breaking(TurnService, "event", lambda event: str(event.kind))
    breaking(Publisher, "publish", lambda made: "said" if made.turn and made.turn.steps else "begun")
    return fault


@pytest.fixture
async def system(
    nats_url: str, redis_url: str, fault: Fault, ack_wait_s: float, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[System]:
    monkeypatch.setenv("MAX_DELIVER", "3")

    async def working(command: Command) -> bool:
        fault.strike(command.kind)
        return True

    async with running(nats_url, redis_url, ack_wait_s) as made:
        made.plan = plan(GOTO, LOAD)
        made.before_answer = working
        yield made


@pytest.fixture
async def js(nats_url: str) -> AsyncIterator[JetStreamContext]:
    connection = await nats.connect(nats_url)
    yield connection.jetstream()
    await connection.close()


async def buried(js: JetStreamContext) -> dead.Entry:
    """The first entry, as soon as there is one."""
    async with asyncio.timeout(30):
        while not (found := [entry async for entry in dead.entries(js)]):
            await asyncio.sleep(0.05)
    return found[0]


async def test_what_cannot_be_read_is_buried_at_once_and_counted_under_a_name_that_others_share(
    system: System, js: JetStreamContext
) -> None:
    def count() -> float:
        labels = {"kind": subjects.PLAN_READY, "outcome": "dead"}
        return REGISTRY.get_sample_value("ask_messages_handled_total", labels) or 0

    before = count()
    await system.start()
    await js.publish(subjects.plan_ready("req-1"), b"?")
    entry = await buried(js)
    assert (entry.service, entry.reason, entry.deliveries) == ("orchestrator", "unreadable", 1)
    assert (entry.stream, entry.subject, entry.data) == ("EVENTS", "plan.ready.req-1", b"?")
    await until(lambda: count() == before + 1)


@pytest.mark.parametrize(
    ("kind", "service"),
    [
        ("chat.requested", "orchestrator"),
        ("plan.requested", "planner"),
        ("plan.ready", "orchestrator"),
        ("said", "orchestrator"),
        ("tool.call", "tools-test"),
        ("tool.result", "orchestrator"),
        ("actionplan.requested", "actionplanner"),
        ("actionplan.ready", "orchestrator"),
        ("answer.requested", "responder"),
        ("answer.ready", "orchestrator"),
    ],
)
async def test_after_the_repair_a_replayed_message_completes_its_turn(
    system: System,
    js: JetStreamContext,
    nats_url: str,
    fault: Fault,
    kind: str,
    service: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    fault.kind = kind
    system.plan = plan(SEARCH) if kind.startswith("answer.") else plan(GOTO, LOAD)
    await system.start()
    await system.post("req-1", seconds=120, user_message="…")
    entry = await buried(js)
    assert (entry.service, entry.reason, entry.deliveries) == (service, "failed", 3)
    assert (entry.error, entry.request_id) == ("RuntimeError: broken", "req-1")

    fault.kind = ""
    # Of two steps there may be two that died.
    assert await asyncio.to_thread(deadview.replay, nats_url, None, patience_s=60)
    told = capsys.readouterr().out
    assert f"Eintrag {entry.number}: Die Anfrage req-1 ist beendet: ok." in told.splitlines()
    response = await system.response("x0")
    assert [step.status for step in response.steps] == [Status.OK] * len(system.plan.steps)
    events = await system.log("req-1")
    assert [each.n for each in events] == list(range(len(events)))
    assert (await js.stream_info("DEAD")).state.messages == 0


@pytest.mark.parametrize("ack_wait_s", [1])
async def test_what_the_server_gave_up_on_is_done_by_its_replay(
    system: System, js: JetStreamContext, nats_url: str
) -> None:
    await system.start()
    await system.workers[0].broker.stop()
    await system.post("req-1", seconds=120, user_message="…")
    # A planner that dies of it, each time.
    pull = await js.pull_subscribe_bind("planner", "COMMANDS")
    async with asyncio.timeout(60):
        while not (await js.stream_info("DEAD")).state.messages:
            with suppress(TimeoutError):
                await pull.fetch(1, timeout=0.5)
    entry = await buried(js)
    assert (entry.service, entry.reason, entry.subject) == ("planner", "given up", "plan.requested")

    planner = Bus("planner", system.settings)
    system._serve(planner, (subjects.PLAN_REQUESTED,), PlanRequested)
    await run(planner)
    assert await asyncio.to_thread(deadview.replay, nats_url, 1, patience_s=60)
    assert (await system.response("x0")).overall_status is Status.OK
    await planner.broker.stop()


async def test_a_turn_that_ended_at_its_deadline_is_over_and_stays_so(
    system: System, js: JetStreamContext, nats_url: str, fault: Fault, capsys: pytest.CaptureFixture[str]
) -> None:
    fault.kind = "plan.ready"
    await system.start()
    await system.post("req-1", seconds=6, user_message="…")
    assert (await system.response("x0")).overall_status is Status.ERROR
    await buried(js)
    fault.kind = ""
    before = [event.n for event in await system.log("req-1")]
    stored = (await js.stream_info("EVENTS")).state.last_seq
    assert await asyncio.to_thread(deadview.replay, nats_url, 1, patience_s=60)
    told = capsys.readouterr().out
    assert told.startswith("Eintrag 1: Die Anfrage req-1 ist seit ") and told.count("\n") == 1
    assert (await js.stream_info("EVENTS")).state.last_seq == stored
    assert (await js.stream_info("DEAD")).state.messages == 0
    assert [event.n for event in await system.log("req-1")] == before


@pytest.mark.parametrize("begun", [False, True])
async def test_a_turn_whose_timer_died_is_ended_by_its_replay_though_it_is_late(
    system: System,
    js: JetStreamContext,
    nats_url: str,
    fault: Fault,
    begun: bool,
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def never(command: Command) -> bool:
        if begun:
            fault.kind = "chat.requested"
        return False

    system.before_answer = never
    fault.kind = "" if begun else "chat.requested"
    seconds = 6 if begun else 3
    deadline = datetime.now(UTC) + timedelta(seconds=seconds)
    await system.start()
    await system.post("req-1", seconds=seconds, user_message="…")
    entry = await buried(js)
    assert entry.subject == subjects.CHAT_REQUESTED
    while datetime.now(UTC) < deadline:
        await asyncio.sleep(0.1)
    fault.kind = ""
    assert await asyncio.to_thread(deadview.replay, nats_url, 1, patience_s=60)
    assert "Die Anfrage req-1 ist beendet: error." in capsys.readouterr().out
    assert "zu lange" in (await system.response("x0")).steps[0].message
    assert [e.kind for e in await system.log("req-1")].count(TurnEventKind.FINISHED) == 1


async def test_what_is_replayed_without_a_repair_dies_again_and_is_told_so(
    system: System, js: JetStreamContext, nats_url: str, fault: Fault, capsys: pytest.CaptureFixture[str]
) -> None:
    fault.kind = "plan.requested"
    await system.start()
    await system.post("req-1", seconds=120, user_message="…")
    first = await buried(js)
    assert not await asyncio.to_thread(deadview.replay, nats_url, 1, patience_s=60)
    assert "Eintrag 1: wieder gescheitert, jetzt Eintrag 2 (Anfrage req-1)." in capsys.readouterr().out
    again = await buried(js)
    # Of the same turn, though its id is another one now.
    assert (again.number, again.request_id, again.data) == (2, "req-1", first.data)
    fault.kind = ""
    assert await asyncio.to_thread(deadview.replay, nats_url, 2, patience_s=60)
    assert (await system.response("x0")).overall_status is Status.OK
