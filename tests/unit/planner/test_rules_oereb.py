"""An extract of the cadastre from whatever names a parcel: address, coordinate, number, EGRID, selection."""

import pytest
from contracts.items import Item
from solothurn import VOCABULARY

from .rules_kit import ADDRESS, EXTRACT, PARCEL, TOOLS, after, planned, told, unavailable, without

GEOCODE = "geolocation.geocode(q=Rötistrasse 4, Solothurn)"
AT_POINT = "oereb.egrid_by_xy() > oereb.extract_by_id()"
XY = "oereb.egrid_by_xy(x=2600513, y=1215519) > oereb.extract_by_id()"
BY_NUMBER = "parcels.by_number(number=168, municipality=Messen) > oereb.extract_by_id()"
BY_EGRID = "oereb.extract_by_id(egrid=CH955832730623)"

ADDRESSES = [
    "ÖREB-Auszug an der Rötistrasse 4 in Solothurn",
    "Erstelle den ÖREB-Auszug der Liegenschaft an der Rötistrasse 4 in Solothurn",
    "Welche Eigentumsbeschränkungen gelten an der Rötistrasse 4 in Solothurn?",
    "Was darf ich an der Rötistrasse 4 in Solothurn bauen?",
    "Welche Baubeschränkungen gibt es an der Rötistrasse 4 in Solothurn?",
]
COORDINATES = [
    "Lade den ÖREB-Kataster bei 2600513,1215519",
    "ÖREB an der Koordinate 2'600'513 / 1'215'519",
    "ÖREB für 600513, 215519",
    "öreb-auszug (2600513, 1215519) bitte",
]
NUMBERS = [
    "öreb auszug gb messen 168",
    "ÖREB Parzelle 168, 3254 Messen",
    "ÖREB Auszug als PDF für Parzelle 168 Messen",
    "Gibt es auf Parzelle 168 in Messen Eigentumsbeschränkungen?",
    "öffentlich-rechtliche Eigentumsbeschränkungen Parzelle 168 Messen",
    "Zeig mir die Baubeschränkungen für Parzelle 168 in Messen",
    "Welche ÖREB-Themen betreffen Parzelle 168 in Messen?",
]
EGRIDS = [
    "CH955832730623 öreb",
    "öreb ch 9558 3273 0623",
    "Zeige den ÖREB-Auszug für EGRID CH955832730623",
    "Was gilt auf CH955832730623?",
    "Welche ÖREB-Themen betreffen CH955832730623?",
]
CASES = [
    *((message, f"{GEOCODE} > {AT_POINT}") for message in ADDRESSES),
    *((message, XY) for message in COORDINATES),
    *((message, BY_NUMBER) for message in NUMBERS),
    *((message, BY_EGRID) for message in EGRIDS),
]


@pytest.mark.parametrize(("message", "calls"), CASES)
def test_the_parcel_is_found_by_what_the_message_names(message: str, calls: str) -> None:
    assert planned(message) == (f"oereb_extract: {calls}",)


@pytest.mark.parametrize(
    ("message", "first", "second"),
    [
        (
            "Gehe zur Rötistrasse 4 in Solothurn und erstelle mir einen ÖREB-Katasterauszug.",
            f"goto_address: {GEOCODE}",
            AT_POINT,
        ),
        (
            "Gehe zu Parzelle 168 in Messen und dann den ÖREB-Auszug",
            "show_parcel: parcels.by_number(number=168, municipality=Messen)",
            "oereb.extract_by_id()",
        ),
        (
            "Zeige 2600513, 1215519 und erstelle einen ÖREB-Auszug",
            "search_place: geolocation.place(q=2600513, 1215519)",
            AT_POINT,
        ),
        (
            "Zeige CH955832730623 und den ÖREB-Auszug dazu",
            "show_parcel: parcels.by_egrid(egrid=CH955832730623)",
            "oereb.extract_by_id()",
        ),
    ],
)
def test_a_step_before_leads_to_the_parcel(message: str, first: str, second: str) -> None:
    assert planned(message) == (first, f"oereb_extract: {second}")


@pytest.mark.parametrize(
    ("selected", "calls"),
    [(ADDRESS, AT_POINT), (PARCEL, "oereb.extract_by_id()"), (EXTRACT, "oereb.extract_by_id()")],
)
@pytest.mark.parametrize("message", ["ÖREB-Auszug", "und der öreb auszug?", "mach davon einen öreb-auszug"])
def test_what_is_selected_leads_to_the_parcel(message: str, selected: Item, calls: str) -> None:
    assert planned(message, after(selected=(selected,))) == (f"oereb_extract: {calls}",)


def test_the_layer_of_the_cadastre_is_a_layer() -> None:
    assert planned("Lade den ÖREB-Layer") == ("load_layer: layers.search(query=ÖREB)",)


# -- when tools are missing -----------------------------------------------------------------------


def test_another_search_stands_in_for_the_one_of_the_cadastre() -> None:
    tools = without("oereb.egrid_by_xy")
    assert planned(ADDRESSES[0], tools=tools) == (
        f"oereb_extract: {GEOCODE} > parcels.by_xy() > oereb.extract_by_id()",
    )
    assert planned(COORDINATES[0], tools=tools) == (
        "oereb_extract: parcels.by_xy(x=2600513, y=1215519) > oereb.extract_by_id()",
    )


@pytest.mark.parametrize(
    ("message", "missing"),
    [
        (ADDRESSES[0], "geolocation.geocode"),
        (NUMBERS[0], "parcels.by_number"),
        (EGRIDS[0], "oereb.extract_by_id"),
    ],
)
def test_what_is_missing_is_named(message: str, missing: str) -> None:
    assert told(message, tools=without(missing)) == unavailable(missing)


@pytest.mark.parametrize("message", [ADDRESSES[0], COORDINATES[0], EGRIDS[0]])
def test_without_the_cadastre_the_extract_is_missing_and_not_the_way_to_it(message: str) -> None:
    tools = without("oereb.egrid_by_xy", "oereb.extract_by_id")
    assert told(message, tools=tools) == unavailable("oereb.extract_by_id")


def test_with_the_cadastre_alone_coordinates_and_egrids_still_work() -> None:
    alone = tuple(tool for tool in TOOLS if tool.capability.startswith("oereb."))
    assert planned(COORDINATES[0], tools=alone) == (f"oereb_extract: {XY}",)
    assert planned(EGRIDS[0], tools=alone) == (f"oereb_extract: {BY_EGRID}",)
    example = VOCABULARY.example("oereb_extract", {tool.capability for tool in alone})
    assert example is not None and f"«{example.sentence('de')}»" in told("Hilfe", tools=alone)
    x, y = example.subject.split(", ")
    at_point = f"oereb.egrid_by_xy(x={x}, y={y}) > oereb.extract_by_id()"
    assert planned(example.sentence("de"), tools=alone) == (f"oereb_extract: {at_point}",)
    assert "ÖREB-Auszug für Grundstück 198 in Messen" in told("Hilfe")
