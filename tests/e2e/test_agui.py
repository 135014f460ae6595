"""The agents in the whole system: every service, nothing played."""

import json
from typing import Any
from uuid import uuid4

import pytest

from .running import Json, System

pytestmark = pytest.mark.asyncio(loop_scope="session")


def said(message: str, thread: str) -> Json:
    user = {"id": str(uuid4()), "role": "user", "content": message}
    return {"threadId": thread, "runId": str(uuid4()), "messages": [user]}


async def run(system: System, agent: str, body: Json) -> list[Json]:
    answered = await system.http.post(f"/api/ag-ui/{agent}", json=body)
    assert answered.status_code == 200, answered.text
    frames = (frame for frame in answered.text.split("\n\n") if "data: " in frame)
    return [json.loads(frame.split("data: ")[1]) for frame in frames]


def steps(events: list[Json]) -> list[Any]:
    return [event["stepName"] for event in events if event["type"] == "STEP_FINISHED"]


async def test_a_sentence_moves_the_map(system: System) -> None:
    events = await run(system, "map", said("Gehe zur Langendorfstrasse 19b in Solothurn", str(uuid4())))
    (actions,) = [event["value"] for event in events if event["type"] == "CUSTOM"]
    assert [action["type"] for action in actions["mapActions"]] == ["setView", "addMarker"]
    assert events[-1]["outcome"] == {"type": "success"}


async def test_an_ambiguous_place_is_asked_about_and_answered(system: System) -> None:
    thread = str(uuid4())
    events = await run(system, "map", said("Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519", thread))
    (interrupt,) = events[-1]["outcome"]["interrupts"]
    assert interrupt["expiresAt"]
    first, *_ = interrupt["responseSchema"]["properties"]["choiceId"]["enum"]
    answer = {"interruptId": interrupt["id"], "status": "resolved", "payload": {"choiceId": first}}
    body = {"threadId": thread, "runId": str(uuid4()), "messages": [], "resume": [answer]}
    events = await run(system, "map", body)
    (actions,) = [event["value"] for event in events if event["type"] == "CUSTOM"]
    assert "showOerebExtract" in [action["type"] for action in actions["mapActions"]]
    assert events[-1]["outcome"] == {"type": "success"}


async def test_an_extract_is_in_the_state_and_complete_for_the_map(system: System) -> None:
    events = await run(system, "map", said("ÖREB-Auszug für Grundstück 9902 in Subingen", str(uuid4())))
    changes = [change for event in events if event["type"] == "STATE_DELTA" for change in event["delta"]]
    (step,) = [change["value"] for change in changes if "extract" in change["value"]]
    (actions,) = [event["value"] for event in events if event["type"] == "CUSTOM"]
    drawn = actions["mapActions"][-1]["payload"]
    (restriction, *_), (with_symbol, *_) = (
        each["content"]["restrictions"] for each in (step["extract"], drawn)
    )
    assert with_symbol.pop("symbol").startswith("data:image/png")
    assert restriction == with_symbol
    assert step["extract"]["number"] == "9902"


async def test_documents_are_found_checked_and_cited(system: System) -> None:
    events = await run(system, "riskiagent", said("Welche Dokumente gibt es zum Grundwasser?", str(uuid4())))
    assert steps(events) == ["model", "tools", "guard", "collect_results", "model"]
    *_, state = [event["snapshot"] for event in events if event["type"] == "STATE_SNAPSHOT"]
    assert all(document["is_checked"] for document in state["tracked_documents"])
    cited = {source["id"] for source in state["sources"]}
    assert cited and cited <= {d["id"] for d in state["tracked_documents"] if d["is_relevant"]}
    assert events[-1]["outcome"] == {"type": "success"}


async def test_a_question_that_nothing_is_written_about_gets_a_reason(system: System) -> None:
    events = await run(system, "riskiagent", said("Was kostet eine Xylophonqwertzprüfung?", str(uuid4())))
    *_, state = [event["snapshot"] for event in events if event["type"] == "STATE_SNAPSHOT"]
    assert state["error_info"]["error_type"] in ("no_documents_found", "no_relevant_documents")
    assert events[-1]["type"] == "RUN_FINISHED"
