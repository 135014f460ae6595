"""The edge, as the commands talk to it: in the words of their user."""

from collections.abc import Iterator
from contextlib import contextmanager

import ask_sogis
from ask_sogis import Client
from contracts.urls import without_password

from ask import sessions
from ask.access import KeptTokens, refusal_text
from ask.errors import AskError, Exit
from ask.texts import language, text


@contextmanager
def client(url: str, token: str | None, session_id: str | None = None) -> Iterator[Client]:
    """What goes wrong is an `AskError`."""
    store = KeptTokens(sessions.state_dir())
    try:
        made = Client(url, token=token, session_id=session_id, language=language(), store=store)
    except ask_sogis.Invalid as error:
        raise _misused(error) from None
    with made, told(made):
        yield made


@contextmanager
def told(client: Client) -> Iterator[None]:
    """Raises `AskError` for what goes wrong within."""
    try:
        yield
    except ask_sogis.AskError as error:
        raise _told(client, error) from None


def _misused(error: ask_sogis.Invalid) -> AskError:
    return AskError(text("refused", status="-", detail=error), Exit.MISUSED)


def _told(client: Client, error: ask_sogis.AskError) -> AskError:
    match error:
        case ask_sogis.Invalid():
            return _misused(error)
        case ask_sogis.NotUnderstood():
            return AskError(text("not_understood", url=without_password(client.url)), Exit.UNREACHABLE)
        case ask_sogis.NoAnswer(request_id=request_id, patience_s=seconds):
            line = text("no_answer", seconds=round(seconds), request_id=request_id)
            return AskError(line, Exit.UNREACHABLE)
        case ask_sogis.Refused(status=429, retry_after_s=seconds):
            return AskError(text("busy", seconds=f"{seconds or 1:g}"), Exit.REFUSED)
        case ask_sogis.Refused() if client.access.refusal is not None:
            return AskError(refusal_text(client.access.refusal), Exit.REFUSED)
        case ask_sogis.Refused(status=status, detail=detail):
            return AskError(text("refused", status=status, detail=detail), Exit.REFUSED)
    return AskError(text("unreachable", url=without_password(client.url)), Exit.UNREACHABLE)
