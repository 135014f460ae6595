"""Documents and written answers on a real NATS and a real Redis; JetStream is the timer of the checks."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from contracts import keys, subjects
from contracts.chat import ChatResponse
from contracts.messages import ChatRequested, Command, Outcome, ToolCalled
from contracts.research import ErrorType, Research
from contracts.status import Status
from contracts.turns import TurnEventKind
from servicekit.bus import Bus, Delivery, NackMessage
from world import GOTO, LOAD, RESPOND, SEARCH, asked, document, judgement, plan

from .conftest import ServerProcess
from .orchestrator_harness import System, nothing_left, run, running, until

CHECK = "documents.check"
EVEN = ["d0", "d2", "d4", "d6", "d8"]
LATE = "Zeitüberschreitung bei der Relevanzprüfung, Dokument wird beibehalten."
AN_HOUR_S = 3_600
"""Far beyond the patience of `System.response`: what comes before has not waited for it."""


@pytest.fixture
async def system(nats_url: str, redis_url: str, ack_wait_s: float) -> AsyncIterator[System]:
    async with running(nats_url, redis_url, ack_wait_s) as made:
        made.plan = plan(SEARCH)
        yield made


def research_of(response: ChatResponse, step: int = 0) -> Research:
    research = response.steps[step].research
    assert research is not None
    return research


def document_of(command: Command) -> str | None:
    """The id of the document that a check is about."""
    if isinstance(command, ToolCalled) and command.capability == CHECK:
        return str(command.args["document"]["id"])
    return None


def forgetting(*documents: str) -> Any:
    async def before_answer(command: Command) -> bool:
        return document_of(command) not in documents

    return before_answer


async def checks_begun(system: System, number: int = 3) -> None:
    await until(lambda: sum(c.capability == CHECK for c in system.calls) >= number)


async def test_a_question_is_answered_from_the_documents_that_several_workers_have_checked(
    system: System,
) -> None:
    system.tools["documents.retrieve"] = lambda args: Outcome(items=tuple(document(n) for n in range(10)))
    system.tools[CHECK] = lambda args: judgement(args["document"]["id"], args["document"]["id"] in EVEN)

    async def in_any_order(command: Command) -> bool:
        await asyncio.sleep(int((document_of(command) or "d0").removeprefix("d")) * 7 % 10 / 50)
        return True

    system.before_answer = in_any_order
    await system.start(orchestrators=3)
    response = await system.ask("req-1", agent="riskiagent")
    assert response.overall_status is Status.OK
    research = research_of(response)
    assert [d.id for d in research.tracked_documents] == [f"d{n}" for n in range(10)]
    assert [s.id for s in research.sources] == EVEN
    events = await system.log("req-1")
    assert sorted(e.n for e in events) == list(range(len(events)))
    events.sort(key=lambda event: event.n)
    checked = [e.detail["checked"] for e in events if e.kind is TurnEventKind.DOCUMENT_CHECKED]
    assert checked == list(range(1, 11))
    assert b"Absatz" not in (await system.redis.hget(keys.turn("req-1"), "state") or b"")
    await nothing_left(system.edge)


async def test_a_check_that_nobody_answers_is_given_up_long_before_the_deadline(system: System) -> None:
    system.check_timeout_s = 10
    system.before_answer = forgetting("d2", "d3")
    await system.start(orchestrators=2)
    response = await system.ask("req-1", seconds=AN_HOUR_S)
    assert [d.relevance_reason for d in research_of(response).tracked_documents] == [
        "Passt zur Frage.",
        LATE,
        LATE,
    ]
    assert response.overall_status is Status.OK
    assert system.deliveries == [1, 2]
    await nothing_left(system.edge)


async def test_checks_that_are_answered_leave_the_timer_at_the_deadline(system: System) -> None:
    delays: list[float] = []

    class Noting(Bus):
        """Its word about timers is noted."""

        async def redeliver(self, ack_subject: str, delay_s: float) -> None:
            delays.append(delay_s)
            await super().redeliver(ack_subject, delay_s)

    await system.start(orchestrators=0)
    await system.add_orchestrator(Noting)
    assert (await system.ask("req-1", seconds=AN_HOUR_S)).overall_status is Status.OK
    assert [delay > system.check_timeout_s for delay in delays] == [False, True]
    assert AN_HOUR_S / 2 < delays[-1] <= AN_HOUR_S
    assert system.deliveries == [1]
    await nothing_left(system.edge)


class Mumbling(Bus):
    """Its word about timers is never heard."""

    async def redeliver(self, ack_subject: str, delay_s: float) -> None:
        pass


async def test_when_the_timer_does_not_hear_of_the_checks_the_deadline_ends_the_turn(system: System) -> None:
    system.check_timeout_s = 4
    system.before_answer = forgetting("d2")
    await system.start(orchestrators=0)
    await system.add_orchestrator(Mumbling)
    response = await system.ask("req-1", seconds=8)
    error = research_of(response).error_info
    assert error is not None and error.error_type is ErrorType.TIMEOUT
    assert [d.is_checked for d in research_of(response).tracked_documents] == [True, False, True]
    assert system.deliveries == [1, 2]
    finished = [e for e in await system.log("req-1") if e.kind is TurnEventKind.FINISHED]
    assert len(finished) == 1


@pytest.mark.parametrize("ack_wait_s", [1])
async def test_the_timer_of_checks_outlives_the_orchestrator_that_set_it(system: System) -> None:
    system.check_timeout_s = 2
    system.before_answer = forgetting("d1")
    await system.start()
    await system.post("req-1", seconds=AN_HOUR_S, user_message="…")
    await checks_begun(system)
    # No goodbye: what it holds comes again after the ack wait.
    await system.orchestrators[0].connection.close()
    await system.add_orchestrator()
    response = await system.response("x0")
    assert research_of(response).tracked_documents[0].relevance_reason == LATE
    assert response.overall_status is Status.OK
    await nothing_left(system.edge)


@pytest.mark.parametrize("ack_wait_s", [1])
async def test_the_timer_of_checks_outlives_the_server(system: System, nats_server: ServerProcess) -> None:
    system.check_timeout_s = 5
    system.before_answer = forgetting("d1")
    await system.start()
    await system.post("req-1", seconds=AN_HOUR_S, user_message="…")
    await checks_begun(system)
    await until(lambda: system.deliveries[:1] == [1])
    nats_server.kill()
    nats_server.start()
    response = await system.response("x0")
    assert research_of(response).tracked_documents[0].relevance_reason == LATE
    assert response.overall_status is Status.OK


async def test_a_judge_that_fails_once_is_asked_again_and_heard_once(system: System) -> None:
    failed: set[str] = set()

    async def fails_once(command: Command) -> bool:
        if command.message_id not in failed and document_of(command):
            failed.add(command.message_id)
            raise RuntimeError("killed")
        return True

    system.before_answer = fails_once
    await system.start(orchestrators=2)
    response = await system.ask("req-1")
    assert [d.relevance_reason for d in research_of(response).tracked_documents] == ["Passt zur Frage."] * 3
    assert len(failed) == 3
    events = await system.log("req-1")
    assert [e.kind for e in events].count(TurnEventKind.DOCUMENT_CHECKED) == 3


async def test_everybody_who_waits_gets_the_answer_that_a_timer_has_brought(system: System) -> None:
    system.check_timeout_s = 1
    system.before_answer = forgetting("d3")
    await system.start(orchestrators=2)
    for exchange in ("x0", "x1"):
        await system.post("req-1", exchange=exchange, seconds=AN_HOUR_S, user_message="…")
    assert await system.response("x0") == await system.response("x1")
    await nothing_left(system.edge)


async def test_many_questions_at_a_time_do_not_mix(system: System) -> None:
    system.before_answer = forgetting("d2")
    system.check_timeout_s = 2
    await system.start(orchestrators=3)
    numbers = range(20)
    responses = await asyncio.gather(
        *(system.ask(f"req-{n}", f"Frage {n}", session_id=f"s{n}", seconds=AN_HOUR_S) for n in numbers)
    )
    assert [research_of(r).initial_question for r in responses] == [f"Frage {n}" for n in numbers]
    # A handler that is tried again says once more what it has said.
    assert all(len({r.to_json() for r in replies}) == 1 for replies in system.replies.values())
    await nothing_left(system.edge)


async def test_an_answer_is_written_from_the_steps_before_it(system: System) -> None:
    system.plan = plan(GOTO, LOAD, RESPOND)
    await system.start()
    response = await system.ask("req-1", "Fass zusammen")
    assert [s.intent for s in response.steps] == ["goto_address", "load_layer", "answer"]
    assert "✓ load_layer" in response.steps[2].message


async def test_when_a_delayed_message_comes_again_can_be_decided_anew(system: System) -> None:
    bus = Bus("orchestrator", system.settings)
    seen: list[tuple[str, int]] = []
    acks: dict[str, str] = {}

    @bus.subscriber(subjects.CHAT_REQUESTED, drop_expired=False)
    async def on_message(message: ChatRequested, delivery: Delivery) -> None:
        seen.append((message.exchange, delivery.attempt))
        acks.setdefault(message.exchange, delivery.ack_subject)
        if delivery.attempt == 1:
            raise NackMessage(delay={"earlier": AN_HOUR_S, "later": 6, "as it was": 7}[message.exchange])

    del on_message
    await run(bus)
    system.orchestrators.append(bus)
    for name in ("earlier", "later", "as it was"):
        await bus.publish(asked(request_id=name, exchange=name))
    await until(lambda: len(acks) == 3)
    await asyncio.sleep(0.1)
    await bus.redeliver(acks["later"], AN_HOUR_S)
    for _ in range(5):
        await bus.redeliver(acks["earlier"], 0.3)
    await until(lambda: ("as it was", 2) in seen)
    assert sorted(seen[3:]) == [("as it was", 2), ("earlier", 2)]
    await bus.redeliver(acks["later"], 0.05)
    await until(lambda: ("later", 2) in seen)
    await nothing_left(bus)
