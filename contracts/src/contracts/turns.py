"""What can be seen of a turn from outside: its event log and its state."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from contracts import subjects
from contracts.base import Contract
from contracts.chat import ChatResponse, Step


class TurnEventKind(StrEnum):
    STARTED = "turn.started"
    PLAN_READY = "plan.ready"
    TOOL_CALLED = "tool.called"
    TOOL_RESULT = "tool.result"
    STEP_FINISHED = "step.finished"
    CHOICE_PENDING = "choice.pending"
    CHOICE_MADE = "choice.made"
    FINISHED = "turn.finished"


class TurnEvent(Contract):
    """One entry of the log. `n` counts from 0 within the turn; a round ends with one `turn.finished`."""

    request_id: str
    session_id: str
    n: int
    round: int
    kind: TurnEventKind
    at: datetime
    step: int | None = None
    detail: dict[str, Any] = {}
    answer: Step | None = None
    """With step.finished and choice.pending."""
    response: ChatResponse | None = None
    """With turn.finished."""

    @property
    def subject(self) -> str:
        return subjects.turn_event(self.request_id)

    @property
    def message_id(self) -> str:
        return f"{self.request_id}/event/{self.n}"


class TurnState(StrEnum):
    RUNNING = "running"
    FINISHED = "finished"
    FORWARDED = "forwarded"
    """The message answered an open choice; the work goes on under `choice_id`."""


class Round(Contract):
    """The work on one message or one choice within a turn."""

    state: TurnState
    exchanges: tuple[str, ...]
    response: ChatResponse | None = None
    choice_id: str | None = None


class StepProgress(Contract):
    intent: str
    state: str
    """waiting, working, choosing or done."""


class TurnView(Contract):
    """The body of `GET /api/chat/{requestId}` while the turn runs (202)."""

    request_id: str
    session_id: str
    state: TurnState
    steps: tuple[StepProgress, ...] = ()
    rounds: tuple[Round, ...] = ()

    def round_of(self, exchange: str) -> Round | None:
        """The round that an HTTP exchange waits for."""
        return next((r for r in self.rounds if exchange in r.exchanges), None)
