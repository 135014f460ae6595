"""What follows for steps from a plan, a result, an answer, a choice, or the end of the time. Pure.

on_…(before, event) -> Transition
"""

from typing import Any

from contracts.agents import only_intent
from contracts.chat import choice_id
from contracts.intents import Intent
from contracts.messages import (
    ActionPlanReady,
    AnswerReady,
    Command,
    Outcome,
    PlanReady,
    PlanRequested,
    ToolCalled,
    ToolResult,
)
from contracts.plan import Plan, PlanStep
from contracts.research import ErrorType
from contracts.session import Session
from contracts.status import Status
from contracts.turns import TurnEventKind

from orchestrator import fanout, memory
from orchestrator.flows import flow_of
from orchestrator.flows.shown import open_choice, proceed, provider, render, resume_dependants
from orchestrator.flows.written import ask_next, to_be_written
from orchestrator.guard import guarded, searches
from orchestrator.results import chosen
from orchestrator.state import Phase, StepState
from orchestrator.transition import MAX_HISTORY, Transition

MAX_STEPS = 10


def on_plan(before: Transition, event: PlanReady, asked: PlanRequested) -> Transition:
    """Begin every step that needs nothing of another one."""
    before = before.answering_in(event.plan.language)
    after = before.with_usage(event.usage)._replace(planned=True, tools=event.tools)
    if event.plan.choice_id is not None:
        return after.forward(event.plan.choice_id)
    detail = {"planner": event.planner, "steps": _outline(event.plan)}
    after = after.with_entry(TurnEventKind.PLAN_READY, 0, detail=detail)
    plan = guarded(event.plan, before.turn.agent)
    if not 0 < len(plan.steps) <= MAX_STEPS:
        key = "too_many_steps" if plan.steps else "not_understood"
        refused = after._replace(steps=(StepState(intent=Intent.CLARIFY),))
        return refused.settle(0, Status.NEEDS_CLARIFICATION, before.text(key, limit=MAX_STEPS))
    if any(step.respond or searches(step) for step in plan.steps):
        said = (e.model_copy(update={"wanted": ()}) for e in asked.session.history[1 - MAX_HISTORY :])
        after = after._replace(history=tuple(said))
    if to_be_written(plan.steps[0]):
        after = after._replace(results=asked.session.results)
    steps = tuple(
        StepState(intent=s.intent, calls=s.calls, args=s.args, respond=to_be_written(s)) for s in plan.steps
    )
    after = after._replace(steps=steps)
    for index, planned in enumerate(plan.steps):
        after = _begin(after, index, planned)
    for index, step in enumerate(after.steps):
        if step.phase is Phase.WAITING and step.needs is None and not step.respond:
            after = proceed(after, index, 0, before.session.selections)
    session = Session(layers=before.session.layers, view=before.session.view)
    return ask_next(after, 0)._replace(session=session)


def _begin(before: Transition, index: int, planned: PlanStep) -> Transition:
    """End a step whose end is planned, or cannot be avoided; else find out what it has to wait for."""
    step = before.steps[index]
    if planned.error_type is not None:
        return flow_of(step).fail(before, index, planned.error_type, before.text("tool_error"))
    written = not planned.calls and planned.message is not None and not step.respond
    if planned.status is not None or written:
        message = planned.message or before.text("not_understood")
        return before.settle(index, planned.status or Status.OK, message, planned.suggestions)
    absent = next((c.capability for c in planned.calls if before.tool(c.capability) is None), None)
    if absent is None:
        return before.with_step(index, needs=provider(before, index))
    message = before.text("tool_missing", capability=absent)
    return flow_of(step).fail(before, index, ErrorType.SERVER_ERROR, message, missing=absent)


def on_result(before: Transition, event: ToolResult, asked: ToolCalled) -> Transition:
    """Go on with what a tool has found, or has said of an item."""
    after, step = before.with_usage(event.usage), before.steps[event.step]
    if fanout.is_of_item(step, event):
        return _on_item(after, asked, event.outcome)
    detail = {
        "capability": event.capability,
        "status": event.outcome.status,
        "items": len(event.outcome.items),
        "durationMs": event.duration_ms,
    }
    after = after.with_entry(TurnEventKind.TOOL_RESULT, event.round, event.step, detail=detail)
    return flow_of(step).on_result(after, event, asked)


def _on_item(before: Transition, asked: ToolCalled, outcome: Outcome) -> Transition:
    flow = flow_of(before.steps[asked.step])
    after = fanout.gathered(before, asked, outcome)
    after = flow.on_item(after, asked.step, fanout.item_id_of(asked))
    return flow.on_gathered(after, asked.step) if fanout.is_complete(after, asked.step) else after


def on_items_late(before: Transition, n: int) -> Transition:
    """What is not said of items of a round by now is not waited for."""
    after = before
    for call in fanout.open_calls(before.steps, before.outstanding):
        if call.round == n:
            late = Outcome(status=Status.ERROR, error_type=ErrorType.TIMEOUT)
            after = _on_item(after.without_commands(call), call, late)
    return after


def on_action_plan(before: Transition, event: ActionPlanReady) -> Transition:
    """End a step with its map actions, or let its user choose."""
    index, answer = event.step, event.answer
    if answer.status is Status.NEEDS_USER_CHOICE:
        answer = before.fitted(index, answer)
    if answer.status is not Status.NEEDS_USER_CHOICE:
        return before.end_step(index, answer)
    expires_at = before.now + before.limits.choice_ttl
    after = before.with_step(
        index, phase=Phase.CHOOSING, options=event.options, answer=answer, expires_at=expires_at
    )
    step = after.steps[index]
    detail = {"expiresAt": expires_at.isoformat()}
    after = after.with_entry(TurnEventKind.CHOICE_PENDING, step.round, index, detail=detail, answer=answer)
    after = after.with_changes(memory.ChoiceOpened(open_choice(before.turn.request_id, index, step)))
    # Where only whether to try again is open, others can go on if what there is suffices.
    return _resumed(after, index) if step.selection is not None else resume_dependants(after, index)


def on_answer(before: Transition, event: AnswerReady) -> Transition:
    """End a step with what was written for it."""
    after = before.with_usage(event.usage)
    return flow_of(before.steps[event.step]).on_answer(after, event)


def on_choice(before: Transition, n: int, index: int, option: int) -> Transition:
    """Resume a step with the chosen item, and take along the steps that wait for it."""
    step = before.steps[index]
    item = step.options[option - step.first_option]
    offered = open_choice(before.turn.request_id, index, step)
    after = before.with_changes(memory.ChoiceClosed(offered)).with_step(
        index,
        round=n,
        selection=item.as_selection(),
        options=(),
        found=chosen(item, [each.label for each in offered.options]),
        first_option=step.first_option + len(step.options),
        expires_at=None,
        answer=None,
    )
    for waiting, other in enumerate(after.steps):
        if other.phase is Phase.WAITING and other.needs is not None and after.steps[other.needs].round == n:
            after = after.with_step(waiting, round=n)
    after = after.with_changes(memory.said_by_user(before.text("chosen", label=item.label)))
    detail = {"choiceId": choice_id(before.turn.request_id, index, option), "label": item.label}
    after = after.with_entry(TurnEventKind.CHOICE_MADE, n, index, detail=detail)
    if step.next_call >= len(step.calls):
        return render(after, index, step.next_call, Outcome(items=(item,)))
    return proceed(after, index, step.next_call, (item,))


def on_timeout(before: Transition, n: int) -> Transition:
    """The deadline of a round: what is not answered gets an error, late answers are ignored."""
    after = _let_go(before, n)
    if not before.planned:
        only = only_intent(before.turn.agent)
        if only is None:
            return after._replace(planned=True).refuse_round(n, Intent.CLARIFY, "planning_timeout")
        step = StepState(intent=only)
        after = after._replace(planned=True, steps=(step,))
        return flow_of(step).fail(after, 0, ErrorType.TIMEOUT, before.text("planning_timeout"))
    for index, step in enumerate(before.steps):
        if step.round == n and step.phase is Phase.WORKING:
            after = flow_of(step).fail(after, index, ErrorType.TIMEOUT, before.text("step_timeout"))
    return after


def on_cancel(before: Transition, n: int) -> Transition:
    """Nobody wants the rest of a round: what is done stays, late answers are ignored."""
    after = _let_go(before, n)._replace(cancelled=(*before.cancelled, n))
    if not before.planned:
        return after.refuse_round(n, Intent.CLARIFY, "cancelled")
    for index, step in enumerate(before.steps):
        if step.round == n and step.phase is Phase.WORKING:
            after = after.settle(index, Status.ERROR, before.text("cancelled"))
    return after


def go_on(before: Transition) -> Transition:
    """Go on with what has waited for the steps that have just ended, until nothing more ends."""
    after = before
    while after.ended:
        index, *others = after.ended
        after = _resumed(after._replace(ended=tuple(others)), index)
    return after.conclude()


def _resumed(before: Transition, index: int) -> Transition:
    return ask_next(resume_dependants(before, index), before.steps[index].round)


def _let_go(before: Transition, n: int) -> Transition:
    return before.without_commands(*(c for c in before.outstanding if _belongs(c, n)))


def _belongs(command: Command, n: int) -> bool:
    return n == 0 if isinstance(command, PlanRequested) else command.round == n


def _outline(plan: Plan) -> list[dict[str, Any]]:
    return [{"intent": s.intent, "calls": [c.capability for c in s.calls]} for s in plan.steps]
