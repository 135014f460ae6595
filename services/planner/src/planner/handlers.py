"""Bus in, bus out: `plan.requested` -> `plan.ready`."""

import logging
from typing import Protocol

from contracts import subjects
from contracts.messages import PlanReady, PlanRequested
from contracts.tools import ToolDescriptor
from contracts.vocabulary import Vocabulary
from servicekit.bus import Bus
from servicekit.errors import MessageTooLarge

from planner.failing import failed
from planner.planning import Planned, Planner
from planner.rules.reading.known import knowing

log = logging.getLogger("ask.planner")

_CALLED_ALONG = {"documents.retrieve": ("documents.check",)}
"""What is called for every item of a result, without being in the plan."""


class Catalogue(Protocol):
    """The tools alive, sorted by capability, and what they know by name."""

    def tools(self) -> tuple[ToolDescriptor, ...]: ...

    def vocabulary(self) -> Vocabulary: ...


def register(bus: Bus, planner: Planner, catalogue: Catalogue) -> None:
    @bus.subscriber(subjects.PLAN_REQUESTED, cancellable=True)
    async def on_plan_requested(request: PlanRequested) -> None:
        tools = catalogue.tools()
        with knowing(catalogue.vocabulary()):
            planned = await _plan(planner, request, tools)
        called = {call.capability for step in planned.plan.steps for call in step.calls}
        called |= {also for capability in called for also in _CALLED_ALONG.get(capability, ())}
        ready = PlanReady(
            **request.envelope(),
            plan=planned.plan,
            tools=tuple(tool.called for tool in tools if tool.capability in called),
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


async def _plan(planner: Planner, request: PlanRequested, tools: tuple[ToolDescriptor, ...]) -> Planned:
    """A bug in a planner would fail at every redelivery too: the turn ends now, with an error step."""
    try:
        return await planner.plan(request, tools)
    except Exception:
        log.exception("planner failed", extra={"request_id": request.request_id, "planner": planner.name})
        return Planned(failed("planner_failed", request), planner.name)
