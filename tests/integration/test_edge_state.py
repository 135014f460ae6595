"""What can be asked, repeated and deleted: turns by id, idempotency keys, sessions."""

import asyncio
import logging
from contextlib import aclosing

import pytest
from contracts import keys
from contracts.chat import ChatRequest
from contracts.messages import ChatRequested, Outcome
from contracts.turns import Round, StepProgress, TurnProgress, TurnState, TurnView
from redis.asyncio import Redis

from edge import errors
from edge.turns import Turns

from .edge_harness import Orchestrator, ignore, inside, problem, response_to, staged

KEY = "Idempotency-Key"


async def attach(orchestrator: Orchestrator, request: ChatRequested) -> None:
    """A second exchange of a finished turn gets the answer that is there."""
    view = await orchestrator.view(request.request_id)
    if view is None:
        await orchestrator.finish(request)
    else:
        await orchestrator.reply(request, response=view.rounds[-1].response)


async def test_a_running_turn_says_how_far_it_is(nats_url: str, redis_url: str) -> None:
    view = TurnView(
        request_id="req-0123456789abcdef",
        session_id=inside(),
        state=TurnState.RUNNING,
        steps=(StepProgress(intent="goto_address", state="working"),),
        rounds=(Round(state=TurnState.RUNNING, exchanges=("e",)),),
    )
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        await orchestrator.keep(view)
        asked = await edge.http.get(f"/api/chat/{view.request_id}")
    assert asked.status_code == 202
    assert TurnProgress.from_json(asked.content) == view.progress
    assert "sessionId" not in asked.json()
    assert asked.headers["retry-after"] == "1"


async def test_a_turn_that_works_on_a_choice_is_running_again(nats_url: str, redis_url: str) -> None:
    request = ChatRequested.model_validate(
        {
            "requestId": "req-0123456789abcdef",
            "sessionId": inside(),
            "deadline": "2030-01-01T00:00:00Z",
            "exchange": "e",
            "userMessage": "hallo",
        }
    )
    first = Round(state=TurnState.FINISHED, exchanges=("e",), response=response_to(request))
    second = Round(state=TurnState.RUNNING, exchanges=("f",))
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        await orchestrator.keep_round(request, first)
        finished = await edge.http.get(f"/api/chat/{request.request_id}")
        await orchestrator.keep_round(request, second)
        running = await edge.http.get(f"/api/chat/{request.request_id}")
    assert (finished.status_code, running.status_code) == (200, 202)


async def test_an_unknown_turn_is_not_found(nats_url: str, redis_url: str) -> None:
    unknown = ["req-0123456789abcdef", "req-88", "x", "req-0123456789abcdef:x", "%0a", "*"]
    async with staged(nats_url, redis_url) as (edge, _):
        answers = [await edge.http.get(f"/api/chat/{request_id}") for request_id in unknown]
    assert {asked.status_code for asked in answers} == {404}
    assert {problem(asked)["code"] for asked in answers} == {"turn_not_found"}


async def test_a_turn_that_cannot_be_read_is_an_internal_error_without_internals(
    nats_url: str, redis_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        await orchestrator.redis.hset(keys.turn("req-0123456789abcdef"), "view", '{"secret": 42}')
        asked = await edge.http.get("/api/chat/req-0123456789abcdef")
    assert (asked.status_code, problem(asked)["code"]) == (500, "internal_error")
    assert not {"secret", "pydantic", "Traceback", "validation"} & set(asked.text.replace('"', " ").split())
    (logged,) = [r for r in caplog.records if r.levelno >= logging.ERROR]
    assert logged.exc_info is not None
    assert vars(logged)["request_id"] == "req-0123456789abcdef"


async def test_the_same_key_and_body_is_the_same_turn(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = attach
        first = await edge.say("hallo", headers={KEY: "k 1"})
        # The same request in another spelling.
        again = await edge.http.post(
            "/api/chat",
            content='{"userMessage": " hallo",\n "sessionId": "s-1"}',
            headers={KEY: "k 1", "Content-Type": "application/json; charset=utf-8"},
        )
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json() == again.json()
    assert len({request.request_id for request in orchestrator.requests}) == 1
    assert len({request.message_id for request in orchestrator.requests}) == 2


async def test_simultaneous_requests_with_the_same_key_are_one_turn(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = attach
        answers = await asyncio.gather(*(edge.say("hallo", headers={KEY: "k"}) for _ in range(8)))
    assert {answered.status_code for answered in answers} == {200}
    assert len({answered.json()["requestId"] for answered in answers}) == 1


async def test_the_same_key_with_another_body_is_refused(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        first = await edge.say("hallo", headers={KEY: "k"})
        other = await edge.say("etwas anderes", headers={KEY: "k"})
        requests = len(orchestrator.requests)
    assert other.status_code == 422
    assert problem(other)["code"] == "idempotency_key_reused"
    assert problem(other)["requestId"] == first.json()["requestId"]
    assert requests == 1


async def test_keys_belong_to_their_session(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, _):
        one = await edge.say("hallo", session="s-1", headers={KEY: "k"})
        other = await edge.say("etwas anderes", session="s-2", headers={KEY: "k"})
    assert (one.status_code, other.status_code) == (200, 200)
    assert one.json()["requestId"] != other.json()["requestId"]


async def test_a_key_for_a_choice_stays_with_the_turn_of_the_choice(nats_url: str, redis_url: str) -> None:
    choice_id = "req-0123456789abcdef.0.1"
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = attach
        await orchestrator.offer("req-0123456789abcdef")
        answers = [await edge.choose(choice_id, headers={KEY: "k"}) for _ in range(2)]
    assert [answered.json()["requestId"] for answered in answers] == ["req-0123456789abcdef"] * 2


async def test_an_impossible_key_is_refused(nats_url: str, redis_url: str) -> None:
    impossible = [b"", b"x" * 129, b"a\tb", "schlüssel".encode()]
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        answers = [await edge.say("hallo", headers=[(KEY.encode(), key)]) for key in impossible]
        assert orchestrator.requests == []
    found = {(answered.status_code, problem(answered)["code"]) for answered in answers}
    assert found == {(400, "idempotency_key_invalid")}


async def test_the_longest_key_is_accepted(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, _):
        answered = await edge.say("hallo", headers={KEY: "~" * 128})
    assert answered.status_code == 200


async def test_a_session_keeps_its_newest_keys_and_each_expires(redis_url: str) -> None:
    async with Redis.from_url(redis_url) as redis, aclosing(Turns(redis, timeout_s=1)) as turns:
        request = ChatRequest(session_id="s-1", user_message="hallo")
        for n in range(keys.MAX_IDEMPOTENCY_KEYS + 5):
            await turns.claim(request, f"k-{n}", f"req-{n:016x}")
        kept = [key async for key in redis.scan_iter()]
        lifetimes = {await redis.ttl(key) for key in kept}
        newest = await turns.claim(request, f"k-{keys.MAX_IDEMPOTENCY_KEYS + 4}", "req-ffffffffffffffff")
    assert len(kept) == keys.MAX_IDEMPOTENCY_KEYS + 1
    assert all(86_000 < seconds <= 86_400 for seconds in lifetimes)
    assert newest == f"req-{keys.MAX_IDEMPOTENCY_KEYS + 4:016x}"


async def test_an_odd_session_id_cannot_reach_the_keys_of_another(redis_url: str) -> None:
    async with Redis.from_url(redis_url) as redis, aclosing(Turns(redis, timeout_s=1)) as turns:
        for key in ("history", "turns", "k:turns"):
            await turns.claim(ChatRequest(session_id="s", user_message="m"), key, "req-0123456789abcdef")
        await redis.lpush(keys.history("s:idempotency"), "entry")
        await turns.forget("s")
        assert await redis.exists(keys.history("s:idempotency"))


async def test_deleting_a_session_deletes_all_of_it_and_nothing_else(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url, wait_timeout_s=4) as (edge, orchestrator):
        kept = await edge.say("bleibt", session="s-2", headers={KEY: "k"})
        await edge.say("hallo", headers={KEY: "k-1"})
        for key in (keys.history(inside()), keys.layers(inside()), keys.choices(inside())):
            await orchestrator.redis.lpush(key, "entry")
        await orchestrator.redis.hset(keys.selection(inside()), "place", "item")
        orchestrator.behaviour = ignore
        late = await edge.say("dauert zu lange", headers={KEY: "k-2"})
        theirs = {key for key in await orchestrator.redis.keys() if inside("s-2").encode() in key}

        deleted = await edge.http.request("DELETE", "/api/chat", json={"sessionId": "s-1"})
        left = set(await orchestrator.redis.keys())
        gone = await edge.http.get(late.headers["location"])

    assert (deleted.status_code, deleted.content) == (204, b"")
    assert left == theirs | {keys.turn(kept.json()["requestId"]).encode()}
    assert gone.status_code == 404


async def test_deleting_a_session_that_is_not_there_is_fine(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, _):
        answers = [
            await edge.http.request("DELETE", path, json={"sessionId": "nobody"})
            for path in ("/api/chat", "/api/chat", "/chat")
        ]
    assert [answered.status_code for answered in answers] == [204, 204, 204]


async def test_a_key_of_a_deleted_session_is_new_again(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, _):
        first = await edge.say("hallo", headers={KEY: "k"})
        await edge.http.request("DELETE", "/api/chat", json={"sessionId": "s-1"})
        again = await edge.say("etwas anderes", headers={KEY: "k"})
    assert again.status_code == 200
    assert again.json()["requestId"] != first.json()["requestId"]


async def test_who_waits_for_a_turn_of_a_deleted_session_is_told(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = ignore
        waiting = asyncio.create_task(edge.say("hallo"))
        bystander = asyncio.create_task(edge.say("hallo", session="s-2"))
        await orchestrator.heard(2)
        await edge.http.request("DELETE", "/api/chat", json={"sessionId": "s-1"})
        told = await waiting
        assert not bystander.done()
        for request in orchestrator.requests:
            await orchestrator.finish(request)
        unaffected = await bystander
    assert (told.status_code, problem(told)["code"]) == (410, "session_deleted")
    assert unaffected.status_code == 200


async def test_everything_the_edge_keeps_expires(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url, wait_timeout_s=0.2) as (edge, orchestrator):
        orchestrator.behaviour = ignore
        await edge.say("hallo", headers={KEY: "k"})
        lifetimes = [await orchestrator.redis.ttl(key) for key in await orchestrator.redis.keys()]
    assert len(lifetimes) == 4
    assert all(0 < seconds <= 86_400 for seconds in lifetimes)


async def test_a_turn_is_found_for_its_owner_only(redis_url: str) -> None:
    ended = Round(state=TurnState.FINISHED, exchanges=("e",), outcome=Outcome(message="gefunden"))
    view = TurnView(
        request_id="req-0123456789abcdef", session_id="anna.1", state=TurnState.FINISHED, rounds=(ended,)
    )
    async with Redis.from_url(redis_url) as redis, aclosing(Turns(redis, timeout_s=1)) as turns:
        await redis.hset(keys.turn(view.request_id), "view", view.to_json())
        assert await turns.view(view.request_id, "anna") == view
        assert await turns.found(view.request_id, "anna") == ended.outcome
        assert await turns.found(view.request_id, "beat") is None
        with pytest.raises(errors.TurnNotFound):
            await turns.view(view.request_id, "beat")
        assert await turns.is_of(view.request_id, "anna.1")
        assert not await turns.is_of(view.request_id, "anna.2")


async def test_without_redis_every_question_about_state_says_so() -> None:
    async with (
        Redis.from_url("redis://127.0.0.1:1", socket_connect_timeout=0.2) as redis,
        aclosing(Turns(redis, timeout_s=1)) as turns,
    ):
        with pytest.raises(errors.StateUnavailable):
            await turns.outcome("req-0123456789abcdef", "local")
        with pytest.raises(errors.StateUnavailable):
            await turns.forget("s")
        with pytest.raises(errors.StateUnavailable):
            await turns.claim(ChatRequest(session_id="s", user_message="m"), "k", "req-0123456789abcdef")
        await turns.remember("req-0123456789abcdef", "s")
