"""What a person sees."""

from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import pytest
from contracts.actions import (
    AddFeatures,
    AddLayer,
    AddMarker,
    ClearMap,
    Extract,
    FeaturesId,
    FeatureTable,
    LayerId,
    LayerOpacity,
    LayerOrder,
    LayerVisibility,
    MapAction,
    MapLayer,
    Marker,
    MarkerId,
    MoveLayer,
    RemoveFeatures,
    RemoveLayer,
    RemoveMarker,
    SetBackground,
    SetLayerOpacity,
    SetLayerVisibility,
    SetView,
    ShowLegend,
    ShowOerebExtract,
    Steps,
    Undo,
    View,
)
from contracts.actions import BackgroundChoice as Choosing
from contracts.chat import ChatResponse, Choice, Step
from contracts.intents import Background
from contracts.status import Status
from contracts.tools import ModelUse, ToolDescriptor, ToolList
from contracts.turns import TurnEvent, TurnEventKind
from rich.console import Console

from ask.rendering import action_text, show_response, show_tools, show_turn, what, with_links

_VIEW = SetView(payload=View(center=(2609767.1, 1228437.4), zoom=17))
_EXTENT = SetView(payload=View(center=(0, 0), zoom=3, extent=(2592000, 1213000, 2645000, 1262000)))
_MARKER = AddMarker(payload=Marker(id="addr-1", coord=(2609767.1, 1228437.4), label="Langendorfstrasse 19b"))
_LAYER = AddLayer(payload=MapLayer(id="ch.so.gws", type="wms", source={"url": "x"}, label="Gewässerschutz"))

_SUMMARIES: list[tuple[Any, str]] = [
    (_VIEW, "Ansicht 2609767 / 1228437, Zoom 17"),
    (_EXTENT, "Ansicht auf Ausschnitt"),
    (_MARKER, "Markierung «Langendorfstrasse 19b»"),
    (RemoveMarker(payload=MarkerId(id="addr-1")), "Markierung «addr-1» weg"),
    (RemoveMarker(payload=MarkerId(id="*")), "alle Markierungen weg"),
    (
        AddFeatures(payload=FeatureTable(id="f", label="Standorte in Olten", features={}, count=12)),
        "«Standorte in Olten» (12)",
    ),
    (RemoveFeatures(payload=FeaturesId(id="f")), "Objekte «f» weg"),
    (RemoveFeatures(payload=FeaturesId(id="*")), "alle Objekte weg"),
    (_LAYER, "Ebene «Gewässerschutz»"),
    (RemoveLayer(payload=LayerId(id="ch.so.gws")), "Ebene «ch.so.gws» weg"),
    (SetLayerVisibility(payload=LayerVisibility(id="gws", visible=False)), "Ebene «gws» unsichtbar"),
    (SetLayerOpacity(payload=LayerOpacity(id="gws", opacity=0.3)), "Ebene «gws» zu 30 % deckend"),
    (MoveLayer(payload=LayerOrder(id="gws", order=0)), "Ebene «gws» an Stelle 1 von unten"),
    (ShowLegend(payload=LayerId(id="gws")), "Legende zu «gws»"),
    (SetBackground(payload=Choosing(background=Background.AERIAL)), "Hintergrund «ortho»"),
    (ClearMap(), "Karte leer"),
    (Undo(payload=Steps(steps=2)), "rückgängig: 2"),
    (ShowOerebExtract(payload=Extract(egrid="CH1", url="http://x/1.pdf")), "ÖREB-Auszug http://x/1.pdf"),
    (ShowOerebExtract(payload=Extract(egrid="CH1", url="")), "ÖREB-Auszug CH1"),
]

CHOICES = (
    Choice(id="req-1.0.0", label="EGRID CH1 – Parzelle [A]", confidence=0.91),
    Choice(id="req-1.0.1", label="EGRID CH2 – Parzelle B"),
)
ASKING = ChatResponse.of(
    "req-1",
    (
        Step(
            intent="goto_address",
            status=Status.OK,
            message="Adresse zentriert.",
            map_actions=(_VIEW, _MARKER),
        ),
        Step(
            intent="oereb_extract",
            status=Status.NEEDS_USER_CHOICE,
            message="Bitte wähle ein Grundstück.",
            choices=CHOICES,
        ),
    ),
)


def _console(width: int = 100) -> Console:
    return Console(record=True, width=width, highlight=False, force_terminal=False, quiet=False)


@pytest.mark.parametrize(("action", "words"), _SUMMARIES)
def test_a_map_action_in_a_few_words(action: MapAction, words: str) -> None:
    assert action_text(action) == words


def test_every_kind_of_map_action_has_its_words() -> None:
    kinds = set(get_args(get_args(MapAction)[0]))
    assert kinds == {type(action) for action, _ in _SUMMARIES}


def test_a_response_shows_every_step_its_map_actions_and_its_options() -> None:
    console = _console()
    show_response(console, ASKING)
    assert [line.rstrip() for line in console.export_text().splitlines()] == [
        "✔ Adresse zentriert.  goto_address",
        "  Karte: Ansicht 2609767 / 1228437, Zoom 17 · Markierung «Langendorfstrasse 19b»",
        "? Bitte wähle ein Grundstück.  oereb_extract",
        "   1  EGRID CH1 – Parzelle [A]  (91 %)   --choice req-1.0.0",
        "   2  EGRID CH2 – Parzelle B   --choice req-1.0.1",
        "  Weiter mit: ask chat --choice ID",
    ]


def test_where_the_user_will_be_asked_no_options_are_shown() -> None:
    console = _console()
    show_response(console, ASKING, options=False)
    shown = console.export_text()
    assert "Bitte wähle ein Grundstück." in shown
    assert "Parzelle B" not in shown
    assert "--choice" not in shown


def test_a_plan_is_shown_with_an_address_that_a_terminal_can_open() -> None:
    console = _console()
    path = f"/api/prints/{'0f' * 16}"
    step = Step(intent="cadastral_plan", status=Status.OK, message=f"Erstellt.\nPDF: {path} (bis 14:30 Uhr)")
    show_response(console, ChatResponse.of("r", (step,)), base_url="http://127.0.0.1:8080")
    assert f"PDF: http://127.0.0.1:8080{path} (bis 14:30 Uhr)" in console.export_text()


@pytest.mark.parametrize("message", ["1:1000 / 5 m", "https://a.example/api/prints/x", "/api/chat und/oder"])
def test_what_is_no_path_of_a_print_stays_as_it_is(message: str) -> None:
    assert with_links(message, "http://here") == message


@pytest.mark.parametrize(
    ("status", "icon"),
    [("ok", "✔"), ("needs_user_choice", "?"), ("needs_clarification", "…"), ("error", "✖")],
)
def test_every_status_has_its_icon(status: str, icon: str) -> None:
    console = _console()
    show_response(console, ChatResponse.of("r", (Step(intent="i", status=Status(status), message="m"),)))
    assert console.export_text().startswith(f"{icon} m")


def test_a_turn_shows_the_milliseconds_since_its_start_and_steps_from_one() -> None:
    start = datetime(2026, 1, 2, 3, 4, 5, 678_000, UTC)

    def event(n: int, after_ms: float, kind: TurnEventKind, **more: Any) -> TurnEvent:
        at = start + timedelta(milliseconds=after_ms)
        return TurnEvent(request_id="r", session_id="s", n=n, round=0, kind=kind, at=at, **more)

    console = _console()
    show_turn(
        console,
        [
            event(0, 0, TurnEventKind.STARTED, detail={"message": "Gehe\nzu"}),
            event(1, 2.25, TurnEventKind.STEP_FINISHED, step=0, answer=ASKING.steps[0]),
            event(2, 12, TurnEventKind.FINISHED, response=ASKING),
        ],
    )
    lines = [line.split() for line in console.export_text().splitlines()]
    local = start.astimezone().strftime("%H:%M:%S")
    assert lines[0] == ["Beginn", f"{local}.678"]
    assert lines[2] == ["0.0", "turn.started", "Gehe", "zu"]
    assert lines[3] == ["2.2", "1", "step.finished", "ok:", "Adresse", "zentriert."]
    assert lines[4] == ["12.0", "turn.finished", "needs_user_choice"]


@pytest.mark.parametrize(
    ("detail", "words"),
    [
        (
            {
                "planner": "rules",
                "steps": [
                    {"intent": "oereb_extract", "calls": ["oereb.egrid_by_xy", "oereb.extract_by_id"]},
                    {"intent": "clear_map", "calls": []},
                ],
            },
            "rules: oereb_extract (oereb.egrid_by_xy > oereb.extract_by_id) · clear_map",
        ),
        (
            {"capability": "oereb.egrid_by_xy", "args": {"x": 2600513.0, "y": 1215519.5}},
            "oereb.egrid_by_xy(x=2600513, y=1215519.5)",
        ),
        (
            {"capability": "layers.search", "status": "ok", "items": 8, "durationMs": 0.4},
            "layers.search: ok, 8 Treffer, 0.4 ms",
        ),
        ({"choiceId": "req-1.0.1", "label": "Messen"}, "choiceId=req-1.0.1 label=Messen"),
        ({"planner": "rules"}, "planner=rules"),
    ],
)
def test_the_details_of_an_event_are_said_in_short(detail: dict[str, Any], words: str) -> None:
    at = datetime(2026, 1, 2, tzinfo=UTC)
    event = TurnEvent(
        request_id="r", session_id="s", n=0, round=0, kind=TurnEventKind.PLAN_READY, at=at, detail=detail
    )
    assert what(event) == words


def test_of_several_lines_one_sees_where_each_begins() -> None:
    console = _console(40)
    message = (
        "Auszug bereit.\nNutzungsplanung – in Kraft: Wohnzone zweigeschossig\nNicht betroffen: 19 Themen."
    )
    show_response(console, ChatResponse.of("r", (Step(intent="i", status=Status.OK, message=message),)))
    assert [line.rstrip() for line in console.export_text().splitlines()] == [
        "✔ Auszug bereit.  i",
        "  Nutzungsplanung – in Kraft: Wohnzone",
        "    zweigeschossig",
        "  Nicht betroffen: 19 Themen.",
    ]


def test_long_lines_are_broken_at_words_and_keep_their_place() -> None:
    console = Console(record=True, width=50, force_terminal=True, color_system=None, highlight=False)
    choice = Choice(
        id="req-1.0.0", label="EGRID CH1 – Grundstück 168 Messen (Grundbuch Balm)", confidence=0.9
    )
    step = Step(
        intent="show_parcel",
        status=Status.NEEDS_USER_CHOICE,
        message="Bitte wähle.\nZweite Zeile.",
        choices=(choice, choice),
    )
    show_response(console, ChatResponse.of("r", (step,)))
    assert console.export_text().splitlines()[:5] == [
        "? Bitte wähle.  show_parcel",
        "  Zweite Zeile.",
        "   1  EGRID CH1 – Grundstück 168 Messen (Grundbuch",
        "      Balm)  (90 %)",
        "      --choice req-1.0.0",
    ]


def test_an_outline_has_no_name() -> None:
    outline = MapLayer(id="parcel-highlight-CH1", type="geojson", source={"data": {}})
    assert action_text(AddLayer(payload=outline)) == "Umriss"


def test_tools_are_sorted_and_optional_arguments_are_in_parentheses() -> None:
    def tool(capability: str, parameters: dict[str, Any]) -> ToolDescriptor:
        return ToolDescriptor(
            capability=capability,
            service="tools-geo",
            description="Finds.\nMore.",
            parameters=parameters,
            result_types=("parcel",),
        )

    xy = {"properties": {"x": {}, "y": {}, "crs": {}}, "required": ["x", "y"]}
    console = _console(width=40)
    models = (
        ModelUse(service="responder", use="answer", model="gpt-5-mini"),
        ModelUse(service="tools-docs", use="judge"),
        ModelUse(service="planner", use="plan"),
    )
    tools = (tool("parcels.by_xy", xy), tool("layers.search", {}))
    show_tools(console, ToolList(tools=tools, models=models))
    assert console.export_text().splitlines() == [
        "layers.search() → parcel  [tools-geo]",
        "    Finds.",
        "parcels.by_xy(x, y, (crs)) → parcel",
        "[tools-geo]",
        "    Finds.",
        "Es antwortet: gpt-5-mini  [responder]",
        "Es prüft Dokumente: Vergleich der",
        "Wörter, kein Sprachmodell  [tools-docs]",
        "Es plant: Regeln, kein Sprachmodell",
        "[planner]",
    ]


def test_no_tools_are_a_sentence() -> None:
    console = _console()
    show_tools(console, ToolList(tools=()))
    assert console.export_text().strip() == "Kein Werkzeug ist gemeldet."
