"""One thing was found: what is said and what happens on the map, intent by intent."""

from typing import Any, Literal

import pytest
from contracts.items import (
    CadastralPlan,
    Document,
    GeothermalAssessment,
    Height,
    Item,
    Layer,
    LayerGroup,
    LayerSource,
    OtherItem,
    Place,
)
from contracts.oereb import ExtractContent
from contracts.status import Status

from .actionplanner_samples import (
    ADDRESS,
    EXTRACT,
    GRENCHEN,
    OUTLINE,
    PARCEL,
    actions,
    answer,
    as_found,
    kinds,
    layer,
)

BORE = GeothermalAssessment(
    id="g1", label="Erdwärmesonde", coord=(2605919, 1229245), allowed=True, text="Bis 400 Meter möglich."
)
PLAN = CadastralPlan(id="c1", label="Grundbuchplan", url="https://plan.example/1.pdf", geometry=OUTLINE)


def test_a_municipality_is_shown_whole_and_without_a_marker() -> None:
    step = answer("search_place", GRENCHEN)
    assert step.message == "Gemeinde Grenchen zentriert."
    assert actions(step) == [
        {
            "type": "setView",
            "payload": {
                "center": [2596632, 1227042],
                "zoom": 13,
                "crs": "EPSG:2056",
                "extent": [2592561, 1223174, 2599482, 1232183],
            },
        }
    ]


def test_the_outline_of_a_municipality_is_drawn_as_that_of_a_parcel() -> None:
    step = answer("search_place", GRENCHEN.model_copy(update={"geometry": OUTLINE}))
    assert kinds(step) == ["setView", "addLayer"]
    assert actions(step)[1] == {
        "type": "addLayer",
        "payload": {
            "id": "municipality-highlight-2546",
            "type": "geojson",
            "source": {"data": OUTLINE, "style": "highlight"},
            "visible": True,
        },
    }


def test_a_municipality_of_unknown_extent_is_centred() -> None:
    view = actions(answer("search_place", GRENCHEN.model_copy(update={"extent": None})))
    assert view == [
        {"type": "setView", "payload": {"center": [2596632, 1227042], "zoom": 13, "crs": "EPSG:2056"}}
    ]


def test_an_extent_alone_is_centred_on_its_middle() -> None:
    (view,) = actions(answer("search_place", GRENCHEN.model_copy(update={"coord": None})))
    assert view["payload"]["center"] == [2596021.5, 1227678.5]


@pytest.mark.parametrize("extent", [(10.0, 20.0, 10.0, 40.0), (10.0, 20.0, 30.0, 20.0)])
def test_a_line_is_framed_too(extent: tuple[float, float, float, float]) -> None:
    line = GRENCHEN.model_copy(update={"coord": None, "extent": extent})
    (view,) = actions(answer("search_place", line))
    assert view["payload"]["extent"] == list(extent)
    west, south, east, north = extent
    assert view["payload"]["center"] == [(west + east) / 2, (south + north) / 2]


@pytest.mark.parametrize(
    "extent",
    [
        (2596632.0, 1227042.0, 2596632.0, 1227042.0),
        (2599482.0, 1223174.0, 2592561.0, 1232183.0),
        (float("-inf"), 1223174.0, 2599482.0, 1232183.0),
    ],
)
def test_an_extent_that_is_no_area_is_ignored(extent: tuple[float, float, float, float]) -> None:
    (view,) = actions(answer("search_place", GRENCHEN.model_copy(update={"extent": extent})))
    assert "extent" not in view["payload"]


@pytest.mark.parametrize(("kind", "zoom"), [("Ortschaft", 14), ("Flurname", 16), ("Bezirk", 11)])
def test_a_place_gets_a_marker_and_a_zoom_for_its_kind(kind: str, zoom: int) -> None:
    place = Place(id="9", label="Buechholz, Messen", coord=(2600000, 1216000), kind=kind)
    step = answer("search_place", place)
    assert step.message == "Buechholz zentriert."
    view, marker = actions(step)
    assert (view["payload"]["zoom"], marker["payload"]["id"]) == (zoom, "place-9")
    assert marker["payload"]["label"] == "Buechholz, Messen"


def test_an_area_with_a_point_of_its_own_is_marked_there() -> None:
    place = Place(id="9", label="Egg", coord=(2600000, 1216000), extent=(1, 2, 3, 4), kind="Ortschaft")
    view, marker = actions(answer("search_place", place))
    assert (view["payload"]["extent"], marker["payload"]["coord"]) == ([1, 2, 3, 4], [2600000, 1216000])


@pytest.mark.parametrize("item", [GRENCHEN, ADDRESS, PARCEL, Place(id="1", label="X", kind="Ort")])
def test_a_place_without_a_position_is_asked_for(item: Item) -> None:
    lost = item.model_copy(update={"coord": None, "extent": None})
    step = answer("search_place", lost)
    assert step.status is Status.NEEDS_CLARIFICATION
    assert step.map_actions == ()
    assert step.message.startswith(f"Zu «{item.label.partition(',')[0]}» ist keine Lage bekannt.")


def test_wms_parameters_stand_beside_the_url_which_they_cannot_replace() -> None:
    source = LayerSource(
        type="wms", url="https://wms.example", parameters={"LAYERS": "a", "url": "https://x"}
    )
    (added,) = actions(answer("load_layer", Layer(id="a", label="Naturgefahren synoptisch", source=source)))
    assert list(added["payload"]["source"].items()) == [("url", "https://wms.example"), ("LAYERS", "a")]


def test_a_coordinate_is_called_one() -> None:
    spot = Place(
        id="c", label="2'607'097 / 1'228'656", kind="Koordinate", coord=(2607096.6, 1228655.6), confidence=1.0
    )
    step = answer("search_place", spot)
    assert step.message == "Koordinate 2'607'097 / 1'228'656 zentriert."
    view, marker = actions(step)
    assert (view["payload"]["zoom"], marker["payload"]["coord"]) == (17, [2607096.6, 1228655.6])


def test_an_area_without_a_point_of_its_own_is_framed_but_not_marked() -> None:
    extent = (2592367.0, 1211072.0, 2648422.0, 1263884.0)
    canton = Place(id="canton", label="Kanton Solothurn", kind="Kanton", extent=extent)
    step = answer("search_place", canton)
    assert kinds(step) == ["setView"]
    assert actions(step)[0]["payload"]["extent"] == list(extent)


@pytest.mark.parametrize(
    ("match", "confidence", "message"),
    [
        ("exact", 1.0, "Adresse Langendorfstrasse 19b zentriert."),
        ("fuzzy", 0.9, "Adresse Langendorfstrasse 19b zentriert."),
        (
            "fuzzy",
            0.5,
            "Genau diese Adresse habe ich nicht gefunden. Am nächsten kommt Langendorfstrasse 19b.",
        ),
    ],
)
def test_another_address_than_asked_for_is_admitted(
    match: Literal["exact", "fuzzy"], confidence: float, message: str
) -> None:
    found = as_found(ADDRESS, match, confidence)
    assert answer("goto_address", found).message == message


def test_a_label_of_several_words_is_quoted() -> None:
    assert answer("load_layer", layer("a", "Wald - Typ")).message == "Layer «Wald - Typ» geladen."


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "ftp://x.example",
        "//x.example",
        "https://",
        "/wms",
        f"/api/prints/{32 * chr(48)}",
    ],
)
def test_a_layer_without_a_web_address_is_an_error(url: str) -> None:
    step = answer("load_layer", layer("a", "Wald", url=url))
    assert (step.status, step.map_actions) == (Status.ERROR, ())
    assert step.message == "Der Layer «Wald» kann im Moment nicht geladen werden."


def test_a_group_loads_what_it_can_each_layer_once() -> None:
    layers = (layer("a", "A"), layer("b", "B", url="javascript:1"), layer("c", "C"), layer("a", "A again"))
    step = answer("load_layer", LayerGroup(id="g", label="G", layers=layers))
    assert [(a["payload"]["id"], a["payload"]["label"]) for a in actions(step)] == [("a", "A"), ("c", "C")]


def test_an_empty_group_is_an_error() -> None:
    assert answer("load_layer", LayerGroup(id="g", label="G", layers=())).status is Status.ERROR


def test_an_extract_with_outline_highlights_it_before_the_extract_is_shown() -> None:
    extract = EXTRACT.model_copy(update={"geometry": OUTLINE, "map_url": "https://map.example/?e=1"})
    step = answer("oereb_extract", extract)
    assert kinds(step) == ["setView", "addMarker", "addLayer", "showOerebExtract"]
    outline, shown = actions(step)[2:]
    assert outline["payload"] == {
        "id": "oereb-highlight-CH1234567891011",
        "type": "geojson",
        "source": {"data": OUTLINE, "style": "highlight"},
        "visible": True,
    }
    assert list(shown["payload"]) == ["egrid", "url", "mapUrl"]


def test_an_extract_without_a_place_is_still_shown() -> None:
    assert kinds(answer("oereb_extract", EXTRACT.model_copy(update={"coord": None}))) == ["showOerebExtract"]


def test_an_extract_with_an_unsafe_link_is_an_error() -> None:
    step = answer("oereb_extract", EXTRACT.model_copy(update={"pdf_url": "javascript:alert(1)"}))
    assert (step.status, step.map_actions) == (Status.ERROR, ())


def test_an_extract_that_has_been_read_is_shown_without_its_pdf() -> None:
    step = answer("oereb_extract", EXTRACT.model_copy(update={"pdf_url": "", "content": ExtractContent()}))
    assert (step.status, kinds(step)[-1]) == (Status.OK, "showOerebExtract")


def test_an_unsafe_map_link_is_left_out() -> None:
    step = answer("oereb_extract", EXTRACT.model_copy(update={"map_url": "data:text/html,x"}))
    assert "mapUrl" not in actions(step)[-1]["payload"]


def test_a_parcel_is_framed_marked_and_outlined() -> None:
    parcel = PARCEL.model_copy(update={"geometry": OUTLINE, "area_m2": 6400.0, "land_register": "Balm"})
    step = answer("show_parcel", parcel)
    assert step.message == "Grundstück 198 in Messen (Grundbuch Balm, EGRID CH955832730623, 6'400 m²)."
    view, marker, outline = actions(step)
    assert view["payload"] == {
        "center": [2600513, 1215519],
        "zoom": 18,
        "crs": "EPSG:2056",
        "extent": [2600480, 1215440, 2600560, 1215520],
    }
    assert (marker["payload"]["id"], marker["payload"]["label"]) == (
        "parcel-CH955832730623",
        "Grundstück 198",
    )
    assert outline["payload"]["id"] == "parcel-highlight-CH955832730623"
    assert outline["payload"]["source"] == {"data": OUTLINE, "style": "highlight"}


def test_a_parcel_without_outline_is_centred_and_its_message_names_only_what_is_known() -> None:
    step = answer("show_parcel", PARCEL.model_copy(update={"land_register": "Messen"}))
    assert step.message == "Grundstück 198 in Messen (EGRID CH955832730623)."
    assert kinds(step) == ["setView", "addMarker"]
    assert "extent" not in actions(step)[0]["payload"]


@pytest.mark.parametrize(
    ("update", "message"),
    [
        ({}, "Bis 400 Meter möglich."),
        ({"text": "<b>Bis</b> 400&nbsp;Meter.", "report_url": "javascript:x"}, "Bis 400 Meter."),
        ({"report_url": "https://r.example/a?b=1&copy=2"}, "Bis 400 Meter möglich.\nBericht: {}"),
        ({"text": ""}, "Eine Erdwärmesonde ist an diesem Standort möglich."),
        (
            {"text": " ", "max_depth_m": 150.0},
            "Eine Erdwärmesonde ist an diesem Standort bis 150 m Tiefe möglich.",
        ),
        ({"text": "", "allowed": False}, "Eine Erdwärmesonde ist an diesem Standort nicht möglich."),
    ],
)
def test_a_geothermal_assessment_is_told_as_plain_text(update: dict[str, Any], message: str) -> None:
    step = answer("geothermal_probe_assessment", BORE.model_copy(update=update))
    assert step.message == message.format("https://r.example/a?b=1&copy=2")
    _, marker = actions(step)
    assert (marker["payload"]["id"], marker["payload"]["label"]) == ("geothermal-g1", "Erdwärmesonde")


def test_a_cadastral_plan_is_outlined_and_linked() -> None:
    step = answer("cadastral_plan", PLAN)
    assert step.message == "Grundbuchplan erstellt.\nPDF: https://plan.example/1.pdf"
    assert kinds(step) == ["setView", "addLayer"]
    assert actions(step)[1]["payload"]["id"] == "cadastral-plan-c1"


def test_a_cadastral_plan_names_its_scale_and_needs_a_safe_link() -> None:
    assert "1:1'000" in answer("cadastral_plan", PLAN.model_copy(update={"scale": 1000})).message
    assert answer("cadastral_plan", PLAN.model_copy(update={"url": "vbscript:x"})).status is Status.ERROR


def test_a_height_is_told_with_its_coordinate() -> None:
    step = answer("height_query", Height(id="h", label="553.6 m", coord=(2600000, 1200000), height_m=553.62))
    assert step.message == "Höhe bei 2'600'000 / 1'200'000: 553.6 m ü. M."
    assert actions(step)[1]["payload"]["label"] == "553.6 m ü. M."
    assert answer("height_query", Height(id="h", label="x", height_m=500)).message == "Höhe: 500 m ü. M."


def test_an_intent_shows_items_that_are_not_of_its_own_kind_by_their_type() -> None:
    assert answer("goto_address", GRENCHEN) == answer("search_place", GRENCHEN).model_copy(
        update={"intent": "goto_address"}
    )


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"coord": (2600000, 1200000)}, ["setView", "addMarker"]),
        ({"extent": (2600000, 1200000, 2600010, 1200010)}, ["setView"]),
        ({"geometry": OUTLINE}, ["setView", "addLayer"]),
        ({"coord": (2600000, 1200000), "geometry": OUTLINE}, ["setView", "addMarker", "addLayer"]),
        ({"geometry": {"type": "Polygon", "coordinates": [["a", None]]}}, []),
        ({"coord": (float("nan"), 1200000)}, []),
        ({}, []),
    ],
)
def test_an_unknown_intent_with_an_unknown_type_is_shown_by_what_it_brings(
    facts: dict[str, Any], expected: list[str]
) -> None:
    step = answer("find_school", OtherItem(type="school", id="7", label="Schulhaus, Messen", **facts))
    assert (step.status, kinds(step)) == (Status.OK, expected)
    assert step.message == ("Schulhaus wird auf der Karte gezeigt." if expected else "Schulhaus, Messen")


def test_an_unknown_type_is_told_in_the_words_of_its_tool() -> None:
    pool = OtherItem(type="pool", id="1", label="Badi", coord=(2600000, 1200000))
    step = answer("find_pool", pool, message="Die Badi hat <i>offen</i>.")
    assert step.message == "Die Badi hat offen."
    _, marker = actions(step)
    assert (marker["payload"]["id"], marker["payload"]["label"]) == ("pool-1", "Badi")


def test_an_unknown_intent_with_a_layer_loads_it() -> None:
    assert kinds(answer("whatever", layer("a", "Wald"))) == ["addLayer"]


def test_a_document_is_named() -> None:
    step = answer(
        "search_documents", Document(id="d", label="Reglement", name="r.pdf", url="https://d.example")
    )
    assert (step.status, step.message, step.map_actions) == (Status.OK, "Reglement", ())


@pytest.mark.parametrize("intent", ["load_layer", "remove_layer", "unknown"])
def test_an_error_is_passed_on_without_actions(intent: str) -> None:
    step = answer(intent, layer("a", "Wald"), status=Status.ERROR, message="Dienst nicht erreichbar.")
    assert (step.status, step.message, step.map_actions) == (Status.ERROR, "Dienst nicht erreichbar.", ())
    assert answer(intent, status=Status.ERROR).message.startswith("Das hat leider nicht geklappt")


def test_a_question_of_the_tool_is_passed_on_without_actions() -> None:
    step = answer("show_parcel", PARCEL, status=Status.NEEDS_CLARIFICATION, message="Welche Gemeinde?")
    assert (step.status, step.message, step.map_actions) == (
        Status.NEEDS_CLARIFICATION,
        "Welche Gemeinde?",
        (),
    )


@pytest.mark.parametrize(
    ("intent", "status", "message", "expected", "said"),
    [
        ("goto_address", Status.OK, "Keine Treffer gefunden.", Status.NEEDS_CLARIFICATION, "Keine Treffer"),
        ("goto_address", Status.OK, "", Status.NEEDS_CLARIFICATION, "Keine Adresse gefunden"),
        ("load_layer", Status.NEEDS_USER_CHOICE, "", Status.NEEDS_CLARIFICATION, "Keinen Layer gefunden"),
        ("load_layer", Status.NEEDS_CLARIFICATION, "", Status.NEEDS_CLARIFICATION, "Keinen Layer gefunden"),
        ("send_mail", Status.OK, "Mail verschickt.", Status.OK, "Mail verschickt."),
        ("send_mail", Status.OK, "<br>", Status.NEEDS_CLARIFICATION, "nichts gefunden"),
        ("send_mail", Status.NEEDS_USER_CHOICE, "Wem?", Status.NEEDS_CLARIFICATION, "Wem?"),
        ("send_mail", Status.NEEDS_CLARIFICATION, "", Status.NEEDS_CLARIFICATION, "noch eine Angabe"),
    ],
)
def test_nothing_found_is_a_question_unless_an_unknown_intent_has_something_to_say(
    intent: str, status: Status, message: str, expected: Status, said: str
) -> None:
    step = answer(intent, status=status, message=message)
    assert (step.status, step.map_actions) == (expected, ())
    assert said in step.message


@pytest.mark.parametrize(
    ("intent", "args", "language", "beginning"),
    [
        ("goto_address", {"q": "Nirgendsgasse 7"}, "de", "Keine Adresse zu «Nirgendsgasse 7» gefunden."),
        ("load_layer", {"query": "Flugzeug"}, "fr", "Aucune couche trouvée pour «Flugzeug»."),
        ("search_place", {"q": "[Xyz](https://a.example)"}, "en", "No place found for «Xyz»."),
        (
            "show_parcel",
            {"number": 9999, "municipality": "Messen"},
            "it",
            "Nessun fondo trovato per «9999 a Messen».",
        ),
        ("height_query", {"x": 2600513, "y": 1215519.0}, "de", "Keine Höhe zu «2'600'513 / 1'215'519»"),
        ("show_parcel", {"question": "Wem gehört es?"}, "de", "Kein Grundstück gefunden."),
        ("height_query", {"x": 2600513}, "de", "Keine Höhe gefunden."),
        ("height_query", {"y": 1215519, "q": "Messen"}, "de", "Keine Höhe zu «Messen» gefunden."),
        ("show_parcel", {"number": "7"}, "de", "Kein Grundstück zu «7» gefunden."),
        ("show_parcel", {"municipality": "Messen"}, "de", "Kein Grundstück zu «Messen» gefunden."),
    ],
)
def test_what_is_not_found_is_named(
    intent: str, args: dict[str, object], language: str, beginning: str
) -> None:
    step = answer(intent, args=args, language=language)
    assert step.status is Status.NEEDS_CLARIFICATION
    assert step.message.startswith(beginning)


def test_what_is_not_found_is_named_in_bounds() -> None:
    named = answer("search_documents", args={"query": "wieso " * 500}).message.partition("»")[0]
    assert len(named) < 100


def test_a_language_without_texts_is_answered_in_german() -> None:
    assert answer("goto_address", ADDRESS, language="rm") == answer("goto_address", ADDRESS)
