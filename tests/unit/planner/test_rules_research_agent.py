"""The agent that answers from documents only."""

import pytest
from contracts.agents import Agent
from contracts.plan import PlanStep
from contracts.research import ErrorType
from contracts.session import Session

from planner.rules import plan
from planner.texts import text

from .documents_kit import TOOLS, filters_of, made_for, query_of
from .rules_kit import after, open_choice

AGENT: Agent = "riskiagent"


@pytest.mark.parametrize(
    "message",
    [
        "Zeige mir die Gewässerschutzzonen",
        "Gehe nach Grenchen",
        "Wie hoch liegt Grenchen?",
        "ÖREB-Auszug für Parzelle 168 in Messen",
        "Leere die Karte",
        "Wie wird das Wetter morgen?",
        "Radwege",
        "Was kannst du mir über Radwege sagen?",
        "Gehe nach Grenchen. Lade den Gewässerschutz.",
    ],
)
def test_every_message_is_a_question_about_documents(message: str) -> None:
    assert query_of(message, agent=AGENT) == message


def test_who_asks_for_documents_gets_those_about_the_subject() -> None:
    message = "Hallo! Suche bitte Merkblätter seit 2022 zum Thema Radwege."
    assert query_of(message, agent=AGENT) == "Radwege"
    assert filters_of(message, agent=AGENT) == {"from": "2022-01-01", "type": "Merkblatt"}


def test_of_a_long_story_the_questions_count() -> None:
    story = "Ich habe ein altes Haus am Bach gekauft und lange nachgedacht. " * 10
    question = "Wie nah darf ich an den Bach bauen?"
    assert query_of(f"{story}{question} Ich bin gespannt.", agent=AGENT) == question
    assert len(query_of(story, agent=AGENT)) <= 400


def test_an_open_choice_of_the_map_is_none_of_its_business() -> None:
    session = after(choices=(open_choice("Liegenschaft (198)", "Baurecht (531)"),))
    assert query_of("die zweite", session, AGENT) == "die zweite"


@pytest.mark.parametrize(
    ("message", "key"),
    [
        ("Was kannst du?", "research_abilities"),
        ("Hilfe", "research_abilities"),
        ("Hallo", "research_greeting"),
        ("Grüezi mitenand", "research_greeting"),
        ("Danke!", "welcome"),
        ("Tschüss", "goodbye"),
    ],
)
def test_talk_is_answered_and_marked_as_needing_no_documents(message: str, key: str) -> None:
    (step,) = made_for(message, agent=AGENT).steps
    said, tried = text(key), step.suggestions
    assert step == PlanStep(intent="answer", args={"about": "capabilities"}, message=said, suggestions=tried)
    assert len(tried) == said.count("«") and all(f"«{sentence}»" in said for sentence in tried)


@pytest.mark.parametrize("message", ["", "?!?", "🤷", "ja"])
def test_a_message_that_asks_nothing_is_said_to_lead_nowhere(message: str) -> None:
    (step,) = made_for(message, agent=AGENT).steps
    assert step == PlanStep(intent="search_documents", error_type=ErrorType.NO_TOOL_CALL)


def test_without_the_search_nothing_is_answered() -> None:
    alive = tuple(tool for tool in TOOLS if tool.capability != "documents.retrieve")
    (step,) = plan("Was kostet die Umfahrung?", Session(), alive, agent=AGENT).steps
    assert step == PlanStep(intent="search_documents", error_type=ErrorType.SERVER_ERROR)
