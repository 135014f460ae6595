"""Several wishes in one message."""

from functools import cache
from itertools import permutations

import pytest
from volume import some

from .rules_kit import Utterances, layer, planned

GRENCHEN = "search_place: geolocation.municipality(q=Grenchen)"
SOLOTHURN = "search_place: geolocation.municipality(q=Solothurn)"
GOTO = "goto_address: geolocation.geocode(q=Langendorfstrasse 19b, Solothurn)"
BY_NUMBER = "parcels.by_number(number=168, municipality=Messen)"
EXTRACT_HERE = "oereb_extract: oereb.egrid_by_xy() > oereb.extract_by_id()"


SEVERAL: Utterances = [
    (
        "Gehe zur Langendorfstrasse 19b in Solothurn und lade den Gewässerschutzlayer",
        (GOTO, layer("Gewässerschutz")),
    ),
    (
        "Gehe zur Langendorfstrasse 19b in Solothurn und erstelle mir einen ÖREB-Katasterauszug.",
        (GOTO, EXTRACT_HERE),
    ),
    (
        "Könntest du zur langendorfstrasse 19b in solothurn gehen und danach den Gewässerschutz laden?",
        ("goto_address: geolocation.geocode(q=langendorfstrasse 19b, Solothurn)", layer("Gewässerschutz")),
    ),
    ("Gehe nach Grenchen, danach Luftbild", (GRENCHEN, "set_background: background=ortho")),
    ("Zeige mir Grenchen auf dem Luftbild", (GRENCHEN, "set_background: background=ortho")),
    (
        "zoom auf Solothurn, danach Luftbild, ausserdem Waldplan laden",
        (SOLOTHURN, "set_background: background=ortho", layer("Waldplan")),
    ),
    (
        "Gehe nach Grenchen. Lade den Gewässerschutz. Erstelle einen ÖREB-Auszug für Parzelle 168 in Messen.",
        (GRENCHEN, layer("Gewässerschutz"), f"oereb_extract: {BY_NUMBER} > oereb.extract_by_id()"),
    ),
    (
        "Zuerst nach Grenchen, dann zum Luftbild wechseln, anschliessend Gewässerschutz laden",
        (GRENCHEN, "set_background: background=ortho", layer("Gewässerschutz")),
    ),
    (
        "Entferne Gewässerschutz und lade die Nutzungsplanung",
        ("remove_layer: name=Gewässerschutz", layer("Nutzungsplanung")),
    ),
    ("Karte zurücksetzen und Grenchen zeigen", ("clear_map", GRENCHEN)),
    (
        "Auszug und Plan für 168 in Messen",
        (
            f"oereb_extract: {BY_NUMBER} > oereb.extract_by_id()",
            f"cadastral_plan: {BY_NUMBER} > cadastral.plan_by_geometry()",
        ),
    ),
    (
        "brauche schnell auszug 168 messen",
        (f"oereb_extract: {BY_NUMBER} > oereb.extract_by_id()",),
    ),
    ("Blende den Waldplan aus und den Karst ein", ("hide_layer: name=Waldplan", layer("Karst"))),
    (
        "Messen 198 und 531 anzeigen",
        tuple(f"show_parcel: parcels.by_number(number={n}, municipality=Messen)" for n in (198, 531)),
    ),
    ("Geht auch Grenchen statt Trimbach?", (GRENCHEN,)),
    ("Olten? Nein, ich meinte Ostermundigen", ("search_place: geolocation.place(q=Ostermundigen)",)),
    ("Luftbild und Gewässerschutz", ("set_background: background=ortho", layer("Gewässerschutz"))),
    (
        "Zeig das Luftbild von Grenchen mit der Gefahrenkarte",
        (GRENCHEN, "set_background: background=ortho", layer("Gefahren")),
    ),
    (
        "Zeige mir die Gewässerschutzzonen auf dem Luftbild",
        ("set_background: background=ortho", layer("Gewässerschutzzonen")),
    ),
    (
        "Zeige Grenchen, wechsle auf farbig und lade den Waldplan",
        (GRENCHEN, "set_background: background=color", layer("Waldplan")),
    ),
    ("Lade den Waldplan, aber nicht die Nutzungsplanung", (layer("Waldplan"),)),
    ("nicht den Waldplan, sondern die Nutzungsplanung", (layer("Nutzungsplanung"),)),
    ("solothurn waldplan luftbild", (SOLOTHURN, "set_background: background=ortho", layer("waldplan"))),
    (
        "Gehe nach Grenchen und lade danach die Nutzungsplanung und dann wechsle aufs Luftbild",
        (GRENCHEN, layer("Nutzungsplanung"), "set_background: background=ortho"),
    ),
    # One verb for several things.
    (
        "Lade Gewässerschutz, Nutzungsplanung und Waldplan",
        (layer("Gewässerschutz"), layer("Nutzungsplanung"), layer("Waldplan")),
    ),
    (
        "Lade die Gewässerschutzkarte sowie die Nutzungsplanung",
        (layer("Gewässerschutz"), layer("Nutzungsplanung")),
    ),
    (
        "Kannst du mir die Gewässerschutzkarte und die Nutzungsplanung laden?",
        (layer("Gewässerschutz"), layer("Nutzungsplanung")),
    ),
    ("Lade mir die Layer Wald und Gewässerschutz", (layer("Wald"), layer("Gewässerschutz"))),
    ("Lade Waldplan + Gewässerschutz", (layer("Waldplan"), layer("Gewässerschutz"))),
    ("Gehe nach Grenchen und Solothurn", (GRENCHEN, SOLOTHURN)),
    ("Zeige mir Grenchen und die Gewässerschutzzonen", (GRENCHEN, layer("Gewässerschutzzonen"))),
    (
        "Zeige die Gewässerschutzzonen in Grenchen und Solothurn",
        (GRENCHEN, layer("Gewässerschutzzonen"), SOLOTHURN),
    ),
    (
        'Lade bitte den Layer "Fruchtfolgeflächen" und blende auch "Schutzwald" ein',
        (layer("Fruchtfolgeflächen"), layer("Schutzwald")),
    ),
    # One place for several things: it is looked up where it is needed first, and what follows builds on that.
    (
        "Erstelle den ÖREB-Auszug und den Grundbuchplan für Parzelle 168 in Messen",
        (
            f"oereb_extract: {BY_NUMBER} > oereb.extract_by_id()",
            "cadastral_plan: cadastral.plan_by_geometry()",
        ),
    ),
    (
        "Zeige Parzelle 168 in Messen und erstelle davon einen ÖREB-Auszug",
        (f"show_parcel: {BY_NUMBER}", "oereb_extract: oereb.extract_by_id()"),
    ),
    (
        "Gehe zu 2600513, 1215519 und sag mir die Höhe",
        ("search_place: geolocation.place(q=2600513, 1215519)", "height_query: terrain.height_by_xy()"),
    ),
    # A height or an assessment is no place: the place has to be named again for the next step.
    (
        "Kann ich auf Parzelle 168 in Messen bohren und wie hoch liegt das?",
        (
            f"geothermal_probe_assessment: {BY_NUMBER} > geothermal.assess_by_xy()",
            f"height_query: {BY_NUMBER} > terrain.height_by_xy()",
        ),
    ),
    ("Gehe nach Grenchen und erstelle einen ÖREB-Auszug", (GRENCHEN, "oereb_extract?")),
    (
        "Erstelle einen ÖREB-Auszug für Parzelle 168 in Messen und Parzelle 169 in Messen",
        (
            f"oereb_extract: {BY_NUMBER} > oereb.extract_by_id()",
            "oereb_extract: parcels.by_number(number=169, municipality=Messen) > oereb.extract_by_id()",
        ),
    ),
]

NAMES_WITH_AND: Utterances = [
    ("Zeige mir Natur und Landschaft", (layer("Natur und Landschaft"),)),
    ("Lade PLZ und Ortschaften", (layer("PLZ und Ortschaften"),)),
    (
        "PLZ und Ortschaften sowie Natur und Landschaft",
        (layer("PLZ und Ortschaften"), layer("Natur und Landschaft")),
    ),
    (
        "Wasser- und Zugvogelreservate",
        (layer("Wasser- und Zugvogelreservate von internationaler und nationaler Bedeutung (Quelle Bund)"),),
    ),
    ("Lade den Layer Handel und Gewerbe", (layer("Handel und Gewerbe"),)),
    ("Karten zum Thema Forst und Holz", (layer("Forst und Holz"),)),
    ("Zeige «Handel und Gewerbe»", (layer("Handel und Gewerbe"),)),
    (
        "Lade den Layer Natur und Landschaft und danach den Waldplan",
        (layer("Waldplan"), layer("Natur und Landschaft")),
    ),
    (
        "Suche Dokumente zu Velo und Verkehr",
        ("search_documents: documents.retrieve(query=Velo und Verkehr)",),
    ),
]


@pytest.mark.parametrize(("message", "expected"), SEVERAL)
def test_wishes_are_planned_in_the_order_of_the_message(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message) == expected


@pytest.mark.parametrize(("message", "expected"), NAMES_WITH_AND)
def test_an_and_inside_a_name_separates_nothing(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message) == expected


def test_politeness_makes_no_step() -> None:
    message = "Hallo! Ich bin neu hier. Zeige mir bitte Grenchen, wenn es geht. Vielen Dank!"
    assert planned(message) == (GRENCHEN,)


def test_a_long_story_has_only_the_wishes_that_are_in_it() -> None:
    message = (
        "Ich wohne an der Langendorfstrasse 19b in Solothurn und habe mich gefragt, ob mein Haus im "
        "Gewässerschutz liegt, denn mein Nachbar, der Hans, hat davon erzählt. Könnten Sie mir die "
        "entsprechende Karte zeigen? Vielen herzlichen Dank!"
    )
    assert planned(message) == (GOTO, layer("Gewässerschutz"))


PLAN_OF = "cadastral_plan: {} > cadastral.plan_by_geometry()"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            "Unser Haus steht auf der Parzelle 168 in Messen. Wir bräuchten dafür den Grundbuchplan.",
            (PLAN_OF.format(BY_NUMBER),),
        ),
        (
            "Er hat zuerst an Biberist gedacht, dann an Solothurn. Entschieden hat er sich für die Parzelle "
            "168 in Messen. Bitte erstellen Sie den Grundbuchplan dazu.",
            (PLAN_OF.format(BY_NUMBER),),
        ),
        ("Parzelle 168 in Messen, Grundbuchplan bitte", (PLAN_OF.format(BY_NUMBER),)),
        ("Parzelle 168 in Messen, Plan", (PLAN_OF.format(BY_NUMBER),)),
        (
            "Hallo, ich studiere Geografie in Basel und schreibe dort. Bitte ladet mir die Waldstandorte.",
            (layer("Waldstandorte"),),
        ),
        (
            "Meine Kollegin war freundlich, aber nur für Solothurn zuständig. Es geht uns darum, wie hoch "
            "Grenchen liegt.",
            ("height_query: geolocation.place(q=Grenchen) > terrain.height_by_xy()",),
        ),
        (
            "Wir brauchen verschiedene Grundlagen: den Richtplan und die Waldstandorte. Bitte laden.",
            (layer("Richtplan"), layer("Waldstandorte")),
        ),
        ("To do: 1) Grenchen 2) Waldstandorte", (GRENCHEN, layer("Waldstandorte"))),
        ("alles weg und dann Grenchen", ("clear_map", GRENCHEN)),
    ],
)
def test_what_is_told_says_where_but_is_no_wish(message: str, expected: tuple[str, ...]) -> None:
    assert planned(message) == expected


def test_what_was_not_understood_is_said_beside_the_rest() -> None:
    assert planned("Gehe nach Grenchen und erstelle mir eine Pizza") == (GRENCHEN, "clarify?")


ALONE = (
    "Gehe nach Grenchen.",
    "Lade die Wildtierkorridore.",
    "ÖREB-Auszug für CH955832730623.",
    "Wie hoch liegt Olten?",
    "Was darf ich beim Spülen eines Erdregisters ins Gewässer leiten?",
    "Lade den Gewässerschutzlayer.",
    "Zeig mir die Parzelle 198 in Messen.",
    "Hintergrund Luftbild.",
    "Was gilt an der Langendorfstrasse 19b in Solothurn?",
)


@cache
def _intents(message: str) -> tuple[str, ...]:
    return tuple(step.partition(":")[0] for step in planned(message))


@pytest.mark.parametrize("first", ALONE)
def test_what_each_sentence_wants_by_itself_is_wanted_of_all(first: str) -> None:
    others = [sentence for sentence in ALONE if sentence != first]
    for rest in (*permutations(others, 1), *some([*permutations(others, 2)])):
        alone = [intent for sentence in (first, *rest) for intent in _intents(sentence)]
        assert sorted(_intents(" ".join((first, *rest)))) == sorted(alone)
