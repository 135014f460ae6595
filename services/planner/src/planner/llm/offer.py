"""What a model may choose from: the live tools, and the intents that they make possible."""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from contracts.chat import Agent
from contracts.intents import CLAIMED, SPECS, Chain, Intent, IntentSpec, spec_of
from contracts.tools import ToolDescriptor

from planner.llm.relevance import Relevance
from planner.llm.strict import strict_arguments, wordless

MESSAGE_INTENTS = frozenset({Intent.ANSWER, Intent.CLARIFY})
"""Answered with the plan's own message."""

_INTERNAL = frozenset({"documents.check"})
"""Called by the orchestrator for each document; of no use in a plan."""
_SERVED = CLAIMED | _INTERNAL


@dataclass(frozen=True)
class OfferedIntent:
    """`chains`: the calls that fulfil it; none for an intent that needs no tool."""

    name: str
    meaning: str
    chains: tuple[Chain, ...] = ()

    @property
    def goals(self) -> frozenset[str]:
        """The capabilities whose result the user wants to see."""
        return frozenset(chain[-1] for chain in self.chains)


_RESEARCH = {
    Intent.CLARIFY: "ask back, when nobody could tell what to search for",
}
"""What else there is besides the search for who answers from documents only."""


@dataclass(frozen=True)
class OfferedTool:
    descriptor: ToolDescriptor
    arguments: dict[str, Any]
    """Strict schema of the arguments, see `planner.llm.strict`."""

    @property
    def capability(self) -> str:
        return self.descriptor.capability


@dataclass(frozen=True)
class Offer:
    tools: tuple[OfferedTool, ...]
    """Sorted by capability."""
    intents: tuple[OfferedIntent, ...]
    agent: Agent = "map"

    @property
    def may_speak(self) -> bool:
        """Whether the model has words for the user, or leaves them to be written when the steps are done."""
        return self.agent == "map"

    def tool(self, capability: str) -> OfferedTool | None:
        return next((tool for tool in self.tools if tool.capability == capability), None)

    def intent(self, name: str) -> OfferedIntent | None:
        return next((intent for intent in self.intents if intent.name == name), None)


class Offers:
    """What models may choose from while these tools are alive: all that the intents here call, and of further
    tools no more than `room`, the ones that a message may be about."""

    def __init__(self, tools: tuple[ToolDescriptor, ...], room: int) -> None:
        self.tools = tools
        self._room = room
        self._claimed = tuple(tool for tool in tools if tool.capability in _SERVED)
        further = tuple(tool for tool in tools if tool.capability not in _SERVED)
        self._relevance = Relevance(further) if len(further) > room else None
        self._made: dict[Agent, Offer] = {}

    def about(self, texts: Iterable[str], agent: Agent = "map") -> Offer:
        """`texts`: the message, and those before it, the newest first."""
        if self._relevance is not None and agent == "map":
            return offer((*self._claimed, *self._relevance.nearest(texts, self._room)))
        if agent not in self._made:
            self._made[agent] = offer(self.tools, agent)
        return self._made[agent]


def offer(descriptors: Iterable[ToolDescriptor], agent: Agent = "map") -> Offer:
    """Everything that works with the tools alive. A tool that no known intent uses brings its own intent."""
    if agent == "riskiagent":
        return _research_offer(descriptors)
    alive = {tool.capability: tool for tool in descriptors if tool.capability not in _INTERNAL}
    tools = tuple(
        OfferedTool(alive[capability], _arguments(alive[capability])) for capability in sorted(alive)
    )
    known = tuple(possible for spec in SPECS if (possible := _with_chains_alive(spec, alive)))
    foreign = tuple(
        OfferedIntent(
            name=tool.capability.replace(".", "_"),
            meaning=f"what {json.dumps(tool.capability)} does",
            chains=((tool.capability,),),
        )
        for tool in tools
        if tool.capability not in CLAIMED
    )
    return Offer(tools, known + foreign)


def _arguments(tool: ToolDescriptor) -> dict[str, Any]:
    """Of a tool of strangers without their words: they would be rules beside our own."""
    arguments = strict_arguments(tool.parameters)
    return wordless(arguments) if tool.is_foreign else arguments


def _research_offer(descriptors: Iterable[ToolDescriptor]) -> Offer:
    search = spec_of(Intent.SEARCH_DOCUMENTS)
    assert search is not None
    of_map = offer(tool for tool in descriptors if tool.capability == search.goal)
    found = of_map.intent(search.intent)
    others = tuple(OfferedIntent(name, meaning) for name, meaning in _RESEARCH.items())
    return Offer(of_map.tools, ((found,) if found else ()) + others, "riskiagent")


def _with_chains_alive(spec: IntentSpec, alive: Collection[str]) -> OfferedIntent | None:
    chains = tuple(chain for chain in spec.all_chains if set(chain) <= set(alive))
    return OfferedIntent(spec.intent, spec.meaning, chains) if chains or not spec.all_chains else None
