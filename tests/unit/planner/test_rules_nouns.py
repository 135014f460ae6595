"""Nouns are told by form and place, and what people add out of courtesy changes nothing."""

import pytest

from planner.rules.grammar.parts import Word
from planner.rules.grammar.utterance import utterance_of
from planner.rules.reading.tokens import without_courtesy

from .rules_kit import planned


def nouns(message: str) -> list[str]:
    return [part.text for part in utterance_of(message).parts if isinstance(part, Word) and part.is_noun]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Wo steht das rote Haus mit dem alten Kirschbaum?", ["Kirschbaum"]),
        ("Wer hat das beantragt und beschlossen?", []),
        ("Lade den Layer Einhornvorkommen", ["Layer", "Einhornvorkommen"]),
        ("Zeige die grossen Fundstellen", ["Fundstellen"]),
        ("Was kostet eine Bewilligung?", ["Bewilligung"]),
    ],
)
def test_nouns_need_no_capital(message: str, expected: list[str]) -> None:
    assert nouns(message) == expected
    assert nouns(message.lower()) == [word.lower() for word in expected]
    assert nouns(message.upper()) == [word.upper() for word in expected]


@pytest.mark.parametrize(
    ("message", "bare"),
    [
        ("Bitte, bitte zeig mir Olten!", "zeig mir Olten!"),
        ("Olten bitte", "Olten"),
        ("Wie hoch liegt Olten, danke?", "Wie hoch liegt Olten?"),
        ("bitte", "bitte"),
        ("ja danke", "ja danke"),
        ("Kannst du mir bitte Olten zeigen", "Kannst du mir bitte Olten zeigen"),
    ],
)
def test_courtesy_around_a_message_is_passed_over(message: str, bare: str) -> None:
    assert without_courtesy(message) == bare


PARCEL = "show_parcel: parcels.by_number(number={}, municipality={})"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            "Grundstücke 9902 Subingen und 9905 Kammersrohr",
            (PARCEL.format(9902, "Subingen"), PARCEL.format(9905, "Kammersrohr")),
        ),
        ("Fläche von 2084 Biberist", (PARCEL.format(2084, "Biberist"),)),
        ("Postleitzahl 8001 bitte", ("search_place: geolocation.place(q=8001)",)),
        ("Gösgen", ("search_place: geolocation.place(q=Gösgen)",)),
        ("Und jetzt Rüttennen", ("search_place: geolocation.municipality(q=Rüttenen)",)),
        (
            "Unser Büro ist in 4614 Hägendorf, zeig mal",
            ("search_place: geolocation.municipality(q=Hägendorf)",),
        ),
        ("Rötistrasse 17 à Soleure", ("goto_address: geolocation.geocode(q=Rötistrasse 17, Solothurn)",)),
        ("forest", ("load_layer: layers.search(query=forest)",)),
    ],
)
def test_names_of_places_and_parcels(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message) == expected


def test_a_particle_needs_no_verb() -> None:
    removed, loaded = planned("Karst raus, Jungwald rein")
    assert (removed, loaded) == ("remove_layer: name=Karst", "load_layer: layers.search(query=Jungwald)")
    assert (
        planned("Hydranten weg, dafür die Kantonsstrassen dazu")[1]
        == "load_layer: layers.search(query=Kantonsstrassen)"
    )


def test_letters_in_another_order_are_the_same_short_word() -> None:
    (extract,) = planned("ÖERB Auszgu 2084 Biberist")
    assert extract.startswith("oereb_extract: parcels.by_number(number=2084, municipality=Biberist)")
