"""A running edge, and an orchestrator that does as it is told."""

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import httpx
import nats
from contracts import keys, subjects
from contracts.chat import ChatResponse, Step
from contracts.messages import ChatRequested, EraseSession, SessionErased, TurnReply
from contracts.status import Status
from contracts.turns import Round, TurnState, TurnView
from nats.aio.client import Client
from nats.aio.msg import Msg
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import ConstantBackoff

from edge import app
from edge.auth.derivation import derivation_of
from edge.auth.settings import AuthSettings
from edge.sessions import Sessions
from edge.settings import EdgeSettings

TRUSTING_NOBODY = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Nothing is encrypted here, and whom the machine trusts takes longer to read than an edge to be asked."""

Behaviour = Callable[["Orchestrator", ChatRequested], Awaitable[None]]


def inside(session_id: str = "s-1") -> str:
    """What a session is called behind an edge that asks nobody who they are."""
    return Sessions(derivation_of(AuthSettings()).key("sessions")).inner({}, session_id)


def response_to(request: ChatRequested, status: Status = Status.OK) -> ChatResponse:
    """An answer in which the request can be recognised."""
    heard = request.choice_id or request.user_message or ""
    step = Step(intent="goto_address", status=status, message=f"Verstanden: {heard}")
    return ChatResponse.of(request.request_id, (step,))


async def answer(orchestrator: "Orchestrator", request: ChatRequested) -> None:
    """What usually happens."""
    await orchestrator.finish(request)


async def ignore(orchestrator: "Orchestrator", request: ChatRequested) -> None:
    """Nothing happens."""


class Orchestrator:
    """Takes `chat.requested` from the stream, keeps views in Redis, replies to the inbox of the edge."""

    def __init__(self, connection: Client, redis: Redis) -> None:
        self.connection = connection
        self.redis = redis
        self.behaviour: Behaviour = answer
        self.requests: list[ChatRequested] = []
        self.messages: list[Msg] = []

    async def on_erase(self, message: Msg) -> None:
        wanted = EraseSession.from_json(message.data)
        for turn in await self.redis.lrange(keys.turns(wanted.session_id), 0, -1):
            for stream, subject in subjects.of_turn(turn.decode() if isinstance(turn, bytes) else turn):
                await self.connection.jetstream().purge_stream(stream, subject=subject)
        done = SessionErased(exchange=wanted.exchange)
        await self.connection.publish(subjects.erased(wanted.edge_id), done.to_json())

    async def run(self) -> None:
        await self.connection.subscribe(subjects.SESSION_ERASE, cb=self.on_erase)
        pull = await self.connection.jetstream().pull_subscribe(
            subjects.CHAT_REQUESTED, durable="orchestrator", stream=subjects.COMMANDS.name
        )
        # Not only cancelled: the client library takes some cancellations for timeouts.
        while not self.connection.is_closed:
            try:
                for message in await pull.fetch(50, timeout=1):
                    await message.ack()
                    request = ChatRequested.from_json(message.data)
                    self.messages.append(message)
                    self.requests.append(request)
                    await self.behaviour(self, request)
            except (TimeoutError, nats.errors.Error):
                await asyncio.sleep(0.02)

    async def view(self, request_id: str) -> TurnView | None:
        document = await self.redis.hget(keys.turn(request_id), "view")
        return TurnView.from_json(document) if document else None

    async def keep(self, view: TurnView) -> None:
        await self.redis.hset(keys.turn(view.request_id), "view", view.to_json())
        await self.redis.lpush(keys.turns(view.session_id), view.request_id)

    async def offer(self, request_id: str, session: str = "s-1") -> None:
        """A turn that has ended, so that its choices can be made."""
        request = ChatRequested(
            request_id=request_id,
            session_id=inside(session),
            deadline=datetime.now(UTC),
            exchange="e",
            user_message="hallo",
        )
        await self.finish(request, reply=False)

    async def keep_round(self, request: ChatRequested, last: Round) -> None:
        """Append a round to the turn of a request."""
        before = await self.view(request.request_id)
        rounds = (*(before.rounds if before else ()), last)
        view = TurnView(
            request_id=request.request_id, session_id=request.session_id, state=last.state, rounds=rounds
        )
        await self.keep(view)

    async def finish(
        self, request: ChatRequested, status: Status = Status.OK, *, reply: bool = True
    ) -> ChatResponse:
        response = response_to(request, status)
        ended = Round(state=TurnState.FINISHED, exchanges=(request.exchange,), response=response)
        await self.keep_round(request, ended)
        if reply:
            await self.reply(request, response=response)
        return response

    async def forward(self, request: ChatRequested, choice_id: str, *, reply: bool = True) -> None:
        ended = Round(state=TurnState.FORWARDED, exchanges=(request.exchange,), choice_id=choice_id)
        await self.keep_round(request, ended)
        if reply:
            await self.reply(request, choice_id=choice_id)

    async def reply(self, request: ChatRequested, **ending: Any) -> None:
        assert request.reply_to is not None
        reply = TurnReply(request_id=request.request_id, exchange=request.exchange, **ending)
        await self.connection.publish(request.reply_to, reply.to_json())

    async def heard(self, count: int, timeout_s: float = 30) -> None:
        """Wait until so many requests have come in."""
        async with asyncio.timeout(timeout_s):
            while len(self.requests) < count:
                await asyncio.sleep(0.01)


@asynccontextmanager
async def orchestrating(nats_url: str, redis_url: str) -> AsyncIterator[Orchestrator]:
    connection = await nats.connect(nats_url, max_reconnect_attempts=-1, reconnect_time_wait=0.1)
    redis = Redis.from_url(redis_url, retry=Retry(ConstantBackoff(0.1), retries=20))
    orchestrator = Orchestrator(connection, redis)
    task = asyncio.create_task(orchestrator.run())
    try:
        yield orchestrator
    finally:
        task.cancel()
        await connection.close()
        await redis.aclose()
        with contextlib.suppress(asyncio.CancelledError):
            await task


@dataclass(frozen=True)
class RunningEdge:
    edge: app.Edge
    http: httpx.AsyncClient

    @property
    def port(self) -> int:
        return self.edge.server.port

    async def say(self, message: str, *, session: str = "s-1", **more: Any) -> httpx.Response:
        return await self.http.post("/api/chat", json={"sessionId": session, "userMessage": message}, **more)

    async def choose(self, choice_id: str, *, session: str = "s-1", **more: Any) -> httpx.Response:
        return await self.http.post("/api/chat", json={"sessionId": session, "choiceId": choice_id}, **more)


async def stop(edge: app.Edge) -> None:
    """In the order of `Service.run` when it gets a SIGTERM."""
    await edge.service.is_stopping()
    await edge.service.bus.broker.stop()
    await edge.service.stop()


@asynccontextmanager
async def running(nats_url: str, redis_url: str, **settings: Any) -> AsyncIterator[RunningEdge]:
    """An edge in this process: `Service.run` without its signal handlers."""
    # A test that stands still for a moment has lost neither Redis nor NATS.
    settings = {"port": 0, "redis_timeout_s": 20, "publish_timeout_s": 20} | settings
    edge = app.build(EdgeSettings(nats_url=nats_url, redis_url=redis_url, **settings))
    await edge.service.start()
    edge.service.has_started()
    try:
        base_url = f"http://127.0.0.1:{edge.server.port}"
        async with httpx.AsyncClient(base_url=base_url, timeout=20, verify=TRUSTING_NOBODY) as http:
            yield RunningEdge(edge, http)
    finally:
        await stop(edge)


@asynccontextmanager
async def staged(
    nats_url: str, redis_url: str, **settings: Any
) -> AsyncIterator[tuple[RunningEdge, Orchestrator]]:
    """Both of them."""
    async with (
        orchestrating(nats_url, redis_url) as orchestrator,
        running(nats_url, redis_url, **settings) as edge,
    ):
        yield edge, orchestrator


def problem(answered: httpx.Response) -> dict[str, Any]:
    """The body of an answer that must be a problem with everything a client relies on."""
    assert answered.headers["content-type"] == "application/problem+json"
    body: dict[str, Any] = answered.json()
    assert body["status"] == answered.status_code
    assert body["type"] == f"urn:ask-sogis:problem:{body['code']}"
    assert body["title"] and body["detail"]
    assert body.get("requestId") == answered.headers.get("ask-request-id")
    return body
