"""With an endpoint in the environment a model plans, too, beside the rules."""

from collections.abc import Iterator
from typing import Any

import pytest
from evaluation.conversations import Conversation, Turn
from evaluation.figures import rows_of, table
from evaluation.outcomes import parsed
from evaluation.playing import planners, play
from modelling_openai import API_KEY, ModellingOpenAI, Replies


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModellingOpenAI]:
    """It always wants to see Olten."""
    served = ModellingOpenAI()
    served.reply = lambda _: Replies({"steps": [_search_place("Olten")]})
    monkeypatch.setenv("OPENAI_BASE_URL", served.base_url)
    monkeypatch.setenv("OPENAI_API_KEY", API_KEY)
    monkeypatch.setenv("OPENAI_MODEL", "gpt-5-mini")
    yield served
    served.stop()


def _search_place(name: str) -> dict[str, Any]:
    call = {"capability": "geolocation.municipality", "args": {"q": name}}
    return {"intent": "search_place", "calls": [call], "args": None, "message": None, "respond": False}


def test_both_are_in_the_table(model: ModellingOpenAI) -> None:
    said = ("Zeige mir Olten", "Zeige mir Trimbach")
    turns = (Turn(said[0], (parsed("view Olten"),)), Turn(said[1], (parsed("view Trimbach"),)))
    played = {
        planner: play([Conversation("plain", 1, "de", "map", turns)], planner) for planner in planners()
    }
    assert len(model.chats) == 2
    assert [[each.accepted for each in turns] for turns in played.values()] == [[True, True], [True, False]]
    printed = table(rows_of("all", played, by_kind=False))
    assert "accepted (rules)" in printed and "accepted (model)" in printed
    assert "100.0 %" in printed and "50.0 %" in printed
