"""A simulated world around the core: deterministic planners, tools and action planners, and a bus.

The bus may deliver in any order and more than once, and the process may die between any two effects.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from contracts.actions import AddMarker, Marker
from contracts.chat import ChatResponse, Choice, Step, choice_id
from contracts.items import (
    Address,
    Document,
    Item,
    Layer,
    LayerSource,
    OerebExtract,
    Parcel,
    Passage,
    Proposal,
    Relevance,
)
from contracts.messages import (
    ActionPlanReady,
    ActionPlanRequested,
    AnswerReady,
    AnswerRequested,
    ChatCancelled,
    ChatRequested,
    Command,
    Event,
    Outcome,
    PlanReady,
    PlanRequested,
    ToolCalled,
    ToolResult,
    TurnReply,
    Usage,
)
from contracts.plan import Plan, PlanStep, ToolCall
from contracts.research import ErrorType, Source
from contracts.session import Session
from contracts.status import Status
from contracts.subjects import tool_service
from contracts.tools import ToolDescriptor
from contracts.turns import TurnEvent

from orchestrator.arrivals import ChatArrived
from orchestrator.decision import Decision
from orchestrator.state import Turn
from orchestrator.turn import advance

_C = TypeVar("_C")
SEED = "5eed"
NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


def descriptor(capability: str, returns: tuple[str, ...], **parameters: Any) -> ToolDescriptor:
    optional = {name[:-1]: schema for name, schema in parameters.items() if name.endswith("_")}
    required = {name: schema for name, schema in parameters.items() if not name.endswith("_")}
    return ToolDescriptor(
        capability=capability,
        service="tools-test",
        description=capability,
        parameters={"type": "object", "properties": required | optional, "required": list(required)},
        result_types=returns,
    )


TEXT = {"type": "string"}
NUMBER = {"type": "number"}
EGRID = {"type": "string", "pattern": "^CH[0-9]{12}$"}
DOCUMENT = {"type": "object", "properties": {"id": TEXT, "name": TEXT, "passages": {"type": "array"}}}

TOOLS = {
    tool.capability: tool
    for tool in (
        descriptor("geolocation.geocode", ("address",), q=TEXT),
        descriptor("layers.search", ("layer", "layer_group"), query=TEXT),
        descriptor("parcels.by_number", ("parcel",), number=TEXT, municipality=TEXT),
        descriptor("oereb.egrid_by_xy", ("parcel",), x=NUMBER, y=NUMBER),
        descriptor("oereb.extract_by_id", ("oereb_extract",), egrid=EGRID),
        descriptor("documents.retrieve", ("document", "proposal"), query=TEXT),
        descriptor("documents.check", ("relevance",), query=TEXT, document=DOCUMENT).model_copy(
            update={"for_each": "document", "internal": True}
        ),
    )
}


def address(name: str = "Langendorfstrasse 19b", id: str = "7568") -> Address:
    return Address(
        id=id,
        label=f"{name}, 4500 Solothurn",
        coord=(2605899, 1229278),
        street=name.split()[0],
        postal_code="4500",
        locality="Solothurn",
    )


def parcel(n: int = 1) -> Parcel:
    egrid = f"CH{n:012d}"
    return Parcel(
        id=egrid, label=egrid, coord=(2600513 + n, 1215519), egrid=egrid, number=str(n), municipality="Messen"
    )


def layer(name: str = "Gewässerschutz") -> Layer:
    return Layer(id=name.lower(), label=name, source=LayerSource(type="wms", url="https://example.org/wms"))


def extract(egrid: str) -> OerebExtract:
    return OerebExtract(
        id=egrid, label=egrid, egrid=egrid, coord=(2600513, 1215519), pdf_url="https://example.org/x.pdf"
    )


def document(n: int = 1) -> Document:
    return Document(
        id=f"d{n}",
        label=f"Bericht {n}",
        name=f"Bericht {n}",
        url=f"https://example.org/{n}.pdf",
        size_bytes=1_000 * n,
        passages=(Passage(text=f"Absatz aus Bericht {n}.", heading="Grundwasser"),),
    )


def proposal(n: int, *document_ids: str) -> Proposal:
    return Proposal(
        id=f"p{n}",
        label=f"Antrag {n}",
        name=f"Antrag {n}",
        subject="Schutz des Grundwassers",
        url=f"https://example.org/p{n}",
        identifier=f"A {n}/2026",
        document_ids=document_ids,
    )


def judgement(document_id: str, is_relevant: bool = True, reason: str = "") -> Outcome:
    reason = reason or ("Passt zur Frage." if is_relevant else "Handelt von etwas anderem.")
    found = Relevance(id=document_id, label=document_id, is_relevant=is_relevant, reason=reason)
    return Outcome(items=(found,))


def step(intent: str, *calls: tuple[str, dict[str, Any]] | str, **args: Any) -> PlanStep:
    made = [
        ToolCall(capability=c, args={}) if isinstance(c, str) else ToolCall(capability=c[0], args=c[1])
        for c in calls
    ]
    return PlanStep(intent=intent, calls=tuple(made), args=args)


GOTO = step("goto_address", ("geolocation.geocode", {"q": "Langendorfstrasse 19b, Solothurn"}))
LOAD = step("load_layer", ("layers.search", {"query": "Gewässerschutz"}))
OEREB_XY = step(
    "oereb_extract", ("oereb.egrid_by_xy", {"x": 2600513.0, "y": 1215519.0}), "oereb.extract_by_id"
)
OEREB_HERE = step("oereb_extract", "oereb.egrid_by_xy", "oereb.extract_by_id")

SEARCH = step("search_documents", ("documents.retrieve", {"query": "Schutz des Grundwassers"}))
RESPOND = PlanStep(intent="answer", respond=True)

Tool = Callable[[dict[str, Any]], Outcome]


def two_parcels(args: dict[str, Any]) -> Outcome:
    return Outcome(items=(parcel(1), parcel(2)))


DEFAULT_TOOLS: dict[str, Tool] = {
    "geolocation.geocode": lambda args: Outcome(items=(address(),)),
    "layers.search": lambda args: Outcome(items=(layer(args["query"]),)),
    "parcels.by_number": lambda args: Outcome(items=(parcel(int(args["number"])),)),
    "oereb.egrid_by_xy": lambda args: Outcome(items=(parcel(1),)),
    "oereb.extract_by_id": lambda args: Outcome(items=(extract(args["egrid"]),)),
    "documents.retrieve": lambda args: Outcome(
        items=(document(1), document(2), document(3), proposal(1, "d1"), proposal(2, "d2", "d3"))
    ),
    "documents.check": lambda args: judgement(args["document"]["id"]),
}


def rendered(request: ActionPlanRequested) -> tuple[Step, tuple[Item, ...]]:
    """A stand-in for the action planner, with its rules about choices."""
    items = request.outcome.items
    choices = tuple(
        Choice(id=choice_id(request.request_id, request.step, n), label=item.label)
        for n, item in enumerate(items, start=request.first_option)
    )
    if request.choose and (len(items) > 1 or request.outcome.confirm):
        status, message = Status.NEEDS_USER_CHOICE, "Bitte wähle."
        return Step(intent=request.intent, status=status, message=message, choices=choices), items
    actions = tuple(
        AddMarker(payload=Marker(id=item.id, coord=item.coord)) for item in items if item.coord is not None
    )
    message = ", ".join(item.label for item in items) or str(request.args)
    step = Step(intent=request.intent, status=Status.OK, message=message, map_actions=actions)
    if request.outcome.again and items:
        return step.model_copy(update={"status": Status.NEEDS_USER_CHOICE, "choices": choices[:1]}), items[:1]
    return step, ()


def written(request: AnswerRequested) -> dict[str, Any]:
    """A stand-in for the responder: every document is cited, every result told."""
    if "Bombe" in request.question:
        return {"text": "Entschuldigung.", "author": "apology", "error_type": ErrorType.SERVER_ERROR}
    cited = enumerate(request.documents, start=1)
    sources = tuple(Source(n=n, id=d.id, name=d.name, url=d.url) for n, d in cited)
    lines = [f"- {source.name} [{source.n}]" for source in sources]
    lines += [f"- {'✓' if result.ok else '✗'} {result.intent}: {result.text}" for result in request.results]
    return {
        "text": "\n".join([f"Zu «{request.question}»:", *lines]),
        "sources": sources,
        "author": "template",
        "usage": Usage(calls=1, input_tokens=100, output_tokens=10),
    }


def answer(command: Command, plan: Plan, tools: dict[str, Tool]) -> Event:
    """What the worker of a command says; the same every time it is asked."""
    common = {"request_id": command.request_id, "session_id": command.session_id, "ticket": command.ticket}
    match command:
        case PlanRequested():
            wanted = {call.capability for s in plan.steps for call in s.calls}
            found = {kind for name in wanted & TOOLS.keys() for kind in TOOLS[name].result_types}
            wanted |= {name for name, tool in TOOLS.items() if tool.for_each in found}
            known = tuple(TOOLS[name].called for name in sorted(wanted) if name in TOOLS)
            return PlanReady(**common, plan=plan, tools=known, planner="test")
        case ToolCalled():
            where: dict[str, Any] = {"round": command.round, "step": command.step, "call": command.call}
            outcome = tools[command.capability](command.args)
            where["service"] = tool_service(command.capability) or "tools-test"
            return ToolResult(**common, **where, capability=command.capability, outcome=outcome)
        case ActionPlanRequested():
            where = {"round": command.round, "step": command.step, "call": command.call}
            made, options = rendered(command)
            return ActionPlanReady(**common, **where, answer=made, options=options)
        case AnswerRequested():
            where = {"round": command.round, "step": command.step, "call": command.call}
            return AnswerReady(**common, **where, **written(command))


def asked(
    message: str = "…", request_id: str = "req-1", exchange: str = "x0", **values: Any
) -> ChatRequested:
    defaults: dict[str, Any] = {
        "session_id": "s",
        "deadline": NOW + timedelta(seconds=30),
        "reply_to": "edge.reply.1",
    }
    return ChatRequested(
        request_id=request_id, exchange=exchange, user_message=message, **(defaults | values)
    )


def clicked(choice: str, exchange: str = "x1", **values: Any) -> ChatRequested:
    defaults: dict[str, Any] = {
        "session_id": "s",
        "deadline": NOW + timedelta(seconds=30),
        "reply_to": "edge.reply.1",
    }
    return ChatRequested(
        request_id=choice.partition(".")[0], exchange=exchange, choice_id=choice, **(defaults | values)
    )


def told(page: TurnEvent) -> list[TurnEvent]:
    """The entries that are stored as one message, as its readers get them."""
    return list(TurnEvent.from_json(page.to_json()).entries())


def restored(turn: Turn) -> Turn:
    """The turn after it was kept and read again; with what the stream of events keeps of it."""
    again = Turn.restored(turn.version, turn.kept(*turn.log()))
    return again.model_copy(update={"retrieved": turn.retrieved})


@dataclass
class World:
    """Runs turns to their end, in the order in which things were said."""

    plan: Plan
    tools: dict[str, Tool] = field(default_factory=lambda: dict(DEFAULT_TOOLS))
    session: Session = field(default_factory=Session)
    turn: Turn | None = None
    now: datetime = NOW
    queue: list[Command] = field(default_factory=list)
    log: dict[str, TurnEvent] = field(default_factory=dict)
    replies: list[TurnReply] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)

    def take(self, event: ChatArrived | ChatCancelled | Event) -> Decision:
        decision = advance(self.turn, event, self.now)
        if decision.changed:
            self.turn = decision.turn
        for command in decision.commands:
            # What is handed over to a neighbour is what others would read.
            assert type(command).from_json(command.to_json()) == command
        self.queue += decision.commands
        self.log |= {e.message_id: e for page in decision.progress for e in told(page)}
        self.replies += [reply for _, reply in decision.replies]
        self.decisions.append(decision)
        return decision

    def work(self) -> None:
        while self.queue:
            self.take(answer(self.queue.pop(0), self.plan, self.tools))

    def ask(self, request: ChatRequested | None = None) -> ChatResponse:
        """Take a request, work until nothing is left, and tell the response to it."""
        request = request or asked()
        self.take(ChatArrived(request, self.session, f"timer-{request.exchange}", SEED))
        self.work()
        mine = [r for r in self.replies if r.exchange == request.exchange]
        assert mine, "nobody answered"
        assert mine[-1].response is not None
        return mine[-1].response


def plan(*steps: PlanStep) -> Plan:
    return Plan(steps=steps)


def called(world: World, kind: type[_C]) -> list[_C]:
    """All commands of a kind, in the order in which they were given."""
    return [c for d in world.decisions for c in d.commands if isinstance(c, kind)]


def calls_of(world: World) -> list[tuple[str, dict[str, object]]]:
    made = [c for d in world.decisions for c in d.commands if isinstance(c, ToolCalled)]
    return [(c.capability, c.args) for c in made]
