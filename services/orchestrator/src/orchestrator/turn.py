"""The rules of a turn. Pure: no clock, no bus, no store.

    advance(turn, event, now) -> Decision

An event that the turn does not wait for changes nothing; the decision then repeats everything that the round
of that event has said so far, because the process that said it may have died before it was heard. Message ids
make that harmless.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from contracts.chat import ChatResponse, Step, turn_of
from contracts.intents import Intent
from contracts.messages import (
    ActionPlanReady,
    ActionPlanRequested,
    ChatRequested,
    Command,
    Event,
    PlanReady,
    PlanRequested,
    ToolCalled,
    ToolResult,
    TurnReply,
)
from contracts.session import Session
from contracts.status import Status
from contracts.turns import TurnEvent, TurnEventKind, TurnState

from orchestrator import memory
from orchestrator.memory import Change
from orchestrator.state import Exchange, Phase, RoundState, Turn
from orchestrator.texts import text
from orchestrator.work import Work, open_choice

DEFAULT_CHOICE_TTL = timedelta(minutes=15)
MAX_ROUNDS = 50
"""Beyond this, refused clicks are answered and not stored: a turn must not grow for ever."""
MAX_EXCHANGES = 50
"""The same for those who ask for a finished response again."""


@dataclass(frozen=True)
class ChatArrived:
    """A `chat.requested` was delivered, for the first time or again."""

    request: ChatRequested
    session: Session
    timer: str = ""

    @property
    def request_id(self) -> str:
        return self.request.request_id

    @property
    def exchange(self) -> Exchange:
        return Exchange(id=self.request.exchange, reply_to=self.request.reply_to, timer=self.timer)


@dataclass(frozen=True)
class Decision:
    """What follows from an event: the new state, and what has to be said to whom."""

    turn: Turn | None
    changed: bool
    commands: tuple[Command, ...] = ()
    progress: tuple[TurnEvent, ...] = ()
    replies: tuple[tuple[str, TurnReply], ...] = ()
    timers: tuple[str, ...] = ()
    """Ack subjects of deadline timers that are no longer needed."""
    changes: tuple[Change, ...] = ()
    """What the session learns."""


def advance(
    turn: Turn | None,
    event: ChatArrived | Event,
    now: datetime,
    choice_ttl: timedelta = DEFAULT_CHOICE_TTL,
) -> Decision:
    """Decide what follows from an event. `turn` is None when nothing is known under its request id."""
    if isinstance(event, ChatArrived):
        if event.request.choice_id is not None:
            return _choice_arrived(turn, event, now, choice_ttl)
        return _message_arrived(turn, event, now, choice_ttl)
    if turn is None:
        return Decision(turn=None, changed=False)
    expected = next((c for c in turn.outstanding if _answers(event, c)), None)
    if expected is None:
        return _repeated(turn, 0 if isinstance(event, PlanReady) else event.round)
    work = Work(turn, now, choice_ttl)
    work.outstanding.remove(expected)
    match event:
        case PlanReady():
            work.plan(event)
        case ToolResult():
            work.tool_result(event)
        case ActionPlanReady():
            work.action_plan(event)
    return _decided(work)


def _answers(event: Event, command: Command) -> bool:
    match event, command:
        case PlanReady(), PlanRequested():
            return True
        case ToolResult(call_id=answered), ToolCalled(call_id=asked):
            return answered == asked
        case ActionPlanReady(call_id=answered), ActionPlanRequested(call_id=asked):
            return answered == asked
    return False


def _decided(work: Work) -> Decision:
    """What has changed between the turn before and after the work."""
    turn = work.freeze()
    before = {command.message_id for command in work.turn.outstanding}
    done = [r for r in turn.rounds if r.n in work.finished]
    return Decision(
        turn=turn,
        changed=True,
        commands=tuple(c for c in turn.outstanding if c.message_id not in before),
        progress=turn.journal[len(work.turn.journal) :],
        replies=tuple(reply for r in done for reply in _replies(turn, r, r.exchanges)),
        timers=tuple(e.timer for r in done for e in r.exchanges if e.timer),
        changes=tuple(work.changes),
    )


def _repeated(turn: Turn, n: int) -> Decision:
    """Everything that a round has said so far, and all that is outstanding, once more."""
    done = [r for r in turn.rounds if r.n == n and r.state is not TurnState.RUNNING]
    return Decision(
        turn=turn,
        changed=False,
        commands=turn.outstanding,
        progress=tuple(entry for entry in turn.journal if entry.round == n),
        replies=tuple(reply for r in done for reply in _replies(turn, r, r.exchanges)),
        timers=tuple(e.timer for r in done for e in r.exchanges if e.timer),
    )


def _replies(
    turn: Turn, finished: RoundState, exchanges: tuple[Exchange, ...]
) -> tuple[tuple[str, TurnReply], ...]:
    response = turn.response_of(finished.n)
    return tuple(
        (
            e.reply_to,
            TurnReply(
                request_id=turn.request_id, exchange=e.id, response=response, choice_id=finished.forwarded_to
            ),
        )
        for e in exchanges
        if e.reply_to
    )


def _message_arrived(turn: Turn | None, event: ChatArrived, now: datetime, choice_ttl: timedelta) -> Decision:
    request = event.request
    if turn is not None:
        if turn.session_id != request.session_id:
            return _refused(event, Intent.CLARIFY, "not_understood")
        return _attached(turn, turn.rounds[0], event, now, choice_ttl)
    work = Work(
        Turn(
            request_id=request.request_id,
            session_id=request.session_id,
            language=request.language,
            session=event.session.model_copy(update={"history": (), "choices": ()}),
        ),
        now,
        choice_ttl,
    )
    message = request.user_message or ""
    work.begin(event.exchange, request.deadline, None)
    work.say(TurnEventKind.STARTED, 0, detail={"message": message})
    work.command(
        PlanRequested(
            **work.envelope(0),
            user_message=message,
            session=event.session,
        )
    )
    work.changes += [memory.TurnBegan(request.request_id), memory.said_by_user(message)]
    return _decided(work)


def _choice_arrived(turn: Turn | None, event: ChatArrived, now: datetime, choice_ttl: timedelta) -> Decision:
    chosen = event.request.choice_id or ""
    if turn is None or turn.session_id != event.request.session_id or turn_of(chosen) != turn.request_id:
        return _refused(
            event, Intent.CLARIFY, "choice_unknown" if event.session.choices else "choice_none_pending"
        )
    taken = next((r for r in turn.rounds if r.choice_id == chosen and turn.resumed_in(r.n)), None)
    known = turn.round_of(event.request.exchange) or taken
    if known is not None:
        return _attached(turn, known, event, now, choice_ttl)
    _, step_text, option_text = chosen.rsplit(".", 2)
    index, option = int(step_text), int(option_text)
    work = Work(turn, now, choice_ttl)
    n = work.begin(event.exchange, event.request.deadline, chosen)
    problem = _problem(turn, index, option, now)
    if problem is None:
        work.choose(n, index, option)
        return _decided(work)
    intent = turn.steps[index].intent if index < len(turn.steps) else Intent.CLARIFY
    if len(turn.rounds) >= MAX_ROUNDS:
        return _refused(event, intent, problem)
    if problem == "choice_expired":
        work.changes.append(memory.ChoiceClosed(open_choice(turn.request_id, index, turn.steps[index])))
    work.refuse(n, intent, problem)
    return _decided(work)


def _problem(turn: Turn, index: int, option: int, now: datetime) -> str | None:
    """The text key of what speaks against a choice, or None."""
    if index >= len(turn.steps):
        return "choice_unknown"
    step = turn.steps[index]
    if step.phase is not Phase.CHOOSING:
        offered = any(e.step == index and e.kind is TurnEventKind.CHOICE_PENDING for e in turn.journal)
        return "choice_taken" if offered else "choice_unknown"
    if option >= len(step.options):
        return "choice_unknown"
    if step.expires_at is not None and step.expires_at <= now:
        return "choice_expired"
    return None


def _attached(
    turn: Turn, found: RoundState, event: ChatArrived, now: datetime, choice_ttl: timedelta
) -> Decision:
    """A delivery for a round that exists: a retry of the client, a second click, or the deadline timer."""
    exchange = event.exchange
    known = any(e.id == exchange.id for e in found.exchanges)
    if found.state is TurnState.RUNNING and now >= found.deadline:
        work = Work(turn, now, choice_ttl)
        if not known:
            work.attach(found.n, exchange)
        work.time_out(found.n)
        return _decided(work)
    if known:
        return _repeated(turn, found.n)
    replies = () if found.state is TurnState.RUNNING else _replies(turn, found, (exchange,))
    if replies and len(found.exchanges) >= MAX_EXCHANGES:
        return Decision(turn=turn, changed=False, replies=replies)
    work = Work(turn, now, choice_ttl)
    work.attach(found.n, exchange)
    return replace(_decided(work), replies=replies)


def _refused(event: ChatArrived, intent: str, key: str) -> Decision:
    """Answers a request that belongs to no turn; nothing is stored."""
    request = event.request
    step = Step(intent=intent, status=Status.ERROR, message=text(key, request.language))
    reply = TurnReply(
        request_id=request.request_id,
        exchange=request.exchange,
        response=ChatResponse.of(request.request_id, (step,)),
    )
    return Decision(
        turn=None, changed=False, replies=((request.reply_to, reply),) if request.reply_to else ()
    )
