"""What is told of a turn while it happens. Pure."""

from datetime import datetime
from typing import Any, Literal

from ask_sogis.errors import NotUnderstood
from ask_sogis.frames import Frame
from ask_sogis.reading import read
from contracts.actions import MapAction
from contracts.base import Contract, WrittenOnce
from contracts.chat import ChatResponse, Step
from contracts.turns import TurnEventKind
from pydantic_core import from_json, to_json

_DELTA = "answer.delta"
_KINDS = {*TurnEventKind, _DELTA}


class StepActions(Contract):
    """The map actions of one step that it is now the turn of."""

    step: int
    map_actions: tuple[MapAction, ...] = ()


class Told(WrittenOnce):
    """What every event has. `document` is the event as the server has sent it, with its `kind` and `id`."""

    id: str = ""
    """Its position in the log of the turn; empty for an answer that is in no log."""
    request_id: str
    round: int = 0
    step: int | None = None
    apply: tuple[StepActions, ...] = ()

    @property
    def map_actions(self) -> tuple[MapAction, ...]:
        """What a map applies now, in this order. No other event has these once more, only the answer has."""
        return tuple(action for step in self.apply for action in step.map_actions)


class Progress(Told):
    """Something has happened: a plan is ready, a tool was called, a step is finished."""

    kind: TurnEventKind
    at: datetime | None = None
    detail: dict[str, Any] = {}
    answer: Step | None = None
    """Of a step that is finished, or that waits for a choice; without its map actions."""


class Delta(Told):
    """A piece of an answer that is being written."""

    kind: Literal["answer.delta"] = "answer.delta"
    text: str
    restart: bool = False
    """What came before for this step is void."""


class Finished(Told):
    """The answer; the last event of its turn."""

    kind: Literal["turn.finished"] = "turn.finished"
    response: ChatResponse
    detail: dict[str, Any] = {}


Event = Progress | Delta | Finished


def event_of(frame: Frame) -> Event | None:
    """None for an event of a kind that this version does not know. Raises `NotUnderstood`."""
    if frame.event not in _KINDS:
        return None
    try:
        data = from_json(frame.data)
        answer = data.get("response")
        known = {"requestId": answer["requestId"]} if answer else {}
    except (ValueError, AttributeError, TypeError, KeyError):
        raise NotUnderstood() from None
    document = to_json(known | data | {"kind": frame.event, "id": frame.id})
    if frame.event == _DELTA:
        return read(Delta, document)
    if answer and frame.event == TurnEventKind.FINISHED:
        finished = read(Finished, document)
        finished.response.document = to_json(answer)
        return finished
    return read(Progress, document)
