"""`ask chat`: what is sent, what is shown, how choices are settled."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import httpx
import pytest
from ask_sogis import Client
from contracts.chat import ChatResponse, Choice, Step
from contracts.status import Status
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.input.base import PipeInput
from prompt_toolkit.output import DummyOutput
from rich.console import Console
from typer.testing import CliRunner

from ask import chat, edge, main
from ask.chat import Chat, picker
from ask.errors import AskError, Exit


def _step(status: Status, message: str, *choices: str) -> Step:
    options = tuple(Choice(id=choice, label=f"Option {choice}") for choice in choices)
    return Step(intent="i", status=status, message=message, choices=options)


def _streamed(*events: tuple[str, Any], then: type[BaseException] | None = None) -> httpx.Response:
    def said() -> Iterator[bytes]:
        for n, (name, data) in enumerate(events):
            yield f"id: {n}\nevent: {name}\ndata: {json.dumps(data)}\n\n".encode()
        if then is not None:
            raise then

    return httpx.Response(200, headers={"Content-Type": "text/event-stream"}, content=said())


def _response(*steps: Step) -> httpx.Response:
    return _streamed(("turn.finished", {"response": ChatResponse.of("req-1", steps).as_json()}))


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

    def client(self, patience_s: float = 2) -> Client:
        transport = httpx.MockTransport(self)
        return Client("http://edge", token="t", session_id="me", transport=transport, patience_s=patience_s)


Talk = Callable[..., tuple[Chat, Console]]


@pytest.fixture
def talk() -> Iterator[Talk]:
    clients: list[Client] = []

    def make(edge: Edge, pick: chat.Pick | None = None) -> tuple[Chat, Console]:
        console = Console(record=True, width=100, highlight=False)
        clients.append(edge.client())
        return Chat(clients[-1], console, pick), console

    yield make
    for client in clients:
        client.close()


def test_a_sentence_is_sent_with_the_session_and_its_answer_is_shown(talk: Talk) -> None:
    edge = Edge(_response(DONE))
    conversation, console = talk(edge)
    assert conversation.say("Gehe nach Messen") is Exit.DONE
    assert edge.asked == [("POST /api/chat/stream", {"sessionId": "me", "userMessage": "Gehe nach Messen"})]
    assert "✔ Fertig." in console.export_text()


def test_an_error_is_shown_and_told(talk: Talk) -> None:
    conversation, console = talk(Edge(_response(FAILED)))
    assert conversation.say("x") is Exit.FAILED
    assert "✖ Ging nicht." in console.export_text()


def test_without_a_terminal_a_choice_is_only_shown(talk: Talk) -> None:
    edge = Edge(_response(_step(Status.NEEDS_USER_CHOICE, "Welche?", "a", "b")))
    conversation, console = talk(edge)
    assert conversation.say("x") is Exit.UNDECIDED
    assert len(edge.asked) == 1
    assert "--choice b" in console.export_text()


def test_the_option_that_the_user_picks_is_sent(talk: Talk) -> None:
    edge = Edge(_response(_step(Status.NEEDS_USER_CHOICE, "Welche?", "a", "b")), _response(DONE))
    conversation, console = talk(edge, lambda choices: choices[1].id)
    assert conversation.say("x") is Exit.DONE
    assert edge.asked[1] == ("POST /api/chat/stream", {"sessionId": "me", "choiceId": "b"})
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
    assert conversation.say("x") is Exit.FAILED
    assert asked == [["a", "b"], ["c", "d"]]
    assert [body.get("choiceId") for _, body in edge.asked] == [None, "a", "c"]


def test_a_question_can_be_left_open(talk: Talk) -> None:
    edge = Edge(_response(_step(Status.NEEDS_USER_CHOICE, "Welche?", "a", "b")))
    conversation, console = talk(edge, lambda choices: None)
    assert conversation.say("x") is Exit.UNDECIDED
    assert len(edge.asked) == 1
    assert "bleibt offen" in console.export_text()


def _problem(status: int, code: str, detail: str, **more: str) -> dict[str, Any]:
    known = {"type": f"urn:ask-sogis:problem:{code}", "title": "Something.", "status": status, "code": code}
    return {**known, "detail": detail, **more}


@pytest.mark.parametrize(
    ("answers", "words", "code"),
    [
        ([httpx.ConnectError("refused")], "http://edge nicht erreichbar", Exit.UNREACHABLE),
        ([httpx.ReadTimeout("slow")], "http://edge nicht erreichbar", Exit.UNREACHABLE),
        ([httpx.Response(429, headers={"Retry-After": "7"})], "ausgelastet.* 7 s", Exit.REFUSED),
        (
            [httpx.Response(422, json=_problem(422, "invalid_request", "sessionId fehlt"))],
            "422.*sessionId fehlt",
            Exit.REFUSED,
        ),
        ([httpx.Response(500, content=b"<html>")], "500.*Internal Server Error", Exit.REFUSED),
        ([httpx.Response(200, content=b"<html>")], "etwas anderes als ask.sogis", Exit.UNREACHABLE),
        ([httpx.Response(200, json={"hello": "world"})], "etwas anderes als ask.sogis", Exit.UNREACHABLE),
        (
            [
                _streamed(("error", _problem(504, "turn_timeout", "Zeit um", requestId="req-1"))),
                httpx.Response(202, json={}),
            ],
            "innert 0 s.*ask turn req-1",
            Exit.UNREACHABLE,
        ),
    ],
)
def test_what_can_go_wrong_is_one_clear_line_and_a_code(
    answers: list[httpx.Response | Exception], words: str, code: Exit
) -> None:
    with Edge(*answers).client(patience_s=0.05) as client, pytest.raises(AskError, match=words) as error:
        chat.run(client, message="x", choice_id=None, form="json")
    assert error.value.code is code
    assert "\n" not in str(error.value)


def test_a_message_that_no_edge_would_take_is_not_sent() -> None:
    nobody = Edge()
    with nobody.client() as client, pytest.raises(AskError, match="lehnt ab") as error:
        chat.run(client, message="x" * 4_001, choice_id=None, form="text")
    assert error.value.code is Exit.MISUSED
    assert nobody.asked == []


@pytest.mark.parametrize(
    ("status", "end"),
    [
        ("ok", Exit.DONE),
        ("error", Exit.FAILED),
        ("needs_user_choice", Exit.UNDECIDED),
        ("needs_clarification", Exit.UNDECIDED),
        ("in_a_status_of_the_future", Exit.UNDECIDED),
    ],
)
def test_raw_json_is_what_the_edge_sent_and_its_status_the_exit_code(
    status: str, end: Exit, capsys: pytest.CaptureFixture[str]
) -> None:
    document = f'{{"requestId":"r","overallStatus":"{status}","steps":[],"news":1}}'
    with Edge(_streamed(("turn.finished", {"response": json.loads(document)}))).client() as client:
        assert chat.run(client, message="x", choice_id=None, form="json") is end
    assert capsys.readouterr().out == document + "\n"


def test_events_are_lines_of_json_and_the_last_one_has_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    answer = json.loads(ChatResponse.of("req-1", (FAILED,)).to_json())
    events = [("answer.delta", {"requestId": "req-1", "text": "a"}), ("turn.finished", {"response": answer})]
    with Edge(_streamed(*events)).client() as client:
        assert chat.run(client, message="x", choice_id=None, form="lines") is Exit.FAILED
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["id"], line["kind"]) for line in lines] == [("0", "answer.delta"), ("1", "turn.finished")]
    assert lines[1]["response"] == answer


@pytest.mark.parametrize("form", ["text", "json", "lines"])
def test_ctrl_c_ends_the_turn_too(form: chat.Form) -> None:
    begun = ("answer.delta", {"requestId": "req-1", "text": "a"})
    edge = Edge(_streamed(begun, then=KeyboardInterrupt), httpx.Response(404))
    with edge.client() as client, pytest.raises(KeyboardInterrupt):
        chat.run(client, message="x", choice_id=None, form=form)
    assert [line for line, _ in edge.asked] == ["POST /api/chat/stream", "DELETE /api/chat/req-1"]


def test_tools_are_listed_as_the_edge_has_sent_them(monkeypatch: pytest.MonkeyPatch) -> None:
    document = '{"tools": [], "news": 1}'
    monkeypatch.setattr(edge, "client", lambda *_: Edge(httpx.Response(200, content=document)).client())
    assert CliRunner().invoke(main.app, ["tools", "--json"]).stdout == document + "\n"


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
