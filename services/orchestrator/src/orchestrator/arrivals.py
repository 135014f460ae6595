"""Requests that arrive: a message begins a turn, a choice one more round of it. Pure.

The same request can arrive again: its client tries once more, somebody clicks twice, or it is the timer.
"""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from contracts.chat import ChatResponse, Step, turn_of
from contracts.intents import Intent
from contracts.messages import ChatRequested, PlanRequested, TurnReply
from contracts.session import Session
from contracts.status import Status
from contracts.subjects import is_reply
from contracts.turns import TurnEvent, TurnEventKind, TurnState

from orchestrator import memory, steps
from orchestrator.decision import Decision, decided, due, repeated, replies, told_of
from orchestrator.flows.shown import MAX_ROUNDS, call_tool, open_choice
from orchestrator.state import Exchange, Phase, RoundState, StepState, Turn
from orchestrator.texts import text
from orchestrator.tickets import ticket
from orchestrator.transition import Limits, Transition

EPOCH = datetime.fromtimestamp(0, UTC)
MAX_EXCHANGES = 50
"""So many may ask for a finished response again; those who come later are answered, but not remembered."""


@dataclass(frozen=True)
class ChatArrived:
    """A `chat.requested` was delivered, for the first time or again."""

    request: ChatRequested
    session: Session = field(default_factory=Session)
    timer: str = ""
    seed: str = ""
    """Random; of the first arrival it becomes that of the turn."""
    at: datetime = EPOCH
    """When it was."""
    trace: str = ""
    """As `RoundState.trace`."""

    @property
    def request_id(self) -> str:
        return self.request.request_id

    @property
    def exchange(self) -> Exchange:
        reply_to = self.request.reply_to
        if reply_to is not None and not is_reply(reply_to):
            reply_to = None
        return Exchange(id=self.request.exchange, reply_to=reply_to, timer=self.timer)


def begun(arrived: ChatArrived) -> Turn:
    """The first state of the turn of a message, as it is kept by what it is made of."""
    request = arrived.request
    layers = arrived.session.layers if request.map_layers is None else request.map_layers
    session = arrived.session.model_copy(update={"view": request.view, "layers": layers})
    common = {
        "request_id": request.request_id,
        "session_id": request.session_id,
        "retention_s": request.retention_s,
    }
    wanted, message = request.call, request.user_message or ""
    detail = {"message": message} if wanted is None else {"call": wanted.capability}
    started = TurnEvent(**common, n=0, round=0, kind=TurnEventKind.STARTED, at=arrived.at, detail=detail)
    exchanges = (arrived.exchange,)
    turn = Turn(
        **common,
        version=1,
        seed=arrived.seed,
        language=request.language,
        agent=request.agent,
        session=Session(selections=session.selections, layers=layers, view=request.view),
        rounds=(RoundState(n=0, deadline=request.deadline, exchanges=exchanges, trace=arrived.trace),),
        journal=(started,),
    )
    if wanted is not None:
        step = StepState(intent=wanted.capability, phase=Phase.WORKING, direct=True)
        alone = Transition.of(turn, arrived.at, Limits())._replace(planned=True, steps=(step,))
        return call_tool(alone, 0, 0, wanted.capability, wanted.args).turn_after()
    asked = PlanRequested(
        **common,
        language=request.language,
        deadline=request.deadline,
        user_message=message,
        session=session,
        agent=request.agent,
    )
    asked = asked.model_copy(update={"ticket": ticket(turn.seed, asked.task)})
    return turn.model_copy(update={"outstanding": (asked,)})


def on_message(turn: Turn | None, event: ChatArrived, now: datetime, limits: Limits) -> Decision:
    """A message begins a turn, or its client asks for the answer once more."""
    request = event.request
    if turn is None:
        new = begun(replace(event, at=now))
        return Decision(new, changed=True, commands=new.outstanding, changes=memory.beginning(request))
    if turn.session_id != request.session_id:
        return refused(event, Intent.CLARIFY, "not_understood")
    return _attached(turn, turn.rounds[0], event, Transition.of(turn, now, limits))


def on_choice(turn: Turn | None, event: ChatArrived, chosen: str, now: datetime, limits: Limits) -> Decision:
    """A choice resumes its step, once; a further click on it gets the same answer."""
    request = event.request
    if turn is None or turn.session_id != request.session_id or turn_of(chosen) != turn.request_id:
        key = "choice_unknown" if event.session.choices else "choice_none_pending"
        return refused(event, Intent.CLARIFY, key)
    taken = next((r for r in turn.rounds if r.choice_id == chosen and turn.resumed_in(r.n)), None)
    known = turn.round_of(request.exchange) or taken
    if known is not None:
        return _attached(turn, known, event, Transition.of(turn, now, limits))
    _, step_text, option_text = chosen.split(".")
    index, option = int(step_text), int(option_text)
    turn = turn.model_copy(update={"language": request.language or turn.language})
    before = Transition.of(turn, now, limits)
    after = before.begin_round(event.exchange, request.deadline, chosen, event.trace)
    n = len(turn.rounds)
    problem = _problem(turn, index, option, now)
    if problem is None:
        return decided(steps.on_choice(after, n, index, option))
    intent = turn.steps[index].intent if index < len(turn.steps) else Intent.CLARIFY
    if n >= MAX_ROUNDS:
        return refused(event, intent, problem)
    if problem == "choice_expired":
        expired = open_choice(turn.request_id, index, turn.steps[index])
        after = after.with_changes(memory.ChoiceClosed(expired))
    return decided(after.refuse_round(n, intent, problem))


def _problem(turn: Turn, index: int, option: int, now: datetime) -> str | None:
    """The text key of what speaks against a choice, or None."""
    if index >= len(turn.steps):
        return "choice_unknown"
    step = turn.steps[index]
    if step.phase is not Phase.CHOOSING:
        offered = any(e.step == index and e.kind is TurnEventKind.CHOICE_PENDING for e in turn.journal)
        return "choice_taken" if offered else "choice_unknown"
    if option < step.first_option:
        return "choice_taken"
    if option >= step.first_option + len(step.options):
        return "choice_unknown"
    if step.expires_at is not None and step.expires_at <= now:
        return "choice_expired"
    return None


def _attached(turn: Turn, found: RoundState, event: ChatArrived, before: Transition) -> Decision:
    """A delivery for a round that exists: a retry of the client, a second click, or the deadline timer."""
    exchange = event.exchange
    known = any(e.id == exchange.id for e in found.exchanges)
    after = before if known else before.with_round(found.n, exchanges=(*found.exchanges, exchange))
    if found.state is TurnState.RUNNING and before.now >= due(turn, found):
        late = before.now >= found.deadline
        decision = decided(steps.on_timeout(after, found.n) if late else steps.on_items_late(after, found.n))
        # Nobody else may be left who knows that it was not told.
        return replace(decision, again=told_of(turn, found.n))
    if known:
        return repeated(turn, found.n)
    told = () if found.state is TurnState.RUNNING else replies(turn, found, (exchange,))
    if told and len(found.exchanges) >= MAX_EXCHANGES:
        return Decision(turn, changed=False, replies=told)
    return replace(decided(after), replies=told)


def refused(event: ChatArrived, intent: str, key: str) -> Decision:
    """Answers a request that belongs to no turn; nothing is stored."""
    request = event.request
    step = Step(intent=intent, status=Status.ERROR, message=text(key, request.language))
    reply = TurnReply(
        request_id=request.request_id,
        exchange=request.exchange,
        response=ChatResponse.of(request.request_id, (step,)),
    )
    reply_to = event.exchange.reply_to
    return Decision(turn=None, changed=False, replies=((reply_to, reply),) if reply_to else ())


def not_begun(request: ChatRequested) -> Decision:
    """Answers a request whose turn was cancelled before it began, or deleted; nothing is stored."""
    return refused(ChatArrived(request), Intent.CLARIFY, "cancelled")
