"""How a tool describes itself to planners, to the argument binding, and to other software."""

from typing import Any

from contracts.base import Contract
from contracts.markdown import Prose, Words
from contracts.vocabulary import Example


class ToolDescriptor(Contract):
    """One capability, as announced in the KV bucket `tools`."""

    capability: str
    service: str
    description: Prose
    parameters: dict[str, Any]
    """JSON Schema (2020-12) of the arguments, an object."""
    result_types: tuple[str, ...]
    """Types of the items it can return, see `contracts.items`."""
    selects: bool = True
    """More than one item means that the user has to choose one."""
    phrases: tuple[Words, ...] = ()
    """Everyday phrases by which a planner without a model recognises the wish for this tool."""
    topics: tuple[Words, ...] = ()
    """Words, or parts of them, of the questions that the tool answers; it has a parameter `question` then."""
    version: str = ""
    """A hash of everything else here: a changed tool is visible."""

    @property
    def is_foreign(self) -> bool:
        """Whether strangers have described it: a tool of an MCP server, `mcp.<server>.<tool>`."""
        return self.capability.startswith("mcp.")


class ToolList(Contract):
    """The body of `GET /api/tools`: what can be called at this moment, by capability."""

    tools: tuple[ToolDescriptor, ...]
    examples: tuple[Example, ...] = ()
    """Sentences that work at this moment."""
