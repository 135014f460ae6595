"""What a model may choose from: the live tools, and the intents that they make possible."""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from contracts.agents import Agent, only_intent
from contracts.intents import CLAIMED, SPECS, Chain, Intent, IntentSpec, spec_of
from contracts.tools import ToolDescriptor

from planner.llm.relevance import Relevance
from planner.llm.strict import strict_arguments, wordless

MESSAGE_INTENTS = frozenset({Intent.ANSWER, Intent.CLARIFY})
"""Answered with the plan's own message."""


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


_ASKS_BACK = OfferedIntent(Intent.CLARIFY, "ask back, when nobody could tell what to search for")
"""What else there is for an agent with a single intent."""


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
        return only_intent(self.agent) is None

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
        self._claimed = tuple(tool for tool in tools if tool.capability in CLAIMED)
        further = tuple(tool for tool in tools if tool.capability not in CLAIMED)
        self._relevance = Relevance(further) if len(further) > room else None
        self._made: dict[Agent, Offer] = {}

    def about(self, texts: Iterable[str], agent: Agent = "map") -> Offer:
        """`texts`: the message, and those before it, the newest first."""
        if self._relevance is not None and only_intent(agent) is None:
            return offer((*self._claimed, *self._relevance.nearest(texts, self._room)))
        if agent not in self._made:
            self._made[agent] = offer(self.tools, agent)
        return self._made[agent]


def offer(descriptors: Iterable[ToolDescriptor], agent: Agent = "map") -> Offer:
    """Everything that works with the tools alive. A tool that no known intent uses brings its own intent."""
    only = only_intent(agent)
    if only is not None:
        return _offer_of(only, descriptors, agent)
    alive = {tool.capability: tool for tool in descriptors}
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


def _offer_of(intent: str, descriptors: Iterable[ToolDescriptor], agent: Agent) -> Offer:
    """What an agent with a single intent has: its goal, and to ask back."""
    spec = spec_of(intent)
    assert spec is not None
    of_all = offer(tool for tool in descriptors if tool.capability == spec.goal)
    found = of_all.intent(intent)
    return Offer(of_all.tools, ((found,) if found else ()) + (_ASKS_BACK,), agent)


def _with_chains_alive(spec: IntentSpec, alive: Collection[str]) -> OfferedIntent | None:
    chains = tuple(chain for chain in spec.all_chains if set(chain) <= set(alive))
    return OfferedIntent(spec.intent, spec.meaning, chains) if chains or not spec.all_chains else None
