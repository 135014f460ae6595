"""Turns whose client has left, what turns cost, and for how long they are kept."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
from contracts import keys, subjects
from contracts.messages import ChatCancelled, PlanReady, PlanRequested, Usage
from contracts.status import Status
from contracts.turns import TurnState, TurnView
from servicekit.days import now_in_zurich
from world import GOTO, answer, plan

from .orchestrator_harness import System, nothing_left, running, until


@pytest.fixture
async def system(nats_url: str, redis_url: str) -> AsyncIterator[System]:
    async with running(nats_url, redis_url) as made:
        yield made


async def leave(system: System, request_id: str, exchange: str = "x0") -> None:
    deadline = datetime.now(UTC) + timedelta(seconds=20)
    await system.edge.publish(
        ChatCancelled(
            request_id=request_id, session_id="s", deadline=deadline, exchange=f"c-{exchange}", left=exchange
        )
    )


async def test_a_turn_whose_client_has_left_before_it_began_never_begins(system: System) -> None:
    asked: list[str] = []

    async def remember(command: object) -> bool:
        asked.append(type(command).__name__)
        return True

    system.before_answer = remember
    await system.edge.connect()
    # Nobody takes turns yet; the cancellation is handled first.
    await leave(system, "req-1")
    await system.start()
    async with asyncio.timeout(30):
        while not await system.redis.exists(keys.begun("req-1")):
            await asyncio.sleep(0.01)
    await system.post("req-1", user_message="hallo")
    response = await system.response("x0")
    assert (response.overall_status, response.steps[0].message) == (Status.ERROR, "Abgebrochen.")
    assert not await system.redis.exists(keys.turn("req-1"))
    await system.ask("req-2")
    assert asked.count("PlanRequested") == 1


async def test_a_turn_that_somebody_else_waits_for_goes_on(system: System) -> None:
    system.delay_s = 0.5
    await system.start()
    await system.post("req-1", exchange="x0", user_message="hallo")
    await system.post("req-1", exchange="x1", user_message="hallo")
    await until(lambda: bool(system.calls))
    await leave(system, "req-1", "x0")
    assert (await system.response("x1")).overall_status is Status.OK


async def test_a_turn_that_nobody_else_waits_for_ends(system: System) -> None:
    system.delay_s = 60
    await system.start()
    await system.post("req-1", user_message="hallo")
    await until(lambda: bool(system.calls))
    await leave(system, "req-1")
    assert (await system.response("x0")).steps[0].message == "Abgebrochen."
    view = TurnView.from_json(await system.redis.hget(keys.turn("req-1"), "view") or b"")
    assert view.state is TurnState.CANCELLED


async def test_tokens_are_counted_once_for_the_owner_and_for_everybody(system: System) -> None:
    await system.start(orchestrators=2)
    usage = Usage(calls=1, input_tokens=700, output_tokens=300)

    async def ask_a_model(command: object) -> bool:
        if not isinstance(command, PlanRequested):
            return True
        ready = answer(command, system.plan, system.tools)
        assert isinstance(ready, PlanReady)
        paid = ready.model_copy(update={"usage": usage})
        # Delivered twice, to whoever takes it.
        await system.workers[0].publish(paid)
        headers = {"Nats-Msg-Id": "again"}
        await system.workers[0].jetstream.publish(paid.subject, paid.to_json(), headers=headers)
        return False

    system.before_answer = ask_a_model
    for n in range(3):
        await system.ask(f"req-{n}", session_id="key-1.s")
    await system.ask("req-3", session_id="key-2.s")
    day = now_in_zurich().date()
    found = [
        int(await system.redis.get(key) or 0)
        for key in (keys.spent("key-1", day), keys.spent("key-2", day), keys.spent_by_all(day))
    ]
    assert found == [3_000, 1_000, 4_000]
    assert 0 < await system.redis.ttl(keys.spent("key-1", day)) <= keys.SPENT_TTL_S


async def test_a_turn_that_is_kept_shorter_leaves_nothing_that_stays_longer(
    system: System,
) -> None:
    system.plan = plan(GOTO)
    await system.start()
    await system.ask("req-1", session_id="anon.s", retention_s=600)
    kept = [key async for key in system.redis.scan_iter("*")]
    of_turn = [key for key in kept if b"anon" in key or key == keys.turn("req-1").encode()]
    assert len(of_turn) >= 3
    for key in of_turn:
        assert 0 < await system.redis.ttl(key) <= 600


async def test_the_events_of_a_turn_go_when_it_is_kept_no_longer(system: System) -> None:
    system.plan = plan(GOTO)
    await system.start()
    await system.ask("req-1", session_id="anon.s", retention_s=12)
    await system.ask("req-2", session_id="key.s")
    js = system.edge.jetstream

    async def logged(request_id: str) -> int:
        subject = subjects.turn_event(request_id)
        info = await js.stream_info(subjects.TURNS.name, subjects_filter=subject)
        return (info.state.subjects or {}).get(subject, 0)

    # The reply comes before the log is stored.
    await nothing_left(system.edge)
    usual = await logged("req-2")
    async with asyncio.timeout(60):
        while await logged("req-1"):
            await asyncio.sleep(0.1)
    assert await logged("req-2") == usual > 0
