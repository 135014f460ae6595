"""What can be seen of a turn from outside: its event log and its state."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

from contracts import subjects
from contracts.base import UNLESS_EMPTY, Contract, spliced
from contracts.chat import ChatResponse, Step
from contracts.messages import Outcome
from pydantic import Field, TypeAdapter
from pydantic.json_schema import SkipJsonSchema


class TurnEventKind(StrEnum):
    STARTED = "turn.started"
    PLAN_READY = "plan.ready"
    STEP_STARTED = "step.started"
    TOOL_CALLED = "tool.called"
    TOOL_RESULT = "tool.result"
    STEP_FINISHED = "step.finished"
    CHOICE_PENDING = "choice.pending"
    CHOICE_MADE = "choice.made"
    DOCUMENTS_FOUND = "documents.found"
    DOCUMENT_CHECKED = "document.checked"
    FINISHED = "turn.finished"


EventKind = Annotated[TurnEventKind | str, Field(union_mode="left_to_right")]
"""While versions work side by side, the log of a turn may have entries that an older one does not know. It
has to read the turn nevertheless; like a client, it passes over them."""


class EarlierEntry(Contract):
    """An entry that is stored as a part of a later one, without what both have in common."""

    kind: EventKind
    round: int | None = None
    at: datetime | None = None
    step: int | None = None
    detail: Annotated[dict[str, Any], UNLESS_EMPTY] = {}
    answer: Step | None = None
    answer_at: int | None = None
    """Its answer is this one of the steps of the response that the later one brings."""
    response: ChatResponse | None = None

    @classmethod
    def of(cls, entry: "TurnEvent", later: "TurnEvent") -> "EarlierEntry":
        steps = later.response.steps if later.response is not None else ()
        is_there = entry.answer is not None and entry.round == later.round and entry.answer in steps
        return cls(
            kind=entry.kind,
            round=None if entry.round == later.round else entry.round,
            at=None if entry.at == later.at else entry.at,
            step=entry.step,
            detail=entry.detail,
            answer=None if is_there else entry.answer,
            answer_at=steps.index(entry.answer) if is_there and entry.answer else None,
            response=entry.response,
        )


class TurnEvent(Contract):
    """One entry of the log. `n` counts from 0 within the turn; a round ends with one `turn.finished`."""

    request_id: str
    session_id: str
    n: int
    round: int
    kind: EventKind
    at: datetime
    retention_s: int | None = None
    """How long the entry is kept; None is as long as usual."""
    step: int | None = None
    detail: Annotated[dict[str, Any], UNLESS_EMPTY] = {}
    answer: Step | None = None
    """With step.finished and choice.pending."""
    response: ChatResponse | None = None
    """With turn.finished."""
    earlier: Annotated[tuple[EarlierEntry, ...], UNLESS_EMPTY] = ()
    """What the same transition has said before: all of it is stored as one message."""

    @classmethod
    def bundled(cls, entries: Sequence["TurnEvent"]) -> "TurnEvent":
        """One event of several, of which there is one at least."""
        *earlier, last = entries
        return last.model_copy(update={"earlier": tuple(EarlierEntry.of(each, last) for each in earlier)})

    def entries(self) -> Iterator["TurnEvent"]:
        """Those that are stored in this one, and itself. They are numbered one after the other."""
        if not self.earlier:
            yield self
            return
        alone = self.model_copy(update={"earlier": ()})
        steps = self.response.steps if self.response is not None else ()
        for n, each in enumerate(self.earlier, start=self.n - len(self.earlier)):
            yield alone.model_copy(
                update={
                    "n": n,
                    "round": self.round if each.round is None else each.round,
                    "at": each.at or self.at,
                    "kind": each.kind,
                    "step": each.step,
                    "detail": each.detail,
                    "answer": each.answer if each.answer_at is None else steps[each.answer_at],
                    "response": each.response,
                }
            )
        yield alone

    def head(self) -> bytes:
        """As JSON, without the response."""
        return self.__pydantic_serializer__.to_json(self, exclude_none=True, exclude={"response"})

    def to_json(self) -> bytes:
        response = self.response
        return self.head() if response is None else spliced(self.head(), response=response.to_json())

    @property
    def subject(self) -> str:
        return subjects.turn_event(self.request_id)

    @property
    def message_id(self) -> str:
        return f"{self.request_id}/event/{self.n}"


class AnswerDelta(Contract):
    """A piece of an answer that is being written, in the same log; `k` counts from 0 within an attempt.

    A higher `attempt` begins the answer of its step anew: what came before is withdrawn, and whatever may
    still come of a lower one is void. `restart` withdraws within an attempt. What counts in the end is the
    `answer` of step.finished.
    """

    kind: Literal["answer.delta"] = "answer.delta"
    request_id: str
    session_id: str
    round: int
    step: int
    call: int
    attempt: int
    k: int
    text: str
    restart: bool = False
    retention_s: int | None = None
    """How long the entry is kept; None is as long as usual."""

    def entries(self) -> Iterator["AnswerDelta"]:
        """It is stored alone."""
        yield self

    @property
    def subject(self) -> str:
        return subjects.turn_delta(self.request_id)

    @property
    def message_id(self) -> str:
        return f"{self.request_id}/delta/{self.round}/{self.step}/{self.call}/{self.attempt}/{self.k}"


_LOG_ENTRY: TypeAdapter[TurnEvent | AnswerDelta] = TypeAdapter(TurnEvent | AnswerDelta)


def log_entry(document: bytes) -> TurnEvent | AnswerDelta:
    """Read one entry of the log of a turn. Raises `pydantic.ValidationError`."""
    return _LOG_ENTRY.validate_json(document)


class TurnState(StrEnum):
    RUNNING = "running"
    FINISHED = "finished"
    CANCELLED = "cancelled"
    """Ended because nobody wanted its answer any more."""
    FORWARDED = "forwarded"
    """The message answered an open choice; the work goes on under `choice_id`."""


class Round(Contract):
    """The work on one message or one choice within a turn."""

    state: TurnState
    exchanges: tuple[str, ...]
    response: ChatResponse | None = None
    choice_id: str | None = None
    outcome: SkipJsonSchema[Outcome | None] = None
    """What a tool has found that was called by its name. It is read from the state, never sent over HTTP."""

    def to_json(self) -> bytes:
        head = self.__pydantic_serializer__.to_json(self, exclude_none=True, exclude={"response"})
        return head if self.response is None else spliced(head, response=self.response.to_json())


class StepProgress(Contract):
    intent: str
    state: str
    """waiting, working, choosing or done."""


class TurnProgress(Contract):
    """The body of `GET /api/chat/{requestId}` while the turn runs (202)."""

    request_id: str
    state: TurnState
    steps: tuple[StepProgress, ...] = ()
    rounds: tuple[Round, ...] = ()

    def to_json(self) -> bytes:
        head = self.__pydantic_serializer__.to_json(self, exclude_none=True, exclude={"rounds"})
        return spliced(head, rounds=b"[" + b",".join(each.to_json() for each in self.rounds) + b"]")


class TurnView(TurnProgress):
    """How far a turn is and whose it is: what is kept of it for the edge."""

    session_id: str
    message: str | None = None
    """What its user wrote. Like what a tool has found it is read from the state, never sent over HTTP."""

    @property
    def progress(self) -> TurnProgress:
        """What goes over HTTP: no session, and nothing that a tool has found."""
        rounds = tuple(each.model_copy(update={"outcome": None}) for each in self.rounds)
        return TurnProgress(request_id=self.request_id, state=self.state, steps=self.steps, rounds=rounds)

    def round_of(self, exchange: str) -> Round | None:
        """The round that an HTTP exchange waits for."""
        return next((r for r in self.rounds if exchange in r.exchanges), None)
