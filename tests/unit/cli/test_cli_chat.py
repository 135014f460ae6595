"""`ask chat`: what is sent, what is shown, how choices are settled."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import httpx
import pytest
from contracts.chat import ChatResponse, Choice, Step
from contracts.status import Status
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.input.base import PipeInput
from prompt_toolkit.output import DummyOutput
from rich.console import Console

from ask import chat
from ask.chat import Chat, picker
from ask.client import Client
from ask.errors import AskError


def _step(status: Status, message: str, *choices: str) -> Step:
    options = tuple(Choice(id=choice, label=f"Option {choice}") for choice in choices)
    return Step(intent="i", status=status, message=message, choices=options)


def _response(*steps: Step) -> httpx.Response:
    return httpx.Response(200, content=ChatResponse.of("req-1", steps).to_json())


DONE = _step(Status.OK, "Fertig.")
FAILED = _step(Status.ERROR, "Ging nicht.")


class Edge:
    """Answers with prepared responses, one after the other, and keeps what it was asked."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[str, Any]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content) if request.content else None
        self.asked.append((f"{request.method} {request.url.path}", body))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def client(self) -> Client:
        return Client("http://edge", transport=httpx.MockTransport(self), patience_s=2)


Talk = Callable[..., tuple[Chat, Console]]


@pytest.fixture
def talk() -> Iterator[Talk]:
    clients: list[Client] = []

    def make(edge: Edge, pick: chat.Pick | None = None) -> tuple[Chat, Console]:
        console = Console(record=True, width=100, highlight=False)
        clients.append(edge.client())
        return Chat(clients[-1], "me", console, pick), console

    yield make
    for client in clients:
        client.close()


def test_a_sentence_is_sent_with_the_session_and_its_answer_is_shown(talk: Talk) -> None:
    edge = Edge(_response(DONE))
    conversation, console = talk(edge)
    assert conversation.say("Gehe nach Messen")
    assert edge.asked == [("POST /api/chat", {"sessionId": "me", "userMessage": "Gehe nach Messen"})]
    assert "✔ Fertig." in console.export_text()


def test_an_error_is_shown_and_told(talk: Talk) -> None:
    conversation, console = talk(Edge(_response(FAILED)))
    assert not conversation.say("x")
    assert "✖ Ging nicht." in console.export_text()


def test_without_a_terminal_a_choice_is_only_shown(talk: Talk) -> None:
    edge = Edge(_response(_step(Status.NEEDS_USER_CHOICE, "Welche?", "a", "b")))
    conversation, console = talk(edge)
    assert conversation.say("x")
    assert len(edge.asked) == 1
    assert "--choice b" in console.export_text()


def test_the_option_that_the_user_picks_is_sent(talk: Talk) -> None:
    edge = Edge(_response(_step(Status.NEEDS_USER_CHOICE, "Welche?", "a", "b")), _response(DONE))
    conversation, console = talk(edge, lambda choices: choices[1].id)
    assert conversation.say("x")
    assert edge.asked[1] == ("POST /api/chat", {"sessionId": "me", "choiceId": "b"})
    shown = console.export_text()
    assert "› Option b" in shown
    assert "✔ Fertig." in shown


def test_several_questions_are_put_one_after_the_other_and_none_twice(talk: Talk) -> None:
    first = _step(Status.NEEDS_USER_CHOICE, "Welche?", "a", "b")
    second = _step(Status.NEEDS_USER_CHOICE, "Und welche?", "c", "d")
    edge = Edge(_response(first, second), _response(DONE, second), _response(FAILED))
    asked: list[list[str]] = []

    def pick(choices: Sequence[Choice]) -> str:
        asked.append([choice.id for choice in choices])
        return choices[0].id

    conversation, _ = talk(edge, pick)
    assert not conversation.say("x")
    assert asked == [["a", "b"], ["c", "d"]]
    assert [body.get("choiceId") for _, body in edge.asked] == [None, "a", "c"]


def test_a_question_can_be_left_open(talk: Talk) -> None:
    edge = Edge(_response(_step(Status.NEEDS_USER_CHOICE, "Welche?", "a", "b")))
    conversation, console = talk(edge, lambda choices: None)
    assert conversation.say("x")
    assert len(edge.asked) == 1
    assert "bleibt offen" in console.export_text()


def test_a_turn_that_takes_longer_than_the_edge_waits_is_polled(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ask.client._POLL_S", 0.01)
    edge = Edge(
        httpx.Response(504, json={"code": "timeout", "requestId": "req-1"}),
        httpx.Response(202, json={"state": "running"}),
        _response(DONE),
    )
    conversation, _ = talk(edge)
    assert conversation.say("x")
    assert [path for path, _ in edge.asked[1:]] == ["GET /api/chat/req-1"] * 2


def test_a_turn_that_never_ends_is_given_up_with_its_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ask.client._POLL_S", 0.01)
    answers = [httpx.Response(202, json={}) for _ in range(1_000)]
    edge = Edge(httpx.Response(504, json={"requestId": "req-1"}), *answers)
    client = Client("http://edge", transport=httpx.MockTransport(edge), patience_s=0.1)
    with pytest.raises(AskError, match="ask turn req-1"):
        client.chat("me", message="x")
    client.close()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (httpx.ConnectError("refused"), "http://edge nicht erreichbar"),
        (httpx.ReadTimeout("slow"), "http://edge nicht erreichbar"),
        (httpx.Response(429, headers={"Retry-After": "7"}), "ausgelastet.* 7 s"),
        (httpx.Response(422, json={"detail": "sessionId fehlt"}), "422.*sessionId fehlt"),
        (httpx.Response(504, json={"title": "Zeit um"}), "504.*Zeit um"),
        (httpx.Response(500, content=b"<html>"), "500.*Internal Server Error"),
        (httpx.Response(200, content=b"<html>"), "etwas anderes als ask.sogis"),
        (httpx.Response(200, json={"hello": "world"}), "etwas anderes als ask.sogis"),
    ],
)
def test_what_can_go_wrong_is_one_clear_line(answer: httpx.Response | Exception, words: str) -> None:
    client = Edge(answer).client()
    with pytest.raises(AskError, match=words) as error:
        client.chat("me", message="x")
    assert "\n" not in str(error.value)
    client.close()


def test_a_message_that_no_edge_would_take_is_not_sent() -> None:
    edge = Edge()
    client = edge.client()
    with pytest.raises(AskError, match="lehnt ab"):
        client.chat("me", message="x" * 4_001)
    assert edge.asked == []
    client.close()


def test_raw_json_is_what_the_edge_sent(capsys: pytest.CaptureFixture[str]) -> None:
    document = '{"requestId":"r","overallStatus":"error","steps":[],"news":1}'
    client = Edge(httpx.Response(200, content=document)).client()
    assert not chat.run(client, "me", message="x", choice_id=None, as_json=True)
    assert capsys.readouterr().out == document + "\n"
    client.close()


# -- the terminal ----------------------------------------------------------------------------------


@pytest.fixture
def keyboard() -> Iterator[PipeInput]:
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        yield keys


_OPTIONS = tuple(Choice(id=f"id-{n}", label=f"Option {n}") for n in range(1, 12))


@pytest.mark.parametrize(
    ("keys", "chosen"),
    [
        ("2", "id-2"),
        ("9", "id-9"),
        ("\r", "id-1"),
        ("\x1b[B\x1b[B\r", "id-3"),
        ("\x1b[B" * 10 + "\r", "id-11"),
        ("\x03", None),
    ],
)
def test_a_digit_chooses_at_once_arrows_and_enter_do_too(
    keyboard: PipeInput, keys: str, chosen: str | None
) -> None:
    keyboard.send_text(keys)
    assert picker(_OPTIONS).prompt() == chosen


def test_a_conversation_goes_on_after_a_failure_until_ctrl_d(talk: Talk, keyboard: PipeInput) -> None:
    edge = Edge(httpx.ConnectError("refused"), _response(DONE))
    conversation, console = talk(edge)
    keyboard.send_text("Gehe nach Messen\r\rNochmals bitte\r\x04")
    conversation.converse()
    assert [body["userMessage"] for _, body in edge.asked] == ["Gehe nach Messen", "Nochmals bitte"]
    shown = console.export_text()
    assert "nicht erreichbar" in shown
    assert "✔ Fertig." in shown
