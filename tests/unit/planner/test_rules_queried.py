"""What is asked of several layers, or at several places."""

from collections.abc import Mapping

import pytest
from contracts.intents import Intent

from planner.rules.grammar.counting import counted_in
from planner.rules.grammar.rewriting import Wishes
from planner.rules.grammar.wishes import load, visit
from planner.rules.heard.queried import asked_of_each
from planner.rules.references.places import Place

from .rules_kit import EVERYTHING, planned
from .wanted_kit import wanted

OLTEN, TRIMBACH = Place("Olten", "municipality"), Place("Trimbach", "municipality")
ASKED: Mapping[str, float] = {Intent.QUERY_FEATURES: 0.95}
SHOWN: Mapping[str, float] = {Intent.SEARCH_PLACE: 0.95}


def told(wishes: Wishes) -> list[tuple[str, str]]:
    """The layer of each wish, and where."""
    layers = (str(each.args.get("layer", each.query)) for each in wishes)
    places = (each.args.get("municipality") or getattr(each.target, "name", "") for each in wishes)
    return [*zip(layers, map(str, places), strict=True)]


def test_what_is_read_of_one_place_is_asked_at_each() -> None:
    heard = wanted("Karst in Olten und Trimbach?", ASKED, ASKED, ASKED)
    assert told(asked_of_each((counted_in("Karst", OLTEN), visit(TRIMBACH)), heard)) == [
        ("Karst", "Olten"),
        ("Karst", "Trimbach"),
    ]


def test_what_is_read_of_one_layer_is_asked_of_each() -> None:
    heard = wanted("Karst und Geologie in Olten?", ASKED, ASKED, ASKED)
    read = (counted_in("Karst", None), visit(OLTEN), load("Geologie"))
    assert told(asked_of_each(read, heard)) == [("Karst", "Olten"), ("Geologie", "Olten")]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            "Karst und Geologie in Olten und Trimbach?",
            ["Karst Olten", "Karst Trimbach", "Geologie Olten", "Geologie Trimbach"],
        ),
        ("Karst in Olten, Geologie in Trimbach?", ["Karst Olten", "Geologie Trimbach"]),
        ("In Olten der Karst, in Trimbach die Geologie?", ["Karst Olten", "Geologie Trimbach"]),
    ],
)
def test_of_several_layers_and_places_those_beside_each_other_belong_together(
    message: str, expected: list[str]
) -> None:
    found = asked_of_each((counted_in("Karst", OLTEN),), wanted(message, *[ASKED] * 4))
    assert [" ".join(each) for each in told(found)] == expected


def test_a_district_is_told_by_its_name() -> None:
    heard = wanted("Karst und Geologie im Bezirk Gäu?", ASKED, ASKED, ASKED)
    expected = [("Karst", "Bezirk Gäu"), ("Geologie", "Bezirk Gäu")]
    assert told(asked_of_each((counted_in("Karst", None),), heard)) == expected


def test_what_else_is_wanted_stays() -> None:
    heard = wanted("Karst in Olten? Und zeig Trimbach", ASKED, ASKED, SHOWN)
    read = (counted_in("Karst", OLTEN), visit(TRIMBACH))
    assert asked_of_each(read, heard) == read


@pytest.mark.parametrize(
    "message", ["Karst, Olten, Geologie, Trimbach, Drainagen?", "Olten und Trimbach?", "Karst und Geologie?"]
)
def test_nothing_changes_where_nobody_can_tell_what_belongs_together(message: str) -> None:
    heard = wanted(message, *[ASKED] * (message.count(",") + 1 if "," in message else 2))
    read = (counted_in("Karst", OLTEN),)
    assert asked_of_each(read, heard) == read


def test_nothing_changes_where_what_is_asked_about_is_not_named() -> None:
    heard = wanted("Einhörner in Olten, Karst in Trimbach", ASKED, ASKED, ASKED)
    read = (counted_in("Einhörner", OLTEN),)
    assert asked_of_each(read, heard) == read


def test_who_asks_two_towns_gets_two_answers() -> None:
    places = ("Olten", "Trimbach")
    message = "Wie viele Naturreservate gibt es in Olten und wie viele in Trimbach?"
    assert planned(message, tools=EVERYTHING) == tuple(
        f"query_features: geolocation.municipality(q={place}) > "
        "features.query(layer=Naturreservate, function=count)"
        for place in places
    )
