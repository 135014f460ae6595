"""The real client library of AG-UI, in its current version and in an old one, against a running edge.

Whatever it refuses, drops or warns about is a complaint, and there must be none.
"""

import asyncio
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from contracts.messages import ChatCancelled, ChatRequested, Outcome
from contracts.plan import PlanStep
from contracts.research import ErrorType
from contracts.session import Session
from contracts.status import Status
from contracts.turns import TurnEvent, TurnEventKind
from recording import Recording, recording
from world import GOTO, LOAD, OEREB_XY, RESPOND, SEARCH, judgement, step, two_parcels

from orchestrator.arrivals import ChatArrived

from .edge_harness import Orchestrator, RunningEdge, ignore, inside, orchestrating, running, staged
from .played_turns import Player
from .turn_author import Author

Json = dict[str, Any]

FOLDER = Path(__file__).parents[1] / "agui"
_INSTALL_TIMEOUT_S = 180
_RUN_TIMEOUT_S = 30

versions = pytest.mark.parametrize("version", ["1.0.0", "0.0.58"])


@pytest.fixture(scope="module", autouse=True)
def installed() -> None:
    """The client libraries, as the lock names them."""
    npm = shutil.which("npm")
    if shutil.which("node") is None or npm is None:
        pytest.skip("Node.js is not installed: the AG-UI clients are npm packages")
    lock, stamp = FOLDER / "package-lock.json", FOLDER / "node_modules" / ".package-lock.json"
    if not stamp.exists() or stamp.stat().st_mtime < lock.stat().st_mtime:
        command = [npm, "ci", "--no-progress"]
        done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True, timeout=_INSTALL_TIMEOUT_S)
        assert done.returncode == 0, done.stderr
        os.utime(stamp)


async def converse(edge: RunningEdge, version: str, agent: str, *runs: Json, **more: Any) -> list[Json]:
    """What the library makes of a conversation: one entry a run."""
    url = f"http://127.0.0.1:{edge.port}/api/ag-ui/{agent}"
    script = {"version": version, "url": url, "threadId": "t-1", "runs": runs} | more
    process = await asyncio.create_subprocess_exec(
        "node",
        "converse.mjs",
        cwd=FOLDER,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(_RUN_TIMEOUT_S):
            out, err = await process.communicate(json.dumps(script).encode())
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, err.decode()
    told: list[Json] = json.loads(out)
    return told


def well(told: Json) -> Json:
    """A run that was accepted as it is."""
    assert told["complaints"] == [] and "rejected" not in told, told["complaints"]
    types = [event["type"] for event in told["events"]]
    assert types[0] == "RUN_STARTED" and types[-1] in ("RUN_FINISHED", "RUN_ERROR")
    assert not told.get("pendingToolCallIds")
    return told


def rejecting(args: Json) -> Outcome:
    return judgement(args["document"]["id"], is_relevant=False)


def found(outcome: Outcome) -> Callable[[], Recording]:
    return lambda: recording(SEARCH, documents_retrieve=lambda args: outcome)


def answering(**values: Any) -> Callable[[], Recording]:
    return lambda: recording(PlanStep(**values))


BROKEN = Outcome(status=Status.ERROR, message="kaputt")
LATE = Outcome(status=Status.ERROR, error_type=ErrorType.TIMEOUT)
POLICY = ErrorType.CONTENT_POLICY_VIOLATION
FAILURES: dict[str, Callable[[], Recording]] = {
    ErrorType.NO_TOOL_CALL: answering(intent="answer", message="Ohne Beleg."),
    ErrorType.NO_DOCUMENTS_FOUND: found(Outcome()),
    ErrorType.NO_RELEVANT_DOCUMENTS: lambda: recording(SEARCH, documents_check=rejecting),
    ErrorType.TIMEOUT: found(LATE),
    ErrorType.CONTENT_POLICY_VIOLATION: answering(intent="search_documents", error_type=POLICY),
    # The stand-in for the responder cannot write about these.
    ErrorType.SERVER_ERROR: lambda: recording(
        step("search_documents", ("documents.retrieve", {"query": "Bombe"}))
    ),
}
SCENES: dict[str, Callable[[], Recording]] = FAILURES | {
    "suche": lambda: recording(SEARCH),
    "suche mit Abbruch": lambda: recording(SEARCH, torn=True),
    "was kannst du": answering(intent="answer", args={"about": "capabilities"}, message="Dokumente suchen."),
    "suche kaputt": found(BROKEN),
    "gehe": lambda: recording(GOTO, LOAD, RESPOND),
    "gehe kaputt": lambda: recording(GOTO, LOAD, geolocation_geocode=lambda args: BROKEN),
    "wähle": lambda: recording(OEREB_XY, LOAD, oereb_egrid_by_xy=two_parcels),
    "wähle zweimal": lambda: recording(OEREB_XY, OEREB_XY, oereb_egrid_by_xy=two_parcels),
}


@versions
async def test_documents_and_an_answer_arrive(nats_url: str, redis_url: str, version: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = Player(SCENES)
        first, second, third = await converse(
            edge,
            version,
            "riskiagent",
            {"say": "suche"},
            {"say": "suche mit Abbruch"},
            {"say": "was kannst du"},
        )
    for told in (first, second, third):
        assert well(told)["finished"] == "success"
    assert [d["is_relevant"] for d in first["state"]["tracked_documents"]] == [True] * 3
    assert [s["n"] for s in first["state"]["sources"]] == [1, 2, 3]
    assert first["messages"][-1]["content"].startswith("Zu «Schutz des Grundwassers»")
    withdrawn = [e["value"]["messageId"] for e in second["events"] if e["type"] == "CUSTOM"]
    kept = [m.get("content") for m in second["messages"] if m["id"] not in withdrawn]
    assert kept[-1] == first["messages"][-1]["content"]
    assert third["messages"][-1]["content"] == "Dokumente suchen."
    assert third["state"]["tracked_documents"] == []
    # The conversation is one session.
    assert {request.session_id for request in orchestrator.requests} == {inside("t-1")}
    assert [request.user_message for request in orchestrator.requests][1] == "suche mit Abbruch"


@versions
async def test_every_failure_is_accepted(nats_url: str, redis_url: str, version: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = Player(SCENES)
        questions = [*FAILURES, "suche kaputt", "suche"]
        told = await converse(edge, version, "riskiagent", *({"say": each} for each in questions))
    for error, run in zip(FAILURES, told, strict=False):
        assert well(run)["finished"] == "success"
        assert run["state"]["error_info"]["error_type"] == error
        assert run["state"]["error_info"]["message"]
    *_, broken, recovered = told
    assert well(broken)["error"] == "Ein interner Fehler ist aufgetreten."
    assert "finished" not in broken
    # What went wrong once is not in the way of the next question.
    assert well(recovered)["finished"] == "success"
    assert "error_info" not in recovered["state"]


@versions
async def test_steps_map_actions_and_texts_arrive(nats_url: str, redis_url: str, version: str) -> None:
    layers = [{"id": "a", "label": "A", "visible": True}]
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = Player(SCENES)
        ok, broken = await converse(
            edge, version, "map", {"say": "gehe"}, {"say": "gehe kaputt"}, state={"layers": layers}
        )
    assert well(ok)["finished"] == "success"
    actions = [e["value"] for e in ok["events"] if e["type"] == "CUSTOM"]
    assert [each["step"] for each in actions] == [0]
    assert actions[0]["mapActions"][0]["type"] == "addMarker"
    assert [s["state"] for s in ok["state"]["steps"]] == ["done"] * 3
    assert ok["state"]["layers"] == layers
    assert ok["result"]["overallStatus"] == "ok"
    assert [m["role"] for m in ok["messages"]].count("tool") == 2
    assert well(broken)["finished"] == "success"
    assert broken["result"]["overallStatus"] == "error"
    assert "kaputt" in [m.get("content") for m in broken["messages"]]


@versions
async def test_a_choice_is_an_interrupt_that_the_next_run_answers(
    nats_url: str, redis_url: str, version: str
) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = Player(SCENES)
        asked, chosen, twice, both, again, other = await converse(
            edge,
            version,
            "map",
            {"say": "wähle"},
            {"choose": [1]},
            {"say": "wähle zweimal"},
            {"choose": [0, 1]},
            {"say": "wähle"},
            {"say": "gehe", "giveUp": True},
        )
    assert well(asked)["finished"] == "interrupt"
    (interrupt,) = asked["interrupts"]
    assert interrupt["message"] == "Bitte wähle."
    assert datetime.fromisoformat(interrupt["expiresAt"]) > datetime.now(UTC)
    assert well(chosen)["finished"] == "success"
    assert chosen["interrupts"] == []
    assert chosen["messages"][-1]["content"] == "CH000000000002"
    assert chosen["state"]["choices"] == []
    assert len(well(twice)["interrupts"]) == 2
    assert well(both)["finished"] == "success"
    assert {m.get("content") for m in both["messages"]} >= {"CH000000000001", "CH000000000002"}
    assert well(again)["finished"] == "interrupt"
    assert well(other)["finished"] == "success"
    assert [request.user_message for request in orchestrator.requests][-1] == "gehe"


@versions
async def test_giving_up_ends_what_is_open(nats_url: str, redis_url: str, version: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = Player(SCENES)
        _, given_up = await converse(edge, version, "map", {"say": "wähle"}, {"giveUp": True})
    assert well(given_up)["finished"] == "success"
    assert given_up["interrupts"] == []
    assert len(orchestrator.requests) == 1


@versions
async def test_a_run_can_be_sent_again(nats_url: str, redis_url: str, version: str) -> None:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = Player(SCENES)
        first, again = await converse(
            edge, version, "riskiagent", {"say": "suche", "runId": "r-1"}, {"runId": "r-1"}
        )
    assert len({request.request_id for request in orchestrator.requests}) == 1
    assert well(again)["finished"] == "success"
    withdrawn = [e["value"]["messageId"] for e in again["events"] if e["type"] == "CUSTOM"]
    kept = [m["content"] for m in again["messages"] if m["role"] == "assistant" and m.get("content")]
    assert [m["id"] for m in first["messages"] if m.get("content") == kept[0]] == withdrawn
    assert kept == [kept[0]] * 2


@versions
async def test_a_cancelled_turn_is_accepted(nats_url: str, redis_url: str, version: str) -> None:
    async def cancel(orchestrator: Orchestrator, request: ChatRequested) -> None:
        world = recording(GOTO)
        world.now = datetime.now(UTC)
        world.take(ChatArrived(request, Session()))
        envelope = request.envelope() | {"deadline": world.now + timedelta(seconds=9)}
        world.take(ChatCancelled(**envelope, exchange="c-1"))
        author = Author(orchestrator, request)
        for entry in world.entries:
            await author.store(entry)
            if isinstance(entry, TurnEvent) and entry.kind is TurnEventKind.FINISHED:
                await orchestrator.reply(request, response=entry.response)

    async with staged(nats_url, redis_url) as (edge, orchestrator):
        orchestrator.behaviour = cancel
        (told,) = await converse(edge, version, "map", {"say": "gehe"})
    outcome = well(told)["events"][-1]["outcome"]["type"]
    assert outcome == ("cancelled" if version == "1.0.0" else "success")


@versions
async def test_silence_and_its_end_are_accepted(nats_url: str, redis_url: str, version: str) -> None:
    settings: Json = {"ping_period_s": 0.1, "wait_timeout_s": 1.5}
    async with staged(nats_url, redis_url, **settings) as (edge, orchestrator):
        orchestrator.behaviour = ignore
        (told,) = await converse(edge, version, "map", {"say": "gehe"})
    assert well(told)["error"].startswith("Das dauert länger als üblich.")


@versions
async def test_an_edge_that_stops_is_an_error_to_its_clients(
    nats_url: str, redis_url: str, version: str
) -> None:
    async with orchestrating(nats_url, redis_url) as orchestrator:
        orchestrator.behaviour = ignore
        async with running(nats_url, redis_url, drain_timeout_s=0.1) as edge:
            talking = asyncio.create_task(converse(edge, version, "map", {"say": "gehe"}))
            await orchestrator.heard(1, timeout_s=15)
        (told,) = await talking
    assert well(told)["error"].startswith("Der Dienst wird gerade neu gestartet.")


@versions
async def test_an_input_that_cannot_be_a_run_is_rejected(nats_url: str, redis_url: str, version: str) -> None:
    async with staged(nats_url, redis_url) as (edge, _):
        (told,) = await converse(edge, version, "map", {})
    assert told["rejected"].startswith("Error: HTTP 422")
    assert "user_message" not in told["rejected"] and "#/messages" in told["rejected"]
    assert told["events"] == []
