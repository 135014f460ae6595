"""The wish to be told what came of the others."""

import pytest
from contracts.plan import PlanStep
from contracts.session import Session, StepResult

from planner.rules import plan

from .documents_kit import made_for
from .rules_kit import TOOLS, begins_in_any, planned, told

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


FOUND = Session(results=(StepResult(intent="show_parcel", ok=True, text="Grundstück 168 in Messen."),))
OWN = [
    "Fasse zusammen, was du gefunden hast",
    "Was hast du gefunden?",
    "was hast du bisher alles gefunden",
    "Gib mir eine Zusammenfassung",
    "Eine kurze Zusammenfassung bitte",
    "Kannst du das bitte kurz zusammenfassen?",
    "Fass alles zusammen!",
    "Fass bitte zusammen, was du dazu weisst",
    "Kurze Zusammenfassung für meinen Chef bitte",
    "Wiederhole das Resultat in einem Satz",
    "Kannst du mir das Wichtigste nochmals kurz auflisten?",
    "Kurz: ja oder nein?",
    "Welche Adresse hast du mir vorhin gezeigt?",
    "Fass mal zäme was d gfunde hesch",
    "Was hesch gfunde?",
    "Fasse die Ergebnisse zusammen",
    "Erkläre mir, was du gemacht hast",
    "Was hast du gemacht?",
    "Was sind die Ergebnisse?",
    "Zeige mir die Ergebnisse",
    "Gib mir einen Überblick",
    "Danke! Und was hast du jetzt herausgefunden?",
    "Könntest du mir bitte sagen, was du gefunden hast?",
    "Résume ce que tu as trouvé",
    "Qu'as-tu trouvé ?",
    "Qu’est-ce que tu as trouvé jusqu’ici ?",
    "Donne-moi un résumé",
    "Fais-moi un résumé, s'il te plaît",
    "Peux-tu résumer ?",
    "Quels sont les résultats ?",
    "Riassumi quello che hai trovato",
    "Che cosa hai trovato?",
    "Cos'hai trovato finora?",
    "Dammi un riassunto, per favore",
    "Fammi una sintesi",
    "Quali sono i risultati?",
    "Summarize what you found",
    "What have you found so far?",
    "What did you find?",
    "Give me a summary",
    "Can you sum up the results, please?",
    "Summarise everything",
]
OTHERS = [
    "Was kannst du?",
    "Was machst du?",
    "What can you do?",
    "Was ist geladen?",
    "Erkläre mir die Karte",
    "Fasse den Bericht zur Umfahrung zusammen",
    "Gib mir eine Zusammenfassung des Jahresberichts",
    "Was wurde in Grenchen gefunden?",
    "Übersichtsplan",
    "Hallo",
    "Danke",
    "Was ist das?",
    "Wo bin ich?",
    "Résumé du rapport annuel",
    "What is the height?",
    "Wie hoch ist das?",
    "Que fais-tu ?",
    "Alle Layer",
    "ja",
    "nein",
    "Bitte",
    "Zeige alles",
    "Mach alles weg",
]


@pytest.mark.parametrize("message", OWN)
def test_by_itself_it_is_about_what_was_found_before(message: str) -> None:
    assert plan(message, FOUND, TOOLS).steps == (SUMMARY,)


@pytest.mark.parametrize("message", OWN)
def test_before_anything_was_found_this_is_said(message: str) -> None:
    assert told(message).startswith(begins_in_any("nothing_yet"))


def test_who_asks_what_was_found_about_something_is_told_what_was_found() -> None:
    assert plan("Was haben wir bisher zum Wald herausgefunden?", FOUND, TOOLS).steps == (SUMMARY,)


@pytest.mark.parametrize("message", OTHERS)
def test_what_only_sounds_like_it_is_none(message: str) -> None:
    assert not any(step.respond for step in plan(message, FOUND, TOOLS).steps)


@pytest.mark.parametrize(
    "wish",
    [" et résume ce que tu as trouvé", ". Dammi poi un riassunto.", " and then tell me what you found"],
)
def test_after_others_it_is_understood_in_all_languages(wish: str) -> None:
    place, last = made_for(f"Gehe nach Grenchen{wish}").steps
    assert (place.intent, last) == ("search_place", SUMMARY)


def test_an_answer_from_documents_is_a_summary_already() -> None:
    (step,) = made_for("Suche Dokumente zu Radwegen und fasse zusammen, was du gefunden hast").steps
    assert step.calls[0].args == {"query": "Radwegen"}


def test_beside_steps_on_the_map_documents_are_summed_up_too() -> None:
    made = made_for("Zeige Grenchen. Suche Dokumente zur Umfahrung. Fasse zusammen, was du gefunden hast.")
    assert [step.intent for step in made.steps] == ["search_place", "search_documents", "answer"]
    assert made.steps[-1] == SUMMARY


def test_a_wish_without_a_summary_has_none() -> None:
    assert planned("Gehe nach Grenchen", tools=TOOLS) == (GRENCHEN,)
