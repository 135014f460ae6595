"""What every planner is."""

from dataclasses import dataclass, field
from typing import Protocol

from contracts.messages import PlanRequested, Usage
from contracts.plan import Plan
from contracts.tools import ToolDescriptor


@dataclass(frozen=True)
class Planned:
    """A plan, who has made it, and what it has cost."""

    plan: Plan
    planner: str
    """`rules`, or the model; another one than the planner that was asked if that one stood in."""
    usage: Usage = field(default_factory=Usage)


class Planner(Protocol):
    """Makes a plan of a message, its session and the tools that are alive."""

    name: str
    """Which planner it is (`rules`, or the model), for the audit."""

    async def plan(self, request: PlanRequested, tools: tuple[ToolDescriptor, ...]) -> Planned:
        """The steps in the order of the message; only capabilities of `tools` are called."""
        ...
