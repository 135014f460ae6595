"""Streamed turns: resumable to the byte, on any replica, whatever dies in between."""

import asyncio
from typing import Any

import nats
import pytest
from contracts import keys, subjects
from contracts.chat import ChatResponse, Step
from contracts.messages import ChatCancelled, ChatRequested
from contracts.status import Status
from contracts.turns import TurnEventKind
from frame_reader import FrameReader

from edge import streams

from .conftest import ServerProcess
from .edge_harness import Orchestrator, RunningEdge, ignore, orchestrating, problem, running, staged
from .turn_author import Author, write

K = TurnEventKind


def asked(edge: RunningEdge, message: str = "Frage", **more: Any) -> Any:
    body = {"sessionId": "s-1", "userMessage": message}
    return edge.http.stream("POST", "/api/chat/stream", json=body, **more)


def chosen(edge: RunningEdge, choice_id: str) -> Any:
    return edge.http.stream("POST", "/api/chat/stream", json={"sessionId": "s-1", "choiceId": choice_id})


def following(edge: RunningEdge, request_id: str, last_id: str | None = None) -> Any:
    headers = {"Last-Event-ID": last_id} if last_id else {}
    return edge.http.stream("GET", f"/api/chat/{request_id}/stream", headers=headers)


async def test_a_turn_is_read_from_its_start_to_its_end(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = write
        reader = FrameReader()
        async with asked(edge) as response:
            await reader.read(response)
    assert reader.status == 200
    assert reader.headers["content-type"].startswith("text/event-stream")
    assert reader.headers["x-accel-buffering"] == "no"
    assert reader.headers["ask-request-id"] == orchestrator.requests[0].request_id
    assert reader.events == [
        "turn.started",
        "plan.ready",
        *["answer.delta"] * 5,
        "step.finished",
        "turn.finished",
    ]
    ids = [int(f.split(b"\n")[0].removeprefix(b"id: ")) for f in reader.frames]
    assert ids == sorted(set(ids))
    assert reader.data(-1)["response"]["overallStatus"] == "ok"


async def test_a_killed_connection_is_continued_on_another_replica_to_the_byte(
    nats_url: str, redis_url: str
) -> None:
    async def slowly(orchestrator: Orchestrator, request: ChatRequested) -> None:
        asyncio.get_running_loop().create_task(Author(orchestrator, request).write(20, 0.02))

    async with (
        staged(nats_url, redis_url) as (edge, orchestrator),
        running(nats_url, redis_url) as other,
    ):
        orchestrator.behaviour = slowly
        cut = FrameReader()
        async with asked(edge) as response:
            await cut.read(response, frames=6)
        request_id = orchestrator.requests[0].request_id
        undisturbed, rest = FrameReader(), FrameReader()
        async with following(other, request_id) as response:
            await undisturbed.read(response)
        async with following(other, request_id, cut.last_id) as response:
            await rest.read(response)
    assert cut.frames + rest.frames == undisturbed.frames
    assert undisturbed.events[-1] == "turn.finished"
    assert undisturbed.events.count("answer.delta") == 20


async def test_who_has_everything_is_told_so(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = write
        reader = FrameReader()
        async with asked(edge) as response:
            await reader.read(response)
        request_id = orchestrator.requests[0].request_id
        again = await edge.http.get(f"/api/chat/{request_id}/stream", params={"after": reader.last_id})
        everything = await edge.http.get(f"/api/chat/{request_id}/stream")
    assert again.status_code == 204
    assert everything.content == b"".join(reader.frames)


async def test_a_turn_that_nobody_has_begun_can_be_read_on_another_replica(
    nats_url: str, redis_url: str
) -> None:
    async with (
        staged(nats_url, redis_url) as (edge, orchestrator),
        running(nats_url, redis_url) as other,
    ):
        orchestrator.behaviour = ignore
        reader = FrameReader()
        async with asked(edge) as response:
            request_id = response.headers["ask-request-id"]
        async with following(other, request_id) as response:
            await orchestrator.heard(1)
            await write(orchestrator, orchestrator.requests[0])
            await reader.read(response)
    assert (reader.events[0], reader.events[-1]) == ("turn.started", "turn.finished")


async def test_a_turn_that_is_over_before_its_log_says_so_is_read_to_its_end(
    nats_url: str, redis_url: str
) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = ignore
        before, rest = FrameReader(), FrameReader()
        async with asked(edge) as response:
            await orchestrator.heard(1)
            request = orchestrator.requests[0]
            author = Author(orchestrator, request)
            await author.begin()
            await author.say("das Ende")
            await before.read(response, frames=3)
        ended = await orchestrator.finish(request)
        async with following(edge, request.request_id, before.last_id) as response:
            await author.event(K.FINISHED, response=ended)
            await rest.read(response)
    assert (rest.status, rest.events) == (200, ["turn.finished"])


async def test_words_that_come_after_the_end_are_not_told(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = ignore
        reader = FrameReader()
        async with asked(edge) as response:
            await orchestrator.heard(1)
            author = Author(orchestrator, orchestrator.requests[0])
            await author.begin()
            await author.finish()
            await reader.read(response)
        await author.say("zu spät")
        async with following(edge, orchestrator.requests[0].request_id, reader.last_id) as response:
            assert response.status_code == 204


async def test_a_choice_is_read_from_where_it_begins(nats_url: str, redis_url: str) -> None:
    async def behave(orchestrator: Orchestrator, request: ChatRequested) -> None:
        if request.choice_id is None:
            await write(orchestrator, request)
        else:
            author = Author(orchestrator, request, first=4, round=1)
            await author.event(K.CHOICE_MADE, step=0)
            await author.finish()

    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = behave
        first, second = FrameReader(), FrameReader()
        async with asked(edge) as response:
            await first.read(response)
        async with chosen(edge, f"{orchestrator.requests[0].request_id}.0.1") as response:
            await second.read(response)
    assert second.events == ["choice.made", "turn.finished"]
    assert int(second.last_id) > int(first.last_id)


async def test_a_message_that_answers_a_choice_goes_on_in_the_log_of_that_choice(
    nats_url: str, redis_url: str
) -> None:
    async def behave(orchestrator: Orchestrator, request: ChatRequested) -> None:
        if request.choice_id is not None:
            author = Author(orchestrator, request, first=4, round=1)
            await author.event(K.CHOICE_MADE, step=0)
            await author.finish()
        elif len(orchestrator.requests) == 1:
            await write(orchestrator, request)
        else:
            choice_id = f"{orchestrator.requests[0].request_id}.0.1"
            author = Author(orchestrator, request)
            await author.event(K.STARTED)
            await orchestrator.forward(request, choice_id)
            await author.event(K.FINISHED, detail={"forwardedTo": choice_id})

    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = behave
        first, second = FrameReader(), FrameReader()
        async with asked(edge) as response:
            await first.read(response)
        async with asked(edge, "Die zweite") as response:
            await second.read(response)
        again = FrameReader()
        async with following(edge, orchestrator.requests[1].request_id) as response:
            await again.read(response)
    assert second.events == ["turn.started", "turn.finished", "choice.made", "turn.finished"]
    assert again.frames == second.frames


async def test_an_answer_that_is_in_no_log_is_sent_all_the_same(nats_url: str, redis_url: str) -> None:
    async def refuse(orchestrator: Orchestrator, request: ChatRequested) -> None:
        step = Step(intent="clarify", status=Status.ERROR, message="Die Option gibt es nicht.")
        await orchestrator.reply(request, response=ChatResponse.of(request.request_id, (step,)))

    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = refuse
        reader = FrameReader()
        async with chosen(edge, "req-0123456789abcdef.0.1") as response:
            await reader.read(response)
    assert reader.events == ["turn.finished"]
    assert reader.data(0)["response"]["steps"][0]["message"] == "Die Option gibt es nicht."
    assert not reader.frames[0].startswith(b"id:")


async def test_the_stream_of_a_choice_does_not_end_with_the_message_before_it(
    nats_url: str, redis_url: str
) -> None:
    begun = asyncio.Event()

    async def behave(orchestrator: Orchestrator, request: ChatRequested) -> None:
        if request.choice_id is None:
            await Author(orchestrator, request).begin()
            begun.set()
            return
        message = orchestrator.requests[0]
        await Author(orchestrator, request, first=2, round=1).event(K.CHOICE_MADE, step=0)
        await Author(orchestrator, message, first=3).finish()
        await Author(orchestrator, request, first=4, round=1).finish()

    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = behave
        async with asked(edge):
            await begun.wait()
            choice_id = f"{orchestrator.requests[0].request_id}.0.1"
            reader = FrameReader()
            async with chosen(edge, choice_id) as response:
                await reader.read(response)
    assert reader.events == ["choice.made", "turn.finished", "turn.finished"]
    assert reader.data(-1)["round"] == 1


async def test_silence_is_filled_with_pings_and_an_answer_that_never_comes_is_a_problem(
    nats_url: str, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # There is time for many looks, and one of them is enough for a ping.
    monkeypatch.setattr(streams, "_LOOK_S", 0.05)
    async with staged(nats_url, redis_url, ping_period_s=0.1, wait_timeout_s=4) as (edge, orchestrator):
        orchestrator.behaviour = ignore
        reader = FrameReader()
        async with asked(edge) as response:
            await reader.read(response)
    assert reader.bytes.startswith(b": ping\n\n")
    assert reader.events == ["error"]
    assert reader.data(0)["code"] == "turn_timeout"


async def test_a_stream_survives_a_restart_of_nats(
    nats_server: ServerProcess, nats_url: str, redis_url: str
) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = ignore
        reader = FrameReader()

        async def read() -> None:
            async with asked(edge) as response:
                await reader.read(response)

        reading = asyncio.create_task(read())
        await orchestrator.heard(1)
        author = Author(orchestrator, orchestrator.requests[0])
        await author.begin()
        await author.say("vor ")
        async with asyncio.timeout(30):
            while len(reader.frames) < 3:
                await asyncio.sleep(0.01)
        nats_server.kill()
        nats_server.start()
        async with asyncio.timeout(30):
            while not orchestrator.connection.is_connected:
                await asyncio.sleep(0.05)
        await author.say("nach")
        await author.end()
        async with asyncio.timeout(30):
            await reading
    assert reader.events[-4:] == ["answer.delta", "answer.delta", "step.finished", "turn.finished"]


async def test_the_place_of_a_client_that_leaves_is_free_when_its_turn_has_ended(
    nats_url: str, redis_url: str
) -> None:
    async with staged(nats_url, redis_url, max_waiting_turns=1) as (edge, orchestrator):
        orchestrator.behaviour = ignore
        for n in range(3):
            async with asked(edge) as response:
                assert response.status_code == 200
            async with asyncio.timeout(30):
                while (await edge.http.get("/metrics")).text.find("ask_turns_waiting 0.0") < 0:
                    await asyncio.sleep(0.02)
            async with asked(edge) as refused:
                assert refused.status_code == 429
            await orchestrator.heard(n + 1)
            await orchestrator.finish(orchestrator.requests[n])
            async with asyncio.timeout(30):
                while (await edge.http.get("/metrics")).text.find("ask_turns_at_work 0.0") < 0:
                    await asyncio.sleep(0.02)


async def test_an_edge_that_stops_ends_its_streams_at_once(nats_url: str, redis_url: str) -> None:
    async with orchestrating(nats_url, redis_url) as orchestrator:
        orchestrator.behaviour = ignore
        reader = FrameReader()
        async with running(nats_url, redis_url, drain_timeout_s=0.1) as edge:
            stream = asked(edge)
            response = await stream.__aenter__()
            reading = asyncio.create_task(reader.read(response))
            await orchestrator.heard(1)
        async with asyncio.timeout(30):
            await reading
        await stream.__aexit__(None, None, None)
    assert reader.events == [] or reader.data(-1)["code"] == "shutting_down"


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/api/chat/req-0123456789abcdef/stream", 404, "turn_not_found"),
        ("/api/chat/quatsch/stream", 404, "turn_not_found"),
        ("/api/chat/req-0123456789abcdef/stream?after=x", 400, "event_id_invalid"),
    ],
)
async def test_what_cannot_be_read_is_a_problem(
    nats_url: str, redis_url: str, path: str, status: int, code: str
) -> None:
    async with staged(nats_url, redis_url) as (edge, _):
        answered = await edge.http.get(path)
    assert answered.status_code == status
    assert problem(answered)["code"] == code


async def test_a_deleted_session_ends_its_streams(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = ignore
        reader = FrameReader()
        async with asked(edge) as response:
            reading = asyncio.create_task(reader.read(response))
            await orchestrator.heard(1)
            await edge.http.request("DELETE", "/api/chat", json={"sessionId": "s-1"})
            async with asyncio.timeout(30):
                await reading
        assert await orchestrator.redis.exists(keys.turn(orchestrator.requests[0].request_id)) == 0
    assert reader.data(-1)["code"] == "session_deleted"


async def test_a_running_turn_can_be_cancelled_and_nothing_else(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = ignore
        cancelled = await orchestrator.connection.jetstream().pull_subscribe(
            subjects.CHAT_CANCELLED, durable="cancels", stream=subjects.COMMANDS.name
        )
        async with asked(edge):
            await orchestrator.heard(1)
            request = orchestrator.requests[0]
            await Author(orchestrator, request).begin()
            answered = await edge.http.delete(f"/api/chat/{request.request_id}")
            (message,) = await cancelled.fetch(1, timeout=30)
            await orchestrator.finish(request)
        late = await edge.http.delete(f"/api/chat/{request.request_id}")
        unknown = await edge.http.delete("/api/chat/req-0123456789abcdef")
        with pytest.raises(nats.errors.TimeoutError):
            await cancelled.fetch(1, timeout=0.3)
    assert (answered.status_code, late.status_code, unknown.status_code) == (204, 204, 404)
    assert ChatCancelled.from_json(message.data).request_id == request.request_id
