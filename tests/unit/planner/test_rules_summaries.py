"""The wish to be told what came of the others."""

import pytest
from contracts.plan import PlanStep

from .documents_kit import made_for
from .rules_kit import TOOLS, planned

GRENCHEN = "search_place: geolocation.municipality(q=Grenchen)"
SUMMARY = PlanStep(intent="answer", respond=True)


@pytest.mark.parametrize(
    "wish",
    [
        " und fasse zusammen, was du gefunden hast",
        ". Fasse zusammen, was du gefunden hast.",
        ", erkläre mir, was du gemacht hast",
        ". Erkläre mir danach, was du gemacht hast!",
        " und fasse die Ergebnisse zusammen",
        " und sag mir am Schluss bitte, was du herausgefunden hast",
        ". Beschreibe alles.",
        " und gib mir eine kurze Zusammenfassung",
    ],
)
def test_a_summary_is_written_after_the_other_steps(wish: str) -> None:
    *steps, last = made_for(f"Gehe nach Grenchen und lade den Gewässerschutz{wish}").steps
    assert [step.intent for step in steps] == ["search_place", "load_layer"]
    assert last == SUMMARY


@pytest.mark.parametrize(
    "message",
    [
        "Fasse zusammen, was du gefunden hast",
        "Erkläre mir, was du gemacht hast",
        "Was hast du gemacht?",
        "Erkläre mir die Karte",
        "Sag mir, wie hoch Grenchen liegt",
        "Erstelle mir eine Pizza und fasse zusammen, was du gemacht hast",
    ],
)
def test_without_anything_done_there_is_nothing_to_sum_up(message: str) -> None:
    assert not any(step.respond for step in made_for(message).steps)


def test_an_answer_from_documents_is_a_summary_already() -> None:
    (step,) = made_for("Suche Dokumente zu Radwegen und fasse zusammen, was du gefunden hast").steps
    assert step.calls[0].args == {"query": "Radwegen"}


def test_beside_steps_on_the_map_documents_are_summed_up_too() -> None:
    made = made_for("Zeige Grenchen. Suche Dokumente zur Umfahrung. Fasse zusammen, was du gefunden hast.")
    assert [step.intent for step in made.steps] == ["search_place", "search_documents", "answer"]
    assert made.steps[-1] == SUMMARY


def test_a_wish_without_a_summary_has_none() -> None:
    assert planned("Gehe nach Grenchen", tools=TOOLS) == (GRENCHEN,)
