"""The agents over HTTP: headers and frames, runs that are answered, resumed, repeated, or refused."""

import asyncio
import contextlib
import json
from typing import Any

import httpx
import pytest
from contracts.messages import ChatRequested
from contracts.plan import Plan
from contracts.turns import TurnEventKind as K
from recording import Recording, recording
from world import GOTO, LOAD, OEREB_XY, SEARCH, two_parcels

from edge import streams

from .edge_harness import (
    Orchestrator,
    RunningEdge,
    answer,
    ignore,
    inside,
    orchestrating,
    problem,
    running,
    staged,
)
from .played_turns import Player
from .turn_author import Author

JSON = {"Content-Type": "application/json"}


def choosing() -> Recording:
    return recording(OEREB_XY, LOAD, oereb_egrid_by_xy=two_parcels)


SCENES = {
    "gehe": lambda: recording(GOTO, LOAD),
    "suche": lambda: recording(SEARCH),
    "wähle": choosing,
    "wähle zweimal": lambda: recording(OEREB_XY, OEREB_XY, oereb_egrid_by_xy=two_parcels),
}


def said(message: str, *, thread: str = "t-1", run: str = "r-1", **more: Any) -> dict[str, Any]:
    user = {"id": f"u-{message}", "role": "user", "content": message}
    return {"threadId": thread, "runId": run, "messages": [user]} | more


def picked(*choices: str, thread: str = "t-1", run: str = "r-2") -> dict[str, Any]:
    resume = [
        {"interruptId": each.rpartition(".")[0], "status": "resolved", "payload": {"choiceId": each}}
        for each in choices
    ]
    return {"threadId": thread, "runId": run, "messages": [], "resume": resume}


class Told:
    """What came of a run."""

    def __init__(self, response: httpx.Response, text: str) -> None:
        self.response = response
        self.text = text
        frames = [frame for frame in text.split("\n\n") if frame and not frame.startswith(":")]
        self.ids = [int(frame.split("\n")[0].removeprefix("id: ")) for frame in frames]
        self.events: list[dict[str, Any]] = [json.loads(frame.split("\ndata: ")[1]) for frame in frames]

    @property
    def types(self) -> list[str]:
        return [event["type"] for event in self.events]

    @property
    def texts(self) -> list[str]:
        return [event["delta"] for event in self.events if event["type"] == "TEXT_MESSAGE_CONTENT"]

    @property
    def offered(self) -> list[list[str]]:
        """The options of each interrupt."""
        interrupts = self.events[-1]["outcome"].get("interrupts", [])
        return [each["responseSchema"]["properties"]["choiceId"]["enum"] for each in interrupts]


async def run(
    edge: RunningEdge, body: dict[str, Any], agent: str = "map", http: httpx.AsyncClient | None = None
) -> Told:
    text = ""
    async with (http or edge.http).stream("POST", f"/api/ag-ui/{agent}", json=body) as response:
        with contextlib.suppress(httpx.RemoteProtocolError, httpx.ReadError):
            async for piece in response.aiter_text():
                text += piece
    return Told(response, text)


async def test_a_run_is_told_from_its_start_to_its_end(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = Player(SCENES)
        told = await run(edge, said("gehe"))
    headers = told.response.headers
    assert headers["content-type"].startswith("text/event-stream")
    assert (headers["x-accel-buffering"], headers["cache-control"]) == ("no", "no-store")
    (request,) = orchestrator.requests
    assert headers["ask-request-id"] == request.request_id
    assert (request.session_id, request.user_message, request.agent) == (inside("t-1"), "gehe", "map")
    assert (told.types[0], told.types[-1]) == ("RUN_STARTED", "RUN_FINISHED")
    assert told.ids == sorted(told.ids) and told.ids[-1] > told.ids[1] > 0
    assert "\r" not in told.text and "null" not in told.text
    assert [e["value"]["step"] for e in told.events if e["type"] == "CUSTOM"] == [0]


async def test_the_path_names_the_agent(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = Player(SCENES)
        told = await run(edge, said("suche"), "riskiagent")
        unknown = await edge.http.post("/api/ag-ui/quatsch", json=said("suche"))
    assert [request.agent for request in orchestrator.requests] == ["riskiagent"]
    assert "STATE_DELTA" in told.types
    assert (unknown.status_code, problem(unknown)["code"]) == (404, "not_found")


async def test_an_interrupt_is_answered_in_the_next_run_also_at_another_replica(
    nats_url: str, redis_url: str
) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator), running(nats_url, redis_url) as other:
        orchestrator.behaviour = Player(SCENES)
        asked = await run(edge, said("wähle"))
        ((_, second),) = asked.offered
        answered = await run(other, picked(second))
    assert orchestrator.requests[1].choice_id == second
    assert orchestrator.requests[1].request_id == orchestrator.requests[0].request_id
    assert answered.texts == ["CH000000000002"]
    assert answered.events[-1]["outcome"] == {"type": "success"}
    assert min(answered.ids[1:]) > max(asked.ids)


async def test_several_interrupts_are_answered_one_after_the_other(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = Player(SCENES)
        asked = await run(edge, said("wähle zweimal"))
        answered = await run(edge, picked(*(options[0] for options in asked.offered)))
    assert len(asked.offered) == 2
    assert len(orchestrator.requests) == 3
    assert answered.types.count("RUN_FINISHED") == 1
    assert answered.texts == ["CH000000000001", "CH000000000001"]
    assert answered.offered == []


async def test_a_choice_of_another_conversation_is_refused_in_words(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = Player(SCENES)
        asked = await run(edge, said("wähle"))
        refused = await run(edge, picked(asked.offered[0][0], thread="t-2"))
    assert refused.texts == ["Es liegt keine offene Auswahl für diese Sitzung vor."]
    assert refused.types[-1] == "RUN_FINISHED"


async def test_giving_up_needs_nobody(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        body = picked() | {"resume": [{"interruptId": "req-0123456789abcdef.0", "status": "cancelled"}]}
        told = await run(edge, body)
    assert told.types == ["RUN_STARTED", "RUN_FINISHED"]
    assert told.events[-1]["outcome"] == {"type": "success"}
    assert orchestrator.requests == []


async def test_a_message_may_answer_a_choice_in_words(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        player = Player(SCENES)
        orchestrator.behaviour = player
        asked = await run(edge, said("wähle"))
        second = asked.offered[0][1]
        player.add("die zweite", lambda: Recording(Plan(choice_id=second)))
        answered = await run(edge, said("die zweite", run="r-2"))
    assert answered.texts == ["CH000000000002"]
    assert answered.types.count("RUN_FINISHED") == answered.types.count("RUN_STARTED") == 1


async def test_the_same_run_once_more_is_the_same_turn(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = Player(SCENES)
        first = await run(edge, said("suche"), "riskiagent")
        again = await run(edge, said("suche"), "riskiagent")
        other = await edge.http.post("/api/ag-ui/riskiagent", json=said("gehe"))
    assert len({request.request_id for request in orchestrator.requests}) == 1
    assert again.text == first.text
    assert (other.status_code, problem(other)["code"]) == (422, "idempotency_key_reused")


async def test_a_run_that_waits_too_long_ends_with_an_error(
    nats_url: str, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # There is time for many looks, and one of them is enough for a ping.
    monkeypatch.setattr(streams, "_LOOK_S", 0.05)
    settings: dict[str, Any] = {"ping_period_s": 0.1, "wait_timeout_s": 4}
    async with staged(nats_url, redis_url, **settings) as (edge, orchestrator):
        orchestrator.behaviour = ignore
        told = await run(edge, said("gehe"))
    assert told.types == ["RUN_STARTED", "RUN_ERROR"]
    assert told.events[-1]["code"] == "turn_timeout"
    assert "\n\n: ping\n\n" in told.text


async def test_an_edge_that_stops_does_not_look_like_a_success(nats_url: str, redis_url: str) -> None:
    # A client that outlives the edge.
    async with orchestrating(nats_url, redis_url) as orchestrator, httpx.AsyncClient(timeout=20) as http:
        orchestrator.behaviour = ignore
        async with running(nats_url, redis_url, drain_timeout_s=0.1) as edge:
            http.base_url = edge.http.base_url
            reading = asyncio.create_task(run(edge, said("gehe"), http=http))
            await orchestrator.heard(1)
        async with asyncio.timeout(30):
            told = await reading
    assert told.types == ["RUN_STARTED", "RUN_ERROR"]
    assert told.events[-1]["code"] == "shutting_down"


async def test_a_deleted_session_ends_its_runs(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = ignore
        reading = asyncio.create_task(run(edge, said("gehe")))
        await orchestrator.heard(1)
        await edge.http.request("DELETE", "/api/chat", json={"sessionId": "t-1"})
        async with asyncio.timeout(30):
            told = await reading
    assert (told.types[-1], told.events[-1]["code"]) == ("RUN_ERROR", "session_deleted")


async def test_what_the_edge_cannot_read_is_its_own_fault(nats_url: str, redis_url: str) -> None:
    async def nonsense(orchestrator: Orchestrator, request: ChatRequested) -> None:
        author = Author(orchestrator, request)
        await author.event(K.STARTED)
        await author.event(K.DOCUMENTS_FOUND, step=0, detail={"documents": [{"id": 7}]})

    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = nonsense
        told = await run(edge, said("suche"), "riskiagent")
    assert (told.types[-1], told.events[-1]["code"]) == ("RUN_ERROR", "internal_error")
    assert "pydantic" not in told.text


async def test_steps_reach_the_client_as_they_happen(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = ignore
        async with edge.http.stream("POST", "/api/ag-ui/riskiagent", json=said("suche")) as response:
            pieces = response.aiter_text()
            text = await anext(pieces)
            await orchestrator.heard(1)
            author = Author(orchestrator, orchestrator.requests[0])
            await author.begin()
            await author.say("Erste Worte")
            async with asyncio.timeout(30):
                while "Erste Worte" not in text:
                    text += await anext(pieces)
    assert "RUN_FINISHED" not in text


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({"threadId": "t", "runId": "r", "messages": []}, ["#/messages"]),
        ({"threadId": "t" * 129, "runId": "r", "messages": said("x")["messages"]}, ["#/threadId"]),
        ({"threadId": "t", "messages": [{"id": "1", "role": "user"}]}, ["#/runId", "#/messages/0/content"]),
        (picked() | {"resume": [{"interruptId": "x", "status": "?"}]}, ["#/resume/0/status"]),
    ],
)
async def test_an_input_that_cannot_be_a_run_is_a_problem(
    nats_url: str, redis_url: str, body: dict[str, Any], pointers: list[str]
) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        answered = await edge.http.post("/api/ag-ui/map", json=body)
    told = problem(answered)
    assert (answered.status_code, told["code"]) == (422, "invalid_request")
    assert sorted(each["pointer"] for each in told["errors"]) == sorted(pointers)
    assert orchestrator.requests == []


@pytest.mark.parametrize(
    ("body", "part"),
    [
        (said("x" * 4_001), "4000"),
        (said(" "), "Nachricht"),
        (picked("quatsch.0"), "Option"),
    ],
)
async def test_a_question_that_cannot_be_asked_is_told_by_its_run(
    nats_url: str, redis_url: str, body: dict[str, Any], part: str
) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        answered = await edge.http.post("/api/ag-ui/map", json=body)
    assert (answered.status_code, answered.headers["content-type"]) == (
        200,
        "text/event-stream; charset=utf-8",
    )
    begun, failed = (json.loads(line[6:]) for line in answered.text.splitlines() if line.startswith("data: "))
    assert (begun["type"], failed["type"], failed["code"]) == ("RUN_STARTED", "RUN_ERROR", "invalid_request")
    assert part in failed["message"]
    assert orchestrator.requests == []


async def test_a_long_conversation_fits_into_a_run_and_nowhere_else(nats_url: str, redis_url: str) -> None:
    history = [{"id": f"m{n}", "role": "assistant", "content": "Text " * 800} for n in range(50)]
    async with staged(nats_url, redis_url, max_run_input_bytes=300_000) as (edge, orchestrator):
        orchestrator.behaviour = answer
        body = said("gehe") | {"messages": history + said("gehe")["messages"]}
        assert 200_000 < len(json.dumps(body)) < 300_000
        taken = await run(edge, body)
        too_long = await edge.http.post("/api/ag-ui/map", json=body | {"state": "x" * 100_000})
        elsewhere = await edge.http.post("/api/chat", json=body)
    assert taken.types[-1] == "RUN_FINISHED"
    assert [problem(each)["code"] for each in (too_long, elsewhere)] == ["body_too_large"] * 2
