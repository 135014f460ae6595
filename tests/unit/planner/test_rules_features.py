"""The things of layers: counted, listed, compared; and distances."""

import re

import pytest

from .rules_kit import ADDRESS, EVERYTHING, MUNICIPALITY, PARCEL, TOOLS, after, begins, planned, told
from .test_rules_here import CLICKED, beside_map

OLTEN = "geolocation.municipality(q=Olten)"


def query(args: str, before: str = "") -> tuple[str, ...]:
    return (f"query_features: {f'{before} > ' if before else ''}features.query({args})",)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Wie viele Naturreservate gibt es in Olten?", query("layer=Naturreservate, function=count", OLTEN)),
        ("anzahl naturreservate in olten", query("layer=naturreservate, function=count", OLTEN)),
        ("Zähle die Naturreservate in Olten", query("layer=Naturreservate, function=count", OLTEN)),
        ("Welche Naturreservate liegen in Olten?", query("layer=Naturreservate", OLTEN)),
        ("Liste die Naturreservate in Olten auf", query("layer=Naturreservate", OLTEN)),
        (
            "Wie viele belastete Standorte gibt es in Olten?",
            query("layer=belastete Standorte, function=count", OLTEN),
        ),
        (
            "How many contaminated sites are there in Olten?",
            query("layer=contaminated sites, function=count", OLTEN),
        ),
        (
            "Combien de sites pollués y a-t-il à Olten ?",
            query("layer=sites pollués, function=count", OLTEN),
        ),
        (
            "Quanti siti inquinati ci sono a Olten?",
            query("layer=siti inquinati, function=count", OLTEN),
        ),
        (
            "Welches ist das grösste Jagdrevier?",
            query("layer=Jagdrevier, order=-area, limit=1, everywhere=True"),
        ),
        (
            "Welches Naturreservat in Olten ist am kleinsten?",
            query("layer=Naturreservat, order=area, limit=1", OLTEN),
        ),
        (
            "Welche Naturreservate in Olten sind grösser als 1000 m2?",
            query(
                "layer=Naturreservate, where=[{'attribute': 'area', 'operator': '>', 'value': '1000 m2'}]",
                OLTEN,
            ),
        ),
        (
            "Welche Naturreservate liegen im Umkreis von 1.5 km um die Rötistrasse 4 in Solothurn?",
            query("layer=Naturreservate, radius=1500", "geolocation.geocode(q=Rötistrasse 4, Solothurn)"),
        ),
        (
            "Welche Naturreservate liegen auf Parzelle 168 in Messen?",
            query("layer=Naturreservate", "parcels.by_number(number=168, municipality=Messen)"),
        ),
        (
            "Wie viele Jagdreviere gibt es im Kanton Solothurn?",
            query("layer=Jagdreviere, function=count, everywhere=True"),
        ),
        (
            "Welche Naturreservate liegen im Umkreis von 1,5 km um Parzelle 198 in Messen?",
            query("layer=Naturreservate, radius=1500", "parcels.by_number(number=198, municipality=Messen)"),
        ),
        ("Wie viele Jagdreviere gibt es?", query("layer=Jagdreviere, function=count, everywhere=True")),
    ],
)
def test_things_are_counted_listed_and_compared(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message, tools=EVERYTHING) == expected


def test_what_is_seen_of_the_map_is_an_area() -> None:
    extent = "extent=[2599920.0, 1215080.0, 2601120.0, 1215880.0]"
    for said in ("in diesem Ausschnitt", "auf dieser Karte"):
        made = planned(f"Welche Naturreservate liegen {said}?", beside_map(), EVERYTHING)
        assert made in (query(f"layer=Naturreservate, {extent}"), ()), said
    message = "Wie viele Naturreservate gibt es in diesem Ausschnitt?"
    assert told(message, tools=EVERYTHING) == begins("where")


def test_the_nearest_is_near_the_click() -> None:
    near = "layer=belastete Standort, order=distance, limit=1, radius=50000"
    assert planned("Welcher belastete Standort ist am nächsten?", beside_map(point=CLICKED), EVERYTHING) == (
        f"query_features: features.query(x=2600500, y=1215400, {near}) @point",
    )
    assert planned("Welcher belastete Standort ist am nächsten?", after(selected=(ADDRESS,)), EVERYTHING) == (
        query(near)
    )


def test_whether_there_are_any_is_asked_of_the_layer() -> None:
    expected = query("layer=belastete Standorte", "geolocation.municipality(q=Biberist)")
    assert planned("Gibt es belastete Standorte in Biberist?", tools=EVERYTHING) == expected


def test_the_same_is_asked_of_somewhere_else() -> None:
    session = after("Wie viele Naturreservate gibt es in Olten?")
    grenchen = "geolocation.municipality(q=Grenchen)"
    expected = query("layer=Naturreservate, function=count", grenchen)
    assert planned("und in Grenchen?", session, EVERYTHING) == expected


@pytest.mark.parametrize(
    ("message", "begins_with"),
    [
        ("Wie viele Gesuche wurden 2023 bewilligt?", "search_documents"),
        ("Wie viele Leute leiden unter zu viel Strassenlärm?", "search_documents"),
        ("Zeig mir alle Naturreservate in Messen", "search_place"),
        ("Welche Karten zum Thema Wasser hast du?", "load_layer"),
    ],
)
def test_what_is_rather_for_documents_or_a_layer_stays_so(message: str, begins_with: str) -> None:
    assert planned(message, tools=EVERYTHING)[0].startswith(begins_with)


def test_without_the_tool_a_layer_is_loaded() -> None:
    assert planned("Welche Naturreservate liegen in Olten?", tools=TOOLS)[0].startswith("search_place")


def far(start: str, end: str) -> tuple[str, ...]:
    return (f"measure_distance: geolocation.distance(end={end}, start={start})",)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Wie weit ist es von Olten nach Solothurn?", far("Olten", "Solothurn")),
        ("Distanz Grenchen Solothurn Luftlinie", far("Grenchen", "Solothurn")),
        ("Wie viele Kilometer sind es zwischen Balsthal und Oensingen?", far("Balsthal", "Oensingen")),
        ("wie weit isch es vo olte uf grenche?", far("Olten", "Grenchen")),
        (
            "Distanz zwischen Rötistrasse 1 und Rötistrasse 25 in Solothurn",
            far("Rötistrasse 1, Solothurn", "Rötistrasse 25, Solothurn"),
        ),
        (
            "Wie viele Kilometer sind es von 2600520 / 1215480 bis Balsthal?",
            far("2600520 / 1215480", "Balsthal"),
        ),
        ("Quelle est la distance entre Olten et Soleure ?", far("Olten", "Solothurn")),
        ("How far is it from Olten to Solothurn?", far("Olten", "Solothurn")),
        ("Quanto dista Olten da Soletta?", far("Olten", "Solothurn")),
    ],
)
def test_distances_are_measured_between_two_names(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message, tools=EVERYTHING) == expected


def test_a_distance_can_begin_here() -> None:
    session = beside_map(point=CLICKED)
    here = "measure_distance: geolocation.distance(x=2600500, y=1215400, end=Grenchen) @point"
    assert planned("wie weit ist es von hier nach Grenchen?", session, EVERYTHING) == (here,)
    assert planned("und nach Balsthal?", after("Wie weit ist es von Olten nach Solothurn?"), EVERYTHING) == (
        far("Olten", "Balsthal")
    )


@pytest.mark.parametrize(
    "message",
    [
        "Wie lange laufe ich von Balsthal nach Mümliswil?",
        "Wie breit ist die Rötistrasse in Solothurn?",
        "Höhenunterschied zwischen Dornach und Gempen?",
        "Zeichne einen Kreis von 500 m um Olten",
        "Wie lang ist die Rötistrasse in Solothurn?",
    ],
)
def test_what_nobody_can_measure_is_still_said(message: str) -> None:
    assert told(message, tools=EVERYTHING) == begins("no_measuring")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            "Wie viele Naturreservate sind in Olten verzeichnet?",
            query("layer=Naturreservate, function=count", OLTEN),
        ),
        (
            "Artikel: Wie viele Naturreservate hat Olten?",
            query("layer=Naturreservate, function=count", OLTEN),
        ),
        (
            "Gibt es im Kanton mehr als 20 Jagdreviere?",
            query("layer=Jagdreviere, function=count, everywhere=True"),
        ),
        (
            "Welches ist das grösste Naturreservat im Bezirk Thal?",
            query("layer=Naturreservat, order=-area, limit=1, municipality=Bezirk Thal"),
        ),
        ("Jagdreviere zählen in Olten", query("layer=Jagdreviere, function=count", OLTEN)),
    ],
)
def test_things_are_counted_in_other_words(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message, tools=EVERYTHING) == expected


def test_two_places_are_compared_by_a_count_each() -> None:
    grenchen = query("layer=Naturreservate, function=count", "geolocation.municipality(q=Grenchen)")
    expected = (*query("layer=Naturreservate, function=count", OLTEN), *grenchen)
    assert planned("Gibt es mehr Naturreservate in Olten oder in Grenchen?", tools=EVERYTHING) == expected


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Wie viele sind das insgesamt?", query("layer=Naturreservate, function=count", OLTEN)),
        ("Und welches davon ist das kleinste?", query("layer=Naturreservate, order=area, limit=1", OLTEN)),
        ("Zähl sie mir auf", query("layer=Naturreservate, function=count", OLTEN)),
        ("Liste sie bitte auf", query("layer=Naturreservate", OLTEN)),
        (
            "Welche sind die drei grössten?",
            query("layer=Naturreservate, order=-area, limit=3", OLTEN),
        ),
        ("Zeig sie auf der Karte", ("load_layer: layers.search(query=Naturreservate)",)),
        (
            "Verglichen mit Biberist?",
            query("layer=Naturreservate", "geolocation.municipality(q=Biberist)"),
        ),
        ("und im Bezirk Thal?", query("layer=Naturreservate, municipality=Bezirk Thal")),
    ],
)
def test_more_is_asked_of_the_things_that_were_asked_for(message: str, expected: tuple[str, ...]) -> None:
    session = after("Welche Naturreservate liegen in Olten?")
    assert planned(message, session, EVERYTHING) == expected


def test_what_is_loaded_is_counted_in_the_same_message_and_after_it() -> None:
    counted = query("layer=Jagdreviere, everywhere=True, function=count")
    loads = "Lade die Jagdreviere"
    together = planned(f"{loads} und sag mir, wie viele es sind", tools=EVERYTHING)
    assert together == ("load_layer: layers.search(query=Jagdreviere)", *counted)
    assert planned("wie viele sinds?", after(loads), EVERYTHING) == counted
    assert planned("wie viele Leute sind das?", after(loads), EVERYTHING) != counted


@pytest.mark.parametrize(
    ("before", "message", "expected"),
    [
        ("Wie weit ist es von Olten nach Messen?", "na dann bis Grenchen", far("Olten", "Grenchen")),
        ("Wie weit ist es von Olten nach Messen?", "Korrektur: bis Balsthal", far("Olten", "Balsthal")),
        ("Wie weit ist es von Olten nach Messen?", "Und von Solothurn aus?", far("Solothurn", "Messen")),
        ("Distanz von Olten bis Atlantis?", "Tippfehler, ich meinte Balsthal", far("Olten", "Balsthal")),
        ("Zeige Balsthal", "Wie weit ist das von Olten?", far("Balsthal", "Olten")),
    ],
)
def test_an_end_of_a_distance_is_another_one(before: str, message: str, expected: tuple[str, ...]) -> None:
    selected = (MUNICIPALITY.model_copy(update={"name": "Balsthal"}),) if "Zeige" in before else ()
    assert planned(message, after(before, selected=selected), EVERYTHING) in (
        expected,
        _start_first(expected),
    )


def _start_first(expected: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(re.sub(r"\((end=.+), (start=.+)\)", r"(\2, \1)", step) for step in expected)


def test_how_far_the_last_two_places_are_apart() -> None:
    session = after("Zeige Balsthal", "Zeige Olten")
    made = planned("Wie weit liegen die beiden auseinander?", session, EVERYTHING)
    assert made == _start_first(far("Balsthal", "Olten"))


def test_a_height_is_asked_once_more() -> None:
    session = after("Wie hoch liegt Olten?")
    height = "height_query: geolocation.place(q=Grenchen) > terrain.height_by_xy()"
    for message in ("Das ist noch hoch. Und Grenchen?", "und Grenchen, liegt das höher?"):
        assert planned(message, session, EVERYTHING) == (height,), message


def test_the_same_is_asked_of_the_next_click() -> None:
    for asked, intent in (("Wie hoch ist es hier?", "height_query"), ("Was ist hier?", "identify")):
        session = beside_map(point=CLICKED).model_copy(update={"history": after(asked).history})
        (step,) = planned("und hier oben?", session, EVERYTHING)
        assert step.startswith(intent) and "x=2600500, y=1215400" in step


@pytest.mark.parametrize("message", ["Ist es grösser als 500 m2?", "Sind das mehr als zwei Hektaren?"])
def test_the_size_of_what_is_selected_answers_a_comparison(message: str) -> None:
    (step,) = planned(message, after(selected=(PARCEL,)), EVERYTHING)
    assert step.startswith("show_parcel")


@pytest.mark.parametrize("message", ["In welcher Gemeinde bin ich hier?", "Gibt es hier etwas Besonderes?"])
def test_what_is_here_is_asked_in_other_words(message: str) -> None:
    (step,) = planned(message, beside_map(point=CLICKED), EVERYTHING)
    assert step.startswith("identify")
