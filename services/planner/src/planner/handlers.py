"""Bus in, bus out: `plan.requested` -> `plan.ready`."""

import logging
from typing import Protocol

from contracts import subjects
from contracts.messages import PlanReady, PlanRequested
from contracts.plan import Plan
from contracts.tools import CalledTool, ToolDescriptor
from contracts.vocabulary import Vocabulary
from servicekit.bus import Bus
from servicekit.errors import MessageTooLarge

from planner.failing import failed
from planner.planning import Planned, Planner
from planner.rules.reading.known import knowing

log = logging.getLogger("ask.planner")


class Catalogue(Protocol):
    """The tools alive, sorted by capability, and what they know by name."""

    def tools(self) -> tuple[ToolDescriptor, ...]: ...

    def vocabulary(self) -> Vocabulary: ...


def register(bus: Bus, planner: Planner, catalogue: Catalogue) -> None:
    @bus.subscriber(subjects.PLAN_REQUESTED, cancellable=True)
    async def on_plan_requested(request: PlanRequested) -> None:
        tools = catalogue.tools()
        with knowing(catalogue.vocabulary()):
            planned = await _plan(planner, request, tuple(tool for tool in tools if not tool.internal))
        ready = PlanReady(
            **request.envelope(),
            plan=planned.plan,
            tools=_called(planned.plan, tools),
            planner=planned.planner,
            usage=planned.usage,
        )
        try:
            await bus.publish(ready)
        except MessageTooLarge:
            log.error("plan too large", extra={"request_id": request.request_id})
            await bus.publish(
                PlanReady(
                    **request.envelope(),
                    plan=failed("planner_failed", request),
                    planner=planned.planner,
                    usage=planned.usage,
                )
            )


def _called(plan: Plan, tools: tuple[ToolDescriptor, ...]) -> tuple[CalledTool, ...]:
    """The tools of a plan, and those that are called for every item of what they find."""
    names = {call.capability for step in plan.steps for call in step.calls}
    found = {kind for tool in tools if tool.capability in names for kind in tool.result_types}
    return tuple(tool.called for tool in tools if tool.capability in names or tool.for_each in found)


async def _plan(planner: Planner, request: PlanRequested, tools: tuple[ToolDescriptor, ...]) -> Planned:
    """A bug in a planner would fail at every redelivery too: the turn ends now, with an error step."""
    try:
        return await planner.plan(request, tools)
    except Exception:
        log.exception("planner failed", extra={"request_id": request.request_id, "planner": planner.name})
        return Planned(failed("planner_failed", request), planner.name)
