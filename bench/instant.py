"""A planner and a tool that take no time, as services: what is left is the system's own work.

With `BENCH_PAUSE_S` the tool takes so many seconds, for what has to be watched while it runs; with
`BENCH_PLAN_PAUSE_S` the planner. `BENCH_RESULT_BYTES` is the size of the outline of what it finds,
`BENCH_TOOLS` how many further tools are offered.
"""

import asyncio
import math
import os
import random
import string
import sys
from collections.abc import Awaitable, Callable
from typing import Any

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
        geometry=outline(int(os.environ.get("BENCH_RESULT_BYTES", "0"))),
    )

    @toolbox.tool(CAPABILITY, returns=(Address,))
    async def geocode(args: Arguments) -> Outcome:
        """Find an address."""
        await asyncio.sleep(pause_s)
        return Outcome(items=(found,))

    for n in range(int(os.environ.get("BENCH_TOOLS", "0"))):
        toolbox.tool(f"bench.other_{n}", returns=())(other(n))
    return service


def outline(size_bytes: int) -> dict[str, Any] | None:
    """A circle around the address, as GeoJSON of about so many bytes."""
    corners = size_bytes // len("[2605899.12,1229278.12],")
    if corners < 4:
        return None
    turns = [2 * math.pi * n / (corners - 1) for n in range(corners)]
    ring = [[round(2605899 + 50 * math.cos(t), 2), round(1229278 + 50 * math.sin(t), 2)] for t in turns]
    return {"type": "Polygon", "coordinates": [ring[:-1] + ring[:1]]}


def other(n: int) -> Callable[[Arguments], Awaitable[Outcome]]:
    """A tool about some subject; nobody asks for it."""
    drawn = random.Random(n)
    verb, noun, of = ("".join(drawn.choices(string.ascii_lowercase, k=8)) for _ in range(3))

    async def function(args: Arguments) -> Outcome:
        return Outcome()

    function.__doc__ = f"{verb} {noun} near a place, with {of} of the year, as a list of names and numbers."
    return function


if __name__ == "__main__":
    {"planner": planner, "tools": tools}[sys.argv[1]]().run()
