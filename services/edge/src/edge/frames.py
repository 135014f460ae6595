"""The log of a turn as frames of server-sent events. Pure.

What a client sees depends on the log alone, and on nothing that a process knows: after a lost connection
any replica continues with the same bytes.
"""

import json
from typing import Any

from contracts.chat import Step
from contracts.turns import AnswerDelta, TurnEvent, TurnEventKind
from pydantic_core import to_json

PING = b": ping\n\n"
_SETTLED = {TurnEventKind.STEP_FINISHED, TurnEventKind.CHOICE_PENDING}


def frame(event: str, data: dict[str, Any], position: int | None = None) -> bytes:
    """One event; `position` becomes its id."""
    head = "" if position is None else f"id: {position}\n"
    return f"{head}event: {event}\ndata: ".encode() + to_json(data) + b"\n\n"


def position_of(event_id: str) -> int | None:
    """The position in a `Last-Event-ID` or in `after`; None when it is not one of ours."""
    return int(event_id) if event_id.isascii() and event_id.isdigit() and len(event_id) < 19 else None


class Frames:
    """Reads a log from its beginning and makes the frames behind a position.

    Events that were stored twice and pieces of answers that were withdrawn before they were stored are left
    out. Map actions are handed out in the order of the plan, whatever the order in which steps finish:
    a frame brings along, as `apply`, those that it is now the turn of.
    """

    def __init__(self) -> None:
        self._next_event = 0
        self._attempts: dict[tuple[int, int], int] = {}
        self._order: dict[int, list[int]] = {}
        self._held: dict[int, Step] = {}

    def take(self, position: int, entry: TurnEvent | AnswerDelta) -> bytes | None:
        """The frame of the next entry of the log; None when it says nothing new."""
        if isinstance(entry, AnswerDelta):
            return self._delta(position, entry)
        if entry.n < self._next_event:
            return None
        self._next_event = entry.n + 1
        data = _facts(entry)
        applicable = self._applicable(entry)
        if applicable:
            data["apply"] = [
                {"step": n, "mapActions": _json(step)["mapActions"]}
                for n, step in applicable
                if step.map_actions
            ]
        return frame(entry.kind, data, position)

    def _delta(self, position: int, delta: AnswerDelta) -> bytes | None:
        key = (delta.step, delta.call)
        before = self._attempts.get(key, delta.attempt)
        if delta.attempt < before:
            return None
        self._attempts[key] = delta.attempt
        data: dict[str, Any] = {"requestId": delta.request_id, "round": delta.round, "step": delta.step}
        data |= {"text": delta.text}
        if delta.restart or delta.attempt > before:
            data["restart"] = True
        return frame(delta.kind, data, position)

    def _applicable(self, event: TurnEvent) -> list[tuple[int, Step]]:
        """The steps whose map actions can be applied now, in the order of the plan."""
        if event.kind is TurnEventKind.PLAN_READY:
            self._order[0] = list(range(len(event.detail.get("steps", ()))))
        if event.kind in _SETTLED and event.step is not None and event.answer is not None:
            self._held[event.step] = event.answer
        if event.kind is TurnEventKind.FINISHED:
            everything = sorted(self._held)
            return [(n, self._held.pop(n)) for n in everything]
        if event.kind not in _SETTLED or event.round > 0:
            # After a choice nobody knows beforehand which steps will follow.
            return []
        waiting = self._order.get(0, [])
        ready: list[tuple[int, Step]] = []
        while waiting and waiting[0] in self._held:
            ready.append((waiting[0], self._held.pop(waiting.pop(0))))
        return ready


def _facts(event: TurnEvent) -> dict[str, Any]:
    """An event without what only the log is for, and without the map actions that `apply` brings."""
    data: dict[str, Any] = json.loads(event.to_json())
    del data["sessionId"], data["kind"]
    if not data["detail"]:
        del data["detail"]
    if "answer" in data:
        del data["answer"]["mapActions"]
    return data


def _json(step: Step) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(step.to_json())
    return document
