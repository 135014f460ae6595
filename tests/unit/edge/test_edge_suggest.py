"""The endpoint for who is still writing."""

from typing import Any

import httpx
import pytest
from contracts.languages import Language
from contracts.suggest import Suggested, Suggestion, Suggestions, SuggestQuery, SuggestRequested
from servicekit.testing import MemoryBus

from edge import handlers
from edge.api_suggest import suggest_routes
from edge.settings import EdgeSettings
from edge.web import application

FOUND = Suggestions(items=(Suggestion(kind="place", label="Halten", coord=(2615000.0, 1223000.0)),), from_=5)


class Known:
    def __init__(self) -> None:
        self.asked: list[tuple[SuggestQuery, Language]] = []

    async def __call__(self, query: SuggestQuery, language: Language) -> Suggestions:
        self.asked.append((query, language))
        return FOUND


async def ask(params: Any, known: Known, language: str = "") -> httpx.Response:
    app = application([suggest_routes(known)], EdgeSettings())
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://localhost") as http:
        return await http.get("/api/suggest", params=params, headers={"Accept-Language": language})


async def test_what_is_known_is_the_answer_and_nobody_keeps_it() -> None:
    known = Known()
    answered = await ask({"q": "nach Hal", "limit": 3}, known, "fr")
    assert (answered.status_code, answered.headers["cache-control"]) == (200, "no-store")
    assert "accept-language" in answered.headers["vary"].lower()
    assert answered.json() == {
        "items": [{"kind": "place", "label": "Halten", "coord": [2615000.0, 1223000.0]}],
        "from": 5,
    }
    assert known.asked == [(SuggestQuery(q="nach Hal", limit=3), "fr")]


@pytest.mark.parametrize(
    ("params", "pointer"),
    [
        ({}, "#/q"),
        ({"q": ""}, "#/q"),
        ({"q": "a"}, "#/q"),
        ({"q": "a" * 101}, "#/q"),
        ({"q": "ab", "limit": 0}, "#/limit"),
        ({"q": "ab", "limit": 11}, "#/limit"),
        ({"q": "ab", "limit": "viele"}, "#/limit"),
        ({"q": "ab", "limit": "9" * 5_000}, "#/limit"),
    ],
)
async def test_what_is_no_question_is_refused(params: dict[str, Any], pointer: str) -> None:
    known = Known()
    answered = await ask(params, known)
    problem = answered.json()
    assert (answered.status_code, problem["code"]) == (422, "invalid_request")
    assert [each["pointer"] for each in problem["errors"]] == [pointer]
    assert known.asked == []


class Bus(MemoryBus):
    """With the connection of the real one."""

    is_connected = True


async def test_an_answer_goes_to_who_has_asked_and_is_waited_for_once() -> None:
    bus = Bus()

    async def on_request(request: SuggestRequested) -> None:
        for exchange in ("another", request.exchange, request.exchange):
            await bus.send(
                f"edge.suggested.{request.edge_id}", Suggested(exchange=exchange, suggestions=FOUND)
            )

    bus.listen("suggest.requested", on_request, SuggestRequested)
    suggest = handlers.suggester(bus, "e1")  # type: ignore[arg-type]
    assert await suggest(SuggestQuery(q="Hal"), "de") == FOUND


async def test_with_nobody_there_nothing_is_suggested_also_to_many_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(handlers, "_SUGGEST_WAIT_S", 0.01)
    monkeypatch.setattr(handlers, "_MAX_WAITING_SUGGESTIONS", 1)
    bus, asked = Bus(), []

    async def on_request(request: SuggestRequested) -> None:
        asked.append(request.q)
        # While the first one waits.
        assert await suggest(SuggestQuery(q="zu viel"), "de") == Suggestions(from_=7)

    bus.listen("suggest.requested", on_request, SuggestRequested)
    suggest = handlers.suggester(bus, "e1")  # type: ignore[arg-type]
    for _ in range(2):
        assert await suggest(SuggestQuery(q="Hal"), "de") == Suggestions(from_=3)
    assert asked == ["Hal", "Hal"]
