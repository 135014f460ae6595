"""The map as input: where it is, what it shows, what was clicked; and what of it is answered from data."""

from typing import Any

import pytest
from contracts.items import Coord

from .running import Conversation, System, action_types, answer_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

OLTEN: Coord = (2635345, 1244330)
SOLOTHURN: Coord = (2607094, 1228788)
SITES = "ch.so.afu.altlasten.standorte"
WAYS = {"id": "ch.so.arp.wanderwege_mit_sperrungen_umleitungen", "label": "Wanderwege"}
WOODS = {"id": "ch.so.awjf.waldplan.waldplantyp", "label": "Waldplan - Typ"}


def around(center: Coord, *layers: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A map of 2 by 2 km; the layers from the lowest."""
    east, north = center
    extent = [east - 1000, north - 1000, east + 1000, north + 1000]
    placed = [layer | {"order": n} for n, layer in enumerate(layers)]
    return {"center": list(center), "extent": extent, "scale": 10_000, "layers": placed} | more


async def step_of(talk: Conversation, message: str, shown: dict[str, Any]) -> dict[str, Any]:
    response = answer_of(await talk.post(userMessage=message, map=shown))
    (step,) = response["steps"]
    return dict(step)


def payload_of(step: dict[str, Any], action: str) -> dict[str, Any]:
    (found,) = [each["payload"] for each in step["mapActions"] if each["type"] == action]
    return dict(found)


# -- here ------------------------------------------------------------------------------------------


async def test_here_is_where_the_map_is_now(talk: Conversation) -> None:
    await talk.say("Gehe zur Rötistrasse 4 in Solothurn")
    step = await step_of(talk, "Wie hoch liegt es hier?", around(OLTEN))
    assert (step["intent"], step["status"]) == ("height_query", "ok")
    assert "Mitte" in step["message"]
    assert payload_of(step, "addMarker")["coord"] == list(OLTEN)


async def test_here_is_the_selection_as_long_as_it_is_in_view(talk: Conversation) -> None:
    await talk.say("Gehe zur Rötistrasse 4 in Solothurn")
    step = await step_of(talk, "Wie hoch liegt es hier?", around(SOLOTHURN))
    assert payload_of(step, "addMarker")["coord"] == [2607888, 1228249]


async def test_here_is_what_was_clicked(talk: Conversation) -> None:
    await talk.say("Gehe zur Rötistrasse 4 in Solothurn")
    point = [2600597, 1215632]
    step = await step_of(talk, "Welche Parzelle ist das hier?", around(SOLOTHURN, point=point))
    assert (step["intent"], step["status"]) == ("show_parcel", "ok")
    assert "168" in step["message"]


# -- what is there ---------------------------------------------------------------------------------


async def test_a_point_tells_what_is_there(talk: Conversation) -> None:
    step = await step_of(talk, "Was ist hier?", around(SOLOTHURN, point=[2600513, 1215519]))
    assert (step["intent"], step["status"]) == ("identify", "ok")
    assert "198" in step["message"] and "m ü. M." in step["message"]


async def test_features_are_counted_in_a_municipality(talk: Conversation) -> None:
    step = await step_of(talk, "Wie viele belastete Standorte gibt es in Olten?", around(SOLOTHURN))
    assert (step["intent"], step["status"]) == ("query_features", "ok")
    table = payload_of(step, "addFeatures")
    assert table["count"] == len(table["features"]["features"]) > 1
    assert str(table["count"]) in step["message"]
    assert table["provenance"]["sample"] is True


async def test_features_are_counted_in_what_is_seen(talk: Conversation) -> None:
    message = "Wie viele belastete Standorte gibt es in diesem Ausschnitt?"
    step = await step_of(talk, message, around(OLTEN))
    east, north = OLTEN
    for feature in payload_of(step, "addFeatures")["features"]["features"]:
        x, y = feature["geometry"]["coordinates"]
        assert abs(x - east) <= 1000 and abs(y - north) <= 1000


async def test_none_is_an_answer(talk: Conversation) -> None:
    step = await step_of(talk, "Wie viele belastete Standorte gibt es in Kammersrohr?", around(OLTEN))
    assert (step["intent"], step["status"]) == ("query_features", "ok")
    assert "addFeatures" not in action_types(step)


async def test_the_distance_is_arithmetic(talk: Conversation) -> None:
    step = await step_of(talk, "Wie weit ist es von Olten nach Solothurn?", around(OLTEN))
    assert (step["intent"], step["status"]) == ("measure_distance", "ok")
    assert "32,2" in step["message"] or "32.2" in step["message"]


# -- layers ----------------------------------------------------------------------------------------


async def test_layers_are_arranged_by_word(talk: Conversation) -> None:
    shown = around(SOLOTHURN, WAYS, WOODS)
    faint = await step_of(talk, "Mach den Waldplan halb durchsichtig", shown)
    assert payload_of(faint, "setLayerOpacity") == {"id": WOODS["id"], "opacity": 0.5}
    moved = await step_of(talk, "Lege die Wanderwege zuoberst", shown)
    assert payload_of(moved, "moveLayer") == {"id": WAYS["id"], "order": 1}
    hidden = await step_of(talk, "Blende den Waldplan aus", shown)
    assert payload_of(hidden, "setLayerVisibility") == {"id": WOODS["id"], "visible": False}


async def test_the_last_change_is_undone(talk: Conversation) -> None:
    step = await step_of(talk, "Mach das rückgängig", around(SOLOTHURN))
    assert payload_of(step, "undo") == {"steps": 1}


async def test_a_session_knows_what_is_hidden(talk: Conversation, system: System) -> None:
    shown = around(SOLOTHURN, WAYS, WOODS | {"visible": False})
    step = await step_of(talk, "Was ist geladen?", shown)
    assert "ausgeblendet" in step["message"]
    again = answer_of(await talk.post(userMessage="Was ist geladen?"))
    assert "ausgeblendet" in again["steps"][0]["message"]
