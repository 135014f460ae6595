"""Real orchestrators on a real NATS and a real Redis, with workers that answer as the world says."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import Any

import nats
from contracts import subjects
from contracts.chat import ChatResponse
from contracts.messages import (
    ActionPlanRequested,
    AnswerRequested,
    ChatRequested,
    Command,
    PlanRequested,
    ToolCalled,
    TurnReply,
)
from contracts.session import Session
from contracts.turns import TurnEvent
from nats.aio.msg import Msg
from redis.asyncio import Redis
from servicekit.bus import Bus
from servicekit.settings import ServiceSettings
from world import DEFAULT_TOOLS, GOTO, answer, plan

from orchestrator.handlers import register
from orchestrator.service import TurnService
from orchestrator.store import RedisTurnStore
from orchestrator.transition import Limits


async def always(command: Command) -> bool:
    return True


class Counting(TurnService):
    """Remembers how often its messages were delivered: the server counts in the ack subject."""

    deliveries: list[int]

    async def chat(self, request: ChatRequested, timer: str) -> float | None:
        self.deliveries.append(int(timer.split(".")[4]))
        return await super().chat(request, timer)


class System:
    """Real orchestrators around scripted workers, and an edge that waits."""

    def __init__(self, nats_url: str, redis: Redis, ack_wait_s: float) -> None:
        self.settings = ServiceSettings(
            nats_url=nats_url, ack_wait_s=ack_wait_s, graceful_timeout_s=2, publish_timeout_s=15
        )
        self.redis = redis
        self.plan = plan(GOTO)
        self.tools = dict(DEFAULT_TOOLS)
        self.delay_s = 0.0
        self.let_go = asyncio.Event()
        """Tools do not answer before; `hold` has them wait for it."""
        self.let_go.set()
        self.check_timeout_s = 12.0
        self.before_answer: Callable[[Command], Awaitable[bool]] = always
        """Run by a worker before it answers; False: it forgets to."""
        self.calls: list[ToolCalled] = []
        self.deliveries: list[int] = []
        """Which delivery of its message it was, for every message or choice."""
        self.replies: dict[str, list[TurnReply]] = {}
        self.edge = Bus("edge", self.settings)
        self.workers = [
            Bus(name, self.settings) for name in ("planner", "actionplanner", "responder", "tools-test")
        ]
        self.orchestrators: list[Bus] = []
        self.stores: list[RedisTurnStore] = []

    async def start(self, orchestrators: int = 1) -> None:
        self.edge.listen(subjects.reply("e"), self._on_reply, TurnReply)
        wanted = (
            subjects.PLAN_REQUESTED,
            subjects.ACTIONPLAN_REQUESTED,
            subjects.ANSWER_REQUESTED,
            *(subjects.tool_call(name) for name in self.tools),
        )
        kinds: tuple[Any, ...] = (PlanRequested, ActionPlanRequested, AnswerRequested, ToolCalled)
        shares = (wanted[:1], wanted[1:2], wanted[2:3], wanted[3:])
        for bus, subject, kind in zip(self.workers, shares, kinds, strict=True):
            self._serve(bus, subject, kind)
        for _ in range(orchestrators):
            await self.add_orchestrator()
        for bus in (self.edge, *self.workers):
            await run(bus)

    async def add_orchestrator(self, kind: type[Bus] = Bus) -> Bus:
        bus = kind("orchestrator", self.settings)
        store = RedisTurnStore(self.redis, timeout_s=20)
        self.stores.append(store)
        limits = Limits(item_timeout=timedelta(seconds=self.check_timeout_s))
        turns = Counting(store, bus, limits)
        turns.deliveries = self.deliveries
        register(bus, turns)
        await run(bus)
        self.orchestrators.append(bus)
        return bus

    def _serve(self, bus: Bus, wanted: tuple[str, ...], kind: Any) -> None:
        async def on_command(command: Any) -> None:
            if isinstance(command, ToolCalled):
                self.calls.append(command)
                await asyncio.sleep(self.delay_s)
                await self.let_go.wait()
            if not await self.before_answer(command):
                return
            await bus.publish(answer(command, self.plan, self.tools))

        on_command.__annotations__["command"] = kind
        bus.subscriber(*wanted)(on_command)

    async def _on_reply(self, reply: TurnReply) -> None:
        self.replies.setdefault(reply.exchange, []).append(reply)

    def hold(self) -> None:
        """Whoever waits is let go, and who comes now waits."""
        self.let_go.set()
        self.let_go.clear()

    async def stop(self) -> None:
        self.let_go.set()
        for bus in (self.edge, *self.workers, *self.orchestrators):
            with suppress(Exception):
                await bus.broker.stop()
        for store in self.stores:
            await store.close()

    async def post(self, request_id: str, exchange: str = "x0", seconds: float = 120, **values: Any) -> None:
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
        # The reply comes before the log is stored.
        await nothing_left(self.edge)
        js = self.edge.jetstream
        info = await js.stream_info("TURNS")
        found: list[TurnEvent] = []
        for seq in range(info.state.first_seq, info.state.last_seq + 1):
            message = await js.get_msg("TURNS", seq)
            if message.subject == subjects.turn_event(request_id):
                found += TurnEvent.from_json(message.data or b"").entries()
        return found


async def remembered(system: System, session_id: str = "s") -> Session:
    session, _ = await system.stores[0].open(session_id, "none")
    return session


async def run(bus: Bus) -> None:
    await bus.connect()
    # Whoever asks the server how far it is may stand still himself.
    bus.jetstream._timeout = 20
    await bus.prepare()
    await bus.broker.start()


async def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


async def nothing_left(bus: Bus) -> None:
    """Until all commands are done."""
    async with asyncio.timeout(30):
        while (await bus.jetstream.stream_info("COMMANDS")).state.messages:
            await asyncio.sleep(0.02)


@asynccontextmanager
async def heartbeats(nats_url: str, service: str) -> AsyncIterator[list[str]]:
    """Of the commands that a service has in its hands, as they come."""
    beats: list[str] = []

    async def hear(msg: Msg) -> None:
        if msg.data == b"+WPI":
            beats.append(msg.subject)

    async with await nats.connect(nats_url) as connection:
        await connection.subscribe(f"$JS.ACK.COMMANDS.{service}.>", cb=hear)
        await connection.flush()
        yield beats


@asynccontextmanager
async def running(nats_url: str, redis_url: str, ack_wait_s: float = 10) -> AsyncIterator[System]:
    async with AsyncExitStack() as stack:
        redis = Redis.from_url(redis_url, socket_timeout=20)
        stack.push_async_callback(redis.aclose)
        system = System(nats_url, redis, ack_wait_s)
        stack.push_async_callback(system.stop)
        yield system
