"""What every planner is."""

from typing import Protocol

from contracts.messages import PlanRequested
from contracts.plan import Plan
from contracts.tools import ToolDescriptor


class Planner(Protocol):
    """Makes a plan of a message, its session and the tools that are alive."""

    name: str
    """Which planner it is (`rules`, or the model), for the audit."""

    async def plan(self, request: PlanRequested, tools: tuple[ToolDescriptor, ...]) -> Plan:
        """The steps in the order of the message; only capabilities of `tools` are called."""
        ...
