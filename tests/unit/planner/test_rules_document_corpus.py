"""How many of the questions on the sample documents are recognised."""

from typing import Any

import pytest

from .documents_kit import QUESTIONS, query_of, searches

ANSWERABLE = [entry["question"] for entry in QUESTIONS["questions"] if not entry.get("unanswerable")]
ALL = [entry["question"] for entry in QUESTIONS["questions"]]


def test_there_are_questions_to_measure_with() -> None:
    assert len(ANSWERABLE) >= 50


@pytest.mark.parametrize("question", ALL)
def test_asked_of_the_document_agent_every_question_is_searched(question: str) -> None:
    assert query_of(question, agent="riskiagent") == question


def test_asked_of_the_map_nine_in_ten_questions_are_searched() -> None:
    missed = [question for question in ANSWERABLE if searches(question)[0].get("query") != question]
    rate = 1 - len(missed) / len(ANSWERABLE)
    figures = f"{len(ANSWERABLE)} questions, {rate:.1%} recognised; missed:"
    print(figures, *missed, sep="\n- ")  # noqa: T201
    assert rate >= 0.98
    assert all(len(searches(question)) == 1 for question in ANSWERABLE)


@pytest.mark.parametrize("entry", QUESTIONS["followups"], ids=lambda entry: entry["second"])
def test_the_first_question_of_a_conversation_is_searched(entry: dict[str, Any]) -> None:
    assert query_of(entry["first"], agent="riskiagent") == entry["first"]
