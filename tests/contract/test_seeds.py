"""The JSON between client and server, to the letter: key names, key order, statuses, actions."""

import json
from typing import Any

import pytest
from contracts.chat import ChatRequest, ChatResponse, choice_id, turn_of
from contracts.status import Status, worst
from pydantic import ValidationError

SINGLE_STEP: dict[str, Any] = {
    "requestId": "req-geo-01",
    "overallStatus": "ok",
    "steps": [
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
    ],
}
LAYER_STEP: dict[str, Any] = {
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
            },
        }
    ],
    "choices": [],
}
CHOICE: dict[str, Any] = {
    "requestId": "req-oereb-03",
    "overallStatus": "needs_user_choice",
    "steps": [
        {
            "intent": "oereb_extract",
            "status": "needs_user_choice",
            "message": "Bitte wähle das betroffene Grundstück.",
            "mapActions": [],
            "choices": [
                {
                    "id": "p1",
                    "label": "EGRID CH1234567891011 – Parzelle A",
                    "confidence": 0.91,
                    "mapActions": [
                        {
                            "type": "addMarker",
                            "payload": {
                                "id": "choice-p1",
                                "coord": [2600513.0, 1215519.0],
                                "style": "pin-default",
                                "label": "Parzelle A",
                            },
                        }
                    ],
                    "data": {"egrid": "CH1234567891011", "coord": [2600513, 1215519]},
                },
            ],
        }
    ],
}
EXTRACT: dict[str, Any] = {
    "requestId": "req-oereb-03",
    "overallStatus": "ok",
    "steps": [
        {
            "intent": "oereb_extract",
            "status": "ok",
            "message": "ÖREB-Auszug für CH1234567891011 bereit.",
            "mapActions": [
                {
                    "type": "showOerebExtract",
                    "payload": {
                        "egrid": "CH1234567891011",
                        "url": "https://oereb.example/extract/CH1234567891011.pdf",
                    },
                }
            ],
            "choices": [],
        }
    ],
}


@pytest.mark.parametrize(
    "document",
    [SINGLE_STEP, SINGLE_STEP | {"steps": [*SINGLE_STEP["steps"], LAYER_STEP]}, CHOICE, EXTRACT],
    ids=["single step", "two steps", "choice", "extract"],
)
def test_a_response_is_written_as_it_was_agreed(document: dict[str, Any]) -> None:
    read = ChatResponse.model_validate(document)
    assert json.dumps(json.loads(read.to_json())) == json.dumps(document)


@pytest.mark.parametrize(
    "body",
    [
        {"sessionId": "user-42", "userMessage": "Lade die ÖREB-Auszüge für die Parzelle 1234"},
        {"sessionId": "user-42", "userMessage": "Lade …", "choiceId": "oereb-1"},
        {"sessionId": "user-42", "choiceId": "oereb-1"},
    ],
)
def test_a_request_is_read_as_it_was_agreed(body: dict[str, str]) -> None:
    assert json.loads(ChatRequest.model_validate(body).to_json()) == body


@pytest.mark.parametrize(
    "body",
    [
        {"userMessage": "x"},
        {"sessionId": "s"},
        {"sessionId": " ", "userMessage": "x"},
        {"sessionId": "s", "userMessage": "  "},
        {"sessionId": "s" * 129, "userMessage": "x"},
        {"sessionId": "s", "userMessage": "x" * 4001},
        {"sessionId": "s", "userMessage": "x", "surprise": 1},
    ],
)
def test_a_request_that_cannot_be_meant_is_refused(body: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ChatRequest.model_validate(body)


def test_the_overall_status_is_the_most_severe_one() -> None:
    order = [Status.ERROR, Status.NEEDS_CLARIFICATION, Status.NEEDS_USER_CHOICE, Status.OK]
    for n, status in enumerate(order):
        assert worst(order[n:]) is status
        assert worst(reversed(order[n:])) is status
    assert worst([]) is Status.OK


def test_a_choice_id_knows_its_turn() -> None:
    assert turn_of(choice_id("req-1a2b", 3, 12)) == "req-1a2b"


@pytest.mark.parametrize(
    "foreign", ["", "p1", "req-1", "req-1.0", "req-1.0.x", ".0.1", "a.b.c", "req-1.0.1.2", "r.².1"]
)
def test_a_foreign_choice_id_knows_none(foreign: str) -> None:
    assert turn_of(foreign) is None
