"""What users think of answers, on a real Redis."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any, cast

import pytest
from contracts import keys
from contracts.chat import ChatResponse, Step
from contracts.feedback import Feedback, FeedbackRequest, Reason, StepOutcome, Verdict
from contracts.status import Status
from contracts.turns import Round, TurnState, TurnView
from redis.asyncio import Redis

from edge import errors
from edge.feedback import FeedbackStore
from edge.turns import Turns

from .edge_harness import inside, problem, running, staged

DAY = timedelta(days=1)
SESSION = inside()
ANOTHER = inside("s-2")
FIRST = "req-0000000000000001"


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[Redis]:
    async with Redis.from_url(redis_url) as client:
        yield client


def store(redis: Redis, ttl: timedelta = DAY, **more: Any) -> FeedbackStore:
    return FeedbackStore(redis, Turns(redis, timeout_s=20), ttl, **more)


def given(request_id: str = FIRST, verdict: Verdict | None = Verdict.DOWN, **more: Any) -> FeedbackRequest:
    return FeedbackRequest(**({"session_id": SESSION} | more), request_id=request_id, verdict=verdict)


async def answered(redis: Redis, request_id: str = FIRST, **changes: Any) -> None:
    """A turn that has ended."""
    steps = (Step(intent="goto_address", status=Status.ERROR, message="Nichts gefunden."),)
    ended = Round(state=TurnState.FINISHED, exchanges=("e",), response=ChatResponse.of(request_id, steps))
    known = {"session_id": SESSION, "state": TurnState.FINISHED, "rounds": (ended,), "message": "Wo ist das?"}
    view = TurnView(request_id=request_id, **(known | changes))
    await redis.hset(keys.turn(request_id), "view", view.to_json())
    await redis.lpush(keys.turns(view.session_id), request_id)


async def kept(redis: Redis, session_id: str = SESSION) -> dict[str, Feedback]:
    documents = cast("dict[bytes, bytes]", await redis.hgetall(keys.feedback(session_id)))
    return {name.decode(): Feedback.from_json(document) for name, document in documents.items()}


async def entries(redis: Redis) -> list[str]:
    found = cast("list[bytes]", await redis.zrange(keys.feedback_index(), 0, -1))
    return [each.decode() for each in found]


async def test_it_is_kept_with_what_was_asked_and_what_came_of_it(redis: Redis) -> None:
    await answered(redis)
    await store(redis).put(given(reason=Reason.INCOMPLETE, comment=" Es fehlt etwas. "))
    [one] = (await kept(redis)).values()
    assert (one.request_id, one.message) == (FIRST, "Wo ist das?")
    assert one.steps == (StepOutcome(intent="goto_address", status=Status.ERROR),)
    assert (one.verdict, one.reason, one.comment) == (Verdict.DOWN, Reason.INCOMPLETE, "Es fehlt etwas.")
    assert await entries(redis) == [keys.feedback_entry(SESSION, FIRST)]


async def test_said_again_it_replaces_and_it_can_be_taken_back(redis: Redis) -> None:
    await answered(redis)
    await store(redis).put(given(reason=Reason.OTHER))
    await store(redis).put(given(verdict=Verdict.UP))
    [one] = (await kept(redis)).values()
    assert (one.verdict, one.reason) == (Verdict.UP, None)
    assert len(await entries(redis)) == 1
    for _ in range(2):
        await store(redis).put(given(verdict=None))
        assert (await kept(redis), await entries(redis)) == ({}, [])


async def test_a_turn_of_another_session_is_no_turn(redis: Redis) -> None:
    await answered(redis)
    for wrong in (
        given(session_id=ANOTHER),
        given(session_id="u-anna.0123"),
        given("req-00000000000000ff"),
        given("../../x"),
        given("req-00000000000000ff", None),
    ):
        with pytest.raises(errors.TurnNotFound):
            await store(redis).put(wrong)
    assert await entries(redis) == []


async def test_it_outlives_its_turn_and_can_be_changed_then(redis: Redis) -> None:
    await answered(redis)
    await store(redis).put(given())
    await redis.delete(keys.turn(FIRST))
    await store(redis).put(given(verdict=Verdict.UP))
    [one] = (await kept(redis)).values()
    assert (one.verdict, one.message) == (Verdict.UP, "Wo ist das?")
    await redis.hset(keys.feedback(SESSION), FIRST, b"{")
    with pytest.raises(errors.TurnNotFound):
        await store(redis).put(given())


async def test_a_message_that_answered_a_choice_has_the_outcome_of_that_turn(redis: Redis) -> None:
    asked = "req-0000000000000002"
    await answered(redis)
    forwarded = Round(state=TurnState.FORWARDED, exchanges=("f",), choice_id=f"{FIRST}.0.1")
    await answered(redis, asked, state=TurnState.FORWARDED, rounds=(forwarded,), message="das zweite")
    await store(redis).put(given(asked))
    one = (await kept(redis))[asked]
    assert (one.message, [step.intent for step in one.steps]) == ("das zweite", ["goto_address"])


async def test_every_key_expires_and_what_has_expired_goes(redis: Redis) -> None:
    for n in (1, 2):
        await answered(redis, f"req-{n:016x}")
    await store(redis).put(given(FIRST))
    for key in (keys.feedback(SESSION), keys.feedback_index()):
        assert 0 < await redis.pttl(key) <= DAY / timedelta(milliseconds=1)
    await asyncio.sleep(0.02)
    await store(redis, timedelta(milliseconds=10)).put(given("req-0000000000000002"))
    # The hash would have kept it as long as others come.
    assert not await redis.hexists(keys.feedback(SESSION), FIRST)
    assert keys.feedback_entry(SESSION, FIRST) not in await entries(redis)


async def test_the_oldest_make_room(redis: Redis) -> None:
    for n in range(1, 5):
        await answered(redis, f"req-{n:016x}")
        await store(redis, max_kept=3).put(given(f"req-{n:016x}"))
        await asyncio.sleep(0.002)
    assert sorted(await kept(redis)) == [f"req-{n:016x}" for n in (2, 3, 4)]
    assert len(await entries(redis)) == 3


async def test_what_is_said_while_the_session_is_deleted_is_not_kept(redis: Redis) -> None:
    await answered(redis)

    class Late(Turns):
        async def view(self, request_id: str, owner: str) -> TurnView:
            view = await super().view(request_id, owner)
            await self.forget(view.session_id)
            return view

    with pytest.raises(errors.TurnNotFound):
        await FeedbackStore(redis, Late(redis, timeout_s=1), DAY).put(given())
    assert await entries(redis) == []


async def test_over_http_it_is_deleted_with_its_session(nats_url: str, redis_url: str, redis: Redis) -> None:
    async with staged(nats_url, redis_url) as (edge, _):
        request_ids = {
            name: (await edge.say("hallo", session=name)).json()["requestId"] for name in ("s-1", "s-2")
        }
        for name, request_id in request_ids.items():
            body = {"sessionId": name, "requestId": request_id, "verdict": "up"}
            assert (await edge.http.post("/api/feedback", json=body)).status_code == 204
        wrong = {"sessionId": "s-1", "requestId": request_ids["s-2"], "verdict": "up"}
        refused = await edge.http.post("/api/feedback", json=wrong)
        assert (refused.status_code, problem(refused)["code"]) == (404, "turn_not_found")
        await edge.http.request("DELETE", "/api/chat", json={"sessionId": "s-1"})
        config = (await edge.http.get("/config.json")).json()
    assert config["feedbackDays"] == 90
    assert await entries(redis) == [keys.feedback_entry(ANOTHER, request_ids["s-2"])]
    assert (list(await kept(redis)), list(await kept(redis, ANOTHER))) == ([], [request_ids["s-2"]])


async def test_a_server_that_keeps_none_tells_the_page(nats_url: str, redis_url: str) -> None:
    async with running(nats_url, redis_url, feedback_days=0) as edge:
        assert (await edge.http.get("/config.json")).json()["feedbackDays"] == 0
        body = {"sessionId": "s-1", "requestId": FIRST, "verdict": "up"}
        refused = await edge.http.post("/api/feedback", json=body)
    assert (refused.status_code, problem(refused)["code"]) == (404, "feedback_off")
