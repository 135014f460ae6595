"""Bus in, bus out: `plan.requested` -> `plan.ready`."""

import logging
from typing import Protocol

from contracts import subjects
from contracts.intents import Intent
from contracts.messages import PlanReady, PlanRequested
from contracts.plan import Plan, PlanStep
from contracts.status import Status
from contracts.tools import ToolDescriptor
from servicekit.bus import AckPolicy, Bus

from planner.planning import Planner
from planner.stand_in import StandInPlan
from planner.texts import text

log = logging.getLogger("ask.planner")


class Catalogue(Protocol):
    """The tools alive, sorted by capability."""

    def tools(self) -> tuple[ToolDescriptor, ...]: ...


def register(bus: Bus, planner: Planner, catalogue: Catalogue) -> None:
    @bus.subscriber(subjects.PLAN_REQUESTED, ack_policy=AckPolicy.NACK_ON_ERROR)
    async def on_plan_requested(request: PlanRequested) -> None:
        tools = catalogue.tools()
        plan = await _plan(planner, request, tools)
        called = {call.capability for step in plan.steps for call in step.calls}
        ready = PlanReady(
            **request.envelope(),
            plan=plan,
            tools=tuple(tool for tool in tools if tool.capability in called),
            planner=plan.planner if isinstance(plan, StandInPlan) else planner.name,
        )
        await bus.publish(ready)


async def _plan(planner: Planner, request: PlanRequested, tools: tuple[ToolDescriptor, ...]) -> Plan:
    """A bug in a planner would fail at every redelivery too: the turn ends now, with an error step."""
    try:
        return await planner.plan(request, tools)
    except Exception:
        log.exception("planner failed", extra={"request_id": request.request_id, "planner": planner.name})
        message = text("planner_failed", language=request.language)
        return Plan(steps=(PlanStep(intent=Intent.CLARIFY, status=Status.ERROR, message=message),))
