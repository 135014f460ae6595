"""What the OpenAPI description shows: one step, two, a choice and its answer, a message beside a map."""

from typing import Any

_SESSION = "user-42"
_SINGLE, _DOUBLE, _CHOICE = "req-5f0c2a9be1d34476", "req-91d7c30f5a2be864", "req-0b6a4c1fd2e98357"
_CLICK, _BESIDE_MAP = "req-4e2b70d9a8c61f35", "req-c83a1f60e5d7924b"
_LOST = "req-7d91f4c2b80e3a65"
_ZONE = "ch.so.afu.gewaesserschutz.schutzzonen"
_POINT = [2607744.0, 1228431.0]
_PROVENANCE = {"source": "Beispieldaten", "license": "-", "retrievedAt": "2026-11-20T12:00:00Z"}
_CHOSEN = f"{_CHOICE}.0.0"

_GO_TO_ADDRESS: dict[str, Any] = {
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
    "items": [
        {
            "type": "address",
            "id": "7568",
            "label": "Langendorfstrasse 19b, 4500 Solothurn",
            "coord": [2609767.1, 1228437.4],
            "street": "Langendorfstrasse",
            "houseNumber": "19b",
            "postalCode": "4500",
            "locality": "Solothurn",
            "municipality": "Solothurn",
            "provenance": _PROVENANCE | {"match": "exact", "stale": False, "sample": True},
        }
    ],
}

_LOAD_LAYER: dict[str, Any] = {
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
    "items": [
        {
            "type": "layer",
            "id": "ch.so.gws",
            "label": "Gewässerschutz",
            "source": {"type": "wmts", "url": "https://wmts.example/gws", "parameters": {}},
            "visible": True,
            "attribution": "Kanton Solothurn",
            "provenance": _PROVENANCE | {"match": "exact", "stale": False, "sample": True},
        }
    ],
}


def _option(n: int, egrid: str, coord: list[float], confidence: float) -> dict[str, Any]:
    return {
        "id": f"{_CHOICE}.0.{n}",
        "label": f"EGRID {egrid}",
        "confidence": confidence,
        "mapActions": [
            {
                "type": "addMarker",
                "payload": {"id": f"choice-{n}", "coord": coord, "style": "pin-default", "label": egrid},
            }
        ],
        "data": {"egrid": egrid, "coord": coord},
    }


_CHOOSE_PARCEL: dict[str, Any] = {
    "intent": "oereb_extract",
    "status": "needs_user_choice",
    "message": "Bitte wähle das betroffene Grundstück.",
    "mapActions": [],
    "choices": [
        _option(0, "CH1234567891011", [2600513.0, 1215519.0], 0.91),
        _option(1, "CH1234567891012", [2600520.0, 1215525.0], 0.78),
    ],
}

_ZONES = {"code": "ch.Nutzungsplanung", "title": "Nutzungsplanung"}
_EXTRACT: dict[str, Any] = {
    "intent": "oereb_extract",
    "status": "ok",
    "message": "ÖREB-Auszug für CH1234567891011 bereit.",
    "mapActions": [
        {
            "type": "setView",
            "payload": {"center": [2600513.0, 1215519.0], "zoom": 18, "crs": "EPSG:2056"},
        },
        {
            "type": "showOerebExtract",
            "payload": {
                "egrid": "CH1234567891011",
                "url": "https://oereb.example/extract/CH1234567891011.pdf",
                "number": "531",
                "municipality": "Messen",
                "kind": "Baurecht",
                "content": {
                    "concerned": [_ZONES],
                    "withoutData": [{"code": "ch.Waldgrenzen", "title": "Waldgrenzen"}],
                    "restrictions": [
                        {
                            "theme": _ZONES,
                            "text": "Gewerbezone",
                            "lawStatus": "changeWithoutPreEffect",
                            "percent": 41.4,
                        }
                    ],
                },
            },
        },
    ],
    "choices": [],
    "items": [
        {
            "type": "oereb_extract",
            "id": "CH1234567891011",
            "label": "ÖREB-Auszug für CH1234567891011",
            "coord": [2600513.0, 1215519.0],
            "egrid": "CH1234567891011",
            "pdfUrl": "https://oereb.example/extract/CH1234567891011.pdf",
            "number": "531",
            "municipality": "Messen",
            "kind": "Baurecht",
            "concernedThemes": ["Nutzungsplanung"],
            "provenance": _PROVENANCE | {"match": "exact", "stale": False, "sample": True},
        }
    ],
}

_SITE = "ch.so.afu.altlasten.standorte"
_SITES: dict[str, Any] = {
    "intent": "query_features",
    "status": "ok",
    "message": "Kataster der belasteten Standorte im sichtbaren Ausschnitt: 1.\n- Deponie (Fläche: 1200 m²)",
    "mapActions": [
        {
            "type": "addFeatures",
            "payload": {
                "id": f"features-{_SITE}",
                "label": "Kataster der belasteten Standorte",
                "features": {
                    "type": "FeatureCollection",
                    "features": [
                        {
                            "type": "Feature",
                            "id": "22.048.0012A",
                            "geometry": {"type": "Point", "coordinates": [2607810.0, 1228502.0]},
                            "properties": {"label": "Deponie", "Fläche": 1200},
                        }
                    ],
                },
                "columns": [{"name": "Fläche", "unit": "m²"}],
                "count": 1,
                "provenance": _PROVENANCE | {"match": "exact", "stale": False, "sample": True},
            },
        },
    ],
    "choices": [],
    "items": [
        {
            "type": "feature_set",
            "id": _SITE,
            "label": "Kataster der belasteten Standorte im sichtbaren Ausschnitt",
            "layer": _SITE,
            "layerLabel": "Kataster der belasteten Standorte",
            "area": "im sichtbaren Ausschnitt",
            "count": 1,
            "provenance": _PROVENANCE | {"match": "exact", "stale": False, "sample": True},
        }
    ],
}

_NOT_FOUND: dict[str, Any] = {
    "intent": "goto_address",
    "status": "needs_clarification",
    "message": "Keine Adresse «Xyzweg 1» gefunden. Nenne Strasse, Hausnummer und Ort, zum Beispiel "
    "«Langendorfstrasse 19b, Solothurn».",
    "mapActions": [],
    "choices": [],
    "suggestions": ["Gehe zur Adresse Langendorfstrasse 19b, Solothurn"],
}

REQUESTS: dict[str, Any] = {
    "one_step": {
        "summary": "One step",
        "value": {"sessionId": _SESSION, "userMessage": "Gehe zur Langendorfstrasse 19b in Solothurn"},
    },
    "two_steps": {
        "summary": "Two steps",
        "value": {
            "sessionId": _SESSION,
            "userMessage": "Gehe zur Langendorfstrasse 19b in Solothurn und lade den Gewässerschutzlayer",
        },
    },
    "choice": {
        "summary": "A question with several answers",
        "value": {
            "sessionId": _SESSION,
            "userMessage": "Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519",
        },
    },
    "chosen": {
        "summary": "The answer to a choice",
        "value": {"sessionId": _SESSION, "choiceId": _CHOSEN},
    },
    "not_found": {
        "summary": "A place that nobody knows",
        "value": {"sessionId": _SESSION, "userMessage": "Gehe zum Xyzweg 1"},
    },
    "beside_a_map": {
        "summary": "A message beside a map",
        "value": {
            "sessionId": _SESSION,
            "userMessage": "Welche belasteten Standorte gibt es in diesem Ausschnitt?",
            "map": {
                "center": [2607800.0, 1228500.0],
                "extent": [2606300.0, 1227600.0, 2609300.0, 1229400.0],
                "scale": 10000.0,
                "point": _POINT,
                "layers": [{"id": _ZONE, "label": "Grundwasserschutzzonen", "visible": True, "opacity": 1.0}],
            },
        },
    },
}


def _response(request_id: str, status: str, *steps: dict[str, Any]) -> dict[str, Any]:
    return {"requestId": request_id, "overallStatus": status, "steps": list(steps)}


RESPONSES: dict[str, Any] = {
    "one_step": {"summary": "One step", "value": _response(_SINGLE, "ok", _GO_TO_ADDRESS)},
    "two_steps": {
        "summary": "Two steps",
        "value": _response(_DOUBLE, "ok", _GO_TO_ADDRESS, _LOAD_LAYER),
    },
    "choice": {
        "summary": "A choice is needed",
        "value": _response(_CHOICE, "needs_user_choice", _CHOOSE_PARCEL),
    },
    "chosen": {
        "summary": "After the choice, with the same requestId",
        "value": _response(_CHOICE, "ok", _EXTRACT),
    },
    "beside_a_map": {
        "summary": "Features of a layer",
        "value": _response(_BESIDE_MAP, "ok", _SITES),
    },
    "not_found": {
        "summary": "Nothing found, and what to say instead",
        "value": _response(_LOST, "needs_clarification", _NOT_FOUND),
    },
}

RUNNING: dict[str, Any] = {
    "requestId": _DOUBLE,
    "state": "running",
    "steps": [
        {"intent": "goto_address", "state": "done"},
        {"intent": "load_layer", "state": "working"},
    ],
    "rounds": [{"state": "running", "exchanges": ["6f1d2c3b4a596877"]}],
}

IDENTIFY: dict[str, Any] = {
    "sessionId": _SESSION,
    "x": _POINT[0],
    "y": _POINT[1],
    "layers": [_ZONE],
    "tolerance": 5.0,
}

IDENTIFIED: dict[str, Any] = {
    "requestId": _CLICK,
    "status": "ok",
    "message": "Das ist an dieser Stelle bekannt. Beispieldaten.",
    "items": [
        {
            "type": "feature",
            "id": "s3-12",
            "label": "Zone S3",
            "coord": _POINT,
            "layer": _ZONE,
            "layerLabel": "Grundwasserschutzzonen",
            "attributes": [{"name": "Zone", "value": "S3"}],
            "provenance": _PROVENANCE | {"match": "exact", "stale": False, "sample": True},
        },
    ],
}

LAYER: dict[str, Any] = {
    "type": "layer",
    "id": _ZONE,
    "label": "Grundwasserschutzzonen",
    "source": {
        "type": "wms",
        "url": "https://geo.so.ch/api/wms",
        "parameters": {"LAYERS": _ZONE, "FORMAT": "image/png", "TRANSPARENT": "true"},
    },
    "attribution": "Amt für Umwelt",
    "provenance": _PROVENANCE | {"match": "exact", "stale": False, "sample": True},
}

SHARED_MAP: dict[str, Any] = {
    "view": {"center": _POINT, "resolution": 2.5},
    "background": "sw",
    "layers": [
        {
            "id": _ZONE,
            "type": "wms",
            "source": {"url": "https://geo.so.ch/api/wms", "LAYERS": _ZONE},
            "visible": True,
            "label": "Grundwasserschutzzonen",
            "opacity": 0.6,
        }
    ],
    "markers": [{"id": "addr-7568", "coord": _POINT, "style": "pin-default", "label": "Rötistrasse 4"}],
}

_KEPT: dict[str, Any] = {"title": "Gehe zur Rötistrasse 4 in Solothurn", "at": "2026-11-23T15:04:00Z"}

CONVERSATION_PUT: dict[str, Any] = _KEPT | {"content": '{"exchanges": []}'}

CONVERSATION: dict[str, Any] = {"id": "4f1c2a", **CONVERSATION_PUT}

CONVERSATIONS: dict[str, Any] = {"conversations": [{"id": "4f1c2a", **_KEPT}]}

SUGGESTIONS: dict[str, Any] = {
    "items": [
        {
            "kind": "address",
            "label": "Langendorfstrasse 19b, 4500 Solothurn",
            "coord": [2605899.0, 1229278.0],
        },
    ],
    "from": 10,
}

SHARE: dict[str, Any] = {
    "id": "8mVbX2cQfL0_tNsE",
    "url": "/#share=8mVbX2cQfL0_tNsE",
    "expiresAt": "2026-12-23T15:04:00Z",
}

FEEDBACK: dict[str, Any] = {
    "sessionId": _SESSION,
    "requestId": "req-00f1a2b3c4d5e6f7",
    "verdict": "down",
    "reason": "wrong_place",
    "comment": "Das ist die Strasse in Olten.",
}

SESSION: dict[str, Any] = {"sessionId": _SESSION}

TOOLS: dict[str, Any] = {
    "tools": [
        {
            "capability": "geolocation.geocode",
            "service": "tools-geo",
            "description": "Finds an address.",
            "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
            "resultTypes": ["address"],
            "selects": True,
            "phrases": ["gehe zu"],
            "version": "3f6b0a8d21c4",
        }
    ],
    "models": [{"service": "planner", "use": "plan", "model": "gpt-5-mini"}],
}
