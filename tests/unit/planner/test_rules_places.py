"""Addresses, municipalities, localities and other places."""

import pytest

from .rules_kit import Utterances, planned


def address(q: str) -> tuple[str, ...]:
    return (f"goto_address: geolocation.geocode(q={q})",)


def municipality(q: str) -> tuple[str, ...]:
    return (f"search_place: geolocation.municipality(q={q})",)


def place(q: str) -> tuple[str, ...]:
    return (f"search_place: geolocation.place(q={q})",)


ADDRESSES: Utterances = [
    ("Gehe zur Langendorfstrasse 19b in Solothurn", address("Langendorfstrasse 19b, Solothurn")),
    (
        "Könntest du bitte zur Langendorfstrasse 19b in Solothurn gehen?",
        address("Langendorfstrasse 19b, Solothurn"),
    ),
    ("Langendorfstrasse 19b, Solothurn", address("Langendorfstrasse 19b, Solothurn")),
    ("Langendorfstrasse 19b Solothurn", address("Langendorfstrasse 19b, Solothurn")),
    ("Langendorfstrasse 19 b in Solothurn", address("Langendorfstrasse 19b, Solothurn")),
    ("nach Burgunderstrasse 19, 4500 Solothurn", address("Burgunderstrasse 19, 4500 Solothurn")),
    ("Rötistr. 4 Solothurn", address("Rötistr. 4, Solothurn")),
    ("4500 Solothurn, Rötistrasse 4", address("Rötistrasse 4, 4500 Solothurn")),
    ("in Solothurn an der Rötistrasse 4", address("Rötistrasse 4, Solothurn")),
    ("Adresse: Rötistrasse 4, Solothurn", address("Rötistrasse 4, Solothurn")),
    ("Wo ist die Hauptgasse 12 in Solothurn?", address("Hauptgasse 12, Solothurn")),
    ("Wo ist die Langendorfstrasse?", address("Langendorfstrasse")),
    ("Gehe zur St. Urbangasse 12 in Solothurn", address("St. Urbangasse 12, Solothurn")),
    ("Gehe zur Alten Bernstrasse 5, 4500 Solothurn", address("Alten Bernstrasse 5, 4500 Solothurn")),
    ("Langendorf Strasse 19b Solothurn", address("Langendorf Strasse 19b, Solothurn")),
    ("Im Holz 5, 4556 Aeschi", address("Im Holz 5, 4556 Aeschi")),
    ("Fahre zum Dorfplatz in Selzach", address("Dorfplatz, Selzach")),
    ("Hauptstrasse 5 in Wangen b. Olten", address("Hauptstrasse 5, Wangen bei Olten")),
    ("Dorfstrasse 3, Büren SO", address("Dorfstrasse 3, Büren")),
    ("Bahnhofstrasse 3 in Aarau", address("Bahnhofstrasse 3, Aarau")),
    (
        "Zeige mir mein Haus an der Langendorfstrasse 19b in Solothurn",
        address("Langendorfstrasse 19b, Solothurn"),
    ),
    ("ich wohne an der rötistrasse 4 in solothurn, zeig mir mein haus", address("rötistrasse 4, Solothurn")),
    ("Rötistrasse 4 Solothurn, bitte anzeigen", address("Rötistrasse 4, Solothurn")),
    # Typos in the street are left to the geocoder, those in the place are known to be the place.
    ("gehe zur langendorfstrase 19b, soloturn", address("langendorfstrase 19b, Solothurn")),
    ("Zeige mir die Langendorfstarsse 19b in Solothrun", address("Langendorfstarsse 19b, Solothurn")),
    ("Langendorfstraße 19b in Solothurn", address("Langendorfstraße 19b, Solothurn")),
]

PLACES: Utterances = [
    ("Grenchen", municipality("Grenchen")),
    ("grenchen", municipality("Grenchen")),
    ("Zeige mir Grenchen", municipality("Grenchen")),
    ("Zeig mal Grenchen", municipality("Grenchen")),
    ("Könntest du mir bitte Grenchen zeigen?", municipality("Grenchen")),
    ("Gehe nach Drei Höfe", municipality("Drei Höfe")),
    ("ich möchte nach Balsthal", municipality("Balsthal")),
    ("Bring mich nach Oensingen", municipality("Oensingen")),
    ("Wo liegt Olten?", municipality("Olten")),
    ("Zeige mir, wo Grenchen liegt.", municipality("Grenchen")),
    ("Gemeinde Messen", municipality("Messen")),
    ("Zeige die Karte von Grenchen", municipality("Grenchen")),
    ("Wangen b. Olten", municipality("Wangen bei Olten")),
    ("Erlinsbach SO", municipality("Erlinsbach (SO)")),
    ("Büren (SO)", municipality("Büren (SO)")),
    ("Nuglar-St. Pantaleon", municipality("Nuglar-St. Pantaleon")),
    ("lohn-ammannsegg", municipality("Lohn-Ammannsegg")),
    ("Starrkirch", municipality("Starrkirch-Wil")),
    ("Soloturn", municipality("Solothurn")),
    ("Hoi, zeig mer bitte Grenche", municipality("Grenchen")),
    ("Zeige mr Grenchen", municipality("Grenchen")),
    ("Zeige mir renchen", municipality("Grenchen")),
    ("Mühledorf", place("Mühledorf")),
    ("Zeige mir Lüterkofen", place("Lüterkofen")),
    ("Wo liegt Balm bei Messen?", place("Balm bei Messen")),
    ("Gehe zum Weissenstein", place("Weissenstein")),
    ("Gehe nach Aarau", place("Aarau")),
    ("Bahnhof Solothurn", place("Bahnhof Solothurn")),
    ("Gehe zum Schloss Waldegg in Feldbrunnen", place("Schloss Waldegg Feldbrunnen")),
]


@pytest.mark.parametrize(("message", "expected"), ADDRESSES)
def test_an_address_is_visited(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message) == expected


@pytest.mark.parametrize(("message", "expected"), PLACES)
def test_a_place_is_rather_a_municipality_than_anything_else(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message) == expected


@pytest.mark.parametrize("message", ["Distanz messen", "kannst du messen?"])
def test_a_verb_is_no_municipality(message: str) -> None:
    assert planned(message) == ("clarify?",)


@pytest.mark.parametrize("message", ["Lade die Kantonsstrassen", "Lade die Wanderwege"])
def test_a_layer_of_streets_is_no_address(message: str) -> None:
    (step,) = planned(message)
    assert step.startswith("load_layer: layers.search")
