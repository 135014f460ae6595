"""The state of a turn, as it is kept in Redis."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from contracts.base import Contract
from contracts.chat import Agent, ChatResponse, Step
from contracts.items import Document, Item, Proposal
from contracts.languages import DEFAULT_LANGUAGE
from contracts.markdown import Words
from contracts.messages import Command, Outcome, Usage
from contracts.plan import ToolCall
from contracts.research import TrackedDocument
from contracts.session import Found, HistoryEntry, Session
from contracts.tools import ToolDescriptor
from contracts.turns import Round, StepProgress, TurnEvent, TurnEventKind, TurnState, TurnView


class Phase(StrEnum):
    WAITING = "waiting"
    """For the selection of the step it needs."""
    WORKING = "working"
    """A command of this step is outstanding."""
    CHOOSING = "choosing"
    """Its user has to choose."""
    DONE = "done"


class Findings(Contract):
    """What a question about documents has led to so far."""

    query: str
    tracked: tuple[TrackedDocument, ...]
    documents: tuple[Document, ...] = ()
    """With their passages; the irrelevant ones go at once, all of them when the answer is asked for."""
    proposals: tuple[Proposal, ...] = ()
    suggestions: tuple[str, ...] = ()
    """What the search would rather be asked."""
    note: Words = ""
    """What the search wants to have said with any answer, also with none."""


class StepState(Contract):
    intent: str
    calls: tuple[ToolCall, ...] = ()
    args: dict[str, Any] = {}
    phase: Phase = Phase.WAITING
    round: int = 0
    """The round that works on the step."""
    needs: int | None = None
    """The earlier step whose selection the first call needs."""
    selection: Item | None = None
    """The single item found last, or the chosen one."""
    options: tuple[Item, ...] = ()
    """What the user can choose from."""
    first_option: int = 0
    """Its number in choice ids; those that were offered before have the lower ones."""
    next_call: int = 0
    """The call that a choice leads to; the number of calls when only the rendering is left."""
    expires_at: datetime | None = None
    direct: bool = False
    """A tool that was called by its name: what it finds is the answer, as it is."""
    respond: bool = False
    """Its answer is written from what the steps before it have come to."""
    findings: Findings | None = None
    found: Found = Found()
    """What is to be told of it once more: in an answer that is written later, and in later turns."""
    answer: Step | None = None


class Exchange(Contract):
    """Somebody who waits for the response of a round."""

    id: str
    reply_to: str | None = None
    timer: str = ""
    """Ack subject of the `chat.requested` that comes back at the deadline; acknowledged, it does not."""


class RoundState(Contract):
    """The work on one message, or on one choice."""

    n: int
    state: TurnState = TurnState.RUNNING
    deadline: datetime
    exchanges: tuple[Exchange, ...]
    choice_id: str | None = None
    """The choice that began the round."""
    forwarded_to: str | None = None
    """The open choice that the message turned out to answer."""
    outcome: Outcome | None = None
    """What the tool has found that was called by its name."""


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
    version: int = 0
    """Counts the saved states; 0 is not saved yet."""
    session: Session = Session()
    """What the session knew when the message came."""
    history: tuple[HistoryEntry, ...] = ()
    """What was said last before the message; kept only when an answer is to be written."""
    planned: bool = False
    tools: tuple[ToolDescriptor, ...] = ()
    steps: tuple[StepState, ...] = ()
    rounds: tuple[RoundState, ...] = ()
    outstanding: tuple[Command, ...] = ()
    """Commands whose answer has not come: the outbox."""
    journal: tuple[TurnEvent, ...] = ()
    usage: Usage = Usage()
    """What language models were asked so far."""

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
