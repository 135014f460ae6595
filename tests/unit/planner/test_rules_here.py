"""Where `hier` is: what is clicked, selected, or in the middle of the map."""

import pytest
from contracts.items import Coord, Item
from contracts.session import MapView, Session

from .rules_kit import ADDRESS, EVERYTHING, MUNICIPALITY, PARCEL, TOOLS, after, planned

CLICKED = (2600500.0, 1215400.0)
BY_XY = "terrain.height_by_xy"
AT_POINT = f"height_query: {BY_XY}(x=2600500, y=1215400) @point"
IN_THE_MIDDLE = f"height_query: {BY_XY}(x=2600520, y=1215480) @center"
OF_SELECTION = f"height_query: {BY_XY}()"


def beside_map(
    *said: str,
    point: Coord | None = None,
    selected: tuple[Item, ...] = (),
    layers: tuple[str, ...] = (),
    east: float = 0,
) -> Session:
    """A map of Messen, or so far east of it."""
    extent = (2599920.0 + east, 1215080.0, 2601120.0 + east, 1215880.0)
    view = MapView(center=(2600520.0 + east, 1215480.0), extent=extent, scale=5000, point=point)
    return after(*said, selected=selected, layers=layers).model_copy(update={"view": view})


HERE = [
    "Wie hoch ist es hier?",
    "Wie hoch ist es an dieser Stelle?",
    "Wie hoch ist es da, wo ich geklickt habe?",
    "Wie hoch liegt dieser Punkt?",
    "Quelle est l'altitude ici ?",
    "Quelle est l'altitude à cet endroit ?",
    "A che altitudine siamo qui?",
    "How high is it at this point?",
    "Wie höch isch es do?",
]


@pytest.mark.parametrize("message", HERE)
def test_here_is_where_the_user_has_clicked(message: str) -> None:
    assert planned(message, beside_map(point=CLICKED, selected=(PARCEL,))) == (AT_POINT,)


@pytest.mark.parametrize("message", HERE)
def test_without_a_click_it_is_the_selection_as_far_as_it_is_seen(message: str) -> None:
    assert planned(message, beside_map(selected=(PARCEL,))) == (f"{OF_SELECTION} @selection",)
    assert planned(message, beside_map(selected=(ADDRESS,))) == (IN_THE_MIDDLE,)


@pytest.mark.parametrize("message", [*HERE, "Wie hoch ist es dort?"])
def test_else_it_is_the_middle_of_the_map(message: str) -> None:
    assert planned(message, beside_map()) == (IN_THE_MIDDLE,)


def test_a_municipality_is_no_point() -> None:
    assert planned("Wie hoch ist es hier?", beside_map(selected=(MUNICIPALITY,))) == (IN_THE_MIDDLE,)


def test_there_is_what_was_talked_about() -> None:
    session = beside_map(point=CLICKED, selected=(ADDRESS,))
    assert planned("Wie hoch ist es dort?", session) == (OF_SELECTION,)
    plan_of_it = ("cadastral_plan: parcels.by_xy() > cadastral.plan_by_geometry()",)
    assert planned("Mach den Grundbuchplan dazu", session) == plan_of_it


def test_who_names_nothing_means_the_clicked_point_where_it_is_seen() -> None:
    assert planned("Wie hoch ist es?", beside_map(point=CLICKED, selected=(PARCEL,))) == (AT_POINT,)
    far = beside_map(point=CLICKED, selected=(PARCEL,), east=50_000)
    assert planned("Wie hoch ist es?", far) == (OF_SELECTION,)
    assert planned("Wie hoch ist es?", beside_map(point=CLICKED, east=50_000)) == (AT_POINT,)
    assert planned("Wie hoch ist es?", beside_map()) == (OF_SELECTION,)


def test_a_point_outside_of_switzerland_is_none() -> None:
    assert planned("Wie hoch ist es hier?", beside_map(point=(1.0, 2.0))) == (IN_THE_MIDDLE,)


def test_without_a_map_all_is_as_before() -> None:
    assert planned("Wie hoch ist es hier?", after(selected=(PARCEL,))) == (OF_SELECTION,)
    assert planned("Wie hoch ist es?") == (OF_SELECTION,)


def test_what_a_step_has_found_comes_before_the_click() -> None:
    assert planned("Zeige Parzelle 198 in Messen und den Grundbuchplan", beside_map(point=CLICKED)) == (
        "show_parcel: parcels.by_number(number=198, municipality=Messen)",
        "cadastral_plan: cadastral.plan_by_geometry()",
    )
    assert planned("Wie hoch ist es hier, und welche Parzelle ist das?", beside_map(point=CLICKED)) == (
        AT_POINT,
        "show_parcel: parcels.by_xy(x=2600500, y=1215400) @point",
    )


LAYERS = ("Denkmalschutz", "Karst")
BOTH = "layers=['ch.so.0', 'ch.so.1']"
IDENTIFIED = f"identify: features.identify(x=2600500, y=1215400, {BOTH}) @point"


@pytest.mark.parametrize(
    "message",
    [
        "Was ist hier?",
        "was liegt an dieser stelle?",
        "Was ist da?",
        "Was ist das?",
        "Welche Adresse ist das hier?",
        "Qu'est-ce qu'il y a ici ?",
        "What is here?",
        "Cosa c'è qui?",
    ],
)
def test_what_is_there_is_asked_of_the_visible_layers(message: str) -> None:
    assert planned(message, beside_map(point=CLICKED, layers=LAYERS), EVERYTHING) == (IDENTIFIED,)


def test_what_is_at_a_named_place() -> None:
    assert planned("Was liegt bei 2600520 / 1215480?", tools=EVERYTHING) == (
        "identify: features.identify(x=2600520, y=1215480)",
    )
    assert planned("Was ist an der Rötistrasse 4 in Solothurn?", tools=EVERYTHING) == (
        "identify: geolocation.geocode(q=Rötistrasse 4, Solothurn) > features.identify()",
    )
    assert planned("Was liegt bei 2600520 / 1215480?")[0].startswith("show_parcel")


def test_layers_are_asked_by_name() -> None:
    session = beside_map(point=CLICKED, layers=LAYERS)
    at = "features.identify(x=2600500, y=1215400"
    one = f"identify: {at}, layers=['ch.so.0'], place=False) @point"
    assert planned("Was sagt der Denkmalschutz hier?", session, EVERYTHING) == (one,)
    every = f"identify: {at}, {BOTH}, place=False) @point"
    assert planned("Was sagt der Layer an dieser Stelle?", session, EVERYTHING) == (every,)
    not_loaded = "query_features: features.query(x=2600500, y=1215400, layer=Gefahren, radius=1) @point"
    assert planned("Was sagt die Gefahrenkarte hier?", session, EVERYTHING) == (not_loaded,)


def test_without_the_tool_nothing_is_identified() -> None:
    assert planned("Was ist hier?", beside_map(point=CLICKED), TOOLS) != (IDENTIFIED,)
