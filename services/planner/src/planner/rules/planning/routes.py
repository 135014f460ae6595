"""Which tools, in which order, fulfil which wish; and what stands in for a tool that is not alive."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contracts.intents import Chain, Intent, Target
from contracts.intents.search_documents import SPEC as SEARCH
from contracts.intents.spec import MUNICIPALITY, PLACE
from contracts.plan import ToolCall
from contracts.tools import ToolDescriptor

from planner.rules.grammar.measures import DISTANCE
from planner.rules.grammar.wishes import Wish
from planner.rules.references.addresses import Address
from planner.rules.references.coordinates import Coordinate
from planner.rules.references.finding import Egrid, Reference
from planner.rules.references.parcels import Parcel
from planner.rules.references.places import Place

LAYERS = "layers.search"
EXTRACT = "oereb.extract_by_id"


@dataclass(frozen=True)
class Way:
    """The calls for a wish; or else what the best route misses, its goal rather than the way there."""

    calls: tuple[ToolCall, ...] = ()
    missing: str | None = None


def target_kind(target: Reference) -> Target:
    """What the declarations of intents call it; a locality and an unknown place are both a `place`."""
    match target:
        case Coordinate():
            return Target.COORDINATE
        case Egrid():
            return Target.EGRID
        case Parcel():
            return Target.PARCEL
        case Address():
            return Target.ADDRESS
        case Place(kind="municipality"):
            return Target.MUNICIPALITY
        case _:
            return Target.PLACE


def accepts(wish: Wish, target: Target) -> bool:
    """Whether the wish can be fulfilled for that kind of target."""
    return bool(wish.spec.ways(target))


def find_route(wish: Wish, target: Target, tools: Sequence[ToolDescriptor]) -> Way:
    """The calls of the first chain whose tools are all alive."""
    alive = {tool.capability for tool in tools}
    chains = wish.spec.ways(target)
    for chain in chains:
        if alive.issuperset(chain):
            return Way(_calls(wish, chain, tools))
    return Way(missing=next(c for c in reversed(chains[0]) if c not in alive) if chains else None)


def _calls(wish: Wish, route: Chain, tools: Sequence[ToolDescriptor]) -> tuple[ToolCall, ...]:
    first, *rest = route
    args = args_of(wish.target, first) if wish.target else {}
    if first in (LAYERS, SEARCH.goal):
        args = {"query": wish.query} if wish.query else {}
        known = _properties(next(tool for tool in tools if tool.capability == first))
        if wish.filters and "filters" in known:
            args["filters"] = dict(wish.filters)
        if wish.among and "among" in known:
            args["among"] = wish.among
    calls = [ToolCall(capability=first, args=args), *(ToolCall(capability=c) for c in rest)]
    if wish.intent == Intent.OEREB_EXTRACT and wish.query:
        calls[-1] = ToolCall(capability=EXTRACT, args=calls[-1].args | {"question": wish.query})
    if wish.args:
        calls[-1] = ToolCall(capability=calls[-1].capability, args=calls[-1].args | dict(wish.args))
    if wish.tool is not None:
        given = _args_of_foreign(wish, wish.tool, is_first=not rest)
        calls[-1] = ToolCall(capability=wish.tool.capability, args=given)
    return tuple(calls)


def args_of(target: Reference, capability: str) -> dict[str, Any]:
    """How a capability is told where."""
    match target:
        case Coordinate(x, y) if capability == PLACE:
            return {"q": f"{x:.10g}, {y:.10g}"}
        case Coordinate(x, y):
            return {"x": x, "y": y}
        case Egrid(egrid):
            return {"egrid": egrid}
        case Parcel(number, municipality):
            named = {"number": number, "municipality": municipality}
            return {name: value for name, value in named.items() if value}
        case Address() | Place() if capability == DISTANCE:
            return {"start": target.q if isinstance(target, Address) else target.spoken}
        case Address():
            return {"q": target.q}
        case Place():
            return {"q": target.name if capability == MUNICIPALITY else target.spoken}
        case _:
            return {}


def _args_of_foreign(wish: Wish, tool: ToolDescriptor, *, is_first: bool) -> dict[str, Any]:
    """What the message says of the parameters that the tool names as we do, and its one free text."""
    args: dict[str, Any] = {}
    known = _properties(tool)
    if wish.target is not None and is_first:
        args = {
            name: value for name, value in args_of(wish.target, "").items() if name in known and name != "q"
        }
    if isinstance(wish.target, Place) and "municipality" in known:
        args["municipality"] = wish.target.name
    free = _free_texts(tool, args)
    if wish.query and len(free) == 1:
        args[free[0]] = wish.query
    return args


def _free_texts(tool: ToolDescriptor, given: Mapping[str, Any]) -> list[str]:
    """The required parameters that take any text and that the message has not filled yet."""
    schemas = _properties(tool)
    free = _required(tool) - given.keys() - {"egrid", "number", "municipality"}
    return [name for name in sorted(free) if _takes_any_text(schemas.get(name))]


def _takes_any_text(schema: object) -> bool:
    narrowed = {"enum", "const", "pattern", "format"}
    return isinstance(schema, dict) and schema.get("type") == "string" and narrowed.isdisjoint(schema)


def _required(tool: ToolDescriptor) -> frozenset[str]:
    names = tool.parameters.get("required")
    return frozenset(map(str, names)) if isinstance(names, list | tuple) else frozenset()


def _properties(tool: ToolDescriptor) -> Mapping[str, Any]:
    properties = tool.parameters.get("properties")
    return properties if isinstance(properties, dict) else {}
