"""Which tools, in which order, fulfil which wish; and what stands in for a tool that is not alive."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contracts.intents import Intent
from contracts.plan import ToolCall
from contracts.tools import ToolDescriptor

from planner.rules.addresses import Address
from planner.rules.coordinates import Coordinate
from planner.rules.parcels import Parcel
from planner.rules.places import Place
from planner.rules.references import Egrid, Reference
from planner.rules.wishes import Wish

GEOCODE = "geolocation.geocode"
MUNICIPALITY = "geolocation.municipality"
PLACE = "geolocation.place"
LAYERS = "layers.search"
BY_NUMBER = "parcels.by_number"
BY_EGRID = "parcels.by_egrid"
BY_XY = "parcels.by_xy"
HEIGHT = "terrain.height_by_xy"
GEOTHERMAL = "geothermal.assess_by_xy"
PLAN = "cadastral.plan_by_geometry"
EGRID_BY_XY = "oereb.egrid_by_xy"
EXTRACT = "oereb.extract_by_id"
RETRIEVE = "documents.retrieve"
CHECK = "documents.check"

KNOWN_CAPABILITIES = frozenset(
    {
        GEOCODE,
        MUNICIPALITY,
        PLACE,
        LAYERS,
        BY_NUMBER,
        BY_EGRID,
        BY_XY,
        HEIGHT,
        GEOTHERMAL,
        PLAN,
        EGRID_BY_XY,
        EXTRACT,
        RETRIEVE,
        CHECK,
    }
)

Route = tuple[str, ...]
"""Capabilities in the order of the calls. The first gets what the message says, the others what is found."""

_TO_POINT: dict[str, tuple[Route, ...]] = {
    "coordinate": ((),),
    "address": ((GEOCODE,),),
    "place": ((PLACE,), (GEOCODE,)),
    "parcel": ((BY_NUMBER,),),
    "egrid": ((BY_EGRID,),),
    "point in focus": ((),),
    "parcel in focus": ((),),
    "nothing": ((),),
}
_TO_PARCEL: dict[str, tuple[Route, ...]] = {
    "coordinate": ((BY_XY,), (EGRID_BY_XY,)),
    "address": ((GEOCODE, BY_XY), (GEOCODE, EGRID_BY_XY)),
    "parcel": ((BY_NUMBER,),),
    "egrid": ((BY_EGRID,), ()),
    "parcel in focus": ((),),
    "point in focus": ((BY_XY,), (EGRID_BY_XY,)),
    "nothing": ((BY_XY,), (EGRID_BY_XY,)),
}
_TO_EGRID: dict[str, tuple[Route, ...]] = {
    "coordinate": ((EGRID_BY_XY,), (BY_XY,)),
    "address": ((GEOCODE, EGRID_BY_XY), (GEOCODE, BY_XY)),
    "parcel": ((BY_NUMBER,),),
    "egrid": ((),),
    "parcel in focus": ((),),
    "point in focus": ((EGRID_BY_XY,), (BY_XY,)),
    "nothing": ((EGRID_BY_XY,), (BY_XY,)),
}


def _then(prefixes: Mapping[str, tuple[Route, ...]], last: str) -> dict[str, tuple[Route, ...]]:
    return {kind: tuple((*route, last) for route in routes) for kind, routes in prefixes.items()}


_ROUTES: dict[str, Mapping[str, tuple[Route, ...]]] = {
    Intent.GOTO_ADDRESS: {"address": ((GEOCODE,),)},
    Intent.SEARCH_PLACE: {
        "municipality": ((MUNICIPALITY,), (PLACE,)),
        "place": ((PLACE,), (MUNICIPALITY,)),
        "coordinate": ((PLACE,), (BY_XY,)),
    },
    Intent.LOAD_LAYER: {"nothing": ((LAYERS,),)},
    Intent.SHOW_PARCEL: {**_TO_PARCEL, "egrid": ((BY_EGRID,),), "parcel in focus": ((BY_EGRID,),)},
    Intent.OEREB_EXTRACT: _then(_TO_EGRID, EXTRACT),
    Intent.CADASTRAL_PLAN: _then(_TO_PARCEL, PLAN),
    Intent.GEOTHERMAL_PROBE_ASSESSMENT: _then(_TO_POINT, GEOTHERMAL),
    Intent.HEIGHT_QUERY: _then({**_TO_POINT, "municipality": _TO_POINT["place"]}, HEIGHT),
    Intent.SEARCH_DOCUMENTS: {"nothing": ((RETRIEVE,),)},
}
"""Intent -> kind of target -> routes, the best first."""


@dataclass(frozen=True)
class Way:
    """The calls for a wish; or, without calls, the capability that is missing for the best route."""

    calls: tuple[ToolCall, ...] = ()
    missing: str | None = None


def kind_of(target: Reference) -> str:
    """The name of its type in the tables; a locality and an unknown place are both a `place`."""
    match target:
        case Coordinate():
            return "coordinate"
        case Egrid():
            return "egrid"
        case Parcel():
            return "parcel"
        case Address():
            return "address"
        case Place(kind="municipality"):
            return "municipality"
        case _:
            return "place"


def accepts(wish: Wish, kind: str) -> bool:
    """Whether the wish can be fulfilled for that kind of target."""
    return kind in _table_of(wish)


def find_route(wish: Wish, kind: str, tools: Sequence[ToolDescriptor]) -> Way:
    """The calls of the first route whose tools are all alive."""
    alive = {tool.capability for tool in tools}
    routes = _table_of(wish).get(kind, ())
    for route in routes:
        if alive.issuperset(route):
            return Way(_calls(wish, route, tools))
    return Way(missing=next(c for c in routes[0] if c not in alive) if routes else None)


def _table_of(wish: Wish) -> Mapping[str, tuple[Route, ...]]:
    if wish.tool is None:
        return _ROUTES.get(wish.intent, {})
    return _routes_to(wish.tool)


def _routes_to(tool: ToolDescriptor) -> Mapping[str, tuple[Route, ...]]:
    """By what a foreign tool asks for: an EGRID, a point, or neither."""
    required = _required(tool)
    if "egrid" in required:
        return _then(_TO_EGRID, tool.capability)
    if {"x", "y"} <= required:
        return _then({**_TO_POINT, "municipality": _TO_POINT["place"]}, tool.capability)
    kinds = (*_TO_POINT, "municipality")
    direct: dict[str, tuple[Route, ...]] = {}
    for kind in kinds:
        direct[kind] = ((tool.capability,),)
    if {"x", "y"} <= _properties(tool).keys():
        direct["address"] = ((GEOCODE, tool.capability),)
    return direct


def _calls(wish: Wish, route: Route, tools: Sequence[ToolDescriptor]) -> tuple[ToolCall, ...]:
    first, *rest = route
    args = _args_of(wish.target, first) if wish.target else {}
    if first in (LAYERS, RETRIEVE):
        args = {"query": wish.query} if wish.query else {}
        known = _properties(next(tool for tool in tools if tool.capability == first))
        if wish.filters and "filters" in known:
            args["filters"] = dict(wish.filters)
    calls = [ToolCall(capability=first, args=args), *(ToolCall(capability=c) for c in rest)]
    if wish.intent == Intent.OEREB_EXTRACT and wish.query:
        calls[-1] = ToolCall(capability=EXTRACT, args=calls[-1].args | {"question": wish.query})
    if wish.tool is not None:
        given = _args_of_foreign(wish, wish.tool, is_first=not rest)
        calls[-1] = ToolCall(capability=wish.tool.capability, args=given)
    return tuple(calls)


def _args_of(target: Reference, capability: str) -> dict[str, Any]:
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
            name: value for name, value in _args_of(wish.target, "").items() if name in known and name != "q"
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
