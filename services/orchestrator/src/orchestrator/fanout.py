"""Tools that are called for every item of a result, all at the same time; what they say is gathered. Pure.

Which ones these are, their descriptors say (`for_each`). A step has its own flow for what comes of it.
"""

from collections.abc import Iterable

from contracts.items import Item
from contracts.messages import Command, Outcome, ToolCalled, ToolResult
from contracts.research import ErrorType
from contracts.status import Status
from contracts.tools import CalledTool

from orchestrator.binding import complete, fields_of
from orchestrator.state import Findings, ItemResult, StepState, Turn
from orchestrator.transition import Transition

MAX_ITEMS = 20
MAX_RESULT_BYTES = 32 * 1024
"""Of what is said of one item: the state of the turn keeps it until all is said."""


def mapper(tools: Iterable[CalledTool], capability: str) -> CalledTool | None:
    """The tool that is called for what another one finds; None if there is none."""
    known = {tool.capability: tool for tool in tools}
    found = known[capability].result_types if capability in known else ()
    return next((tool for tool in known.values() if tool.for_each in found), None)


def items_of(outcome: Outcome, kind: str | None) -> tuple[Item, ...]:
    """The items of a type that are looked at: each once, and no more than `MAX_ITEMS`."""
    distinct: dict[str, Item] = {}
    for item in outcome.items:
        if item.type == kind:
            distinct.setdefault(item.id, item)
    return tuple(distinct.values())[:MAX_ITEMS]


def kept(before: Transition, event: ToolResult) -> Transition:
    """Keep a result for what is said of its items."""
    after = before.with_step(event.step, findings=Findings(round=event.round, call=event.call))
    return after._replace(retrieved={**before.retrieved, event.step: event.outcome})


def spread(before: Transition, asked: ToolCalled) -> Transition:
    """Call the tool for every item of a result that is kept; nothing if that cannot be done."""
    index, step = asked.step, before.steps[asked.step]
    tool = mapper(before.tools, asked.capability)
    if tool is None or tool.for_each is None:
        return before
    names = asked.args.keys() & tool.parameters.get("properties", {}).keys() - {tool.for_each}
    given = {name: asked.args[name] for name in sorted(names)}
    if not complete(tool, given | {tool.for_each: None}):
        return before
    until = min(before.rounds[step.round].deadline, before.now + before.limits.item_timeout)
    after = before
    for call, item in enumerate(items_of(before.retrieved[index], tool.for_each), start=len(step.calls)):
        envelope = before.envelope_of(index, call) | {"deadline": until}
        args = given | {tool.for_each: {"id": item.id}}
        after = after.with_command(ToolCalled(**envelope, capability=tool.capability, args=args))
    return after


def with_item(turn: Turn, command: ToolCalled) -> ToolCalled:
    """A call as it is sent: with what its parameter takes of the item, of which the turn has the id only."""
    step = turn.steps[command.step]
    tool = next((tool for tool in turn.tools if tool.capability == command.capability), None)
    if not is_of_item(step, command) or tool is None or tool.for_each is None:
        return command
    named = item_id_of(command)
    items = items_of(turn.retrieved.get(command.step, Outcome()), tool.for_each)
    item = next((item for item in items if item.id == named), None)
    if item is None:
        return command
    said = item.model_dump(mode="json", exclude_none=True)
    names = fields_of(tool, tool.for_each) or said.keys()
    content = {name: value for name, value in said.items() if name in names}
    return command.model_copy(update={"args": command.args | {tool.for_each: content}})


def gathered(before: Transition, asked: ToolCalled, outcome: Outcome) -> Transition:
    """With what the tool has said of one item."""
    result = ItemResult(items=outcome.items)
    if outcome.status is Status.ERROR or len(result.to_json()) > MAX_RESULT_BYTES:
        result = ItemResult(failure="timeout" if outcome.error_type is ErrorType.TIMEOUT else "failed")
    return with_result(before, asked.step, item_id_of(asked), result)


def with_result(before: Transition, index: int, item_id: str, result: ItemResult) -> Transition:
    findings = before.steps[index].findings
    if findings is None:
        return before
    results = findings.results | {item_id: result}
    return before.with_step(index, findings=findings.model_copy(update={"results": results}))


def is_complete(before: Transition, index: int) -> bool:
    """Whether nothing more is to come of the items of a step."""
    return not any(c.step == index for c in open_calls(before.steps, before.outstanding))


def open_calls(steps: tuple[StepState, ...], outstanding: Iterable[Command]) -> list[ToolCalled]:
    """The calls for items whose answer has not come."""
    return [c for c in outstanding if isinstance(c, ToolCalled) and is_of_item(steps[c.step], c)]


def is_of_item(step: StepState, call: ToolCalled | ToolResult) -> bool:
    """Whether a call is none of the plan, but one for an item of what its last one has found."""
    return not step.direct and call.call >= len(step.calls)


def item_id_of(call: ToolCalled) -> str:
    """The id of the item that a call is for: its last argument, where `spread` has put it."""
    return str(list(call.args.values())[-1]["id"])
