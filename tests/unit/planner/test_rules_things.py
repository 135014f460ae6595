"""Things that a message names, and how the model that hears what is wanted of them sees it."""

import pytest
from contracts.vocabulary import Vocabulary

from planner.rules.grammar.utterance import utterance_of
from planner.rules.learned.things import rivals, things_in
from planner.rules.learned.wanted import segments_of
from planner.rules.reading.known import knowing


def names(message: str) -> list[str]:
    things = things_in(utterance_of(message).parts)
    return [each.what if isinstance(each.what, str) else type(each.what).__name__.lower() for each in things]


def test_things_are_places_numbers_and_layers_in_their_order() -> None:
    message = "Karst bei Olten, Grundstück 198 in Messen, Rötistrasse 4, und die Drainagen, nicht die 531"
    assert names(message) == ["Karst", "place", "parcel", "address", "Drainagen", "parcel"]


def test_a_word_that_can_mean_but_one_layer_is_a_thing() -> None:
    assert names("Steischlag, Velowege und Karst") == ["Gefahrenkarte Sturz (Naturgefahren)", "Karst"]
    with knowing(Vocabulary()):
        assert names("Steischlag") == []


@pytest.mark.parametrize(
    ("message", "titles"),
    [
        ("EKAT 2005 und EKAT 2010", ["Emissionskataster EKAT 2005", "Emissionskataster EKAT 2010"]),
        ("Hitzekarte 2060 bitte", ["Klimaanalysekarte Tag 2060"]),
        ("Planungshinweiskarte Tag", ["Planungshinweiskarte Tag 2020"]),
        (
            "IK Wasser, dann IK Sturz",
            ["Synoptische IK Wasser (Naturgefahren)", "Synoptische IK Sturz (Naturgefahren)"],
        ),
    ],
)
def test_a_layer_is_called_by_its_year_or_by_how_its_title_ends(message: str, titles: list[str]) -> None:
    assert names(message) == titles


@pytest.mark.parametrize(
    ("message", "added"),
    [
        (
            "Emissionskataster 2005, 2010 und 2015",
            ["Emissionskataster EKAT 2010", "Emissionskataster EKAT 2015"],
        ),
        ("Klimaanalysekarte Tag 2020, danach gleich die für 2060", ["Klimaanalysekarte Tag 2060"]),
        ("Klimaanalysekarte Tag 2020 und Nacht 2060", ["Klimaanalysekarte Nacht 2060"]),
        ("Wald - Funktion, Eigentum und Übersicht", ["Wald - Eigentum", "Wald - Übersicht"]),
        ("Klimaanalysekarte Tag 2020. Sie war schon immer lang und langweilig. 2060", ["parcel"]),
        ("Grundwasserschutzzonen und 2015", ["parcel"]),
    ],
)
def test_a_name_goes_on_from_one_before(message: str, added: list[str]) -> None:
    assert names(message)[1:] == added


@pytest.mark.parametrize("message", ["Karte schwarz weiss", "Natur und Landschaft", "hatte ich"])
def test_what_may_mean_more_is_no_name_of_a_layer(message: str) -> None:
    assert names(message) == []


@pytest.mark.parametrize(
    "message", ["500 m um Olten", "500m um Olten", "1.5 km um Olten", "Olten, 50%", "Olten, 50 Prozent"]
)
def test_a_number_that_says_how_far_or_how_much_is_no_thing(message: str) -> None:
    assert names(message) == ["place"]


@pytest.mark.parametrize("message", ["Olten, zeig mal 198 mal", "für Olten und 168 grad auch"])
def test_a_word_that_is_not_only_a_unit_leaves_it_one(message: str) -> None:
    assert names(message) == ["place", "parcel"]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Karst und Olten", ()),
        ("Olten, nein, Olten", ()),
        ("Karst, Geologie und Olten", ((0, 1),)),
        ("Olten, Karst, Trimbach, Geologie", ((0, 2), (1, 3))),
        ("198 oder 531 in Messen", ((0, 1),)),
    ],
)
def test_rivals_are_a_few_different_things_of_a_sort(
    message: str, expected: tuple[tuple[int, ...], ...]
) -> None:
    assert rivals(things_in(utterance_of(message).parts)) == expected


def segments(message: str) -> tuple[str, ...]:
    said = utterance_of(message)
    return tuple(segments_of(said, things_in(said.parts)))


def test_what_a_place_is_called_is_not_looked_at_but_how_it_is_misspelled() -> None:
    one, other = (segments(f"{name} kenne ich, zeig mir Wisen SO.") for name in ("Trimbach", "Zuchwil"))
    assert one == other == ("", "olten", " kenne ich, zeig mir ", "wangen", ".")
    assert segments("nach Trimbahc, nein, Zuchwil")[1::2] == ("trimbahc", "olten")


def test_a_street_is_called_otherwise_too_but_keeps_its_number() -> None:
    one, other = (segments(f"Karst bei der {street} und Olten?") for street in ("Rue du Lac 5", "Hagweg 5"))
    assert one == other == ("", "karst", " bei der ", "rötistrasse 5", " und ", "olten", "?")


@pytest.mark.parametrize(
    "written", ["KARST NÄHER BEI OLTEN", "karst naeher bei olten", "Karst näher bei Olten"]
)
def test_what_is_wanted_is_heard_in_one_spelling(written: str) -> None:
    assert segments(written) == ("", "karst", " näher bei ", "olten", "")


def test_what_is_written_stays_together() -> None:
    message = "karst und 198 in messen, nicht am hagweg"
    assert "".join(segments(message)).replace("olten", "messen") == message
    assert len(segments(message)) == 7, "a street without a number may be something else"
