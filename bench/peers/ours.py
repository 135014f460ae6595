"""Planner and tool of the common work as services of ask.sogis, see `bench/instant.py`."""

import sys

from contracts import subjects
from contracts.items import Address
from contracts.messages import Outcome, PlanReady, PlanRequested
from contracts.plan import Plan, PlanStep, ToolCall
from pydantic import BaseModel
from servicekit.catalogue import ToolCatalogue
from servicekit.service import Service, run
from servicekit.settings import ServiceSettings
from servicekit.tools import Toolbox

from ask import compact
from ask.services import COMPACT
from peers import work

CAPABILITY = "bench.geocode"


class Arguments(BaseModel):
    n: int
    pause_s: float
    key: str
    found: int


def planner() -> Service:
    """Tools at once are steps that need nothing of each other; each has an action plan of its own."""
    service = Service("planner", ServiceSettings())
    catalogue = ToolCatalogue(service.bus)

    @service.bus.subscriber(subjects.PLAN_REQUESTED)
    async def on_plan_requested(command: PlanRequested) -> None:
        calls = [ToolCall(capability=CAPABILITY, args=call) for call in work.plan(command.user_message)]
        plan = Plan(steps=tuple(PlanStep(intent="goto_address", calls=(call,)) for call in calls))
        called = tuple(tool.called for tool in catalogue.tools())
        await service.bus.publish(PlanReady(**command.envelope(), plan=plan, tools=called, planner="instant"))

    return service


def tools() -> Service:
    service = Service("tools-bench", ServiceSettings())
    toolbox = Toolbox(service.bus)

    @toolbox.tool(CAPABILITY, returns=(Address,), selects=True)
    async def geocode(args: Arguments) -> Outcome:
        """Find an address."""
        found = await work.find(args.model_dump())
        return Outcome(items=tuple(Address.model_validate(item) for item in found))

    return service


def in_one_process() -> None:
    """With the real orchestrator and action planner."""
    run(COMPACT, compact.build("orchestrator"), planner(), compact.build("actionplanner"), tools())


if __name__ == "__main__":
    match sys.argv[1]:
        case "planner":
            planner().run()
        case "tools":
            tools().run()
        case _:
            in_one_process()
