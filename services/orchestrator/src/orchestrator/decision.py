"""What follows from an event: the new state of a turn, and what has to be said to whom. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from contracts.messages import Command, TurnReply, WorkCancelled
from contracts.turns import TurnEvent, TurnEventKind, TurnState

from orchestrator import fanout
from orchestrator.flows import as_sent
from orchestrator.memory import Change
from orchestrator.state import Exchange, RoundState, Turn
from orchestrator.steps import go_on
from orchestrator.tickets import SealedEvent, sealed
from orchestrator.transition import Transition


@dataclass(frozen=True)
class Decision:
    turn: Turn | None
    changed: bool
    commands: tuple[Command, ...] = ()
    progress: tuple[SealedEvent, ...] = ()
    """What is added to the log: one message, of all entries that were not told yet."""
    again: tuple[SealedEvent, ...] = ()
    """What may have been told in vain, by who now will not be asked to tell it once more."""
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
    """The answer to its one command saves it, and tells its entries; see `turn.unseen`."""


def decided(transition: Transition, *, may_wait: bool = False) -> Decision:
    """What has changed between the turn before and after a transition.

    `may_wait`: it need not be saved if it leads to nothing but the question what to say of a result.
    """
    unsaved = may_wait and transition.only_asks_what_to_say
    before, made = transition.turn, go_on(transition)
    turn = made.turn_after() if unsaved else made.turn_after().told
    known = {command.message_id for command in before.outstanding}
    done = [turn.rounds[n] for n in made.finished]
    moved = [r for r in turn.rounds if r.state is TurnState.RUNNING and due(before, r) != due(turn, r)]
    return Decision(
        turn=turn,
        changed=True,
        commands=tuple(as_sent(turn, c) for c in turn.outstanding if c.message_id not in known),
        progress=tuple(sealed(turn.seed, page) for page in turn.log(since=len(before.pages))),
        again=tuple(sealed(turn.seed, page) for page in _pages_of_choices(before, done)),
        replies=tuple(reply for found in done for reply in replies(turn, found, found.exchanges)),
        timers=tuple(timer for found in done for timer in found.timers),
        wakes=tuple(wake for found in moved for wake in _wake(turn, found)),
        changes=made.changes,
        unsaved=unsaved,
    )


def together(before: Turn, decisions: Sequence[Decision]) -> Decision:
    """What follows from several events of a round, one after the other: saved once, and told as one message.

    Of several rounds the message might be too large: the answers of one may be as large as a message.
    """
    *_, last = decisions
    if len(decisions) == 1 or last.turn is None:
        return last
    turn = last.turn.model_copy(update={"pages": before.pages}).told
    asked = {command.message_id for command in turn.outstanding}
    return Decision(
        turn=turn,
        changed=True,
        commands=tuple(c for d in decisions for c in d.commands if c.message_id in asked),
        progress=tuple(sealed(turn.seed, page) for page in turn.log(since=len(before.pages))),
        again=tuple(page for d in decisions for page in d.again),
        replies=tuple(reply for d in decisions for reply in d.replies),
        timers=tuple(timer for d in decisions for timer in d.timers),
        wakes=tuple(wake for d in decisions for wake in d.wakes),
        changes=tuple(change for d in decisions for change in d.changes),
        stopped=tuple(each for d in decisions for each in d.stopped),
    )


def _pages_of_choices(turn: Turn, done: list[RoundState]) -> list[TurnEvent]:
    """What was told when choices were made: once acknowledged, their messages do not come again."""
    chosen = {found.n for found in done if found.choice_id is not None}
    made = TurnEventKind.CHOICE_MADE
    pages = turn.log() if chosen else ()
    return [page for page in pages if any(e.kind is made and e.round in chosen for e in page.entries())]


def repeated(turn: Turn, n: int) -> Decision:
    """Everything that a round has said so far, and all that is outstanding, once more."""
    done = [r for r in turn.rounds if r.n == n and r.state is not TurnState.RUNNING]
    early = [r for r in turn.rounds if r.state is TurnState.RUNNING and due(turn, r) < r.deadline]
    return Decision(
        turn=turn,
        changed=False,
        commands=tuple(as_sent(turn, command) for command in turn.outstanding),
        progress=told_of(turn, n),
        replies=tuple(reply for found in done for reply in replies(turn, found, found.exchanges)),
        timers=tuple(timer for found in done for timer in found.timers),
        wakes=tuple(wake for found in early for wake in _wake(turn, found)),
    )


def told_of(turn: Turn, n: int) -> tuple[SealedEvent, ...]:
    """What the log has of a round."""
    pages = turn.log()
    return tuple(sealed(turn.seed, page) for page in pages if any(e.round == n for e in page.entries()))


def replies(
    turn: Turn, finished: RoundState, exchanges: tuple[Exchange, ...]
) -> tuple[tuple[str, TurnReply], ...]:
    """To everybody who waits for a finished round: its response, or the choice that it was forwarded to."""
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


def due(turn: Turn, found: RoundState) -> datetime:
    """When a running round has to be looked at again: when words about items are late, or at its deadline."""
    calls = fanout.open_calls(turn.steps, turn.outstanding)
    return min(found.deadline, max((c.deadline for c in calls if c.round == found.n), default=found.deadline))


def _wake(turn: Turn, found: RoundState) -> tuple[tuple[str, datetime], ...]:
    """One of those who wait has the timer of all."""
    return tuple((timer, due(turn, found)) for timer in found.timers[:1])
