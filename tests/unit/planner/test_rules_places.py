"""Addresses, municipalities, localities and other places."""

import pytest
from contracts.items import Place
from contracts.session import Session

from planner.rules import plan
from planner.texts import text

from .rules_kit import TOOLS, Utterances, after, planned, told, without

SPOT = Place(id="p", label="2'600'513 / 1'215'519", kind="Koordinate", coord=(2600513, 1215519))


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
    ("Zeige mir Bern", place("Bern")),
    ("Zürich", place("Zürich")),
    ("Balm", place("Balm")),
    ("4500", place("4500")),
    ("zeig mir 4566", place("4566")),
    ("Kanton Solothurn", place("Kanton Solothurn")),
    ("Zeige den ganzen Kanton", place("Kanton Solothurn")),
    ("Zeige Messen im Kanton Solothurn", municipality("Messen")),
    ("Zeige den Bezirk Thal", place("Bezirk Thal")),
    ("Bezirk Gäu", place("Bezirk Gäu")),
    ("Wo liegt der Bezirk Olten?", place("Bezirk Olten")),
    ("Zeige Olten im Bezirk Olten", municipality("Olten")),
    ("Zoome auf Bucheggberg", place("Bezirk Bucheggberg")),
    ("Zoom aufs Gäu", place("Bezirk Gäu")),
    ("wo isch Gränche", municipality("Grenchen")),
    ("Bahnhof Solothurn", place("Bahnhof Solothurn")),
    ("Gehe zum Schloss Waldegg in Feldbrunnen", place("Schloss Waldegg Feldbrunnen")),
]


POINT = place("2600513, 1215519")
COORDINATES: Utterances = [
    ("2600513, 1215519", POINT),
    ("Gehe zu 2'600'513 / 1'215'519", POINT),
    ("lv95 2600513 1215519 bitte anzeigen", POINT),
    ("Koordinate 600513/215519", POINT),
    ("Zeig mir 47.2088, 7.5323", place("2607096.6, 1228655.6")),
    ("https://map.geo.admin.ch/?E=2600513&N=1215519", POINT),
    ("https://map.geo.admin.ch/#/map?lang=de&center=2600513,1215519&z=9&layers=ch.bafu.moor", POINT),
    ("Zeige mir https://example.org/?at=2600513%2C1215519 bitte", POINT),
]


@pytest.mark.parametrize(("message", "expected"), COORDINATES)
def test_a_bare_coordinate_is_a_place(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message) == expected


def test_without_the_place_tool_a_coordinate_shows_its_parcel() -> None:
    assert planned("2600513, 1215519", tools=without("geolocation.place")) == (
        "search_place: parcels.by_xy(x=2600513, y=1215519)",
    )


def test_what_follows_a_coordinate_is_about_that_point() -> None:
    session = after("Gehe zu 2600513, 1215519", selected=(SPOT,))
    assert planned("Welche Parzelle liegt hier?", session) == ("show_parcel: parcels.by_xy()",)
    assert planned("öreb", session) == ("oereb_extract: oereb.egrid_by_xy() > oereb.extract_by_id()",)
    assert planned("und 2607096, 1228655?", session) == place("2607096, 1228655")


def test_a_parcel_is_followed_by_the_parcel_at_a_coordinate() -> None:
    assert planned("und bei 2600513, 1215519?", after("Zeige Parzelle 168 in Messen")) == (
        "show_parcel: parcels.by_xy(x=2600513, y=1215519)",
    )


@pytest.mark.parametrize(
    "written", ["48.8566, 2.3522", "999999, 1215519", "2600513 / 9215519", "52° 31' N 13° 24' E"]
)
def test_a_coordinate_outside_of_the_country_is_named(written: str) -> None:
    assert planned(f"Gehe zu {written}") == ("search_place?",)
    assert told(f"Gehe zu {written}") == text("unknown_coordinate", coordinate=written)
    assert planned(f"ÖREB-Auszug bei {written}", after(selected=(SPOT,))) == ("oereb_extract?",)


@pytest.mark.parametrize(
    "message", ["Parzelle 12345, 4500 Solothurn", "Lade 123456 und 12", "19.50 oder 20.50"]
)
def test_other_numbers_are_no_unknown_coordinate(message: str) -> None:
    assert not any("Koordinate" in (step.message or "") for step in plan(message, Session(), TOOLS).steps)


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


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("PLZ 4500", place("4500")),
        ("Zeige mir 4500", place("4500")),
        ("Welcher Ort hat die Postleitzahl 4500?", place("4500")),
        ("Zeige mir 4500 Solothurn", municipality("Solothurn")),
        ("Solothurn 4500", municipality("Solothurn")),
        ("CH-4500 Solothurn", municipality("Solothurn")),
        ("4500 Gewässerschutz", (*place("4500"), "load_layer: layers.search(query=Gewässerschutz)")),
        ("Gewässerschutz 4500", (*place("4500"), "load_layer: layers.search(query=Gewässerschutz)")),
        ("4500 Luftbild", (*place("4500"), "set_background: background=ortho")),
        ("8001 Zürich", place("8001 Zürich")),
        ("9000 St. Gallen", place("9000 St. Gallen")),
        ("D-79098 Freiburg", place("D-79098 Freiburg")),
        ("9999 Entenhausen", place("9999 Entenhausen")),
    ],
)
def test_a_postal_code_is_a_place(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message) == expected


@pytest.mark.parametrize("message", ["Grundstück 4500 in Messen", "Nummer 4500 in Messen", "GB 4500 Messen"])
def test_a_word_for_parcels_makes_a_number_of_it(message: str) -> None:
    assert planned(message) == ("show_parcel: parcels.by_number(number=4500, municipality=Messen)",)


@pytest.mark.parametrize("message", ["Was kosten 4500 Franken?", "Dokumente zu 4500 Einwohnern"])
def test_what_is_counted_is_no_postal_code(message: str) -> None:
    assert not any("4500)" in step and step.startswith("search_place") for step in planned(message))


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("Zeige mir Oltn", "Olten"),
        ("Und jetzt Grenchn", "Grenchen"),
        ("Balsthl bitte", "Balsthal"),
        ("Wo ist Grenchne?", "Grenchen"),
    ],
)
def test_a_name_with_a_typo_needs_no_preposition_where_nothing_else_is_said(message: str, name: str) -> None:
    assert planned(message) == municipality(name)


@pytest.mark.parametrize("word", ["Wolken", "Biber", "Meldungen", "Türen"])
def test_an_everyday_word_is_no_name_with_a_typo(word: str) -> None:
    assert not any(step.startswith("search_place") for step in planned(f"Zeige {word}"))


def test_an_unknown_name_is_looked_for_where_its_height_is_asked() -> None:
    assert planned("Wie hoch liegt Hintertupfingen?") == (
        "height_query: geolocation.place(q=Hintertupfingen) > terrain.height_by_xy()",
    )
