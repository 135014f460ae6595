"""The state of a turn, as it is kept in Redis."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import pairwise
from typing import Annotated, Any, Literal, Self

from contracts.agents import Agent
from contracts.base import UNLESS_EMPTY, Contract
from contracts.chat import ChatResponse, Step
from contracts.items import Item
from contracts.languages import DEFAULT_LANGUAGE
from contracts.messages import Command, Outcome, Usage
from contracts.plan import ToolCall
from contracts.session import Found, HistoryEntry, Session
from contracts.tools import CalledTool
from contracts.turns import Round, StepProgress, TurnEvent, TurnEventKind, TurnState, TurnView
from pydantic import Field, model_validator


class Phase(StrEnum):
    WAITING = "waiting"
    """For the selection of the step it needs."""
    WORKING = "working"
    """A command of this step is outstanding."""
    CHOOSING = "choosing"
    """Its user has to choose."""
    DONE = "done"


class ItemResult(Contract):
    """What a tool has said of one item."""

    items: Annotated[tuple[Item, ...], UNLESS_EMPTY] = ()
    failure: Literal["timeout", "failed", "unavailable"] | None = None
    """Why nothing was said: too late, with an error, or nobody was there to say it."""


class Findings(Contract):
    """A result whose items are looked at one by one; it is `Turn.retrieved` itself."""

    round: int
    call: int
    """The call that has found it, in this round."""
    results: Annotated[dict[str, ItemResult], UNLESS_EMPTY] = {}
    """What was said so far, by id of the item."""

    @model_validator(mode="before")
    @classmethod
    def _of_an_earlier_version(cls, found: Any) -> Any:
        """They were verdicts on documents."""
        verdicts = found.get("verdicts") if isinstance(found, dict) else None
        said = {each: {"type": "relevance", "id": each, "label": each} for each in verdicts or ()}
        results = {each: {"items": [said[each] | verdict]} for each, verdict in (verdicts or {}).items()}
        return found | {"results": results} if verdicts else found


class StepState(Contract):
    intent: str
    calls: Annotated[tuple[ToolCall, ...], UNLESS_EMPTY] = ()
    args: Annotated[dict[str, Any], UNLESS_EMPTY] = {}
    phase: Phase = Phase.WAITING
    round: int = 0
    """The round that works on the step."""
    needs: int | None = None
    """The earlier step whose selection the first call needs."""
    selection: Item | None = None
    """The single item found last, or the chosen one."""
    options: Annotated[tuple[Item, ...], UNLESS_EMPTY] = ()
    """What the user can choose from."""
    first_option: Annotated[int, UNLESS_EMPTY] = 0
    """Its number in choice ids; those that were offered before have the lower ones."""
    next_call: Annotated[int, UNLESS_EMPTY] = 0
    """The call that a choice leads to; the number of calls when only the rendering is left."""
    expires_at: datetime | None = None
    direct: Annotated[bool, UNLESS_EMPTY] = False
    """A tool that was called by its name: what it finds is the answer, as it is."""
    respond: Annotated[bool, UNLESS_EMPTY] = False
    """Its answer is written from what the steps before it have come to."""
    findings: Findings | None = None
    found: Annotated[Found, Field(exclude_if=Found().__eq__)] = Found()
    """What is to be told of it once more: in an answer that is written later, and in later turns."""
    answer: Annotated[Step | None, Field(exclude=True)] = None
    """The one that the journal has of it in its round."""

    @property
    def at_rest(self) -> "StepState":
        """What is left of a step that nothing can go on with."""
        return StepState(
            intent=self.intent, phase=self.phase, round=self.round, direct=self.direct, answer=self.answer
        )


class Exchange(Contract):
    """Somebody who waits for the response of a round."""

    id: str
    reply_to: str | None = None
    timer: Annotated[str, UNLESS_EMPTY] = ""
    """Ack subject of the `chat.requested` that comes back at the deadline; acknowledged, it does not."""


class RoundState(Contract):
    """The work on one message, or on one choice."""

    n: int
    state: TurnState = TurnState.RUNNING
    deadline: datetime
    exchanges: tuple[Exchange, ...]
    choice_id: str | None = None
    """The choice that began the round."""
    trace: Annotated[str, UNLESS_EMPTY] = ""
    """Where its request was taken, as `traceparent` names it; the next round links to it."""
    forwarded_to: str | None = None
    """The open choice that the message turned out to answer."""
    outcome: Annotated[Outcome | None, Field(exclude=True)] = None
    """What the tool has found that was called by its name."""

    @property
    def timers(self) -> tuple[str, ...]:
        """Ack subjects of the messages of those who wait."""
        return tuple(each.timer for each in self.exchanges if each.timer)


@dataclass(frozen=True)
class Kept:
    """A turn as it is kept: no part of it says what another one has said."""

    state: bytes
    view: bytes
    """What can be seen of it from outside, with the responses."""
    journal: tuple[bytes, ...] = ()
    """The stored messages of its log, without the responses."""


class Turn(Contract):
    """The work on one user message and on the choices that followed from it."""

    request_id: str
    session_id: str
    seed: str = ""
    """A secret, of which the tickets of its commands are made."""
    language: str = DEFAULT_LANGUAGE
    retention_s: int | None = None
    """How long all of it is kept; None is as long as usual."""
    agent: Agent = "map"
    version: Annotated[int, Field(exclude=True)] = 0
    """Counts the saved states; 0 is not saved yet."""
    session: Session = Session()
    """What the session knew when the message came; of it, what is still needed."""
    history: Annotated[tuple[HistoryEntry, ...], UNLESS_EMPTY] = ()
    """What was said last before the message; kept only when an answer is to be written."""
    planned: bool = False
    tools: Annotated[tuple[CalledTool, ...], UNLESS_EMPTY] = ()
    steps: tuple[StepState, ...] = ()
    rounds: tuple[RoundState, ...] = ()
    outstanding: Annotated[tuple[Command, ...], UNLESS_EMPTY] = ()
    """Commands whose answer has not come: the outbox. Of documents they only name the ids."""
    usage: Annotated[Usage, UNLESS_EMPTY] = Usage()
    """What language models were asked so far."""
    journal: Annotated[tuple[TurnEvent, ...], Field(exclude=True)] = ()
    """All entries of the log, one by one."""
    pages: Annotated[tuple[int, ...], Field(exclude=True)] = ()
    """How many entries the log had after each stored message; those behind the last one are not told yet."""
    retrieved: Annotated[dict[int, Outcome], Field(exclude=True)] = {}
    """What the searches of the steps have found, with all passages. The stream of events keeps it."""

    @classmethod
    def restored(cls, version: int, kept: Kept) -> Self:
        """The turn that was kept so; without what was retrieved."""
        turn = cls.from_json(kept.state)
        if turn.journal:
            # Of a version that kept all of it in one document: told once more, as one message.
            return turn.model_copy(update={"version": version})
        view = TurnView.from_json(kept.view)
        journal: list[TurnEvent] = []
        pages = []
        for document in kept.journal:
            journal += _with_response(TurnEvent.from_json(document), view).entries()
            pages.append(len(journal))
        answers = {(e.step, e.round): e.answer for e in journal if e.answer is not None}
        steps = (
            step.model_copy(update={"answer": answers.get((n, step.round))})
            for n, step in enumerate(turn.steps)
        )
        rounds = (
            found.model_copy(update={"outcome": seen.outcome})
            for found, seen in zip(turn.rounds, view.rounds, strict=True)
        )
        return turn.model_copy(
            update={
                "version": version,
                "journal": tuple(journal),
                "pages": tuple(pages),
                "steps": tuple(steps),
                "rounds": tuple(rounds),
            }
        )

    def kept(self, *pages: TurnEvent) -> Kept:
        """What is to be kept of the turn, and of the log what was not yet."""
        return Kept(self.to_json(), self.view().to_json(), tuple(page.head() for page in pages))

    @property
    def told(self) -> "Turn":
        """With the entries that are not told yet as a further message of its log."""
        entries = len(self.journal)
        if entries == (self.pages[-1] if self.pages else 0):
            return self
        return self.model_copy(update={"pages": (*self.pages, entries)})

    def log(self, *, since: int = 0) -> tuple[TurnEvent, ...]:
        """The messages that the log consists of, from one on."""
        bounds = pairwise((0, *self.pages))
        return tuple(TurnEvent.bundled(self.journal[a:b]) for a, b in tuple(bounds)[since:])

    @property
    def message(self) -> str:
        """What the user wrote."""
        return str(self.journal[0].detail.get("message", "")) if self.journal else ""

    def round_of(self, exchange: str) -> RoundState | None:
        return next((r for r in self.rounds if any(e.id == exchange for e in r.exchanges)), None)

    def response_of(self, n: int) -> ChatResponse | None:
        """The response that finished a round."""
        finished = (e for e in self.journal if e.round == n and e.kind is TurnEventKind.FINISHED)
        return next((event.response for event in finished), None)

    def resumed_in(self, n: int) -> bool:
        """Whether a round really resumed a step, rather than refusing its choice."""
        return any(e.round == n and e.kind is TurnEventKind.CHOICE_MADE for e in self.journal)

    def view(self) -> TurnView:
        """What can be seen of the turn from outside."""
        rounds = tuple(
            Round(
                state=r.state,
                exchanges=tuple(e.id for e in r.exchanges),
                response=self.response_of(r.n),
                choice_id=r.forwarded_to,
                outcome=r.outcome,
            )
            for r in self.rounds
        )
        return TurnView(
            request_id=self.request_id,
            session_id=self.session_id,
            message=self.message or None,
            state=rounds[-1].state,
            steps=tuple(StepProgress(intent=s.intent, state=s.phase) for s in self.steps),
            rounds=rounds,
        )


def _with_response(event: TurnEvent, view: TurnView) -> TurnEvent:
    if event.kind is not TurnEventKind.FINISHED or event.round >= len(view.rounds):
        return event
    return event.model_copy(update={"response": view.rounds[event.round].response})
