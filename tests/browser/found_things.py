"""What tools find at a place and in a layer, as the server would say it."""

import json
from typing import Any

from playwright.async_api import Route

from .screen import Screen

Json = dict[str, Any]

REAL = {"source": "Amtliche Vermessung", "license": "", "retrievedAt": "2026-11-20T10:00:00Z"}
SAMPLE = {
    "source": "Beispieldaten",
    "license": "",
    "retrievedAt": "2026-11-22T10:00:00Z",
    "sample": True,
}
ZONES = "ch.so.afu.gewaesserschutz.schutzzonen"
ADDRESS: Json = {"type": "address", "id": "1", "label": "Rötistrasse 4, 4500 Solothurn", "provenance": REAL}
PARCEL: Json = {
    "type": "parcel",
    "id": "CH1",
    "label": "GB-Nr. 2084",
    "egrid": "CH1",
    "number": "2084",
    "municipality": "Biberist",
    "kind": "Liegenschaft",
    "areaM2": 1204,
    "provenance": REAL,
}
HEIGHT: Json = {"type": "height", "id": "h", "label": "440 m", "heightM": 440, "provenance": REAL}
ZONE: Json = {
    "type": "feature",
    "id": "z1",
    "label": "Schutzzone Dilitsch",
    "layer": ZONES,
    "layerLabel": "Grundwasserschutzzonen",
    "attributes": [
        {"name": "Zone", "value": "S2"},
        {"name": "Rechtskraft", "value": "2014-03-18"},
        {"name": "Fläche", "value": 12840, "unit": "m²"},
    ],
    "provenance": SAMPLE,
}
NOTE = "Kein Eintrag hier: «Wanderwege»."
IDENTIFIED: Json = {
    "requestId": "req-1",
    "status": "ok",
    "message": f"Das ist an dieser Stelle bekannt. {NOTE}",
    "note": NOTE,
    "items": [ADDRESS, PARCEL, HEIGHT, ZONE],
}


def site(n: int, east: float, north: float, **properties: Any) -> Json:
    geometry = {"type": "Point", "coordinates": [east, north]}
    return {
        "type": "Feature",
        "id": f"s{n}",
        "geometry": geometry,
        "properties": {"label": f"Ablagerung {n}"} | properties,
    }


SITES = [
    site(n, 2_607_000 + 100 * n, 1_228_300 + 60 * (n % 4), Status=status, Fläche=area)
    for n, (status, area) in enumerate(
        [
            ("belastet", 20),
            ("saniert", 1204.5),
            ('=HYPERLINK("http://evil.example")', 3),
            ("belastet", 41230),
            ("überwachungsbedürftig", 7),
            ("saniert", 900),
            ("belastet", 15),
        ],
        1,
    )
]
TABLE: Json = {
    "id": "features-sites",
    "label": "Belastete Standorte in Solothurn",
    "features": {"type": "FeatureCollection", "features": SITES},
    "columns": [{"name": "Status"}, {"name": "Fläche", "unit": "m²"}],
    "count": 12,
    "provenance": SAMPLE,
}
VIEW: Json = {
    "center": [2_607_400, 1_228_390],
    "zoom": 16,
    "extent": [2_607_100, 1_228_300, 2_607_700, 1_228_480],
    "crs": "EPSG:2056",
}
SAID = "Belastete Standorte in Solothurn: 12."


async def answers_with(screen: Screen, message: str, actions: list[Json], intent: str) -> None:
    """From here on every message has this answer."""
    step = {"intent": intent, "status": "ok", "message": message, "mapActions": actions, "choices": []}
    events: list[tuple[str, Json]] = [
        ("plan.ready", {"detail": {"steps": [{"intent": intent}]}}),
        ("step.finished", {"step": 0, "answer": step, "apply": [{"step": 0, "mapActions": actions}]}),
        ("turn.finished", {"detail": {}, "response": {"steps": [step]}}),
    ]
    frames = (
        f"id: {n}\nevent: {name}\ndata: {json.dumps({'requestId': 'req-1', **data})}\n\n"
        for n, (name, data) in enumerate(events, 1)
    )
    body = "".join(frames)

    async def answer(route: Route) -> None:
        await route.fulfill(body=body, content_type="text/event-stream")

    await screen.page.route("**/api/chat/stream", answer)


async def finds_sites(screen: Screen) -> None:
    actions = [{"type": "addFeatures", "payload": TABLE}, {"type": "setView", "payload": VIEW}]
    await answers_with(screen, SAID, actions, "query_features")
    await screen.say("Welche belasteten Standorte gibt es in Solothurn?")
    await screen.answered(SAID)
