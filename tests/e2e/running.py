"""The whole system for a test, and a client that checks every answer it gets."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import nats.errors
import pytest
from cantons import CANTONS
from contracts import keys, subjects
from contracts.messages import ToolResult
from contracts.turns import TurnEvent, TurnEventKind, log_entry
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.errors import NotFoundError
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import ConstantBackoff

from ask.servers import Durability
from ask.services import SERVICES, compacted, needed
from ask.stack import Stack
from edge.auth.derivation import Derivation
from edge.sessions import Sessions

Json = dict[str, Any]

IN_ALL_CANTONS = pytest.mark.parametrize("canton", CANTONS, indirect=True, scope="session", ids=str)
"""The same flows on data with other names, chosen by settings alone."""
SECRET = "the-secret-of-the-edges-of-these-tests"
CLIENT_TIMEOUT_S = 45.0
"""Longer than the edge lets anybody wait."""

_STATUSES = ("ok", "needs_user_choice", "needs_clarification", "error")
"""From harmless to severe."""

_PAYLOADS: dict[str, tuple[list[str], set[str]]] = {
    "setView": (["center", "zoom", "crs"], {"extent"}),
    "addMarker": (["id", "coord", "style"], {"label"}),
    "removeMarker": (["id"], set()),
    "addLayer": (["id", "type", "source", "visible"], {"label", "attribution", "group", "legendUrl"}),
    "removeLayer": (["id"], set()),
    "setLayerVisibility": (["id", "visible"], set()),
    "setLayerOpacity": (["id", "opacity"], set()),
    "moveLayer": (["id", "order"], set()),
    "showLegend": (["id"], set()),
    "addFeatures": (["id", "label", "features", "columns", "count"], {"provenance"}),
    "removeFeatures": (["id"], set()),
    "setBackground": (["background"], set()),
    "clearMap": ([], set()),
    "undo": (["steps"], set()),
    "showOerebExtract": (
        ["egrid", "url"],
        {"mapUrl", "number", "municipality", "kind", "areaM2", "content", "provenance"},
    ),
}
"""By type: the keys in their order, and those that may follow."""


def check_response(response: Json) -> None:
    """Key names, key order, and what each status promises."""
    assert list(response) == ["requestId", "overallStatus", "steps"]
    assert response["steps"]
    assert response["overallStatus"] == max((s["status"] for s in response["steps"]), key=_STATUSES.index)
    for step in response["steps"]:
        assert list(step)[:5] == ["intent", "status", "message", "mapActions", "choices"]
        more = ["research", "items", "suggestions"]
        assert list(step)[5:] == [name for name in more if name in step]
        assert ("research" in step) == (step["intent"] == "search_documents")
        assert step.get("items", True) and (step["status"] == "ok" or "items" not in step)
        assert 0 < len(step.get("suggestions", ["…"])) <= 3
        assert step["message"]
        may_try_again = step["status"] == "needs_user_choice" and len(step["choices"]) == 1
        assert step["mapActions"] == [] or step["status"] == "ok" or may_try_again
        assert (len(step["choices"]) > 1 or may_try_again) == (step["status"] == "needs_user_choice")
        _check_actions(step["mapActions"])
        for choice in step["choices"]:
            assert list(choice) == ["id", "label", "confidence", "mapActions", "data"]
            _check_actions(choice["mapActions"])


def _check_actions(actions: list[Json]) -> None:
    for action in actions:
        assert list(action) == ["type", "payload"]
        required, optional = _PAYLOADS[action["type"]]
        found = list(action["payload"])
        assert found[: len(required)] == required, action
        assert set(found[len(required) :]) <= optional, action


def action_types(step: Json) -> list[str]:
    return [action["type"] for action in step["mapActions"]]


def promised(step: Json) -> Json:
    """A step without the facts for cards, which stand beside what clients were promised to the letter."""
    return {name: value for name, value in step.items() if name != "items"}


def layer_ids(step: Json) -> list[str]:
    return [action["payload"]["id"] for action in step["mapActions"] if action["type"] == "addLayer"]


def option(response: Json, n: int, step: int = 0) -> str:
    """The id of a choice."""
    found: str = response["steps"][step]["choices"][n]["id"]
    return found


class Conversation:
    """One session."""

    def __init__(self, http: httpx.AsyncClient, session_id: str) -> None:
        self.session_id = session_id
        self._http = http

    @property
    def inside(self) -> str:
        """What the session is called behind an edge that asks nobody who they are."""
        return Sessions(Derivation(SECRET.encode()).key("sessions")).inner({}, self.session_id)

    async def post(self, key: str | None = None, **asked: Any) -> httpx.Response:
        """Whatever comes back. `asked` is `userMessage` or `choiceId`, and what goes along with it."""
        headers = {"Idempotency-Key": key} if key else {}
        body = {"sessionId": self.session_id, **asked}
        return await self._http.post("/api/chat", json=body, headers=headers)

    async def say(self, message: str, key: str | None = None) -> Json:
        return answer_of(await self.post(key, userMessage=message))

    async def choose(self, choice_id: str) -> Json:
        return answer_of(await self.post(choiceId=choice_id))

    async def forget(self) -> None:
        body = {"sessionId": self.session_id}
        answered = await self._http.request("DELETE", "/api/chat", json=body)
        assert (answered.status_code, answered.content) == (204, b"")


def answer_of(answered: httpx.Response) -> Json:
    """The response in an HTTP answer that must have a right one."""
    assert answered.status_code == 200, answered.text
    assert answered.headers["content-type"] == "application/json"
    response: Json = answered.json()
    check_response(response)
    assert answered.headers["ask-request-id"] == response["requestId"]
    return response


def problem_of(answered: httpx.Response) -> Json:
    """The problem details in an HTTP answer that must have them."""
    assert answered.headers["content-type"] == "application/problem+json", answered.text
    problem: Json = answered.json()
    assert problem["status"] == answered.status_code
    assert problem["type"].endswith(problem["code"])
    assert problem["title"] and problem["detail"]
    return problem


class System:
    """Everything as `ask up` starts it, seen from outside and from below."""

    def __init__(self, stack: Stack, http: httpx.AsyncClient, js: JetStreamContext, redis: Redis) -> None:
        self.stack = stack
        self.http = http
        self.js = js
        self.redis = redis

    def conversation(self) -> Conversation:
        return Conversation(self.http, f"e2e-{uuid4()}")

    async def turn(self, request_id: str) -> httpx.Response:
        return await self.http.get(f"/api/chat/{request_id}")

    async def capabilities(self) -> set[str]:
        return {tool["capability"] for tool in (await self.http.get("/api/tools")).json()["tools"]}

    # -- from below --------------------------------------------------------------------------------

    async def events(self, request_id: str) -> list[TurnEvent]:
        """The log of a turn, with whatever is in it twice; clients may know before the log does."""
        await self.settled()
        stored = self._stored(subjects.TURNS, subjects.turn_log(request_id))
        entries = [entry async for message in stored for entry in log_entry(message).entries()]
        return [entry for entry in entries if isinstance(entry, TurnEvent)]

    async def results(self, request_id: str) -> list[ToolResult]:
        """What the tools of a turn have found, as they sent it."""
        found: list[ToolResult] = []
        async for message in self._stored(subjects.EVENTS, subjects.tool_result("*", request_id)):
            found.append(ToolResult.from_json(message))
        return found

    async def count(self, request_id: str, kind: TurnEventKind) -> int:
        return sum(event.kind is kind for event in await self.events(request_id))

    async def _stored(self, stream: subjects.Stream, subject: str) -> AsyncIterator[bytes]:
        """The messages of a stream on a subject, oldest first."""
        seq = 1
        while True:
            try:
                message = await self.js.get_msg(stream.name, seq, subject, next=True)
            except NotFoundError:
                return
            assert message.data is not None and message.seq is not None
            yield message.data
            seq = message.seq + 1

    async def begun(self, conversation: Conversation) -> str:
        """The request id of the newest turn of a session, as soon as the turn has begun."""
        key = keys.turns(conversation.inside)
        await until(lambda: self.redis.exists(key))
        (newest,) = await self.redis.lrange(key, 0, 0)
        return str(newest, "ascii") if isinstance(newest, bytes) else newest

    async def reached(self, service: str, stream: str = "COMMANDS") -> None:
        """Until a message waits for a service, or is in its hands."""

        async def waiting() -> bool:
            info = await self.js.consumer_info(stream, service)
            return bool(info.num_pending or info.num_ack_pending)

        await until(waiting)

    async def ready(self, expected: bool = True, timeout_s: float = 30) -> None:
        """Until the edge knows that its stores are there, or that one is not."""

        async def is_so() -> bool:
            return ((await self.http.get("/readyz")).status_code == 200) is expected

        await until(is_so, timeout_s)

    async def settled(self, timeout_s: float = 40) -> None:
        """Until nothing is left to do; a lost acknowledgement is noticed at the deadline of its turn."""

        async def empty() -> bool:
            return (await self.js.stream_info("COMMANDS")).state.messages == 0

        await until(empty, timeout_s)

    @contextmanager
    def frozen(self, *names: str) -> Iterator[None]:
        """Processes that stand still, as under a debugger."""
        for name in names:
            self.stack.kill(name, signal.SIGSTOP)
        try:
            yield
        finally:
            for name in names:
                self.stack.kill(name, signal.SIGCONT)


async def until(condition: Callable[[], Any], timeout_s: float = 60) -> None:
    """Poll an asynchronous condition."""
    async with asyncio.timeout(timeout_s):
        while not await condition():
            await asyncio.sleep(0.02)


@dataclass(frozen=True)
class Shape:
    """Which processes there are, and how safe their servers are."""

    compact: bool = False
    workers: Mapping[str, int] = field(default_factory=dict)
    durability: Durability = "process"


_UNHURRIED = {"PUBLISH_TIMEOUT_S": "20", "REDIS_TIMEOUT_S": "20"}
"""Who stood still for a moment has lost neither NATS nor Redis."""


class _Patient(Client):
    """NATS hangs up on a client that is silent for some seconds, as this one is while its loop stands still
    because tests on another one run."""

    async def request(self, *args: Any, **options: Any) -> Msg:
        for _ in range(50):
            with suppress(nats.errors.Error):
                await self.flush(1)
                if self.is_connected:
                    break
            await asyncio.sleep(0.1)
        return await super().request(*args, **options)


@asynccontextmanager
async def running(folder: Path, shape: Shape = Shape(), /, **environment: str) -> AsyncIterator[System]:
    """The system on free ports with its files in `folder`."""
    environment = {**_UNHURRIED, **environment}
    services = needed(SERVICES, environment)
    async with AsyncExitStack() as exits:
        own = Stack(
            folder / "data",
            edge_secret=SECRET,
            environment=environment,
            services=compacted(services) if shape.compact else services,
            workers=shape.workers,
            durability=shape.durability,
        )
        stack = await exits.enter_async_context(own)
        http = await exits.enter_async_context(
            httpx.AsyncClient(base_url=stack.url, timeout=CLIENT_TIMEOUT_S, limits=httpx.Limits())
        )
        connection = _Patient()
        await connection.connect(stack.nats_url, max_reconnect_attempts=-1, reconnect_time_wait=1)
        exits.push_async_callback(connection.close)
        retry = Retry(ConstantBackoff(0.2), retries=25)
        redis = Redis.from_url(stack.redis_url, retry=retry)
        exits.push_async_callback(redis.aclose)
        yield System(stack, http, connection.jetstream(), redis)
