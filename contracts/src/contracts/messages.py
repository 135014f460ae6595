"""The commands and events on the bus. Each knows its subject and its deterministic id."""

from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal

from contracts import subjects
from contracts.agents import Agent
from contracts.base import UNLESS_EMPTY, Arguments, Contract, spliced
from contracts.chat import ChatResponse, Step
from contracts.items import Document, Item, ItemBase, Proposal
from contracts.languages import DEFAULT_LANGUAGE
from contracts.markdown import Links, Words, plain, prose
from contracts.plan import Plan, ToolCall
from contracts.research import ErrorType, Source
from contracts.session import HistoryEntry, LoadedLayer, MapView, Session, StepResult
from contracts.status import Status
from contracts.tools import CalledTool
from pydantic import Field, ValidationInfo, field_validator


class Message(Contract):
    """What every message carries."""

    request_id: str
    session_id: str

    def envelope(self) -> dict[str, Any]:
        """What the answer to this message has in common with it."""
        return {"request_id": self.request_id, "session_id": self.session_id}

    @property
    def subject(self) -> str:
        raise NotImplementedError

    @property
    def message_id(self) -> str:
        """The same work has the same id, however often it is published."""
        raise NotImplementedError


class Request(Message):
    """What somebody waits for."""

    deadline: datetime
    """After this moment nobody does any more."""
    language: str = DEFAULT_LANGUAGE
    """What its user reads. Empty with a choice whose user has not said it: then it is that of the turn."""
    retention_s: int | None = None
    """How long the turn, its log and its session are kept; None is as long as usual."""


class WorkMessage(Message):
    """A command, or the answer to one."""

    ticket: str = ""
    """What only those who were asked know: the answer repeats that of its command."""

    def envelope(self) -> dict[str, Any]:
        return super().envelope() | {"ticket": self.ticket}

    @property
    def task(self) -> str:
        """Names the work within its turn, the same for the command and its answer."""
        raise NotImplementedError


class Usage(Contract):
    """What language models were asked: calls, and tokens in and out."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def __bool__(self) -> bool:
        return self.calls > 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
        )


class ChatRequested(Request):
    """A user has sent a message or answered a choice, or other software calls a tool by its name."""

    kind: Literal["chat.requested"] = "chat.requested"
    exchange: str
    """Id of the HTTP exchange that waits: one turn can have several (retries, double clicks)."""
    reply_to: str | None = None
    user_message: str | None = None
    choice_id: str | None = None
    call: ToolCall | None = None
    """In the place of a message: nothing is planned or put into words, what the tool finds is the answer."""
    agent: Agent = "map"
    map_layers: tuple[LoadedLayer, ...] | None = None
    """What the map shows, the lowest first, if the client has told it."""
    view: MapView | None = None

    @property
    def subject(self) -> str:
        return subjects.CHAT_REQUESTED

    @property
    def message_id(self) -> str:
        return f"{self.request_id}/chat/{self.exchange}"


class ChatCancelled(Request):
    """Nobody wants the answer any more; what runs of the turn is to end."""

    kind: Literal["chat.cancelled"] = "chat.cancelled"
    exchange: str
    """Id of the HTTP exchange that asked for it."""
    left: str | None = None
    """An exchange whose client has left: only what nobody else waits for is to end."""

    @property
    def subject(self) -> str:
        return subjects.CHAT_CANCELLED

    @property
    def message_id(self) -> str:
        return f"{self.request_id}/cancel/{self.exchange}"


class WorkCancelled(Contract):
    """To all workers: the work on a round of a turn is not wanted any more."""

    request_id: str
    round: int


class EraseSession(Contract):
    """Remove what the bus keeps of the turns of a session."""

    session_id: str
    exchange: str
    """Comes back with the word that it is done."""
    edge_id: str
    """Who waits for that word."""


class SessionErased(Contract):
    """To the waiting edge: the bus keeps nothing of that session's turns any more."""

    exchange: str


class PlanRequested(WorkMessage, Request):
    kind: Literal["plan.requested"] = "plan.requested"
    round: ClassVar[int] = 0
    """A message is planned as its turn begins."""
    user_message: str
    session: Session = Session()
    agent: Agent = "map"
    """For one with a single intent the message means that, whatever its words."""

    @property
    def subject(self) -> str:
        return subjects.PLAN_REQUESTED

    @property
    def task(self) -> str:
        return "plan"

    @property
    def message_id(self) -> str:
        return f"{self.request_id}/plan/{self.ticket}"


class PlanReady(WorkMessage):
    kind: Literal["plan.ready"] = "plan.ready"
    round: ClassVar[int] = 0
    """A message is planned as its turn begins."""
    plan: Plan
    tools: tuple[CalledTool, ...] = ()
    """The tools that the plan calls, as they were announced when it was made."""
    planner: str = ""
    """Which planner made it (`rules`, or the model), for the audit."""
    usage: Annotated[Usage, UNLESS_EMPTY] = Usage()

    @property
    def subject(self) -> str:
        return subjects.plan_ready(self.request_id)

    @property
    def task(self) -> str:
        return "plan"

    @property
    def message_id(self) -> str:
        return f"{self.request_id}/plan.ready/{self.ticket}"


class StepMessage(WorkMessage):
    """A message about one step; `call` counts its tool calls from 0, `round` the answers of the turn."""

    work: ClassVar[str]
    """Which kind of work."""
    round: Annotated[int, UNLESS_EMPTY] = 0
    step: int
    call: Annotated[int, UNLESS_EMPTY] = 0

    def envelope(self) -> dict[str, Any]:
        return super().envelope() | {"round": self.round, "step": self.step, "call": self.call}

    @property
    def call_id(self) -> str:
        return f"{self.round}/{self.step}/{self.call}"

    @property
    def task(self) -> str:
        return f"{self.work}/{self.call_id}"


class ToolCalled(StepMessage, Request):
    work: ClassVar[str] = "tool"
    kind: Literal["tool.call"] = "tool.call"
    capability: str
    args: dict[str, Any]

    @property
    def subject(self) -> str:
        return subjects.tool_call(self.capability)

    @property
    def message_id(self) -> str:
        return f"{self.request_id}/tool/{self.call_id}/{self.ticket}"


class Outcome(Contract):
    """What a tool has to say. No items with status ok means: nothing found."""

    status: Annotated[Status, Field(exclude_if=Status.OK.__eq__)] = Status.OK
    items: tuple[Item, ...] = ()
    message: Annotated[str, UNLESS_EMPTY] = ""
    """Plain text; it may name the addresses of its items."""
    note: Annotated[Words, UNLESS_EMPTY] = ""
    """What has to be said whenever several of the items are shown, e.g. that there may be more; of documents
    also when there are none."""
    error_type: ErrorType | None = None
    """With an error: whether it was a timeout or something else."""
    suggestions: Annotated[tuple[Words, ...], UNLESS_EMPTY] = ()
    """What could be asked instead, as whole questions."""
    again: Annotated[bool, UNLESS_EMPTY] = False
    """A source failed on the way, and the items are what there is without it: the same call may find more."""
    confirm: Annotated[bool, UNLESS_EMPTY] = False
    """The one item is only near to what was asked for: the user decides whether it is meant."""

    @field_validator("message")
    @classmethod
    def _names_addresses_of_its_items(cls, message: str, known: ValidationInfo) -> str:
        items: tuple[ItemBase, ...] = known.data.get("items", ())
        return plain(message, (url for item in items for url in item.addresses()) if "://" in message else ())


class ToolResult(StepMessage):
    work: ClassVar[str] = "tool"
    kind: Literal["tool.result"] = "tool.result"
    service: str = ""
    """Whose tool it is."""
    capability: str
    outcome: Outcome
    duration_ms: float = 0
    usage: Annotated[Usage, UNLESS_EMPTY] = Usage()

    @property
    def subject(self) -> str:
        return subjects.tool_result(self.service, self.request_id)

    @property
    def message_id(self) -> str:
        return f"{self.request_id}/tool.result/{self.call_id}/{self.ticket}"


class ActionPlanRequested(StepMessage, Request):
    work: ClassVar[str] = "actionplan"
    kind: Literal["actionplan.requested"] = "actionplan.requested"
    intent: str
    args: Arguments = {}
    outcome: Outcome = Outcome()
    choose: Annotated[bool, UNLESS_EMPTY] = False
    """Offer the items as a choice; option n gets the id `contracts.chat.choice_id(request, step, n)`."""
    first_option: Annotated[int, UNLESS_EMPTY] = 0
    """The n of the first option: those of one step are numbered on, so that an id never means two things."""
    layers: Annotated[tuple[LoadedLayer, ...], UNLESS_EMPTY] = ()
    """What the map shows, the lowest first."""
    view: MapView | None = None

    @property
    def subject(self) -> str:
        return subjects.ACTIONPLAN_REQUESTED

    @property
    def message_id(self) -> str:
        return f"{self.request_id}/actionplan/{self.call_id}/{self.ticket}"


class ActionPlanReady(StepMessage):
    work: ClassVar[str] = "actionplan"
    kind: Literal["actionplan.ready"] = "actionplan.ready"
    answer: Step
    options: Annotated[tuple[Item, ...], UNLESS_EMPTY] = ()
    """The items behind `answer.choices`, in the same order, when the step offers a choice."""

    @property
    def subject(self) -> str:
        return subjects.actionplan_ready(self.request_id)

    @property
    def message_id(self) -> str:
        return f"{self.request_id}/actionplan.ready/{self.call_id}/{self.ticket}"


class AnswerRequested(StepMessage, Request):
    """Write an answer: from the documents if there are any, else from the results."""

    work: ClassVar[str] = "answer"
    kind: Literal["answer.requested"] = "answer.requested"
    question: str
    """In its context; what the user wrote is the last entry of `history`."""
    history: tuple[HistoryEntry, ...] = ()
    results: tuple[StepResult, ...] = ()
    documents: tuple[Document, ...] = ()
    """The relevant ones; the first is cited as `[1]`."""
    proposals: tuple[Proposal, ...] = ()
    note: Words = ""
    """Said at the end of the answer, as it is."""

    @property
    def subject(self) -> str:
        return subjects.ANSWER_REQUESTED

    @property
    def message_id(self) -> str:
        return f"{self.request_id}/answer/{self.call_id}/{self.ticket}"


class AnswerReady(StepMessage):
    """The complete answer, published when its last delta is stored."""

    work: ClassVar[str] = "answer"
    kind: Literal["answer.ready"] = "answer.ready"
    sources: tuple[Source, ...] = ()
    """What the text cites, by number."""
    text: str
    """Markdown, without links to anywhere but the sources and the allowed hosts."""
    author: str = ""
    """Who wrote it (`extract`, `template`, or the model), for the audit."""
    model_error: ErrorType | Literal["unproven"] | None = None
    """Why these are not the words of the model that was asked. `unproven`: they were, but without proof."""
    dropped_citations: int = 0
    """Citations of documents that do not exist."""
    error_type: ErrorType | None = None
    cut: Literal[True] | None = None
    """The text ends before the answer does."""
    usage: Annotated[Usage, UNLESS_EMPTY] = Usage()

    @field_validator("text")
    @classmethod
    def _links_lead_to_its_sources(cls, text: str, known: ValidationInfo) -> str:
        sources: tuple[Source, ...] = known.data.get("sources", ())
        return prose(text, Links(urls=frozenset(source.url for source in sources if source.url)))

    @property
    def subject(self) -> str:
        return subjects.answer_ready(self.request_id)

    @property
    def message_id(self) -> str:
        return f"{self.request_id}/answer.ready/{self.call_id}/{self.ticket}"


Command = Annotated[
    PlanRequested | ToolCalled | ActionPlanRequested | AnswerRequested,
    Field(discriminator="kind"),
]
"""What the orchestrator asks others to do."""

Event = Annotated[PlanReady | ToolResult | ActionPlanReady | AnswerReady, Field(discriminator="kind")]
"""What others tell the orchestrator."""


class TurnReply(Contract):
    """To the waiting edge: the response, or the open choice that the message turned out to answer."""

    request_id: str
    exchange: str
    response: ChatResponse | None = None
    choice_id: str | None = None

    def to_json(self) -> bytes:
        if self.response is None:
            return super().to_json()
        head = self.model_dump_json(exclude_none=True, exclude={"response"}).encode()
        return spliced(head, response=self.response.to_json())
