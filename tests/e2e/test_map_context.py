"""A client that tells what its map shows, and one that clicks on it, on the embedded data."""

import json
from uuid import uuid4

import httpx
import pytest
from contracts import keys
from contracts.turns import TurnEventKind

from .running import Conversation, Json, System, action_types, answer_of, problem_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

ZONES = "ch.so.afu.gewaesserschutz.schutzzonen"
CLICKED = {"x": 2605899, "y": 1229278, "layers": [ZONES]}
VIEW = {"center": [2605899, 1229278], "extent": [2604899, 1228278, 2606899, 1230278], "scale": 10_000}
LAYERS = [
    {"id": "ch.so.awjf.wald", "label": "Waldplan", "visible": False, "opacity": 0.5, "order": 1},
    {"id": ZONES, "label": "Grundwasserschutzzonen", "order": 0},
]


async def click(system: System, **body: object) -> httpx.Response:
    return await system.http.post("/api/identify", json=CLICKED | body)


def found_by(answered: httpx.Response) -> Json:
    assert answered.status_code == 200, answered.text
    told: Json = answered.json()
    assert list(told) == ["requestId", "status", "message", "items"]
    assert answered.headers["ask-request-id"] == told["requestId"]
    return told


async def test_a_click_tells_the_place_and_what_the_layers_have_there(system: System) -> None:
    told = found_by(await click(system))
    assert told["status"] == "ok"
    kinds = [item["type"] for item in told["items"]]
    assert (kinds[0], kinds[-1]) == ("address", "feature")
    assert "height" in kinds
    zone = told["items"][-1]
    assert (zone["layer"], zone["provenance"]["sample"]) == (ZONES, True)
    assert zone["attributes"] and told["message"]


async def test_a_click_is_one_call_and_nothing_that_is_remembered(system: System, talk: Conversation) -> None:
    told = found_by(await click(system, sessionId=talk.session_id))
    assert await system.count(told["requestId"], TurnEventKind.TOOL_CALLED) == 1
    assert await system.count(told["requestId"], TurnEventKind.PLAN_READY) == 0
    for of_session in (keys.history, keys.selection, keys.layers, keys.results):
        assert not await system.redis.exists(of_session(talk.inside))
    await talk.forget()
    assert (await system.turn(told["requestId"])).status_code == 404


async def test_a_click_is_told_in_the_language_that_is_wanted(system: System) -> None:
    german, french = [found_by(await click(system, language=tag))["message"] for tag in ("de", "fr")]
    assert german != french


async def test_a_click_beside_the_country_is_said(system: System) -> None:
    told = found_by(await click(system, x=0, y=0))
    assert told["status"] in ("error", "needs_clarification") and told["message"]
    assert told["items"] == []


async def test_what_is_no_point_is_a_problem(system: System) -> None:
    assert problem_of(await click(system, x="here"))["code"] == "invalid_request"


async def test_the_layers_of_the_map_are_what_a_message_is_about(system: System, talk: Conversation) -> None:
    told = VIEW | {"layers": LAYERS}
    removed = answer_of(await talk.post(userMessage="Entferne den Waldplan", map=told))
    (step,) = removed["steps"]
    assert step["mapActions"] == [{"type": "removeLayer", "payload": {"id": "ch.so.awjf.wald"}}]
    (kept,) = await system.redis.hvals(keys.layers(talk.inside))
    layer = json.loads(kept)
    assert (layer["id"], layer["visible"], layer["opacity"]) == (ZONES, True, 1)


async def test_here_is_where_the_map_is_and_where_its_user_has_clicked(talk: Conversation) -> None:
    clicked = VIEW | {"point": [2605900, 1229280]}
    said = [
        answer_of(await talk.post(userMessage="Wie hoch liegt es hier?", map=shown))["steps"][0]
        for shown in (VIEW, clicked)
    ]
    assert [(step["intent"], step["status"]) for step in said] == [("height_query", "ok")] * 2
    assert said[0]["message"] != said[1]["message"]


async def test_what_is_done_to_a_layer_is_remembered(system: System, talk: Conversation) -> None:
    await talk.say("Lade den Waldplan")
    faded = await talk.say("Mach den Waldplan halb durchsichtig")
    assert set(action_types(faded["steps"][0])) == {"setLayerOpacity"}
    kept = [json.loads(each) for each in await system.redis.hvals(keys.layers(talk.inside))]
    assert kept and {layer["opacity"] for layer in kept} == {0.5}


async def test_an_agent_is_told_the_map_in_its_state(system: System) -> None:
    body = {
        "threadId": str(uuid4()),
        "runId": str(uuid4()),
        "messages": [{"id": "1", "role": "user", "content": "Entferne den Waldplan"}],
        "state": {"map": VIEW | {"layers": LAYERS}},
    }
    answered = await system.http.post("/api/ag-ui/map", json=body)
    frames = [frame for frame in answered.text.split("\n\n") if "data: " in frame]
    events = [json.loads(frame.split("data: ")[1]) for frame in frames]
    (snapshot,) = [event["snapshot"] for event in events if event["type"] == "STATE_SNAPSHOT"]
    assert [layer["id"] for layer in snapshot["layers"]] == [ZONES, "ch.so.awjf.wald"]
    changes = {
        change["path"]: change["value"]
        for e in events
        for change in e.get("delta", ())
        if e["type"] == "STATE_DELTA"
    }
    assert [layer["id"] for layer in changes["/layers"]] == [ZONES]
    assert events[-1]["outcome"] == {"type": "success"}
