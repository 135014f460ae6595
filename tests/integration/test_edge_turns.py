"""Turns as a client of the edge sees them: messages, choices, replies that come, and replies that do not."""

import asyncio
import re
from datetime import UTC, datetime, timedelta

import pytest
from contracts.messages import ChatRequested, TurnReply
from contracts.status import Status
from contracts.subjects import Header

from .edge_harness import Orchestrator, ignore, inside, problem, response_to, running, staged

REQUEST_ID = re.compile(r"req-[0-9a-f]{16}")


async def test_a_message_is_answered_with_the_response_of_its_turn(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        before = datetime.now(UTC)
        answered = await edge.say("  Gehe nach Solothurn ", session="s-7")
        after = datetime.now(UTC)

    (request,) = orchestrator.requests
    assert answered.status_code == 200
    assert answered.headers["content-type"] == "application/json"
    assert answered.json() == {
        "requestId": request.request_id,
        "overallStatus": "ok",
        "steps": [
            {
                "intent": "goto_address",
                "status": "ok",
                "message": "Verstanden: Gehe nach Solothurn",
                "mapActions": [],
                "choices": [],
            }
        ],
    }
    assert answered.headers["ask-request-id"] == request.request_id
    assert REQUEST_ID.fullmatch(request.request_id)
    assert (request.session_id, request.user_message, request.choice_id) == (
        inside("s-7"),
        "Gehe nach Solothurn",
        None,
    )
    assert request.language == "de"
    assert before + timedelta(seconds=29) < request.deadline < after + timedelta(seconds=31)
    headers = orchestrator.messages[0].header or {}
    assert headers[Header.MESSAGE_ID] == request.message_id
    assert headers[Header.SESSION_ID] == inside("s-7")


async def test_both_addresses_of_the_chat_work(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, _):
        answered = await edge.http.post("/chat", json={"sessionId": "s", "userMessage": "hallo"})
    assert answered.status_code == 200


@pytest.mark.parametrize("status", list(Status))
async def test_every_overall_status_is_an_answer_and_no_http_error(
    status: Status, nats_url: str, redis_url: str
) -> None:
    async def behaviour(orchestrator: Orchestrator, request: ChatRequested) -> None:
        await orchestrator.finish(request, status)

    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = behaviour
        answered = await edge.say("hallo")
    assert (answered.status_code, answered.json()["overallStatus"]) == (200, status.value)


async def test_a_choice_continues_the_turn_that_offered_it(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        first = (await edge.say("ÖREB")).json()["requestId"]
        answered = await edge.choose(f"{first}.0.1")
        asked_again = await edge.http.get(f"/api/chat/{first}")

    message, choice = orchestrator.requests
    assert answered.json()["requestId"] == first == choice.request_id
    assert choice.choice_id == f"{first}.0.1"
    assert choice.exchange != message.exchange
    assert asked_again.json() == answered.json()


async def test_with_a_message_and_a_choice_the_choice_counts(nats_url: str, redis_url: str) -> None:
    choice_id = "req-0123456789abcdef.0.1"
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        await edge.http.post(
            "/api/chat", json={"sessionId": "s", "userMessage": "die zweite", "choiceId": choice_id}
        )
    (request,) = orchestrator.requests
    assert (request.choice_id, request.user_message) == (choice_id, None)


async def test_a_choice_id_that_is_not_ours_never_becomes_a_request_id(nats_url: str, redis_url: str) -> None:
    foreign = ["p1", "a b.0.1", "*.0.1", "req-*.0.1", "turn.>.0.1", "req-88.0.1", "...."]
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        statuses = {(await edge.choose(choice_id)).status_code for choice_id in foreign}
    assert statuses == {200}
    assert [request.choice_id for request in orchestrator.requests] == foreign
    assert all(REQUEST_ID.fullmatch(request.request_id) for request in orchestrator.requests)


@pytest.mark.parametrize("reply", [True, False], ids=["replied", "looked-up"])
async def test_a_message_that_answers_an_open_choice_gets_the_answer_of_that_choice(
    reply: bool, nats_url: str, redis_url: str
) -> None:
    choice_id = "req-0123456789abcdef.0.1"

    async def behaviour(orchestrator: Orchestrator, request: ChatRequested) -> None:
        if request.choice_id:
            await orchestrator.finish(request, reply=reply)
        else:
            await orchestrator.forward(request, choice_id, reply=reply)

    async with staged(nats_url, redis_url, look_period_s=0.1) as (edge, orchestrator):
        orchestrator.behaviour = behaviour
        await orchestrator.offer("req-0123456789abcdef")
        answered = await edge.say("die zweite")
        message, choice = orchestrator.requests
        asked_again = await edge.http.get(f"/api/chat/{message.request_id}")

    assert answered.status_code == 200
    assert answered.json()["requestId"] == "req-0123456789abcdef" == choice.request_id
    assert answered.headers["ask-request-id"] == choice.request_id
    assert (choice.choice_id, choice.user_message, choice.session_id) == (choice_id, None, message.session_id)
    assert asked_again.status_code == 200
    assert asked_again.json() == answered.json()


async def test_a_choice_that_is_forwarded_again_is_not_followed_for_ever(
    nats_url: str, redis_url: str
) -> None:
    async def behaviour(orchestrator: Orchestrator, request: ChatRequested) -> None:
        await orchestrator.forward(request, "req-0123456789abcdef.0.1")

    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = behaviour
        answered = await edge.say("die zweite")
        requests = len(orchestrator.requests)
    assert problem(answered)["code"] == "internal_error"
    assert requests == 2


async def test_a_lost_reply_is_found_in_the_state(nats_url: str, redis_url: str) -> None:
    async def behaviour(orchestrator: Orchestrator, request: ChatRequested) -> None:
        await orchestrator.finish(request, reply=False)

    async with staged(nats_url, redis_url, look_period_s=0.1) as (edge, orchestrator):
        orchestrator.behaviour = behaviour
        answered = await edge.say("hallo")
    assert answered.status_code == 200
    assert answered.json()["steps"][0]["message"] == "Verstanden: hallo"


async def test_replies_that_nobody_waits_for_do_no_harm(nats_url: str, redis_url: str) -> None:
    async def behaviour(orchestrator: Orchestrator, request: ChatRequested) -> None:
        assert request.reply_to
        other = TurnReply(request_id=request.request_id, exchange="other", response=response_to(request))
        empty = TurnReply(request_id=request.request_id, exchange=request.exchange)
        for document in (b"no JSON", other.to_json(), empty.to_json()):
            await orchestrator.connection.publish(request.reply_to, document)
        await orchestrator.finish(request)
        await orchestrator.finish(request, Status.ERROR)

    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = behaviour
        statuses = [(await edge.say("hallo")).json()["overallStatus"] for _ in range(2)]
    assert statuses == ["ok", "ok"]


async def test_simultaneous_messages_each_get_their_own_answer(nats_url: str, redis_url: str) -> None:
    # Nobody has to queue for a place at work: who queues for long is refused.
    async with staged(nats_url, redis_url, turns_at_first=64) as (edge, _):
        answers = await asyncio.gather(*(edge.say(f"Nummer {n}", session=f"s-{n}") for n in range(40)))
    assert [a.json()["steps"][0]["message"] for a in answers] == [
        f"Verstanden: Nummer {n}" for n in range(40)
    ]


async def test_two_replicas_wait_for_their_own_turns(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator), running(nats_url, redis_url) as other:
        answers = await asyncio.gather(edge.say("eins"), other.say("zwei"))
    assert [a.json()["steps"][0]["message"] for a in answers] == ["Verstanden: eins", "Verstanden: zwei"]
    assert len({request.reply_to for request in orchestrator.requests}) == 2


async def test_a_turn_that_takes_too_long_can_be_asked_for_later(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url, wait_timeout_s=0.2) as (edge, orchestrator):
        orchestrator.behaviour = ignore
        answered = await edge.say("hallo")
        await orchestrator.heard(1)
        (request,) = orchestrator.requests
        location = answered.headers["location"]
        before_it_begins = await edge.http.get(location)
        await orchestrator.finish(request)
        when_done = await edge.http.get(location)

    assert answered.status_code == 504
    assert problem(answered)["code"] == "turn_timeout"
    assert problem(answered)["requestId"] == request.request_id
    assert location == f"/api/chat/{request.request_id}"
    assert before_it_begins.status_code == 202
    assert before_it_begins.json()["state"] == "running"
    assert (when_done.status_code, when_done.json()["requestId"]) == (200, request.request_id)


async def test_more_turns_than_a_replica_can_wait_for_are_refused(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url, max_waiting_turns=2) as (edge, orchestrator):
        orchestrator.behaviour = ignore
        waiting = [asyncio.create_task(edge.say(f"Nummer {n}")) for n in range(2)]
        await orchestrator.heard(2)
        refused = await edge.say("zu viel")
        for request in orchestrator.requests:
            await orchestrator.finish(request)
        answered = [await each for each in waiting]
        assert len(orchestrator.requests) == 2

        async def behaviour(orchestrator: Orchestrator, request: ChatRequested) -> None:
            await orchestrator.finish(request)

        orchestrator.behaviour = behaviour
        afterwards = await edge.say("jetzt")

    assert (refused.status_code, problem(refused)["code"]) == (429, "too_many_turns")
    assert int(refused.headers["retry-after"]) >= 1
    assert [a.status_code for a in answered] == [200, 200]
    assert afterwards.status_code == 200
