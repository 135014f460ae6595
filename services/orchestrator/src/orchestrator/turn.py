"""The rules of a turn. Pure: no clock, no bus, no store.

    advance(turn, event, now) -> Decision

An event that the turn does not wait for changes nothing; the decision then repeats everything that the round
of that event has said so far, because the process that said it may have died before it was heard. Message ids
make that harmless.
"""

from dataclasses import replace
from datetime import datetime

from contracts.messages import (
    ActionPlanReady,
    AnswerReady,
    ChatCancelled,
    Event,
    PlanReady,
    PlanRequested,
    ToolCalled,
    ToolResult,
    WorkCancelled,
)
from contracts.turns import TurnState

from orchestrator import arrivals, steps, tickets
from orchestrator.arrivals import ChatArrived
from orchestrator.decision import Decision, decided, repeated
from orchestrator.state import Turn
from orchestrator.transition import Limits, Transition

DEFAULT_LIMITS = Limits()


def advance(
    turn: Turn | None,
    event: ChatArrived | ChatCancelled | Event,
    now: datetime,
    limits: Limits = DEFAULT_LIMITS,
) -> Decision:
    """Decide what follows from an event. `turn` is None when nothing is known under its request id."""
    if isinstance(event, ChatArrived):
        chosen = event.request.choice_id
        if chosen is not None:
            return arrivals.on_choice(turn, event, chosen, now, limits)
        return arrivals.on_message(turn, event, now, limits)
    if turn is None:
        return Decision(turn=None, changed=False)
    before = Transition.of(turn, now, limits)
    if isinstance(event, ChatCancelled):
        return _cancelled(before, event)
    asked = next((c for c in turn.outstanding if c.task == event.task), None)
    refused = tickets.refusal(turn, event, asked)
    if asked is not None:
        refused = refused or tickets.mismatch(turn, event, asked)
    if refused is not None:
        return Decision(turn, changed=False, refused=refused)
    if asked is None:
        return repeated(turn, event.round)
    before = before.without_commands(asked)
    match event, asked:
        case PlanReady(), PlanRequested():
            return decided(steps.on_plan(before, event, asked))
        case ToolResult(), ToolCalled():
            return decided(steps.on_result(before, event, asked), may_wait=True)
        case ActionPlanReady(), _:
            return decided(steps.on_action_plan(before, event))
        case AnswerReady(), _:
            return decided(steps.on_answer(before, event))
    raise AssertionError(event.task)


def _cancelled(before: Transition, event: ChatCancelled) -> Decision:
    """End what runs and nobody wants who has not left.

    What was cancelled before is told once more: the word to stop can be lost.
    """
    turn = before.turn
    if event.session_id != turn.session_id:
        return Decision(turn, changed=False, refused="session")
    running = [
        found.n
        for found in turn.rounds
        if found.state is TurnState.RUNNING
        and (event.left is None or all(each.id == event.left for each in found.exchanges))
    ]
    after = before
    for n in running:
        after = steps.on_cancel(after, n)
    decision = decided(after) if running else Decision(turn, changed=False)
    known = decision.turn or turn
    stopped = (found.n for found in known.rounds if found.state is TurnState.CANCELLED)
    return replace(
        decision, stopped=tuple(WorkCancelled(request_id=turn.request_id, round=n) for n in stopped)
    )


def unseen(turn: Turn, event: ChatArrived | ChatCancelled | Event) -> ToolCalled | None:
    """The call whose result was there before this event, though the saved turn still waits for it.

    A result that only leads to the question what to say of it is not saved, see `Decision.unsaved`: another
    process that gets the answer reads the result from the stream of events first.
    """
    if not isinstance(event, ActionPlanReady) or tickets.refusal(turn, event) is not None:
        return None
    calls = (c for c in turn.outstanding if isinstance(c, ToolCalled))
    return next((call for call in calls if call.call_id == event.call_id), None)
