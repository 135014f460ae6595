"""What restricts the documents that are searched for, and what belongs to the question."""

from datetime import date
from typing import Any

import pytest

from .documents_kit import QUESTIONS, ROOT, filters_of, query_of, searches

YEAR_2023 = {"from": "2023-01-01", "to": "2023-12-31"}


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("seit 2022", {"from": "2022-01-01"}),
        ("ab 2022", {"from": "2022-01-01"}),
        ("nach 2022", {"from": "2023-01-01"}),
        ("vor 2020", {"to": "2019-12-31"}),
        ("bis 2020", {"to": "2020-12-31"}),
        ("bis Ende 2020", {"to": "2020-12-31"}),
        ("aus dem Jahr 2023", YEAR_2023),
        ("im Jahr 2023", YEAR_2023),
        ("von 2023", YEAR_2023),
        ("zwischen 2019 und 2021", {"from": "2019-01-01", "to": "2021-12-31"}),
        ("von 2019 bis 2021", {"from": "2019-01-01", "to": "2021-12-31"}),
        ("2019–2021", {"from": "2019-01-01", "to": "2021-12-31"}),
        ("seit März 2022", {"from": "2022-03-01"}),
        ("seit dem 15. März 2022", {"from": "2022-03-15"}),
        ("vom 29. Februar 2024", {"from": "2024-02-29", "to": "2024-02-29"}),
        (
            "zwischen dem 1. März 2020 und dem 31.12.2021",
            {"from": "2020-03-01", "to": "2021-12-31"},
        ),
    ],
)
def test_dates_restrict_documents(words: str, expected: dict[str, str]) -> None:
    for message in (
        f"Suche Dokumente {words} zu Radwegen",
        f"Welche Beschlüsse gibt es zu Radwegen {words}?",
    ):
        assert filters_of(message) == expected
        assert query_of(message) == "Radwegen"


@pytest.mark.parametrize("words", ["seit 1850", "vom 31.2.2023", "vom 40. März 2023"])
def test_what_is_no_date_restricts_nothing(words: str) -> None:
    filters = filters_of(f"Suche Dokumente zu Radwegen {words}")
    assert all(date.fromisoformat(day) for day in filters.values())
    assert filters in (
        {},
        {"from": "2023-02-01", "to": "2023-02-28"},
        {"from": "2023-03-01", "to": "2023-03-31"},
    )


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Botschaften des Regierungsrats zu Radwegen", {"type": "Botschaft", "body": "Regierungsrat"}),
        ("Welche Botschaften gibt es zu Radwegen?", {"type": "Botschaft"}),
        ("Suche Protokolle des Kantonsrates zu Radwegen", {"type": "Protokollauszug", "body": "Kantonsrat"}),
        ("Merkblätter des Amts für Umwelt zu Radwegen", {"type": "Merkblatt", "body": "Amt für Umwelt"}),
        (
            "Dokumente vom Amt für Verkehr und Tiefbau zu Radwegen",
            {"body": "Amt für Verkehr und Tiefbau"},
        ),
        ("Berichte der Finanzkommission zu Radwegen", {"body": "Finanzkommission"}),
        ("Jahresberichte zu Radwegen", {"type": "Jahresbericht"}),
        ("Was steht im Merkblatt zu Radwegen?", {"type": "Merkblatt"}),
        # What is handed in is no document, but linked to some.
        ("Welche Motionen gibt es zu Radwegen?", {}),
        ("Anträge der Finanzkommission zu Radwegen", {}),
        # Two sorts restrict to neither.
        ("Suche Botschaften und Merkblätter zu Radwegen", {}),
        ("Suche Dokumente zu Radwegen", {}),
    ],
)
def test_sorts_of_documents_and_their_authors_restrict(message: str, expected: dict[str, str]) -> None:
    assert filters_of(message) == expected
    assert query_of(message).endswith("Radwegen")


@pytest.mark.parametrize(
    "message",
    [
        "Wie viele Ölheizungen wurden im Jahr 2024 ersetzt?",
        "Wie viele Leute sind zwischen 2014 und 2018 verunfallt?",
        "Was gilt ab 2027 für Ölheizungen?",
        "Was hat der Regierungsrat zu Radwegen beschlossen?",
        "Warum hat der Kantonsrat die Motion zum Nachtbus abgelehnt?",
    ],
)
def test_what_belongs_to_the_matter_restricts_nothing(message: str) -> None:
    assert searches(message) == [{"query": message}]


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Wie viele Parkfelder brauche ich laut Merkblatt je Wohnung?", {"type": "Merkblatt"}),
        ("Was gilt seit 2024 für Erweiterungen des Siedlungsgebiets?", {"from": "2024-01-01"}),
        (
            "Wie hoch waren die Verluste laut dem Jahresbericht, der 2023 erschienen ist?",
            {"type": "Jahresbericht", **YEAR_2023},
        ),
        ("Welcher Satz für die Abgabe wurde vor 2019 vorgeschlagen?", {"to": "2018-12-31"}),
    ],
)
def test_a_question_restricts_where_it_speaks_of_documents(message: str, expected: dict[str, str]) -> None:
    assert filters_of(message) == expected
    assert query_of(message) == message


def facts_of(document: str) -> dict[str, str]:
    """The front matter of a sample document."""
    folder = ROOT / "services/tools-docs/src/tools_docs/data/documents"
    head = (folder / f"{document}.md").read_text("utf-8").split("---")[1]
    return dict(line.split(": ", 1) for line in head.strip().splitlines())


def admitted(document: str, filters: dict[str, str]) -> bool:
    facts = facts_of(document)
    return (
        filters.get("from", "") <= facts["date"] <= filters.get("to", "9999")
        and filters.get("type", "") in facts["type"]
        and filters.get("body", "") in facts["body"]
    )


@pytest.mark.parametrize(
    "entry", [q for q in QUESTIONS["questions"] if "expected" in q], ids=lambda entry: entry["question"][:40]
)
def test_no_filter_hides_a_document_that_answers(entry: dict[str, Any]) -> None:
    filters = filters_of(entry["question"], agent="riskiagent")
    assert [name for name in entry["expected"] if not admitted(name, filters)] == []
    assert filters.items() <= entry.get("filters", {}).items()
