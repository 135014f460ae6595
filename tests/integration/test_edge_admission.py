"""What the edge lets in, what it refuses, and what becomes of those who leave."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from time import monotonic
from typing import Any

import httpx
import nats
import pytest
from contracts import keys, subjects
from contracts.messages import ChatCancelled
from nats.js.errors import NotFoundError
from prometheus_client import REGISTRY
from servicekit.days import now_in_zurich

from edge import askers, stores
from edge.principals import LOCAL, Principal

from .edge_harness import RunningEdge, answer, ignore, problem, staged
from .mcp_harness import client

BODY = b'{"sessionId":"s-1","userMessage":"hallo"}'


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks says so in a header: `key-1` has a key, `somebody` has none."""

    def principal_of(scope: Any) -> Principal:
        name = dict(scope["headers"]).get(b"x-owner", b"").decode()
        if not name:
            return LOCAL
        return Principal(name, "key" if name.startswith("key") else "anonymous")

    monkeypatch.setattr(askers, "principal_of", principal_of)


def told(refused: httpx.Response, status: int, code: str) -> int:
    """Seconds to wait, of an answer that must be such a refusal."""
    assert (refused.status_code, problem(refused)["code"]) == (status, code)
    return int(refused.headers["retry-after"])


@asynccontextmanager
async def posted(
    edge: RunningEdge, path: str = "/api/chat", **headers: str
) -> AsyncIterator[asyncio.StreamReader]:
    """A client that sends a message and is gone at the end."""
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    reader, writer = await asyncio.open_connection("127.0.0.1", edge.port)
    writer.write(
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n{lines}"
        f"Content-Length: {len(BODY)}\r\n\r\n".encode()
        + BODY
    )
    try:
        yield reader
    finally:
        writer.transport.abort()


async def cancelled(nats_url: str) -> ChatCancelled | None:
    async with await nats.connect(nats_url) as connection:
        try:
            last = await connection.jetstream().get_last_msg(subjects.COMMANDS.name, subjects.CHAT_CANCELLED)
        except NotFoundError:
            return None
    return ChatCancelled.from_json(last.data or b"")


async def until(condition: Callable[[], Any]) -> Any:
    async with asyncio.timeout(30):
        while not (found := await condition()):
            await asyncio.sleep(0.02)
    return found


def refused_so_far() -> float:
    """For want of room, in this process: also by other tests."""
    return REGISTRY.get_sample_value("ask_refused_total", {"reason": "store_full"}) or 0.0


async def metric(edge: RunningEdge, line: str) -> bool:
    return f"\n{line}\n" in (await edge.http.get("/metrics")).text


# -- those who leave -------------------------------------------------------------------------------


async def test_who_leaves_without_a_way_back_takes_its_turn_along(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = ignore
        async with posted(edge):
            await orchestrator.heard(1)
        found = await until(lambda: cancelled(nats_url))
        (request,) = orchestrator.requests
        assert (found.request_id, found.left) == (request.request_id, request.exchange)
        # The place is free when the turn has ended, not before.
        assert await metric(edge, "ask_turns_at_work 1.0")
        await orchestrator.finish(request)
        await until(lambda: metric(edge, "ask_turns_at_work 0.0"))


async def test_who_can_come_back_finds_the_answer(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = ignore
        async with posted(edge, Idempotency_Key="k"):
            await orchestrator.heard(1)
        async with posted(edge, "/api/chat/stream") as reader:
            await orchestrator.heard(2)
            # The request id is in the head: whoever has read it can come back.
            await reader.readuntil(b"\r\n\r\n")
        await until(lambda: metric(edge, "ask_turns_waiting 0.0"))
        assert await metric(edge, "ask_turns_at_work 2.0")
        for request in orchestrator.requests:
            await orchestrator.finish(request)
            asked = await edge.http.get(f"/api/chat/{request.request_id}")
            assert (asked.status_code, asked.json()["requestId"]) == (200, request.request_id)
        await until(lambda: metric(edge, "ask_turns_at_work 0.0"))
        assert await cancelled(nats_url) is None


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_call_of_an_mcp_client_that_is_cut_ends_its_turn(
    nats_url: str, redis_url: str, mode: str
) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = ignore
        async with client(edge, mode=mode) as connected:
            calling = asyncio.create_task(connected.call_tool("ask", {"message": "hallo"}))
            await orchestrator.heard(1)
            calling.cancel()
            await asyncio.wait([calling])
        found = await until(lambda: cancelled(nats_url))
        assert found.request_id == orchestrator.requests[0].request_id


# -- shares ----------------------------------------------------------------------------------------


async def test_one_session_cannot_take_all_places(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url, max_waiting_turns=32) as (edge, orchestrator):
        orchestrator.behaviour = ignore
        limits = httpx.Limits(max_connections=100)
        async with httpx.AsyncClient(base_url=edge.http.base_url, timeout=60, limits=limits) as greedy:
            message = {"sessionId": "greedy", "userMessage": "viel"}
            all_at_once = [asyncio.create_task(greedy.post("/api/chat", json=message)) for _ in range(64)]
            await orchestrator.heard(17)
            refused = await asyncio.gather(*[each for each in all_at_once if each.done()])
            orchestrator.behaviour = answer
            other = await edge.say("hallo", session="other")
            for request in orchestrator.requests[:17]:
                await orchestrator.finish(request)
            answered = await asyncio.gather(*all_at_once)
    assert other.status_code == 200
    assert {told(each, 429, "too_many_turns") for each in refused} <= {1}
    assert sum(each.status_code == 200 for each in answered) == 17


async def test_an_anonymous_one_has_few_turns_at_work_and_an_address_some_more(
    nats_url: str, redis_url: str
) -> None:
    few = {"anonymous_turns_at_once": 1, "address_turns_at_once": 2, "session_turns_at_once": 9}
    async with staged(nats_url, redis_url, **few) as (edge, orchestrator):
        orchestrator.behaviour = ignore
        async with posted(edge, X_Owner="a", Idempotency_Key="1"):
            await orchestrator.heard(1)
            told(await edge.say("noch eine", headers={"X-Owner": "a"}), 429, "too_many_turns")
            async with posted(edge, X_Owner="b", Idempotency_Key="2"):
                await orchestrator.heard(2)
                told(await edge.say("noch eine", headers={"X-Owner": "c"}), 429, "too_many_turns")
                orchestrator.behaviour = answer
                with_account = await edge.say("hallo", headers={"X-Owner": "key-1"})
    assert with_account.status_code == 200


async def test_too_many_turns_in_a_minute_are_refused_with_the_time_to_wait(
    nats_url: str, redis_url: str
) -> None:
    async with staged(nats_url, redis_url, anonymous_turns_per_minute=3) as (edge, orchestrator):
        said = [await edge.say(str(n), headers={"X-Owner": "a"}) for n in range(4)]
        other = await edge.say("hallo", headers={"X-Owner": "b"})
        streamed = await edge.http.post(
            "/api/chat/stream", json={"sessionId": "s", "userMessage": "x"}, headers={"X-Owner": "a"}
        )
        run: dict[str, Any] = {
            "threadId": "t",
            "runId": "r",
            "messages": [{"id": "1", "role": "user", "content": "x"}],
        }
        run |= {"state": {}, "tools": [], "context": [], "forwardedProps": {}}
        agent = await edge.http.post("/api/ag-ui/map", json=run, headers={"X-Owner": "a"})
    assert [each.status_code for each in said] == [200, 200, 200, 429]
    assert 1 <= told(said[3], 429, "rate_limited") <= 120
    assert other.status_code == 200
    told(streamed, 429, "rate_limited")
    told(agent, 429, "rate_limited")
    assert len(orchestrator.requests) == 4


async def test_bytes_count_too(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url, anonymous_bytes_per_minute=5_000) as (edge, _):
        said = [await edge.say("x" * 3_000, headers={"X-Owner": "a"}) for _ in range(2)]
    assert [each.status_code for each in said] == [200, 429]
    told(said[1], 429, "rate_limited")


async def test_a_spent_quota_is_told_in_a_plain_sentence_until_midnight(
    nats_url: str, redis_url: str
) -> None:
    settings = {"account_tokens_per_day": 1_000, "turn_reserve_tokens": 0}
    async with staged(nats_url, redis_url, **settings) as (edge, orchestrator):
        day = now_in_zurich().date()
        before = await edge.say("hallo", headers={"X-Owner": "key-1"})
        await orchestrator.redis.set(keys.spent("key-1", day), 1_000)
        refused = await edge.say("hallo", headers={"X-Owner": "key-1"})
        other = await edge.say("hallo", headers={"X-Owner": "key-2"})
        assert len(orchestrator.requests) == 2
    assert (before.status_code, other.status_code) == (200, 200)
    assert 1 <= told(refused, 429, "quota_spent") <= 25 * 3_600
    assert "Kontingent" in problem(refused)["detail"]


async def test_a_spent_budget_is_spent_for_everybody(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url, budget_tokens_per_day=1_000) as (edge, orchestrator):
        assert (await edge.say("hallo")).status_code == 200
        await orchestrator.redis.set(keys.spent_by_all(now_in_zurich().date()), 1_000)
        for headers in ({}, {"X-Owner": "key-1"}, {"X-Owner": "a"}):
            told(await edge.say("hallo", headers=headers), 429, "budget_spent")


async def test_listeners_and_streams_are_counted_together(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url, max_streams=2) as (edge, orchestrator):
        orchestrator.behaviour = ignore
        async with (
            posted(edge, "/api/chat/stream"),
            client(edge) as connected,
            connected.listen(tools_list_changed=True),
        ):
            await orchestrator.heard(1)
            refused = await edge.http.get(f"/api/chat/{orchestrator.requests[0].request_id}/stream")
            with pytest.raises(Exception, match="Verbindungen"):
                async with connected.listen(tools_list_changed=True):
                    raise AssertionError
        told(refused, 429, "too_many_streams")
        await orchestrator.finish(orchestrator.requests[0])


# -- stores ----------------------------------------------------------------------------------------


async def test_a_full_redis_refuses_new_turns_at_once_until_it_has_room_again(
    nats_url: str, redis_url: str
) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        redis = orchestrator.redis
        for n in range(400):
            await redis.rpush("ballast", b"x" * 100_000 + b"%d" % n)
        assert (await edge.http.get("/readyz")).status_code == 200

        async def unready() -> dict[str, Any] | None:
            # What is used goes up and down with the buffers of connections.
            used = (await redis.info("memory"))["used_memory"]
            await redis.config_set("maxmemory", int(used * 1.02))
            answered = await edge.http.get("/readyz")
            return answered.json() if answered.status_code == 503 else None

        failures = (await until(unready))["failures"]
        counted, started = refused_so_far(), monotonic()
        refused = [
            await edge.say("hallo"),
            await edge.say("hallo", headers={"Idempotency-Key": "k"}),
            await edge.http.post("/api/chat/stream", json={"sessionId": "s", "userMessage": "x"}),
        ]
        took_s = monotonic() - started
        before = len(orchestrator.requests)
        assert refused_so_far() == counted + 3
        await redis.delete("ballast")

        async def ready() -> bool:
            return (await edge.http.get("/readyz")).status_code == 200

        await until(ready)
        afterwards = await edge.say("hallo")
    assert failures == {"stores": "redis is full"}
    assert {told(each, 503, "store_full") for each in refused} == {5}
    assert before == 0
    # Three refusals at once, where each took 32 s before.
    assert took_s < 20
    assert afterwards.status_code == 200


async def test_a_queue_without_room_is_left_alone_for_a_moment(
    nats_url: str, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "_QUEUE_PAUSE_S", 15)
    async with staged(nats_url, redis_url) as (edge, _):
        async with await nats.connect(nats_url) as connection:
            js = connection.jetstream()
            config = (await js.stream_info(subjects.COMMANDS.name)).config
            await js.update_stream(config.evolve(max_bytes=10))
            first, second = await edge.say("eins"), await edge.say("zwei")
            ready = await edge.http.get("/readyz")
            await js.update_stream(config)
        async with asyncio.timeout(60):
            while (await edge.http.get("/readyz")).status_code != 200:
                await asyncio.sleep(0.05)
        afterwards = await edge.say("drei")
    told(first, 429, "queue_full")
    told(second, 503, "store_full")
    assert ready.json()["failures"] == {"stores": "commands is full"}
    assert afterwards.status_code == 200


# -- what is kept ----------------------------------------------------------------------------------


async def test_turns_of_people_without_an_account_are_kept_for_a_shorter_time(
    nats_url: str, redis_url: str
) -> None:
    async with staged(nats_url, redis_url, anonymous_retention_s=600) as (edge, orchestrator):
        for owner in ("a", "key-1", ""):
            await edge.say("hallo", headers={"X-Owner": owner})
        assert [request.retention_s for request in orchestrator.requests] == [600, None, None]
