"""From a sentence to map actions, over HTTP, through every service: the three flows, to the letter."""

import pytest

from .running import Conversation, Json, System, action_types, answer_of, layer_ids

pytestmark = pytest.mark.asyncio(loop_scope="session")

WATER_PROTECTION = [
    f"ch.so.afu.gewaesserschutz.{part}" for part in ("schutzzonen", "schutzareale", "fassungen", "quellen")
]
LANGENDORFSTRASSE: Json = {
    "intent": "goto_address",
    "status": "ok",
    "message": "Adresse Langendorfstrasse 19b zentriert.",
    "mapActions": [
        {"type": "setView", "payload": {"center": [2605899.0, 1229278.0], "zoom": 17, "crs": "EPSG:2056"}},
        {
            "type": "addMarker",
            "payload": {
                "id": "addr-623490242",
                "coord": [2605899.0, 1229278.0],
                "style": "pin-default",
                "label": "Langendorfstrasse 19b, 4500 Solothurn",
            },
        },
    ],
    "choices": [],
}


def check_water_protection(step: Json) -> None:
    assert (step["intent"], step["status"]) == ("load_layer", "ok")
    assert step["message"] == "Gewässerschutz-Layer geladen."
    assert action_types(step) == ["addLayer"] * 4
    assert layer_ids(step) == WATER_PROTECTION
    first = step["mapActions"][0]["payload"]
    assert (first["type"], first["visible"]) == ("wms", True)
    assert first["source"]["url"].startswith("https://")
    assert first["source"]["LAYERS"] == WATER_PROTECTION[0]


async def test_a_sentence_with_one_wish(talk: Conversation) -> None:
    response = await talk.say("Gehe zur Langendorfstrasse 19b in Solothurn")
    assert response == {
        "requestId": response["requestId"],
        "overallStatus": "ok",
        "steps": [LANGENDORFSTRASSE],
    }


async def test_a_sentence_with_two_wishes(talk: Conversation) -> None:
    response = await talk.say("Gehe zur Langendorfstrasse 19b in Solothurn und lade den Gewässerschutzlayer")
    assert response["overallStatus"] == "ok"
    centred, loaded = response["steps"]
    assert centred == LANGENDORFSTRASSE
    check_water_protection(loaded)


@pytest.mark.parametrize(
    ("n", "egrid", "number"), [(0, "CH955832730623", "198"), (1, "CH710620327442", "531")]
)
async def test_a_choice_at_a_coordinate_is_offered_and_taken(
    system: System, talk: Conversation, n: int, egrid: str, number: str
) -> None:
    offered = await talk.say("Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519")
    (step,) = offered["steps"]
    assert (step["intent"], step["status"]) == ("oereb_extract", "needs_user_choice")
    assert step["message"] == "Bitte wähle das betroffene Grundstück."
    assert [c["data"]["egrid"] for c in step["choices"]] == ["CH955832730623", "CH710620327442"]
    choice = step["choices"][n]
    assert egrid in choice["label"]
    assert 0 < choice["confidence"] <= 1
    assert list(choice["data"])[:2] == ["egrid", "coord"]
    (preview,) = choice["mapActions"]
    assert preview["type"] == "addMarker"
    assert preview["payload"]["id"] == f"choice-{egrid}"
    assert preview["payload"]["coord"] == choice["data"]["coord"]
    assert preview["payload"]["label"] == f"Grundstück {number}"

    taken = await talk.choose(choice["id"])
    assert taken["requestId"] == offered["requestId"]
    assert taken["overallStatus"] == "ok"
    (step,) = taken["steps"]
    assert (step["intent"], step["status"]) == ("oereb_extract", "ok")
    assert step["message"] == f"ÖREB-Auszug für {egrid} bereit."
    view, marker, outline, extract = step["mapActions"]
    assert (view["type"], view["payload"]["zoom"]) == ("setView", 18)
    assert view["payload"]["center"] == choice["data"]["coord"]
    assert (marker["type"], marker["payload"]["id"]) == ("addMarker", f"oereb-{egrid}")
    assert (outline["type"], outline["payload"]["type"]) == ("addLayer", "geojson")
    assert extract["type"] == "showOerebExtract"
    assert extract["payload"]["egrid"] == egrid
    assert extract["payload"]["url"] == f"https://geo.so.ch/api/oereb/extract/pdf/?EGRID={egrid}"
    assert answer_of(await system.turn(offered["requestId"])) == taken


@pytest.mark.parametrize(
    ("sentence", "statuses", "overall"),
    [
        (
            "Zeige das Grundstück 198 in Messen und gehe zur Rötistrasse in Solothurn",
            ["ok", "needs_user_choice"],
            "needs_user_choice",
        ),
        (
            "Gehe zur Rötistrasse 4 in Solothurn und gehe nach Atlantis",
            ["ok", "needs_clarification"],
            "needs_clarification",
        ),
        (
            "Gehe nach Atlantis und gehe zur Rötistrasse in Solothurn",
            ["needs_clarification", "needs_user_choice"],
            "needs_clarification",
        ),
    ],
)
async def test_the_most_severe_step_is_the_status_of_the_whole(
    talk: Conversation, sentence: str, statuses: list[str], overall: str
) -> None:
    response = await talk.say(sentence)
    assert [step["status"] for step in response["steps"]] == statuses
    assert response["overallStatus"] == overall


async def test_steps_answer_in_the_order_of_the_sentence(talk: Conversation) -> None:
    response = await talk.say(
        "Wechsle zum Luftbild, lade den Waldplan, zeige das Grundstück 198 in Messen und gehe nach Grenchen"
    )
    intents = [step["intent"] for step in response["steps"]]
    assert intents == ["set_background", "load_layer", "show_parcel", "search_place"]
    assert response["overallStatus"] == "ok"


async def test_the_path_without_api_is_the_same(system: System, talk: Conversation) -> None:
    body = {"sessionId": talk.session_id, "userMessage": "Gehe zur Langendorfstrasse 19b in Solothurn"}
    response = answer_of(await system.http.post("/chat", json=body))
    assert response["steps"] == [LANGENDORFSTRASSE]
    assert answer_of(await system.turn(response["requestId"])) == response
