"""The answers that clients were promised, to the letter: keys, their order, and the order of actions."""

import json

from contracts.chat import Step
from contracts.items import LayerGroup

from actionplanner.planning import plan

from .actionplanner_samples import ADDRESS, BUILDING_RIGHT, EXTRACT, PARCEL, answer, as_json, layer, request


def written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def promised(step: Step) -> dict[str, object]:
    """Without the facts for cards, which came later and stand behind all that was promised."""
    told: dict[str, object] = as_json(step)
    assert list(told)[-1] == "items"
    del told["items"]
    return told


def test_an_address_is_centred_and_marked() -> None:
    assert written(promised(answer("goto_address", ADDRESS))) == written(
        {
            "intent": "goto_address",
            "status": "ok",
            "message": "Adresse Langendorfstrasse 19b zentriert.",
            "mapActions": [
                {
                    "type": "setView",
                    "payload": {"center": [2609767.1, 1228437.4], "zoom": 17, "crs": "EPSG:2056"},
                },
                {
                    "type": "addMarker",
                    "payload": {
                        "id": "addr-7568",
                        "coord": [2609767.1, 1228437.4],
                        "style": "pin-default",
                        "label": "Langendorfstrasse 19b, 4500 Solothurn",
                    },
                },
            ],
            "choices": [],
        }
    )


def test_a_layer_is_added() -> None:
    found = layer("ch.so.gws", "Gewässerschutz", attribution="Kanton Solothurn")
    assert written(promised(answer("load_layer", found))) == written(
        {
            "intent": "load_layer",
            "status": "ok",
            "message": "Gewässerschutz-Layer geladen.",
            "mapActions": [
                {
                    "type": "addLayer",
                    "payload": {
                        "id": "ch.so.gws",
                        "type": "wmts",
                        "source": {"url": "https://wmts.example/gws"},
                        "visible": True,
                        "label": "Gewässerschutz",
                        "attribution": "Kanton Solothurn",
                    },
                },
            ],
            "choices": [],
        }
    )


def test_several_parcels_are_a_choice() -> None:
    step, options = plan(request("oereb_extract", PARCEL, BUILDING_RIGHT, choose=True))
    assert options == (PARCEL, BUILDING_RIGHT)
    assert written(as_json(step)) == written(
        {
            "intent": "oereb_extract",
            "status": "needs_user_choice",
            "message": "Bitte wähle das betroffene Grundstück.",
            "mapActions": [],
            "choices": [
                {
                    "id": "req-1.2.0",
                    "label": "EGRID CH955832730623 – Grundstück 198 Messen (Liegenschaft: der Boden selbst)",
                    "confidence": 0.91,
                    "mapActions": [
                        {
                            "type": "addMarker",
                            "payload": {
                                "id": "choice-p1",
                                "coord": [2600513.0, 1215519.0],
                                "style": "pin-default",
                                "label": "Grundstück 198",
                            },
                        }
                    ],
                    "data": {
                        "egrid": "CH955832730623",
                        "coord": [2600513.0, 1215519.0],
                        "type": "parcel",
                        "id": "p1",
                        "number": "198",
                        "municipality": "Messen",
                        "kind": "Liegenschaft",
                    },
                },
                {
                    "id": "req-1.2.1",
                    "label": (
                        "EGRID CH710620327442 – Grundstück 531 Messen "
                        "(Baurecht: das Recht, auf fremdem Boden zu bauen)"
                    ),
                    "confidence": 0.78,
                    "mapActions": [
                        {
                            "type": "addMarker",
                            "payload": {
                                "id": "choice-p2",
                                "coord": [2600520.0, 1215525.0],
                                "style": "pin-default",
                                "label": "Grundstück 531",
                            },
                        }
                    ],
                    "data": {
                        "egrid": "CH710620327442",
                        "coord": [2600520.0, 1215525.0],
                        "type": "parcel",
                        "id": "p2",
                        "number": "531",
                        "municipality": "Messen",
                        "kind": "Baurecht",
                    },
                },
            ],
        }
    )


def test_an_extract_is_shown_at_its_place() -> None:
    message = "ÖREB-Auszug für CH1234567891011 bereit."
    assert written(promised(answer("oereb_extract", EXTRACT, message=message))) == written(
        {
            "intent": "oereb_extract",
            "status": "ok",
            "message": "ÖREB-Auszug für CH1234567891011 bereit.",
            "mapActions": [
                {
                    "type": "setView",
                    "payload": {"center": [2600513.0, 1215519.0], "zoom": 18, "crs": "EPSG:2056"},
                },
                {
                    "type": "addMarker",
                    "payload": {
                        "id": "oereb-CH1234567891011",
                        "coord": [2600513.0, 1215519.0],
                        "style": "pin-default",
                        "label": "CH1234567891011",
                    },
                },
                {
                    "type": "showOerebExtract",
                    "payload": {
                        "egrid": "CH1234567891011",
                        "url": "https://oereb.example/extract/CH1234567891011.pdf",
                    },
                },
            ],
            "choices": [],
        }
    )


def test_a_group_becomes_its_layers_in_order() -> None:
    group = LayerGroup(
        id="ch.so.awjf.waldplan::group",
        label="Waldplan (Gruppe)",
        layers=(layer("w.typ", "Wald - Typ"), layer("w.funktion", "Wald - Funktion")),
    )
    step = answer("load_layer", group)
    assert step.message == "Waldplan-Layer geladen."
    assert [action["payload"]["id"] for action in as_json(step)["mapActions"]] == ["w.typ", "w.funktion"]
