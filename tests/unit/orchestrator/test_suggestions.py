"""Questions to try instead."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.suggestions import suggestions


def test_they_are_made_from_the_significant_words() -> None:
    assert suggestions("Wie hoch darf ein Zaun in der Landwirtschaftszone sein?") == (
        "Welche Dokumente gibt es zum Thema Landwirtschaftszone?",
        "Was wurde zum Thema Zaun beschlossen?",
        "Welche Anträge gibt es zum Thema Landwirtschaftszone?",
    )


def test_what_is_offered_comes_first() -> None:
    made = suggestions("Velowege", offered=("Wo gibt es Velowege?",))
    assert made[0] == "Wo gibt es Velowege?"
    assert made[1] == "Welche Dokumente gibt es zum Thema Velowege?"


def test_what_nobody_would_read_is_left_out() -> None:
    assert suggestions("Velowege", offered=("x" * 301,))[0] == "Welche Dokumente gibt es zum Thema Velowege?"


@pytest.mark.parametrize("query", ["", "???", "was ist das", "Und wie?"])
def test_without_a_significant_word_they_are_general(query: str) -> None:
    made = suggestions(query)
    assert len(made) == 2
    assert not any("Thema" in question for question in made)


def test_the_question_itself_is_not_suggested_again() -> None:
    asked = "welche  Dokumente gibt es zum Thema Wald"
    made = suggestions(asked, offered=("Welche Dokumente gibt es zum Thema Wald?", "Und der Wald?"))
    assert made[0] == "Und der Wald?"
    assert not any(question.startswith("Welche Dokumente gibt es zum Thema Wald") for question in made)


@given(query=st.text(max_size=80), offered=st.lists(st.text(max_size=40), max_size=5))
def test_there_are_two_or_three_different_ones_whatever_was_asked(query: str, offered: list[str]) -> None:
    made = suggestions(query, offered)
    assert 2 <= len(made) <= 3
    assert len({question.casefold() for question in made}) == len(made)
    assert query not in made
    assert all(question.strip() for question in made)
