"""The rules of a turn. Pure: no clock, no bus, no store.

    advance(turn, event, now) -> Decision

An event that the turn does not wait for changes nothing; the decision then repeats everything that the round
of that event has said so far, because the process that said it may have died before it was heard. Message ids
make that harmless.
"""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from contracts.chat import ChatResponse, Step, turn_of
from contracts.intents import Intent
from contracts.messages import (
    ActionPlanReady,
    ActionPlanRequested,
    AnswerReady,
    ChatCancelled,
    ChatRequested,
    Command,
    Event,
    PlanReady,
    PlanRequested,
    ToolCalled,
    ToolResult,
    TurnReply,
    WorkCancelled,
)
from contracts.session import Session
from contracts.status import Status
from contracts.subjects import is_reply
from contracts.turns import TurnEventKind, TurnState

from orchestrator import memory, research, tickets
from orchestrator.frame import Limits
from orchestrator.memory import Change
from orchestrator.state import Exchange, Phase, RoundState, Turn
from orchestrator.texts import text
from orchestrator.tickets import SealedEvent, sealed
from orchestrator.work import MAX_ROUNDS, Work, open_choice

DEFAULT_LIMITS = Limits()
EPOCH = datetime.fromtimestamp(0, UTC)
MAX_EXCHANGES = 50
"""The same for those who ask for a finished response again."""


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


@dataclass(frozen=True)
class Decision:
    """What follows from an event: the new state, and what has to be said to whom."""

    turn: Turn | None
    changed: bool
    commands: tuple[Command, ...] = ()
    progress: tuple[SealedEvent, ...] = ()
    """What is added to the log: one message, of all entries that were not told yet."""
    replies: tuple[tuple[str, TurnReply], ...] = ()
    timers: tuple[str, ...] = ()
    """Ack subjects of deadline timers that are no longer needed."""
    wakes: tuple[tuple[str, datetime], ...] = ()
    """Ack subjects of timers that are due at another moment than they were, and when."""
    changes: tuple[Change, ...] = ()
    """What the session learns."""
    stopped: tuple[WorkCancelled, ...] = ()
    """Rounds that workers need not go on with."""
    refused: str | None = None
    """Why the event counts for nothing: it does not come from somebody who was asked."""
    unsaved: bool = False
    """The answer to its one command saves it, and tells its entries; see `unseen`."""


def begun(arrived: ChatArrived) -> Turn:
    """The first state of the turn of a message, as it is kept by what it is made of."""
    turn = _message_arrived(None, arrived, arrived.at).turn
    assert turn is not None
    return turn.model_copy(update={"version": 1})


def advance(
    turn: Turn | None,
    event: ChatArrived | ChatCancelled | Event,
    now: datetime,
    limits: Limits = DEFAULT_LIMITS,
) -> Decision:
    """Decide what follows from an event. `turn` is None when nothing is known under its request id."""
    if isinstance(event, ChatArrived):
        if event.request.choice_id is not None:
            return _choice_arrived(turn, event, event.request.choice_id, now)
        return _message_arrived(turn, event, now)
    if turn is None:
        return Decision(turn=None, changed=False)
    if isinstance(event, ChatCancelled):
        if event.session_id != turn.session_id:
            return Decision(turn=turn, changed=False, refused="session")
        return _cancelled(turn, event, now)
    refused = tickets.refusal(turn, event)
    expected = next((c for c in turn.outstanding if c.task == event.task), None)
    if expected is not None:
        refused = refused or tickets.mismatch(turn, event, expected)
    if refused is not None:
        return Decision(turn=turn, changed=False, refused=refused)
    if expected is None:
        return _repeated(turn, 0 if isinstance(event, PlanReady) else event.round)
    work = Work(turn, now)
    work.outstanding.remove(expected)
    match event, expected:
        case PlanReady(), PlanRequested():
            work.plan(event, expected)
        case ToolResult(), ToolCalled():
            work.tool_result(event, expected, limits.check_timeout)
        case ActionPlanReady(), _:
            work.action_plan(event, limits.choice_ttl)
        case AnswerReady(), _:
            work.answer(event)
    return _decided(work, unsaved=isinstance(event, ToolResult) and _can_wait(work))


def _can_wait(work: Work) -> bool:
    """Whether a result has led to nothing but the question what to say of it."""
    match work.outstanding:
        case [ActionPlanRequested()]:
            return not work.changes and not work.ended and not work.finished
    return False


def unseen(turn: Turn, event: ChatArrived | ChatCancelled | Event) -> ToolCalled | None:
    """The call whose result was there before this event, though the saved turn still waits for it.

    A result that only leads to the question what to say of it is not saved, see `Decision.unsaved`: another
    process that gets the answer reads the result from the stream of events first.
    """
    if not isinstance(event, ActionPlanReady) or tickets.refusal(turn, event) is not None:
        return None
    calls = (c for c in turn.outstanding if isinstance(c, ToolCalled))
    return next((call for call in calls if call.call_id == event.call_id), None)


def due(turn: Turn, found: RoundState) -> datetime:
    """When a running round has to be looked at again: when its checks are late, or else at its deadline."""
    return min(found.deadline, research.checks_until(turn.outstanding, found.n) or found.deadline)


def _wake(turn: Turn, found: RoundState) -> tuple[tuple[str, datetime], ...]:
    """One of those who wait has the timer of all."""
    timers = [e.timer for e in found.exchanges if e.timer]
    return tuple((timer, due(turn, found)) for timer in timers[:1])


def _decided(work: Work, *, unsaved: bool = False, told: bool = True) -> Decision:
    """What has changed between the turn before and after the work."""
    turn = work.freeze()
    if told and not unsaved:
        turn = turn.told
    before = {command.message_id for command in work.turn.outstanding}
    done = [r for r in turn.rounds if r.n in work.finished]
    moved = [r for r in turn.rounds if r.state is TurnState.RUNNING and due(work.turn, r) != due(turn, r)]
    return Decision(
        turn=turn,
        changed=True,
        commands=tuple(research.filled(turn, c) for c in turn.outstanding if c.message_id not in before),
        progress=tuple(sealed(turn.seed, page) for page in turn.log(since=len(work.turn.pages))),
        replies=tuple(reply for r in done for reply in _replies(turn, r, r.exchanges)),
        timers=tuple(e.timer for r in done for e in r.exchanges if e.timer),
        wakes=tuple(wake for r in moved for wake in _wake(turn, r)),
        changes=tuple(work.changes),
        unsaved=unsaved,
    )


def _repeated(turn: Turn, n: int) -> Decision:
    """Everything that a round has said so far, and all that is outstanding, once more."""
    done = [r for r in turn.rounds if r.n == n and r.state is not TurnState.RUNNING]
    early = [r for r in turn.rounds if r.state is TurnState.RUNNING and due(turn, r) < r.deadline]
    return Decision(
        turn=turn,
        changed=False,
        commands=tuple(research.filled(turn, command) for command in turn.outstanding),
        progress=tuple(
            sealed(turn.seed, page) for page in turn.log() if any(each.round == n for each in page.entries())
        ),
        replies=tuple(reply for r in done for reply in _replies(turn, r, r.exchanges)),
        timers=tuple(e.timer for r in done for e in r.exchanges if e.timer),
        wakes=tuple(wake for r in early for wake in _wake(turn, r)),
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


def not_begun(request: ChatRequested) -> Decision:
    """Answers a request whose turn was cancelled before it began, or deleted; nothing is stored."""
    return _refused(ChatArrived(request, Session()), Intent.CLARIFY, "cancelled")


def _cancelled(turn: Turn, event: ChatCancelled, now: datetime) -> Decision:
    """End what runs and nobody wants who has not left.

    What was cancelled before is told once more: the word to stop can be lost.
    """
    work = Work(turn, now)
    running = [
        n
        for n, found in work.rounds.items()
        if found.state is TurnState.RUNNING
        and (event.left is None or all(each.id == event.left for each in found.exchanges))
    ]
    for n in running:
        work.cancel(n)
    decision = _decided(work) if running else Decision(turn=turn, changed=False)
    stopped = [n for n, found in work.rounds.items() if found.state is TurnState.CANCELLED]
    return replace(
        decision, stopped=tuple(WorkCancelled(request_id=turn.request_id, round=n) for n in stopped)
    )


def _message_arrived(turn: Turn | None, event: ChatArrived, now: datetime) -> Decision:
    request = event.request
    if turn is not None:
        if turn.session_id != request.session_id:
            return _refused(event, Intent.CLARIFY, "not_understood")
        return _attached(turn, turn.rounds[0], event, now)
    session = event.session.model_copy(update={"view": request.view})
    if request.map_layers is not None:
        session = session.model_copy(update={"layers": request.map_layers})
    work = Work(
        Turn(
            request_id=request.request_id,
            session_id=request.session_id,
            seed=event.seed,
            language=request.language,
            retention_s=request.retention_s,
            agent=request.agent,
            session=session.model_copy(update={"history": (), "choices": (), "results": ()}),
        ),
        now,
    )
    work.begin(event.exchange, request.deadline, None, event.trace)
    work.changes += memory.beginning(request)
    if request.call is not None:
        work.call(request.call)
        return _decided(work, told=False)
    message = request.user_message or ""
    work.say(TurnEventKind.STARTED, 0, detail={"message": message})
    work.command(
        PlanRequested(
            **work.envelope(0),
            user_message=message,
            session=session,
            agent=request.agent,
        )
    )
    return _decided(work, told=False)


def _choice_arrived(turn: Turn | None, event: ChatArrived, chosen: str, now: datetime) -> Decision:
    if turn is None or turn.session_id != event.request.session_id or turn_of(chosen) != turn.request_id:
        return _refused(
            event, Intent.CLARIFY, "choice_unknown" if event.session.choices else "choice_none_pending"
        )
    taken = next((r for r in turn.rounds if r.choice_id == chosen and turn.resumed_in(r.n)), None)
    known = turn.round_of(event.request.exchange) or taken
    if known is not None:
        return _attached(turn, known, event, now)
    _, step_text, option_text = chosen.split(".")
    index, option = int(step_text), int(option_text)
    turn = turn.model_copy(update={"language": event.request.language or turn.language})
    work = Work(turn, now)
    n = work.begin(event.exchange, event.request.deadline, chosen, event.trace)
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
    if option < step.first_option:
        return "choice_taken"
    if option >= step.first_option + len(step.options):
        return "choice_unknown"
    if step.expires_at is not None and step.expires_at <= now:
        return "choice_expired"
    return None


def _attached(turn: Turn, found: RoundState, event: ChatArrived, now: datetime) -> Decision:
    """A delivery for a round that exists: a retry of the client, a second click, or the deadline timer."""
    exchange = event.exchange
    known = any(e.id == exchange.id for e in found.exchanges)
    work = Work(turn, now)
    if not known:
        work.attach(found.n, exchange)
    if found.state is TurnState.RUNNING and now >= due(turn, found):
        if now >= found.deadline:
            work.time_out(found.n)
        else:
            research.close_checks(work, found.n)
        return _decided(work)
    if known:
        return _repeated(turn, found.n)
    replies = () if found.state is TurnState.RUNNING else _replies(turn, found, (exchange,))
    if replies and len(found.exchanges) >= MAX_EXCHANGES:
        return Decision(turn=turn, changed=False, replies=replies)
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
    reply_to = event.exchange.reply_to
    return Decision(turn=None, changed=False, replies=((reply_to, reply),) if reply_to else ())
