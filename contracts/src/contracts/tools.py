"""How a tool describes itself to planners, to the argument binding, and to other software."""

from typing import Annotated, Any, Literal

from contracts.base import UNLESS_EMPTY, Contract, WrittenOnce
from contracts.markdown import Prose, Words
from contracts.vocabulary import Example

_EXPLAINS = {"title", "description", "examples"}


class CalledTool(Contract):
    """What is needed to call a tool, and nothing that only explains it."""

    capability: str
    service: str
    parameters: dict[str, Any]
    """JSON Schema (2020-12) of the arguments, an object."""
    result_types: tuple[str, ...]
    """Types of the items it can return, see `contracts.items`."""
    selects: bool = True
    """More than one item means that the user has to choose one."""
    for_each: str | None = None
    """A type of items, and the parameter that takes one: the tool is called for each that a step has found,
    all at the same time, without being in a plan. Further parameters get what that call has under their
    names. What is found takes the place of the item, unless the intent makes something else of it."""


class ToolDescriptor(CalledTool):
    """One capability, as announced in the KV bucket `tools`."""

    description: Prose
    phrases: tuple[Words, ...] = ()
    """Everyday phrases by which a planner without a model recognises the wish for this tool."""
    topics: tuple[Words, ...] = ()
    """Words, or parts of them, of the questions that the tool answers; it has a parameter `question` then."""
    internal: Annotated[bool, UNLESS_EMPTY] = False
    """Not for planners, users and other software: of use only where the system calls it by itself."""
    version: str = ""
    """A hash of everything else here: a changed tool is visible."""

    @property
    def is_foreign(self) -> bool:
        """Whether strangers have described it: a tool of an MCP server, `mcp.<server>.<tool>`."""
        return self.capability.startswith("mcp.")

    @property
    def called(self) -> CalledTool:
        """What is left of it in a turn that calls it."""
        told = self.parameters.get("properties", {})
        plain = {name: {k: v for k, v in each.items() if k not in _EXPLAINS} for name, each in told.items()}
        parameters = {k: v for k, v in self.parameters.items() if k not in _EXPLAINS}
        return CalledTool(
            capability=self.capability,
            service=self.service,
            parameters=parameters | ({"properties": plain} if told else {}),
            result_types=self.result_types,
            selects=self.selects,
            for_each=self.for_each,
        )


Use = Literal["plan", "judge", "answer"]


class ModelUse(Contract):
    """Which language model a service uses, and what for; as announced in the KV bucket `tools`."""

    service: str
    use: Use
    model: Words | None = None
    """Without one there are rules that plan, words that are compared, and answers that are quoted."""


class ToolList(WrittenOnce):
    """The body of `GET /api/tools`: what can be called at this moment, by capability."""

    tools: tuple[ToolDescriptor, ...]
    examples: tuple[Example, ...] = ()
    """Sentences that work at this moment."""
    models: tuple[ModelUse, ...] = ()
    """By use; of a service that is not alive there is none."""
