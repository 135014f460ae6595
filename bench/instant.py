"""A planner and a tool that take no time, as services: what is left is the system's own work.

With `BENCH_PAUSE_S` the tool takes so many seconds, for what has to be watched while it runs; with
`BENCH_PLAN_PAUSE_S` the planner.
"""

import asyncio
import os
import sys

from contracts import subjects
from contracts.items import Address
from contracts.messages import Outcome, PlanReady, PlanRequested
from contracts.plan import Plan, PlanStep, ToolCall
from pydantic import BaseModel
from servicekit.catalogue import ToolCatalogue
from servicekit.service import Service
from servicekit.settings import ServiceSettings
from servicekit.tools import Toolbox

CAPABILITY = "bench.geocode"


class Arguments(BaseModel):
    q: str


def planner() -> Service:
    """Answers every message with the same plan of one call."""
    service = Service("planner", ServiceSettings())
    catalogue = ToolCatalogue(service.bus)
    pause_s = float(os.environ.get("BENCH_PLAN_PAUSE_S", "0"))
    plan = Plan(
        steps=(PlanStep(intent="goto_address", calls=(ToolCall(capability=CAPABILITY, args={"q": "x"}),)),)
    )

    @service.bus.subscriber(subjects.PLAN_REQUESTED)
    async def on_plan_requested(command: PlanRequested) -> None:
        await asyncio.sleep(pause_s)
        called = tuple(tool.called for tool in catalogue.tools())
        ready = PlanReady(**command.envelope(), plan=plan, tools=called, planner="instant")
        await service.bus.publish(ready)

    return service


def tools() -> Service:
    """Finds the same address whatever is asked."""
    service = Service("tools-bench", ServiceSettings())
    toolbox = Toolbox(service.bus)
    pause_s = float(os.environ.get("BENCH_PAUSE_S", "0"))
    found = Address(
        id="1",
        label="Langendorfstrasse 19b, 4500 Solothurn",
        coord=(2605899, 1229278),
        street="Langendorfstrasse",
        house_number="19b",
        postal_code="4500",
        locality="Solothurn",
    )

    @toolbox.tool(CAPABILITY, returns=(Address,))
    async def geocode(args: Arguments) -> Outcome:
        """Find an address."""
        await asyncio.sleep(pause_s)
        return Outcome(items=(found,))

    return service


if __name__ == "__main__":
    {"planner": planner, "tools": tools}[sys.argv[1]]().run()
