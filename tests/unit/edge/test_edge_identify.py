"""The endpoint for who clicks on a map."""

import asyncio
import json
from typing import Any

import httpx
import pytest
from contracts.identify import CAPABILITY
from contracts.items import Address, Feature
from contracts.keys import MAX_LAYERS
from contracts.messages import Outcome
from contracts.plan import ToolCall
from contracts.status import Status
from starlette.types import Message

from edge import errors
from edge.api_identify import identify_routes
from edge.askers import Asker, Askers
from edge.description import Application
from edge.sessions import Sessions
from edge.settings import EdgeSettings
from edge.web import application

POINT = {"x": 2607744, "y": 1228431}
ADDRESS = Address(
    id="7568",
    label="Rötistrasse 4, 4500 Solothurn",
    coord=(2607744, 1228431),
    street="Rötistrasse",
    postal_code="4500",
    locality="Solothurn",
)
ZONE = Feature(id="s3", label="Zone S3", layer="zones", layer_label="Grundwasserschutzzonen")


class Called:
    """A chat that is only ever asked to call a tool."""

    def __init__(self, ending: Outcome | errors.EdgeError | None) -> None:
        self.ending = ending
        self.calls: list[tuple[ToolCall, str, Asker]] = []
        self.given_up = False

    async def call(self, call: ToolCall, session_id: str, asker: Asker) -> tuple[str, Outcome]:
        self.calls.append((call, session_id, asker))
        try:
            while self.ending is None:
                await asyncio.sleep(60)
        except asyncio.CancelledError:
            self.given_up = True
            raise
        if isinstance(self.ending, errors.EdgeError):
            raise self.ending
        return "req-0123456789abcdef", self.ending


class Catalogue:
    def __init__(self, offered: bool = True) -> None:
        self._offered = offered

    def find(self, capability: str) -> object | None:
        return object() if self._offered and capability == CAPABILITY else None


def web(chat: Any, catalogue: Any) -> Application:
    settings = EdgeSettings()
    askers = Askers((), settings.max_body_bytes)
    return application([identify_routes(chat, Sessions(b"key"), askers, catalogue)], settings)


async def ask(
    body: object, chat: Called | None = None, *, offered: bool = True, language: str = ""
) -> httpx.Response:
    app = web(chat or Called(Outcome(items=(ADDRESS,))), Catalogue(offered))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://localhost") as http:
        return await http.post("/api/identify", json=body, headers={"Accept-Language": language})


async def test_what_the_tool_finds_is_the_answer() -> None:
    chat = Called(Outcome(items=(ADDRESS, ZONE), message="Hier ist:"))
    answered = await ask(POINT, chat)
    assert (answered.status_code, answered.headers["cache-control"]) == (200, "no-store")
    assert answered.headers["ask-request-id"] == "req-0123456789abcdef"
    told = answered.json()
    assert told.keys() == {"requestId", "status", "message", "items"}
    assert (told["requestId"], told["status"], told["message"]) == (
        "req-0123456789abcdef",
        "ok",
        "Hier ist:",
    )
    assert [item["type"] for item in told["items"]] == ["address", "feature"]
    assert told["items"][1]["layerLabel"] == "Grundwasserschutzzonen"


async def test_what_the_items_do_not_say_is_told_by_itself() -> None:
    told = (await ask(POINT, Called(Outcome(message="Hier ist: Kein Eintrag.", note="Kein Eintrag.")))).json()
    assert told["note"] == "Kein Eintrag."


@pytest.mark.parametrize(
    ("more", "args"),
    [
        ({}, {}),
        ({"layers": []}, {}),
        ({"layers": ["a", "b"], "tolerance": 2.5}, {"layers": ["a", "b"], "tolerance": 2.5}),
        ({"tolerance": 0, "sessionId": "s", "language": "fr"}, {"tolerance": 0}),
    ],
)
async def test_the_tool_gets_what_was_said_and_no_more(more: dict[str, Any], args: dict[str, Any]) -> None:
    chat = Called(Outcome())
    await ask(POINT | more, chat)
    [(call, _, _)] = chat.calls
    assert call == ToolCall(capability="features.identify", args={"x": 2607744, "y": 1228431} | args)


async def test_a_session_is_that_of_who_asks_and_without_one_each_click_has_its_own() -> None:
    chat = Called(Outcome())
    for body in (POINT | {"sessionId": "s"}, POINT | {"sessionId": " s "}, POINT, POINT):
        await ask(body, chat)
    sessions = [session for _, session, _ in chat.calls]
    assert sessions[0] == sessions[1] and len(set(sessions)) == 3
    assert not {"s"} & set(sessions)


async def test_it_is_answered_in_the_language_of_the_body_or_else_of_the_header() -> None:
    chat = Called(Outcome())
    await ask(POINT | {"language": "it-CH"}, chat, language="fr")
    await ask(POINT, chat, language="fr")
    assert [asker.language for _, _, asker in chat.calls] == ["it", "fr"]


@pytest.mark.parametrize("status", [Status.ERROR, Status.NEEDS_CLARIFICATION])
async def test_a_tool_that_fails_or_finds_nothing_is_no_http_error(status: Status) -> None:
    answered = await ask(POINT, Called(Outcome(status=status, message="Nichts.")))
    assert answered.status_code == 200
    told = answered.json()
    assert (told["status"], told["message"], told["items"]) == (status, "Nichts.", [])


async def test_without_anybody_who_can_tell_it_is_a_problem_in_the_language_of_who_asks() -> None:
    chat = Called(Outcome())
    answered = await ask(POINT | {"language": "en"}, chat, offered=False)
    problem = answered.json()
    assert (answered.status_code, problem["code"]) == (503, "tool_unavailable")
    assert problem["detail"].startswith("No service")
    assert "retry-after" in answered.headers
    assert chat.calls == []


async def test_who_asks_too_much_is_told_as_with_a_message() -> None:
    answered = await ask(POINT, Called(errors.TooManyTurns()))
    assert (answered.status_code, answered.json()["code"]) == (429, "too_many_turns")


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"x": 1}, "#/y"),
        ({"x": "here", "y": 1}, "#/x"),
        ({"x": 10**400, "y": 1}, "#/x"),
        (POINT | {"tolerance": -1}, "#/tolerance"),
        (POINT | {"tolerance": 1_001}, "#/tolerance"),
        (POINT | {"layers": ["a"] * (MAX_LAYERS + 1)}, "#/layers"),
        (POINT | {"layers": ["a" * 257]}, "#/layers/0"),
        (POINT | {"sessionId": "\n"}, "#/sessionId"),
        (POINT | {"userMessage": "hallo"}, "#/userMessage"),
    ],
)
async def test_what_is_no_question_about_a_point_is_refused(body: dict[str, Any], pointer: str) -> None:
    chat = Called(Outcome())
    answered = await ask(body, chat)
    assert answered.status_code == 422
    assert [each["pointer"] for each in answered.json()["errors"]] == [pointer]
    assert chat.calls == []


async def test_who_leaves_ends_the_work() -> None:
    chat = Called(None)
    body = json.dumps(POINT).encode()
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if messages:
            return messages.pop(0)
        while not chat.calls:
            await asyncio.sleep(0)
        return {"type": "http.disconnect"}

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/api/identify",
        "raw_path": b"/api/identify",
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "http_version": "1.1",
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
    }
    await web(chat, Catalogue())(scope, receive, send)
    assert chat.given_up
    assert sent == []
