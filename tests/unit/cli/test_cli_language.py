"""The command speaks the language of its terminal, and asks to be answered in it."""

import httpx
import pytest
from contracts.tools import ToolList
from typer.testing import CliRunner

from ask import edge, main, sessions, texts

CHAT = ["chat", "Hallo", "--url", "http://127.0.0.1:9"]


@pytest.fixture(autouse=True)
def _nothing_said(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.setenv(name, "")


@pytest.mark.parametrize(
    ("variables", "language"),
    [
        ({}, None),
        ({"LANG": "fr_CH.UTF-8"}, "fr"),
        ({"LANG": "C.UTF-8"}, None),
        ({"LANG": "POSIX"}, None),
        ({"LANG": "it"}, "it"),
        ({"LANG": "de_CH@euro", "LC_MESSAGES": "en_GB.UTF-8"}, "en"),
        ({"LANG": "fr_CH.UTF-8", "LC_ALL": "C"}, None),
        ({"LANG": "rm_CH.UTF-8"}, None),
    ],
)
def test_the_terminal_says_it(
    variables: dict[str, str], language: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    asked: list[str | None] = []

    def answer(transport: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        asked.append(request.headers.get("Accept-Language"))
        return httpx.Response(200, content=ToolList(tools=()).to_json())

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", answer)
    with edge.client("http://edge", "t") as client:
        client.tools()
    assert asked == [texts.language()] == [language]


@pytest.mark.parametrize(("options", "said"), [([], "injoignable"), (["--language", "it"], "raggiungibile")])
def test_an_option_says_it_louder(
    options: list[str], said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("LC_ALL", "fr_CH.UTF-8")
    monkeypatch.setattr(sessions, "current", lambda folder, new: "s-1")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    refused = CliRunner().invoke(main.app, [*CHAT, *options])
    assert said in str(refused.exception)
