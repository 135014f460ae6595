"""The log of a turn as frames of server-sent events. Pure.

What a client sees depends on the log alone, and on nothing that a process knows: after a lost connection
any replica continues with the same bytes.
"""

from typing import Any

from contracts.chat import ChatResponse
from contracts.languages import DEFAULT_LANGUAGE, Language
from contracts.turns import AnswerDelta, TurnEvent, TurnEventKind
from pydantic_core import to_json

from edge.errors import EdgeError
from edge.problems import problem_of
from edge.reading import News, Reading

PING = b": ping\n\n"


def frame(event: str, data: dict[str, Any], position: int | None = None) -> bytes:
    """One event; `position` becomes its id."""
    head = "" if position is None else f"id: {position}\n"
    return f"{head}event: {event}\ndata: ".encode() + to_json(data) + b"\n\n"


class TurnEncoder:
    """Encodes a log frame by frame.

    A frame brings along, as `apply`, the map actions that it is now the turn of.
    """

    def __init__(self, language: Language = DEFAULT_LANGUAGE) -> None:
        """`language`: of what goes wrong on the way."""
        self._language = language
        self._reading = Reading()

    def begin(self, request_id: str) -> None:
        self._reading = Reading()

    def take(self, position: int, entry: TurnEvent | AnswerDelta, is_new: bool = True) -> bytes | None:
        """The frame of the next entry of the log; None when it says nothing new."""
        news = self._reading.take(entry)
        if news is None or not is_new:
            return None
        return frame(entry.kind, _data(news), position)

    def answer(self, response: ChatResponse) -> bytes:
        return frame(TurnEventKind.FINISHED, {"response": response.as_json()})

    def end(self) -> None:
        """The last frame of the log has said it."""

    def stop(self, request_id: str) -> None:
        """A stream that just stops is continued elsewhere."""

    def fail(self, error: EdgeError) -> bytes:
        return frame("error", problem_of(error, self._language).as_json())


def _data(news: News) -> dict[str, Any]:
    entry = news.entry
    if isinstance(entry, AnswerDelta):
        data: dict[str, Any] = {"requestId": entry.request_id, "round": entry.round, "step": entry.step}
        data |= {"text": entry.text}
        return data | {"restart": True} if news.restarts else data
    data = _facts(entry)
    if news.applicable:
        data["apply"] = [
            {"step": n, "mapActions": step.as_json()["mapActions"]}
            for n, step in news.applicable
            if step.map_actions
        ]
    return data


def _facts(event: TurnEvent) -> dict[str, Any]:
    """An event without what only the log is for, and without the map actions that `apply` brings."""
    data = event.as_json()
    del data["sessionId"], data["kind"]
    data.pop("retentionS", None)
    if "answer" in data:
        del data["answer"]["mapActions"]
    return data
