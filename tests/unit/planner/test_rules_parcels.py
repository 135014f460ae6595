"""Parcels, and what is made for them or for a point: extract, plan, assessment, height."""

import pytest
from contracts.items import Item

from .rules_kit import ADDRESS, EXTRACT, PARCEL, Utterances, after, begins, planned, told

BY_NUMBER = "parcels.by_number(number=168, municipality=Messen)"
NEXT = "parcels.by_number(number=169, municipality=Messen)"
GEOCODE = "geolocation.geocode(q=Rötistrasse 4, Solothurn)"
XY = "(x=2600513, y=1215519)"

PARCELS: Utterances = [
    ("Grundstück 168 in Messen", (f"show_parcel: {BY_NUMBER}",)),
    (
        "Zeige mir bitte die Parzelle mit der Nummer 168 in der Gemeinde Messen",
        (f"show_parcel: {BY_NUMBER}",),
    ),
    ("GB-Nr. 168 Messen", (f"show_parcel: {BY_NUMBER}",)),
    ("gb nr 168 messen", (f"show_parcel: {BY_NUMBER}",)),
    ("GB Messen 168", (f"show_parcel: {BY_NUMBER}",)),
    ("Grundbuch Messen Nr. 168", (f"show_parcel: {BY_NUMBER}",)),
    ("Zeige die Liegenschaft Nr. 168 in Messen", (f"show_parcel: {BY_NUMBER}",)),
    ("Parzellen-Nr. 168, Messen", (f"show_parcel: {BY_NUMBER}",)),
    ("Messen, Parzelle 168", (f"show_parcel: {BY_NUMBER}",)),
    ("in Messen die Parzelle 168", (f"show_parcel: {BY_NUMBER}",)),
    ("Die Parzelle 168 von Messen auf der Karte zeigen", (f"show_parcel: {BY_NUMBER}",)),
    ("Grundstuck 168 in Messen", (f"show_parcel: {BY_NUMBER}",)),
    ("Parzelle 2084 Biberist", ("show_parcel: parcels.by_number(number=2084, municipality=Biberist)",)),
    (
        "Parzelle 2084 in 4562 Biberist",
        ("show_parcel: parcels.by_number(number=2084, municipality=Biberist)",),
    ),
    (
        "Zeige Parzelle 12 in Balm bei Messen",
        ("show_parcel: parcels.by_number(number=12, municipality=Balm bei Messen)",),
    ),
    ("Zeige mir Parzelle 168", ("show_parcel: parcels.by_number(number=168)",)),
    ("Parzelle in Messen", ("show_parcel: parcels.by_number(municipality=Messen)",)),
    ("CH 7106 2032 7442", ("show_parcel: parcels.by_egrid(egrid=CH710620327442)",)),
    ("zeige das grundstück ch710620327442", ("show_parcel: parcels.by_egrid(egrid=CH710620327442)",)),
    ("Parzellen-Nr. 168 und 169 in Messen", (f"show_parcel: {BY_NUMBER}", f"show_parcel: {NEXT}")),
    (
        "Grundstücke 168, 169 und 170 in Messen",
        (
            f"show_parcel: {BY_NUMBER}",
            f"show_parcel: {NEXT}",
            "show_parcel: parcels.by_number(number=170, municipality=Messen)",
        ),
    ),
    ("Parzelle 168, 3254 Messen", (f"show_parcel: {BY_NUMBER}",)),
    ("Baurecht 168 Messen", (f"show_parcel: {BY_NUMBER}",)),
    # A number beside a municipality is a parcel, unless it is a postal code.
    ("Messen 168", (f"show_parcel: {BY_NUMBER}",)),
    ("168 messen", (f"show_parcel: {BY_NUMBER}",)),
    ("Messen, 168", (f"show_parcel: {BY_NUMBER}",)),
    ("Zeige mir bitte 168 in Messen", (f"show_parcel: {BY_NUMBER}",)),
    ("Zeige mir 168 und 169 in Messen", (f"show_parcel: {BY_NUMBER}", f"show_parcel: {NEXT}")),
    ("4500 Solothurn", ("search_place: geolocation.municipality(q=Solothurn)",)),
    ("Was liegt bei 2600513, 1215519?", (f"show_parcel: parcels.by_xy{XY}",)),
    ("Grundstück an der Koordinate 2600513, 1215519", (f"show_parcel: parcels.by_xy{XY}",)),
    ("Welche Parzelle liegt bei 2600513/1215519?", (f"show_parcel: parcels.by_xy{XY}",)),
    ("Welche Parzelle ist hier?", ("show_parcel: parcels.by_xy()",)),
    (
        "Auf welcher Parzelle steht die Rötistrasse 4 in Solothurn?",
        (f"show_parcel: {GEOCODE} > parcels.by_xy()",),
    ),
]

EXTRACTS: Utterances = [
    (
        "Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519.",
        (f"oereb_extract: oereb.egrid_by_xy{XY} > oereb.extract_by_id()",),
    ),
    ("2600513 1215519 öreb", (f"oereb_extract: oereb.egrid_by_xy{XY} > oereb.extract_by_id()",)),
    (
        "Erstelle mir einen ÖREB-Auszug vom Grundstück 168 in Messen.",
        (f"oereb_extract: {BY_NUMBER} > oereb.extract_by_id()",),
    ),
    (
        "Ich hätte gerne einen Auszug aus dem ÖREB-Kataster für die Liegenschaft GB Messen Nr. 168, danke.",
        (f"oereb_extract: {BY_NUMBER} > oereb.extract_by_id()",),
    ),
    ("öreb 168 messen", (f"oereb_extract: {BY_NUMBER} > oereb.extract_by_id()",)),
    (
        "zeig öreb Messen 168 und 169 messen",
        (
            f"oereb_extract: {BY_NUMBER} > oereb.extract_by_id()",
            f"oereb_extract: {NEXT} > oereb.extract_by_id()",
        ),
    ),
    (
        "Ich möchte bauen. Was gilt auf meinem Grundstück 168 in Messen?",
        (f"oereb_extract: {BY_NUMBER} > oereb.extract_by_id()",),
    ),
    (
        "Was darf ich auf der Parzelle 168 in Messen bauen?",
        (f"oereb_extract: {BY_NUMBER} > oereb.extract_by_id()",),
    ),
    (
        "Gibt es Einschränkungen auf Parzelle 168 in Messen?",
        (f"oereb_extract: {BY_NUMBER} > oereb.extract_by_id()",),
    ),
    ("oereb auszug parzelle 168 messen", (f"oereb_extract: {BY_NUMBER} > oereb.extract_by_id()",)),
    (
        "Eigentumsbeschränkungen auf Parzelle 168 in Messen",
        (f"oereb_extract: {BY_NUMBER} > oereb.extract_by_id()",),
    ),
    (
        "ÖREB-Auszug Rötistrasse 4, Solothurn",
        (f"oereb_extract: {GEOCODE} > oereb.egrid_by_xy() > oereb.extract_by_id()",),
    ),
    ("ÖREB-Auszug für CH710620327442", ("oereb_extract: oereb.extract_by_id(egrid=CH710620327442)",)),
    ("Erstelle einen ÖREB-Auszug", ("oereb_extract: oereb.egrid_by_xy() > oereb.extract_by_id()",)),
    ("ÖREB-Auszug hier", ("oereb_extract: oereb.egrid_by_xy() > oereb.extract_by_id()",)),
]

PLANS: Utterances = [
    (
        "Mache mir einen Grundbuchplan des Grundstücks 123 in Messen.",
        (
            "cadastral_plan: parcels.by_number(number=123, municipality=Messen) > "
            "cadastral.plan_by_geometry()",
        ),
    ),
    (
        "Grundbuchplan Rötistrasse 4 Solothurn",
        (f"cadastral_plan: {GEOCODE} > parcels.by_xy() > cadastral.plan_by_geometry()",),
    ),
    (
        "Katasterplan für CH807306583219",
        ("cadastral_plan: parcels.by_egrid(egrid=CH807306583219) > cadastral.plan_by_geometry()",),
    ),
    (
        "Grundbuchplan an der Koordinate 2600513, 1215519",
        (f"cadastral_plan: parcels.by_xy{XY} > cadastral.plan_by_geometry()",),
    ),
    (
        "Erstelle einen Plan der Parzelle 168 in Messen",
        (f"cadastral_plan: {BY_NUMBER} > cadastral.plan_by_geometry()",),
    ),
    (
        "Plan für das Grundbuch von Parzelle 168 in Messen",
        (f"cadastral_plan: {BY_NUMBER} > cadastral.plan_by_geometry()",),
    ),
    (
        "Grundbchplan für Parzelle 168 in Messen",
        (f"cadastral_plan: {BY_NUMBER} > cadastral.plan_by_geometry()",),
    ),
    ("Erstelle einen Grundbuchplan", ("cadastral_plan: parcels.by_xy() > cadastral.plan_by_geometry()",)),
]

ASSESSMENTS: Utterances = [
    (
        "Wie tief kann ich an der Koordinate 2605919, 1229245 für eine Erdwärmesonde bohren?",
        ("geothermal_probe_assessment: geothermal.assess_by_xy(x=2605919, y=1229245)",),
    ),
    ("Kann ich hier eine Erdwärmesonde bohren?", ("geothermal_probe_assessment: geothermal.assess_by_xy()",)),
    ("Wie tief darf ich bohren?", ("geothermal_probe_assessment: geothermal.assess_by_xy()",)),
    (
        "Darf ich auf Parzelle 168 in Messen bohren?",
        (f"geothermal_probe_assessment: {BY_NUMBER} > geothermal.assess_by_xy()",),
    ),
    (
        "Hallo! Kannst du mir sagen, wie tief ich an der Rötistrasse 4 in Solothurn bohren darf?",
        (f"geothermal_probe_assessment: {GEOCODE} > geothermal.assess_by_xy()",),
    ),
    (
        "Erdsonde bei CH955832730623 möglich?",
        ("geothermal_probe_assessment: parcels.by_egrid(egrid=CH955832730623) > geothermal.assess_by_xy()",),
    ),
]

HEIGHTS: Utterances = [
    ("Wie hoch liegt 2600513, 1215519?", (f"height_query: terrain.height_by_xy{XY}",)),
    ("Höhe 2600513 1215519", (f"height_query: terrain.height_by_xy{XY}",)),
    (
        "Wie hoch ist es an der Rötistrasse 4 in Solothurn?",
        (f"height_query: {GEOCODE} > terrain.height_by_xy()",),
    ),
    (
        "Auf welcher Höhe liegt Günsberg?",
        ("height_query: geolocation.place(q=Günsberg) > terrain.height_by_xy()",),
    ),
    (
        "Wie hoch ist der Weissenstein?",
        ("height_query: geolocation.place(q=Weissenstein) > terrain.height_by_xy()",),
    ),
    ("Wie viele Meter über Meer ist es hier?", ("height_query: terrain.height_by_xy()",)),
    (
        "Sag mir, wie hoch Parzelle 168 in Messen liegt",
        (f"height_query: {BY_NUMBER} > terrain.height_by_xy()",),
    ),
]


@pytest.mark.parametrize(("message", "expected"), PARCELS)
def test_a_parcel_is_shown(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message) == expected


@pytest.mark.parametrize(("message", "expected"), EXTRACTS + PLANS + ASSESSMENTS + HEIGHTS)
def test_a_place_in_the_sentence_is_looked_up_first(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message) == expected


@pytest.mark.parametrize("selected", [PARCEL, EXTRACT])
def test_a_selected_parcel_is_what_the_wish_is_about(selected: Item) -> None:
    session = after(selected=(selected,))
    assert planned("Erstelle davon einen ÖREB-Auszug", session) == ("oereb_extract: oereb.extract_by_id()",)
    assert planned("Und noch ein Grundbuchplan", session) == ("cadastral_plan: cadastral.plan_by_geometry()",)
    assert planned("Wie hoch liegt das?", session) == ("height_query: terrain.height_by_xy()",)


def test_how_large_it_is_says_the_parcel() -> None:
    assert planned("und wie gross ist sie?", after(selected=(PARCEL,))) == (
        "show_parcel: parcels.by_egrid()",
    )


def test_how_large_a_municipality_is_nobody_knows() -> None:
    assert planned("Wie gross ist Grenchen?") == ("clarify?",)


def test_a_selected_address_leads_to_its_parcel() -> None:
    session = after(selected=(ADDRESS,))
    assert planned("ÖREB-Auszug", session) == ("oereb_extract: oereb.egrid_by_xy() > oereb.extract_by_id()",)
    assert planned("Grundbuchplan", session) == (
        "cadastral_plan: parcels.by_xy() > cadastral.plan_by_geometry()",
    )


def test_a_place_in_the_message_beats_the_selection() -> None:
    session = after(selected=(PARCEL,))
    assert planned("ÖREB-Auszug an der Rötistrasse 4 in Solothurn", session) == (
        f"oereb_extract: {GEOCODE} > oereb.egrid_by_xy() > oereb.extract_by_id()",
    )


@pytest.mark.parametrize(
    ("message", "intent", "key", "place"),
    [
        (
            "Kann ich in Grenchen eine Erdwärmesonde bohren?",
            "geothermal_probe_assessment",
            "where_in",
            "Grenchen",
        ),
        ("ÖREB-Auszug für Grenchen", "oereb_extract", "where_in", "Grenchen"),
        ("Grundbuchplan von Hintertupfingen", "cadastral_plan", "where_unknown", "Hintertupfingen"),
    ],
)
def test_a_whole_municipality_is_not_precise_enough(message: str, intent: str, key: str, place: str) -> None:
    session = after(selected=(PARCEL,))
    assert planned(message, session) == (f"{intent}?",)
    assert told(message, session) == begins(key, place=place)


@pytest.mark.parametrize("egrid", ["CH12345678", "CH1234567890123"])
def test_a_broken_egrid_is_never_replaced_by_the_selection(egrid: str) -> None:
    session = after(selected=(PARCEL,))
    assert planned(f"ÖREB-Auszug für {egrid}", session) == ("oereb_extract?",)
    assert told(f"ÖREB-Auszug für {egrid}", session) == begins("broken_egrid", egrid=egrid)


def test_an_extract_without_a_kind_is_asked_for() -> None:
    assert told("Erstelle mir einen Auszug") == begins("which_extract")
    assert told("Grundbuchauszug für Parzelle 168 in Messen") == begins("which_extract")


@pytest.mark.parametrize(
    "message",
    [
        "Welche Parzelle gehört zur Rötistrasse 4 in Solothurn?",
        "Auf welchem Grundstück steht die Rötistrasse 4 in Solothurn?",
        "EGRID von Rötistrasse 4, Solothurn",
    ],
)
def test_a_parcel_is_asked_for_by_an_address(message: str) -> None:
    by_address = "geolocation.geocode(q=Rötistrasse 4, Solothurn) > parcels.by_xy()"
    assert planned(message) == (f"show_parcel: {by_address}",)


@pytest.mark.parametrize("message", ["Parzelle in 3254 Messen Nr. 168", "Grundstück 3254 Messen 168"])
def test_a_postal_code_before_a_place_is_no_number_of_a_parcel(message: str) -> None:
    (step,) = planned(message)
    assert "parcels.by_number(number=168, municipality=Messen)" in step


def test_a_postal_code_after_a_parcel_begins_a_place() -> None:
    assert planned("Parzelle 198 und 4600 Olten")[-1].startswith("search_place")
