"""Questions about a parcel go to the tool that answers from its extract, and no others do."""

import pytest
from contracts.session import HistoryEntry, Session

from .rules_kit import EXTRACT, PARCEL, TOOLS, planned

TOPICS = (
    "zone",
    "nutzung",
    "wald",
    "belast",
    "planung",
    "geplant",
    "gesetz",
    "grundwasser",
    "baulinie",
    "laerm",
    "einschraenk",
)
QUESTIONED = tuple(
    tool.model_copy(
        update={
            "topics": TOPICS,
            "parameters": {
                "type": "object",
                "properties": {"egrid": {"type": "string"}, "question": {"type": "string"}},
                "required": ["egrid"],
            },
        }
    )
    if tool.capability == "oereb.extract_by_id"
    else tool
    for tool in TOOLS
)
BY_NUMBER = "parcels.by_number(number=2084, municipality=Biberist)"
HERE = "oereb.egrid_by_xy()"


def answered(message: str, *way: str) -> tuple[str, ...]:
    return (f"oereb_extract: {' > '.join((*way, f'oereb.extract_by_id(question={message})'))}",)


@pytest.mark.parametrize(
    ("message", "way"),
    [
        ("In welcher Zone liegt 2084 in Biberist?", BY_NUMBER),
        ("Ist Parzelle 2084 in Biberist belastet?", BY_NUMBER),
        ("Was ist auf dem Grundstück 2084 in Biberist geplant?", BY_NUMBER),
        ("Welche Gesetze gelten für Parzelle 2084 in Biberist?", BY_NUMBER),
        ("Liegt Parzelle 2084 in Biberist in einer Grundwasserschutzzone, und wie viel davon?", BY_NUMBER),
        ("Wie viel Prozent der Parzelle 2084 in Biberist liegen im Wald?", BY_NUMBER),
        ("Wie hoch darf ich auf Parzelle 2084 in Biberist bauen?", BY_NUMBER),
        ("Gibt es auf GB-Nr. 2084 Biberist eine Baulinie?", BY_NUMBER),
        ("Wie viele Bäume stehen auf Parzelle 2084 in Biberist?", BY_NUMBER),
        ("Wie gross ist die Grundwasserschutzzone auf Parzelle 2084 in Biberist?", BY_NUMBER),
        ("Welche Einschränkungen gibt es auf 2084 in Biberist?", BY_NUMBER),
        ("Wie viele Geschosse sind auf 2084 in Biberist erlaubt?", BY_NUMBER),
        ("Welche Themen fehlen im Auszug von 2084 Biberist?", BY_NUMBER),
        ("Darf ich hier bauen?", HERE),
        ("Wie hoch darf ich hier bauen?", HERE),
        ("Ist die Parzelle belastet?", HERE),
        ("Welche Lärmempfindlichkeitsstufe gilt hier?", HERE),
        (
            "In welcher Zone liegt die Rötistrasse 4 in Solothurn?",
            f"geolocation.geocode(q=Rötistrasse 4, Solothurn) > {HERE}",
        ),
    ],
)
def test_the_tool_gets_the_parcel_and_the_question(message: str, way: str) -> None:
    assert planned(message, tools=QUESTIONED) == answered(message, way)


@pytest.mark.parametrize(
    ("message", "parcels"),
    [
        (
            "Liegen 198 und 531 in Messen in der Grundwasserschutzzone?",
            ("number=198, municipality=Messen", "number=531, municipality=Messen"),
        ),
        (
            "Liegen die Parzellen 198, 531 und 168 in Messen im Wald?",
            (
                "number=198, municipality=Messen",
                "number=531, municipality=Messen",
                "number=168, municipality=Messen",
            ),
        ),
        (
            "In welcher Zone liegt 168 in Messen und ist 2084 in Biberist belastet?",
            ("number=168, municipality=Messen", "number=2084, municipality=Biberist"),
        ),
    ],
)
def test_each_parcel_is_asked_by_itself(message: str, parcels: tuple[str, ...]) -> None:
    steps = [step for parcel in parcels for step in answered(message, f"parcels.by_number({parcel})")]
    assert planned(message, tools=QUESTIONED) == tuple(steps)


@pytest.mark.parametrize(
    "message",
    [
        "In welcher Zone liegt sie?",
        "Welche Gesetze gelten dafür?",
        "Was ist geplant?",
        "Und was ist dort geplant?",
        "Liegt das Grundstück im Wald?",
        "Darf ich bauen?",
        "Wie hoch darf ich bauen?",
        "Welche Änderungen sind geplant?",
        "Gilt das schon?",
        "Was ist das überhaupt?",
    ],
)
@pytest.mark.parametrize("selected", [EXTRACT, PARCEL])
def test_a_question_after_a_parcel_is_about_that_parcel(message: str, selected: object) -> None:
    session = Session(
        selections=(selected,),
        history=(
            HistoryEntry(role="user", text="Lade den ÖREB-Auszug für Grundstück 198 in Messen"),
            HistoryEntry(role="assistant", text="[oereb_extract: ok] ÖREB-Auszug bereit."),
        ),
    )
    assert planned(message, session, tools=QUESTIONED) == answered(message)


@pytest.mark.parametrize(
    ("message", "question"),
    [
        ("Zeige 2084 in Biberist. In welcher Zone liegt es?", "In welcher Zone liegt es?"),
        ("Zeige 2084 in Biberist und sag mir, ob es dort belastet ist", "ob es dort belastet ist"),
    ],
)
def test_a_question_beside_a_parcel_is_about_that_parcel(message: str, question: str) -> None:
    shown, asked = planned(message, tools=QUESTIONED)
    assert shown == f"show_parcel: {BY_NUMBER}"
    assert asked.endswith(f"oereb.extract_by_id(question={question})")


def test_of_what_was_told_and_what_is_asked_about_it_only_the_question_counts() -> None:
    told = "Der Nachbar behauptet, dass auf 2084 in Biberist eine Baulinie liegt. Ist es dort belastet?"
    (step,) = planned(told, tools=QUESTIONED)
    assert step.startswith(f"oereb_extract: {BY_NUMBER}") and step.endswith(
        "(question=Ist es dort belastet?)"
    )


def test_a_year_before_a_municipality_is_no_parcel() -> None:
    message = "Was wurde 2024 in Biberist beschlossen?"
    assert planned(message, tools=QUESTIONED) == planned(message, tools=TOOLS)


def test_beside_another_wish_the_question_keeps_its_own_step() -> None:
    message = "Lade den Waldplan. In welcher Zone liegt Parzelle 2084 in Biberist?"
    assert planned(message, tools=QUESTIONED) == (
        "load_layer: layers.search(query=Waldplan)",
        *answered("In welcher Zone liegt Parzelle 2084 in Biberist?", BY_NUMBER),
    )


@pytest.mark.parametrize(
    "message",
    [
        "Wo liegt Parzelle 2084 in Biberist?",
        "Wie gross ist Parzelle 2084 in Biberist?",
        "Wie hoch liegt Parzelle 2084 in Biberist?",
        "Welche Parzelle liegt hier?",
        "Darf ich auf Parzelle 2084 in Biberist eine Erdwärmesonde bohren?",
        "Welche Dokumente gibt es zu Parzelle 2084 in Biberist?",
        "Wem gehört Parzelle 2084 in Biberist?",
        "Welche Gesetze gelten für Gewässerabstände?",
        "Zeige die Grundwasserschutzzonen in Biberist",
        "Lade den ÖREB-Auszug für Grundstück 2084 in Biberist",
        "Zeige mir Parzelle 2084 in Biberist",
    ],
)
def test_what_is_not_asked_of_the_extract_is_planned_as_without_it(message: str) -> None:
    assert planned(message, tools=QUESTIONED) == planned(message, tools=TOOLS)


def test_a_tool_without_topics_is_not_asked() -> None:
    assert "question" not in str(planned("In welcher Zone liegt Parzelle 2084 in Biberist?", tools=TOOLS))
