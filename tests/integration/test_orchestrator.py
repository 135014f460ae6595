"""The orchestrator on a real NATS and a real Redis, with workers that answer as the world says."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from contracts import keys, subjects
from contracts.chat import ChatResponse
from contracts.items import Address
from contracts.messages import (
    ActionPlanRequested,
    ChatRequested,
    PlanRequested,
    ToolCalled,
    TurnReply,
)
from contracts.session import Session
from contracts.status import Status
from contracts.turns import TurnEvent, TurnEventKind, TurnState, TurnView
from redis.asyncio import Redis
from servicekit.bus import AckPolicy, Bus
from servicekit.settings import ServiceSettings
from world import DEFAULT_TOOLS, GOTO, LOAD, OEREB_HERE, OEREB_XY, answer, plan, step, two_parcels

from orchestrator.conductor import Conductor
from orchestrator.handlers import register
from orchestrator.store import RedisTurnStore

from .conftest import ServerProcess


class System:
    """Real orchestrators around scripted workers, and an edge that waits."""

    def __init__(self, nats_url: str, redis: Redis) -> None:
        self.settings = ServiceSettings(
            nats_url=nats_url, ack_wait_s=1, graceful_timeout_s=2, publish_timeout_s=1
        )
        self.redis = redis
        self.plan = plan(GOTO)
        self.tools = dict(DEFAULT_TOOLS)
        self.delay_s = 0.0
        self.calls: list[ToolCalled] = []
        self.replies: dict[str, list[TurnReply]] = {}
        self.edge = Bus("edge", self.settings)
        self.workers = [Bus(name, self.settings) for name in ("planner", "actionplanner", "tools-test")]
        self.orchestrators: list[Bus] = []
        self.stores: list[RedisTurnStore] = []

    async def start(self, orchestrators: int = 1) -> None:
        self.edge.listen(subjects.reply("e"), self._on_reply, TurnReply)
        wanted = (
            subjects.PLAN_REQUESTED,
            subjects.ACTIONPLAN_REQUESTED,
            *(subjects.tool_call(name) for name in self.tools),
        )
        kinds: tuple[Any, ...] = (PlanRequested, ActionPlanRequested, ToolCalled)
        for bus, subject, kind in zip(
            self.workers, (wanted[:1], wanted[1:2], wanted[2:]), kinds, strict=True
        ):
            self._serve(bus, subject, kind)
        for _ in range(orchestrators):
            await self.add_orchestrator()
        for bus in (self.edge, *self.workers):
            await run(bus)

    async def add_orchestrator(self) -> Bus:
        bus = Bus("orchestrator", self.settings)
        store = RedisTurnStore(self.redis)
        self.stores.append(store)
        register(bus, Conductor(store, bus, timedelta(minutes=15)))
        await run(bus)
        self.orchestrators.append(bus)
        return bus

    def _serve(self, bus: Bus, wanted: tuple[str, ...], kind: Any) -> None:
        async def on_command(command: Any) -> None:
            if isinstance(command, ToolCalled):
                self.calls.append(command)
                await asyncio.sleep(self.delay_s)
            await bus.publish(answer(command, self.plan, self.tools))

        on_command.__annotations__["command"] = kind
        bus.subscriber(*wanted, ack_policy=AckPolicy.NACK_ON_ERROR)(on_command)

    async def _on_reply(self, reply: TurnReply) -> None:
        self.replies.setdefault(reply.exchange, []).append(reply)

    async def stop(self) -> None:
        for bus in (self.edge, *self.workers, *self.orchestrators):
            with suppress(Exception):
                await bus.broker.stop()
        for store in self.stores:
            await store.close()

    async def post(self, request_id: str, exchange: str = "x0", seconds: float = 20, **values: Any) -> None:
        request = ChatRequested(
            request_id=request_id,
            session_id=values.pop("session_id", "s"),
            deadline=datetime.now(UTC) + timedelta(seconds=seconds),
            exchange=exchange,
            reply_to=subjects.reply("e"),
            **values,
        )
        await self.edge.publish(request)

    async def response(self, exchange: str) -> ChatResponse:
        await until(lambda: exchange in self.replies)
        found = self.replies[exchange][-1].response
        assert found is not None
        return found

    async def ask(self, request_id: str, message: str = "…", **values: Any) -> ChatResponse:
        await self.post(request_id, exchange=f"x-{request_id}", user_message=message, **values)
        return await self.response(f"x-{request_id}")

    async def log(self, request_id: str) -> list[TurnEvent]:
        js = self.edge.jetstream
        info = await js.stream_info("TURNS")
        found = []
        for seq in range(info.state.first_seq, info.state.last_seq + 1):
            message = await js.get_msg("TURNS", seq)
            if message.subject == subjects.turn_event(request_id):
                found.append(TurnEvent.from_json(message.data or b""))
        return found


async def remembered(system: System, session_id: str = "s") -> Session:
    session, _ = await system.stores[0].open(session_id, "none")
    return session


async def run(bus: Bus) -> None:
    await bus.connect()
    await bus.prepare()
    await bus.broker.start()


async def until(condition: Callable[[], bool], seconds: float = 15) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


@asynccontextmanager
async def running(nats_url: str, redis_url: str) -> AsyncIterator[System]:
    async with AsyncExitStack() as stack:
        redis = Redis.from_url(redis_url, socket_timeout=1)
        stack.push_async_callback(redis.aclose)
        system = System(nats_url, redis)
        stack.push_async_callback(system.stop)
        yield system


@pytest.fixture
async def system(nats_url: str, redis_url: str) -> AsyncIterator[System]:
    async with running(nats_url, redis_url) as made:
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
    async with asyncio.timeout(5):
        while (await system.edge.jetstream.stream_info("COMMANDS")).state.messages:
            await asyncio.sleep(0.02)


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


async def test_a_turn_that_nobody_works_on_ends_at_its_deadline(system: System) -> None:
    await system.start()
    await system.workers[0].broker.stop()
    await system.post("req-1", seconds=1.5, user_message="…")
    response = await system.response("x0")
    assert response.overall_status is Status.ERROR
    assert "zu lange" in response.steps[0].message


async def test_a_deleted_session_is_not_brought_back_by_a_late_answer(system: System) -> None:
    system.delay_s = 0.5
    await system.start()
    await system.post("req-1", user_message="…")
    await until(lambda: bool(system.calls))
    await system.redis.delete(*keys.of_session("s"), keys.turn("req-1"))
    await asyncio.sleep(1)
    assert await system.redis.keys("*") == [keys.begun("req-1").encode()]


async def test_a_deleted_session_is_not_brought_back_at_the_deadline(system: System) -> None:
    await system.start()
    await system.workers[0].broker.stop()
    await system.post("req-1", seconds=1.5, user_message="…")
    async with asyncio.timeout(5):
        while not await system.redis.exists(keys.turn("req-1")):
            await asyncio.sleep(0.02)
    await system.redis.delete(*keys.of_session("s"), keys.turn("req-1"))
    async with asyncio.timeout(10):
        while (await system.edge.jetstream.stream_info("COMMANDS")).state.messages > 1:
            await asyncio.sleep(0.05)
    assert await system.redis.keys("*") == [keys.begun("req-1").encode()]
    assert system.replies == {}


async def test_many_turns_on_three_orchestrators_are_all_answered_right(system: System) -> None:
    system.plan = plan(GOTO, LOAD, OEREB_HERE)
    await system.start(orchestrators=3)
    responses = await asyncio.gather(*(system.ask(f"req-{n}", session_id=f"s{n % 7}") for n in range(60)))
    assert {r.overall_status for r in responses} == {Status.OK}
    assert all(len(replies) == 1 for replies in system.replies.values())


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
    system.delay_s = 0.5
    system.plan = plan(OEREB_XY)
    await system.start()
    await system.post("req-1", user_message="…")
    await until(lambda: len(system.calls) == 1)
    before: dict[Any, Any] = await system.redis.hgetall(keys.turn("req-1"))
    await until(lambda: len(system.calls) == 2)
    await system.redis.delete(keys.turn("req-1"), keys.begun("req-1"))
    if lost == "last write":
        await system.redis.hset(keys.turn("req-1"), mapping=before)
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
    system.delay_s = 1.0
    await system.start()
    await system.post("req-1", user_message="…")
    await until(lambda: bool(system.calls))
    document = json.loads(await system.redis.hget(keys.turn("req-1"), "view") or "{}")
    assert document["state"] == "running"
    assert document["steps"] == [{"intent": "goto_address", "state": "working"}]
