"""The orchestrator on a real NATS and a real Redis, with workers that answer as the world says."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from contracts import keys, subjects
from contracts.items import Address
from contracts.messages import AnswerRequested, Command
from contracts.plan import PlanStep
from contracts.status import Status
from contracts.turns import TurnEventKind, TurnState, TurnView
from world import GOTO, LOAD, OEREB_HERE, OEREB_XY, SEARCH, plan, step, two_parcels

from .conftest import ServerProcess
from .orchestrator_harness import System, nothing_left, remembered, running, until


@pytest.fixture
async def system(nats_url: str, redis_url: str, ack_wait_s: float) -> AsyncIterator[System]:
    async with running(nats_url, redis_url, ack_wait_s) as made:
        yield made


async def test_a_turn_goes_through_the_bus_and_leaves_its_log(system: System) -> None:
    system.plan = plan(GOTO, LOAD, OEREB_HERE)
    await system.start()
    response = await system.ask("req-1")
    assert [s.status for s in response.steps] == [Status.OK] * 3
    events = await system.log("req-1")
    assert sorted(e.n for e in events) == list(range(len(events)))
    assert events[-1].response == response
    view = TurnView.from_json(await system.redis.hget(keys.turn("req-1"), "view") or b"")
    assert view.state is TurnState.FINISHED
    assert view.rounds[0].response == response


async def test_nothing_is_left_in_the_work_queue_when_a_turn_is_done(system: System) -> None:
    await system.start()
    await system.ask("req-1")
    await nothing_left(system.edge)


async def test_the_session_remembers_and_forgets_on_its_own(system: System) -> None:
    await system.start()
    await system.ask("req-1", "Gehe zur Langendorfstrasse 19b")
    session = await remembered(system)
    assert [(e.role, e.text[:5]) for e in session.history] == [("user", "Gehe "), ("assistant", "[goto")]
    assert isinstance(session.selections[0], Address)
    for key in await system.redis.keys("*"):
        assert 0 < await system.redis.ttl(key) <= keys.SESSION_TTL_S


async def test_the_next_message_knows_the_place_of_the_one_before(system: System) -> None:
    await system.start()
    await system.ask("req-1")
    system.plan = plan(OEREB_HERE)
    assert (await system.ask("req-2")).overall_status is Status.OK
    assert system.calls[1].args == {"x": 2605899.0, "y": 1229278.0}


async def test_a_choice_is_resumed_once_however_often_it_is_clicked(system: System) -> None:
    system.plan = plan(OEREB_XY)
    system.tools["oereb.egrid_by_xy"] = two_parcels
    await system.start(orchestrators=3)
    first = await system.ask("req-1")
    choice = first.steps[0].choices[1].id
    for n in range(6):
        await system.post("req-1", exchange=f"click{n}", choice_id=choice)
    responses = [await system.response(f"click{n}") for n in range(6)]
    assert all(r == responses[0] for r in responses)
    assert responses[0].overall_status is Status.OK
    assert [c.capability for c in system.calls].count("oereb.extract_by_id") == 1
    finished = [e for e in await system.log("req-1") if e.kind is TurnEventKind.FINISHED]
    assert len(finished) == 2
    assert (await remembered(system)).choices == ()


async def test_two_open_choices_of_a_session_are_independent(system: System) -> None:
    system.plan = plan(OEREB_XY)
    system.tools["oereb.egrid_by_xy"] = two_parcels
    await system.start()
    first, second = await system.ask("req-1"), await system.ask("req-2")
    assert len((await remembered(system)).choices) == 2
    for request_id, response in (("req-2", second), ("req-1", first)):
        await system.post(request_id, exchange=f"c-{request_id}", choice_id=response.steps[0].choices[0].id)
        answered = await system.response(f"c-{request_id}")
        assert (answered.request_id, answered.overall_status) == (request_id, Status.OK)


@pytest.mark.parametrize("ack_wait_s", [9])
@pytest.mark.parametrize(
    ("planned", "subject"),
    [(GOTO, subjects.ACTIONPLAN_REQUESTED), (SEARCH, subjects.tool_call("documents.check"))],
)
async def test_who_takes_over_reads_what_only_the_one_before_had_in_memory(
    system: System, planned: PlanStep, subject: str
) -> None:
    asked: list[Command] = []

    async def replace_the_orchestrator(command: Command) -> bool:
        is_first = command.subject == subject and subject not in (each.subject for each in asked)
        asked.append(command)
        if is_first:
            await system.orchestrators[0].broker.stop()
            await system.add_orchestrator()
        return True

    system.plan = plan(planned)
    system.before_answer = replace_the_orchestrator
    await system.start()
    response = await system.ask("req-1")
    assert response.overall_status is Status.OK
    assert len(system.orchestrators) == 2
    events = await system.log("req-1")
    assert [e.n for e in events] == list(range(len(events)))
    assert [e.kind for e in events].count(TurnEventKind.TOOL_RESULT) == 1
    said = [p.text for c in asked if isinstance(c, AnswerRequested) for d in c.documents for p in d.passages]
    assert said == [f"Absatz aus Bericht {n}." for n in (1, 2, 3)] * (planned is SEARCH)


async def test_a_turn_that_nobody_works_on_ends_at_its_deadline(system: System) -> None:
    await system.start()
    await system.workers[0].broker.stop()
    await system.post("req-1", seconds=1.5, user_message="…")
    response = await system.response("x0")
    assert response.overall_status is Status.ERROR
    assert "zu lange" in response.steps[0].message


async def test_a_deleted_session_is_not_brought_back_by_a_late_answer(system: System) -> None:
    system.hold()
    await system.start()
    await system.post("req-1", user_message="…")
    await until(lambda: bool(system.calls))
    await system.redis.delete(*keys.of_session("s"), *keys.of_turn("req-1"))
    system.let_go.set()
    await asyncio.sleep(1)
    assert await system.redis.keys("*") == [keys.begun("req-1").encode()]


async def test_a_deleted_session_is_not_brought_back_at_the_deadline(system: System) -> None:
    await system.start()
    await system.workers[0].broker.stop()
    await system.post("req-1", seconds=15, user_message="…")
    async with asyncio.timeout(30):
        while not await system.redis.exists(keys.turn("req-1")):
            await asyncio.sleep(0.02)
    await system.redis.delete(*keys.of_session("s"), *keys.of_turn("req-1"))
    await until(lambda: "x0" in system.replies)
    async with asyncio.timeout(30):
        while (await system.edge.jetstream.stream_info("COMMANDS")).state.messages > 1:
            await asyncio.sleep(0.05)
    assert await system.redis.keys("*") == [keys.begun("req-1").encode()]
    # Whoever still waits, perhaps at another edge, hears that it is over.
    (reply,) = system.replies["x0"]
    assert reply.response is not None
    assert [step.message for step in reply.response.steps] == ["Abgebrochen."]


async def test_many_turns_on_three_orchestrators_are_all_answered_right(system: System) -> None:
    system.plan = plan(GOTO, LOAD, OEREB_HERE)
    await system.start(orchestrators=3)
    responses = await asyncio.gather(*(system.ask(f"req-{n}", session_id=f"s{n % 7}") for n in range(60)))
    assert {r.overall_status for r in responses} == {Status.OK}
    # On a busy machine a message may be delivered twice; the second reply must not be another one.
    assert all(reply == replies[0] for replies in system.replies.values() for reply in replies)


async def test_a_lost_redis_delays_a_turn_and_loses_nothing(
    system: System, redis_server: ServerProcess
) -> None:
    system.delay_s = 0.8
    await system.start()
    await system.post("req-1", user_message="…")
    await until(lambda: bool(system.calls))
    await asyncio.sleep(1.1)
    redis_server.kill()
    await system.post("req-2", exchange="x2", user_message="…")
    await asyncio.sleep(0.5)
    redis_server.start()
    assert (await system.response("x2")).overall_status is Status.OK
    assert (await system.response("x0")).overall_status is Status.OK


@pytest.mark.parametrize("lost", ["last write", "whole turn"])
async def test_a_turn_goes_on_when_redis_has_lost_what_it_had_confirmed(system: System, lost: str) -> None:
    system.hold()
    system.plan = plan(OEREB_XY)
    await system.start()
    await system.post("req-1", user_message="…")
    await until(lambda: len(system.calls) == 1)
    before: dict[Any, Any] = await system.redis.hgetall(keys.turn("req-1"))
    system.hold()
    await until(lambda: len(system.calls) == 2)
    await system.redis.delete(keys.turn("req-1"), keys.begun("req-1"))
    if lost == "last write":
        await system.redis.hset(keys.turn("req-1"), mapping=before)
    system.let_go.set()
    assert (await system.response("x0")).overall_status is Status.OK
    events = await system.log("req-1")
    assert sorted(e.n for e in events) == list(range(len(events)))
    for key in await system.redis.keys("*"):
        assert await system.redis.ttl(key) > 0


async def test_every_list_of_a_session_is_capped(system: System) -> None:
    await system.start()
    system.plan = plan(*(step("load_layer", ("layers.search", {"query": f"Layer {n}"})) for n in range(10)))
    for n in range(keys.MAX_HISTORY):
        await system.ask(f"req-{n}")
    session = await remembered(system)
    assert len(session.history) == keys.MAX_HISTORY
    assert len(session.layers) <= keys.MAX_LAYERS


async def test_what_is_shown_while_a_turn_runs(system: System) -> None:
    system.hold()
    await system.start()
    await system.post("req-1", user_message="…")
    await until(lambda: bool(system.calls))
    document = json.loads(await system.redis.hget(keys.turn("req-1"), "view") or "{}")
    assert document["state"] == "running"
    assert document["steps"] == [{"intent": "goto_address", "state": "working"}]
