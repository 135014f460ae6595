"""The facts of results over HTTP: what a client needs for its cards, once and with its source."""

import json
from typing import Any
from uuid import uuid4

import pytest
from mcp import Client

from .running import Conversation, Json, System, action_types, answer_of
from .test_agui import run
from .test_agui import said as in_thread
from .test_mcp import endpoint, structured

pytestmark = pytest.mark.asyncio(loop_scope="session")

SENTENCES = {
    "address": "Gehe zur Langendorfstrasse 19b in Solothurn",
    "municipality": "Zeige die Gemeinde Olten",
    "place": "Gehe nach Mariastein",
    "parcel": "Zeige das Grundstück 198 in Messen",
    "oereb_extract": "ÖREB-Auszug für Grundstück 9902 in Subingen",
    "layer": "Lade die Wildtierkorridore",
    "layer_group": "Lade den Gewässerschutzlayer",
    "height": "Wie hoch liegt 2607744, 1228431?",
    "coordinates": "Welche Koordinaten hat 2607744, 1228431?",
    "geothermal_assessment": "Kann ich an der Koordinate 2607744, 1228431 eine Erdwärmesonde bohren?",
    "cadastral_plan": "Mache mir einen Grundbuchplan des Grundstücks 198 in Messen",
    "feature_set": "Wie viele belastete Standorte gibt es in Olten?",
    "distance": "Wie weit ist es von Olten nach Solothurn?",
}


async def item_of(talk: Conversation, kind: str) -> tuple[Json, Json]:
    (step,) = (await talk.say(SENTENCES[kind]))["steps"]
    assert step["status"] == "ok", step["message"]
    (item,) = step["items"]
    assert item["type"] == kind
    return step, item


@pytest.mark.parametrize("kind", SENTENCES)
async def test_every_kind_of_result_is_an_item_with_its_source(talk: Conversation, kind: str) -> None:
    step, item = await item_of(talk, kind)
    assert {"source", "license", "retrievedAt", "sample"} <= item["provenance"].keys()
    assert "geometry" not in item
    facts, whole = len(json.dumps(step["items"])), len(json.dumps(step))
    assert facts < whole / 2 or facts < 2_000


async def test_the_outline_of_a_municipality_is_drawn_once(talk: Conversation) -> None:
    step, item = await item_of(talk, "municipality")
    assert action_types(step) == ["setView", "addLayer"]
    view, outline = (action["payload"] for action in step["mapActions"])
    assert view["extent"] == item["extent"]
    assert (outline["id"], outline["source"]["style"]) == ("municipality-highlight-2581", "highlight")
    assert outline["source"]["data"]["type"] == "Polygon"
    assert "Generalisierte Gemeindegrenzen" in item["provenance"]["source"]


async def test_what_is_known_of_a_point_are_the_items_of_a_click(talk: Conversation, system: System) -> None:
    (step,) = (await talk.say("Was ist an der Koordinate 2600513, 1215519?"))["steps"]
    answered = await system.http.post("/api/identify", json={"x": 2600513, "y": 1215519})
    clicked = [without_clock(item) for item in answered.json()["items"]]
    assert [without_clock(item) for item in step["items"]] == clicked and clicked


async def test_an_extract_is_sent_once(talk: Conversation) -> None:
    step, item = await item_of(talk, "oereb_extract")
    assert step["mapActions"][-1]["payload"]["content"]["createdAt"] == item["createdAt"]
    assert "content" not in item and item["concernedThemes"]


async def test_a_choice_has_no_items(talk: Conversation) -> None:
    (step,) = (await talk.say("Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519"))["steps"]
    assert step["status"] == "needs_user_choice" and "items" not in step


@pytest.mark.parametrize(
    ("sentence", "language"),
    [
        ("Gehe zur Xyzstrasse 4 in Solothurn", "de"),
        ("Zeige die Gemeinde Grenchenwil", "de"),
        ("Lade den Layer Karat", "de"),
        ("Va à l'adresse Xyzstrasse 4, Solothurn", "fr"),
        ("?!?", "it"),
        ("?!?", "en"),
    ],
)
async def test_what_an_answer_names_to_try_can_be_sent(
    talk: Conversation, sentence: str, language: str
) -> None:
    async def said(message: str) -> Json:
        (step,) = answer_of(await talk.post(userMessage=message, language=language))["steps"]
        return dict(step)

    step = await said(sentence)
    assert step["status"] == "needs_clarification"
    for tried in step["suggestions"]:
        answer = await said(tried)
        assert answer["status"] in ("ok", "needs_user_choice"), (tried, answer["message"])


async def test_streams_agents_and_models_get_the_same_items(talk: Conversation, system: System) -> None:
    _, item = await item_of(talk, "address")
    body = {"sessionId": str(uuid4()), "userMessage": SENTENCES["address"]}
    streamed = await system.http.post("/api/chat/stream", json=body)
    frames = [line.removeprefix("data: ") for line in streamed.text.splitlines() if line.startswith("data: ")]
    finished = [event["answer"] for event in map(json.loads, frames) if event.get("answer")]
    assert [without_clock(*step["items"]) for step in finished] == [without_clock(item)]

    events = await run(system, "map", in_thread(SENTENCES["address"], str(uuid4())))
    changes = [change for event in events if event["type"] == "STATE_DELTA" for change in event["delta"]]
    (state,) = [each["value"] for each in changes if "items" in each["value"]]
    assert [without_clock(*state["items"])] == [without_clock(item)]

    async with Client(endpoint(system)) as client:
        told = structured(await client.call_tool("ask", {"message": SENTENCES["address"]}))
    assert [without_clock(*step["items"]) for step in told["steps"]] == [without_clock(item)]


def without_clock(item: dict[str, Any]) -> dict[str, Any]:
    """Without the outline, too, which a click draws by itself, and how good an area is."""
    provenance = {name: value for name, value in item["provenance"].items() if name != "retrievedAt"}
    return {
        name: value for name, value in item.items() if name not in ("geometry", "areaM2", "areaSource")
    } | {"provenance": provenance}
