"""What a model may choose from: the live tools, and the intents that they make possible."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from contracts.chat import Agent
from contracts.intents import Intent
from contracts.tools import ToolDescriptor

from planner.llm.strict import strict_arguments, wordless

Chain = tuple[str, ...]
"""Capabilities that are called one after another."""

MESSAGE_INTENTS = frozenset({Intent.ANSWER, Intent.CLARIFY})
"""Answered with the plan's own message."""

_INTERNAL = frozenset({"documents.check"})
"""Called by the orchestrator for each document; of no use in a plan."""

_TO_A_POINT: tuple[Chain, ...] = ((), ("geolocation.geocode",), ("parcels.by_number",), ("parcels.by_egrid",))


def _to_a_parcel(by_xy: str) -> tuple[Chain, ...]:
    return ((), ("parcels.by_number",), (by_xy,), ("geolocation.geocode", by_xy))


def _ending_with(capability: str, ways: tuple[Chain, ...]) -> tuple[Chain, ...]:
    return tuple((*way, capability) for way in ways)


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


_KNOWN = (
    OfferedIntent(Intent.GOTO_ADDRESS, "show a street or a building on the map", (("geolocation.geocode",),)),
    OfferedIntent(
        Intent.SEARCH_PLACE,
        "show a municipality, a village or another named place on the map",
        (("geolocation.municipality",), ("geolocation.place",)),
    ),
    OfferedIntent(Intent.LOAD_LAYER, "add a map layer about a topic", (("layers.search",),)),
    OfferedIntent(Intent.REMOVE_LAYER, 'take loaded layers off the map; args: name ("*" for all of them)'),
    OfferedIntent(Intent.CLEAR_MAP, "remove everything from the map"),
    OfferedIntent(
        Intent.SET_BACKGROUND,
        "change the base map; args: background (none, sw = grey, color, ortho = aerial photo)",
    ),
    OfferedIntent(
        Intent.SHOW_PARCEL,
        "show a parcel, or what is at a point",
        (
            ("parcels.by_number",),
            ("parcels.by_egrid",),
            ("parcels.by_xy",),
            ("geolocation.geocode", "parcels.by_xy"),
        ),
    ),
    OfferedIntent(
        Intent.OEREB_EXTRACT,
        "get the extract of the cadastre of public-law restrictions (ÖREB) of a parcel, or have a question "
        "answered from it: in which zone it is, what restricts it and how much of it, laws, what is planned",
        _ending_with("oereb.extract_by_id", _to_a_parcel("oereb.egrid_by_xy")),
    ),
    OfferedIntent(
        Intent.GEOTHERMAL_PROBE_ASSESSMENT,
        "say whether, and how deep, a geothermal probe may be drilled",
        _ending_with("geothermal.assess_by_xy", _TO_A_POINT),
    ),
    OfferedIntent(
        Intent.CADASTRAL_PLAN,
        "make a cadastral plan (Grundbuchplan) of a parcel",
        _ending_with("cadastral.plan_by_geometry", _to_a_parcel("parcels.by_xy")),
    ),
    OfferedIntent(
        Intent.HEIGHT_QUERY,
        "tell the height above sea level",
        _ending_with("terrain.height_by_xy", _TO_A_POINT),
    ),
    OfferedIntent(
        Intent.SEARCH_DOCUMENTS,
        "answer a question from the documents of council and administration: rules, costs, deadlines, "
        "decisions, proposals",
        (("documents.retrieve",),),
    ),
    OfferedIntent(
        Intent.ANSWER,
        "say something that needs no tool. With `message`: a greeting, or what this assistant can do. With "
        "`respond`: a summary of what the steps before have come to, or the answer to a plain question",
    ),
    OfferedIntent(
        Intent.CLARIFY, "ask back, when the wish is not clear or cannot be fulfilled. Needs `message`"
    ),
)
_RESEARCH = {
    Intent.CLARIFY: "ask back, when nobody could tell what to search for",
}
"""What else there is besides the search for who answers from documents only."""
_CLAIMED = frozenset(capability for intent in _KNOWN for chain in intent.chains for capability in chain)


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


def offer(descriptors: Iterable[ToolDescriptor], agent: Agent = "map") -> Offer:
    """Everything that works with the tools alive. A tool that no known intent uses brings its own intent."""
    if agent == "riskiagent":
        return _research_offer(descriptors)
    alive = {tool.capability: tool for tool in descriptors if tool.capability not in _INTERNAL}
    tools = tuple(
        OfferedTool(alive[capability], _arguments(alive[capability])) for capability in sorted(alive)
    )
    known = tuple(possible for intent in _KNOWN if (possible := _with_chains_alive(intent, alive)))
    foreign = tuple(
        OfferedIntent(
            name=tool.capability.replace(".", "_"),
            meaning=f"what {json.dumps(tool.capability)} does",
            chains=((tool.capability,),),
        )
        for tool in tools
        if tool.capability not in _CLAIMED
    )
    return Offer(tools, known + foreign)


def _arguments(tool: ToolDescriptor) -> dict[str, Any]:
    """Of a tool of strangers without their words: they would be rules beside our own."""
    arguments = strict_arguments(tool.parameters)
    return wordless(arguments) if tool.is_foreign else arguments


def _research_offer(descriptors: Iterable[ToolDescriptor]) -> Offer:
    search = next(intent for intent in _KNOWN if intent.name == Intent.SEARCH_DOCUMENTS)
    of_map = offer(tool for tool in descriptors if tool.capability in search.goals)
    found = of_map.intent(search.name)
    others = tuple(OfferedIntent(name, meaning) for name, meaning in _RESEARCH.items())
    return Offer(of_map.tools, ((found,) if found else ()) + others, "riskiagent")


def _with_chains_alive(intent: OfferedIntent, alive: dict[str, ToolDescriptor]) -> OfferedIntent | None:
    if not intent.chains:
        return intent
    chains = tuple(chain for chain in intent.chains if all(capability in alive for capability in chain))
    return OfferedIntent(intent.name, intent.meaning, chains) if chains else None
