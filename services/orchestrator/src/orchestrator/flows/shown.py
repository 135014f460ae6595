"""Steps that call tools one after the other, and show on the map what the last one finds."""

from typing import Any

from contracts.intents import OF_NEW_LAYERS, Intent
from contracts.items import Item
from contracts.messages import ActionPlanRequested, Outcome, ToolCalled, ToolResult
from contracts.session import OpenChoice, Option
from contracts.status import Status
from contracts.tools import CalledTool
from contracts.turns import TurnEventKind

from orchestrator import fanout, memory
from orchestrator.binding import bind, complete, could_bind, missing
from orchestrator.flows.flow import Flow
from orchestrator.results import found
from orchestrator.state import Phase, StepState
from orchestrator.transition import Transition

MAX_ROUNDS = 50
"""With so many, refused clicks are not stored and nothing is offered once more: no turn grows for ever."""


class Shown(Flow):
    """Where one item is needed and several are found, the user chooses."""

    def on_result(self, before: Transition, event: ToolResult, asked: ToolCalled) -> Transition:
        is_last = event.call + 1 == len(before.steps[event.step].calls)
        mapped = is_last and fanout.mapper(before.tools, event.capability) is not None
        if mapped and event.outcome.status is Status.OK:
            spread = fanout.spread(fanout.kept(before, event), asked)
            if not fanout.is_complete(spread, event.step):
                return spread
        return go_on(before, event)

    def on_gathered(self, before: Transition, index: int) -> Transition:
        """What was found for an item takes its place; where nothing was, it stays."""
        findings = before.steps[index].findings
        assert findings is not None
        outcome = before.retrieved[index]
        results = {item_id: result.items for item_id, result in findings.results.items()}
        items = tuple(each for item in outcome.items for each in results.get(item.id) or (item,))
        after = before.with_step(index, findings=None)
        return _found(after, index, findings.call, outcome.model_copy(update={"items": items}))


def go_on(before: Transition, event: ToolResult) -> Transition:
    """Go on with what a call has found, or end the step with what it says."""
    outcome, index = event.outcome, event.step
    if outcome.status is Status.ERROR:
        return before.settle(index, Status.ERROR, outcome.message or before.text("tool_error"))
    if outcome.status is Status.NEEDS_CLARIFICATION or not outcome.items:
        message = outcome.message or before.text("nothing_found")
        return before.settle(index, Status.NEEDS_CLARIFICATION, message, outcome.suggestions)
    return _found(before, index, event.call, outcome)


def _found(before: Transition, index: int, call: int, outcome: Outcome) -> Transition:
    """To the next call, to a choice, or to the map."""
    step = before.steps[index]
    last = call + 1 == len(step.calls)
    if len(before.rounds) >= MAX_ROUNDS:
        outcome = outcome.model_copy(update={"again": False})
    single = outcome.items[0] if len(outcome.items) == 1 and not outcome.confirm else None
    repeat = outcome.again and last and single is not None
    after = before.with_step(
        index,
        selection=single.as_selection() if single else None,
        next_call=call if repeat else call + 1,
    )
    if single is not None and not last:
        return proceed(after, index, call + 1, outcome.items)
    tool = before.tool(step.calls[call].capability)
    several = tool is None or tool.selects or not last
    choose = single is None and (several or outcome.confirm)
    after = after.with_step(index, found=found(step.found, outcome.items))
    return render(after, index, call, outcome, choose=choose)


def proceed(before: Transition, index: int, call: int, sources: tuple[Item, ...]) -> Transition:
    """Make a call of a step, or render the step when it has none."""
    step = before.steps[index]
    if call >= len(step.calls):
        return render(before, index, call, Outcome(items=()))
    wanted = step.calls[call]
    tool = before.tool(wanted.capability)
    assert tool is not None
    args = bind(tool, wanted.args, sources)
    if args is None:
        what = _in_words(before, tool, wanted.args)
        message = before.text("missing_arguments", what=what)
        return before.settle(index, Status.NEEDS_CLARIFICATION, message)
    return call_tool(before.with_step(index, phase=Phase.WORKING), index, call, wanted.capability, args)


def call_tool(before: Transition, index: int, call: int, capability: str, args: dict[str, Any]) -> Transition:
    """Make a call of a step."""
    command = ToolCalled(**before.envelope_of(index, call), capability=capability, args=args)
    detail = {"capability": capability, "args": args}
    n = before.steps[index].round
    return before.with_command(command).with_entry(TurnEventKind.TOOL_CALLED, n, index, detail=detail)


def render(
    before: Transition, index: int, call: int, outcome: Outcome, *, choose: bool = False
) -> Transition:
    """Ask the action planner what to say and to show of it, or to offer as a choice."""
    step = before.steps[index]
    layers = before.session.layers
    if step.intent in OF_NEW_LAYERS:
        layers = memory.with_loaded(layers, (each.answer for each in before.steps[:index]))
    working = before.with_step(index, phase=Phase.WORKING)
    return working.with_command(
        ActionPlanRequested(
            **working.envelope_of(index, call),
            intent=step.intent,
            args={name: value for made in step.calls for name, value in made.args.items()} | step.args,
            outcome=outcome,
            choose=choose,
            first_option=step.first_option,
            layers=layers,
            view=before.session.view,
        )
    )


def provider(before: Transition, index: int) -> int | None:
    """The nearest earlier step that can give what the first call of a step lacks.

    For what may be about a new layer that is the step that loads it, or any load: `Schutzwald inkl. Legende`.
    """
    step = before.steps[index]
    calls = step.calls
    if not calls and step.intent in OF_NEW_LAYERS:
        loads = [n for n in range(index - 1, -1, -1) if before.steps[n].intent == Intent.LOAD_LAYER]
        return next((n for n in loads if _names(step) & _queries(before.steps[n])), next(iter(loads), None))
    tool = before.tool(calls[0].capability) if calls else None
    if tool is None or complete(tool, calls[0].args):
        return None
    gaps = missing(tool, calls[0].args)
    for earlier in range(index - 1, -1, -1):
        last = before.steps[earlier].calls[-1:]
        giving = before.tool(last[0].capability) if last else None
        if giving is not None and could_bind(giving.result_types, gaps):
            return earlier
    return None


def resume_dependants(before: Transition, index: int) -> Transition:
    """Go on with the steps that need what a step has come to, or end them with it."""
    done = before.steps[index]
    given = (done.selection,) if done.selection is not None else ()
    after = before
    for waiting, step in enumerate(before.steps):
        if step.phase is not Phase.WAITING or step.needs != index:
            continue
        if not step.calls:
            is_there = done.phase is not Phase.CHOOSING or done.selection is not None
            if over := before.over(step.round):
                after = after.settle(waiting, Status.ERROR, before.text(over))
            elif is_there or not _is_about(step, done):
                after = proceed(after, waiting, 0, ())
            continue
        tool = before.tool(step.calls[0].capability)
        assert tool is not None
        if done.phase is Phase.CHOOSING and bind(tool, step.calls[0].args, given) is None:
            continue
        if done.answer is None or done.answer.status is Status.OK or done.phase is Phase.CHOOSING:
            after = proceed(after, waiting, 0, given)
        else:
            after = after.settle(waiting, done.answer.status, before.text("skipped"))
    return after


def _is_about(step: StepState, load: StepState) -> bool:
    """Whether a step changes what another one loads; what is loaded already it can change at once."""
    return not step.args.get("name") or bool(_names(step) & _queries(load))


def _names(step: StepState) -> set[str]:
    """What the layers are called that a step is about."""
    return {str(step.args[key]).casefold() for key in ("name", "above", "below") if step.args.get(key)}


def _queries(load: StepState) -> set[str]:
    return {str(call.args["query"]).casefold() for call in load.calls if call.args.get("query")}


def open_choice(request_id: str, index: int, step: StepState) -> OpenChoice:
    """What a step offers, as its session remembers it."""
    assert step.answer is not None and step.expires_at is not None
    return OpenChoice(
        request_id=request_id,
        step=index,
        options=tuple(Option(id=c.id, label=c.label) for c in step.answer.choices),
        expires_at=step.expires_at,
    )


def _in_words(before: Transition, tool: CalledTool, args: dict[str, Any]) -> str:
    gap = missing(tool, args)[0]
    if gap & {"x", "y", "geometry"}:
        return before.text("parameter_place")
    named = {"egrid": "parameter_egrid", "municipality": "parameter_municipality"}
    named |= {"q": "parameter_query", "query": "parameter_query", "start": "parameter_start"}
    return ", ".join(before.text(named.get(name, "parameter_other"), name=name) for name in sorted(gap))
