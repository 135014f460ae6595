"""The same grammar with the names of another canton, and with none."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cantons import AUBONNES
from contracts.vocabulary import PlaceName, Vocabulary

from planner.rules.reading.known import knowing
from tools_geo.settings import Settings
from tools_geo.sources import names_of

from .rules_kit import planned, told

NAMES, _ = names_of(Settings(geo_data_dir=Path(AUBONNES.environment["GEO_DATA_DIR"])))


def parcel(number: str, municipality: str) -> str:
    return f"parcels.by_number(number={number}, municipality={municipality})"


def address(q: str) -> str:
    return f"goto_address: geolocation.geocode(q={q})"


def municipality(name: str) -> str:
    return f"search_place: geolocation.municipality(q={name})"


@pytest.fixture
def aubonnes(names: None) -> Iterator[None]:
    with knowing(NAMES):
        yield


@pytest.mark.usefixtures("aubonnes")
@pytest.mark.parametrize(
    ("message", "plan"),
    [
        ("Gehe zur Rue du Lac 12 in Saint-Aubin", address("Rue du Lac 12, Saint-Aubin")),
        ("gehe zur rue du lac 12, 9902 saint-aubin", address("rue du lac 12, 9902 Saint-Aubin")),
        (
            "Wo ist der Chemin de l'Église 4 in Château-l'Évêque?",
            address("Chemin de l'Église 4, Château-l'Évêque"),
        ),
        ("Hauptgasse 3a, Grünmatt", address("Hauptgasse 3a, Grünmatt")),
        ("Zeige mir Château-l’Évêque", municipality("Château-l'Évêque")),
        ("Gehe nach chateau-l'eveque", municipality("Château-l'Évêque")),
        ("Gehe nach Seewil", municipality("Seewil/Villac")),
        ("Gehe nach Villac", municipality("Seewil/Villac")),
        ("Zeige mir Seewil/Villac", municipality("Seewil/Villac")),
        ("Gehe nach Saint-Obin", municipality("Saint-Aubin")),
        ("Zeige den Kanton", "search_place: geolocation.place(q=Kanton Aubonnes)"),
        ("Zeige den Bezirk Hügelland", "search_place: geolocation.place(q=Bezirk Hügelland)"),
        ("Zeige Grundstück D7001 in Saint-Aubin", f"show_parcel: {parcel('D7001', 'Saint-Aubin')}"),
        ("Saint-Aubin D7001", f"show_parcel: {parcel('D7001', 'Saint-Aubin')}"),
        ("Parzelle 1234.01 in Grünmatt", f"show_parcel: {parcel('1234.01', 'Grünmatt')}"),
        (
            "ÖREB-Auszug für D7001 in Saint-Aubin",
            f"oereb_extract: {parcel('D7001', 'Saint-Aubin')} > oereb.extract_by_id()",
        ),
    ],
)
def test_names_and_numbers_of_the_canton_are_understood(message: str, plan: str) -> None:
    assert planned(message) == (plan,)


@pytest.mark.usefixtures("aubonnes")
def test_a_date_is_no_number_of_a_parcel() -> None:
    assert planned("Suche Dokumente seit 1.3.2024 in Grünmatt")[0].startswith("search_documents")


@pytest.mark.usefixtures("aubonnes")
def test_the_other_canton_is_not_known() -> None:
    assert planned("Gehe nach Grenchen") == ("search_place: geolocation.place(q=Grenchen)",)
    assert "Solothurn" not in told("Was kannst du?")
    assert "Rue du Lac 12" in told("Was kannst du?")


@pytest.mark.parametrize("number", ["D7001", "1234.01"])
def test_forms_of_numbers_are_those_of_the_source(number: str) -> None:
    assert planned(f"Messen {number}") != (f"show_parcel: {parcel(number, 'Messen')}",)


@pytest.mark.parametrize(
    ("message", "plan"),
    [
        ("Gehe zur Rötistrasse 4 in Solothurn", address("Rötistrasse 4, Solothurn")),
        ("Gehe nach Grenchen", "search_place: geolocation.place(q=Grenchen)"),
        ("Zeige Grundstück 168 in Messen", f"show_parcel: {parcel('168', 'Messen')}"),
        ("Lade den Gewässerschutzlayer", "load_layer: layers.search(query=Gewässerschutz)"),
    ],
)
def test_without_a_vocabulary_what_is_plain_is_understood(message: str, plan: str) -> None:
    with knowing(Vocabulary()):
        assert planned(message) == (plan,)


@pytest.mark.parametrize(
    ("message", "plan"),
    [
        (
            "ÖREB-Auszug für Grundstück 12 in Chavannes",
            f"oereb_extract: {parcel('12', 'Chavannes')} > oereb.extract_by_id()",
        ),
        ("Gehe nach Chavannes", "search_place: geolocation.place(q=Chavannes)"),
        ("Gehe nach Corcelles", municipality("Corcelles-le-Jorat")),
    ],
)
def test_a_part_of_several_names_is_none_of_them(message: str, plan: str) -> None:
    names = ("Chavannes-de-Bogis", "Chavannes-des-Bois", "Corcelles-le-Jorat")
    known = tuple(PlaceName(name=name, kind="municipality") for name in names)
    with knowing(Vocabulary(places=known)):
        assert planned(message) == (plan,)
