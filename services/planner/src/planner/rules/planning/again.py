"""What a step was planned for, as a wish once more: `planner.rules.planning.routes` backwards."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from contracts.intents import CLAIMED, Intent
from contracts.session import Session, Wanted
from contracts.tools import ToolDescriptor
from swissgeo.lv95 import is_lv95

from planner.rules.grammar.features import layers_in_view
from planner.rules.grammar.parts import Mention
from planner.rules.grammar.rewriting import moved
from planner.rules.grammar.utterance import utterance_of
from planner.rules.grammar.wishes import Wish
from planner.rules.planning.steps import LACKING
from planner.rules.references.coordinates import Coordinate
from planner.rules.references.finding import Egrid, Reference, most_precise
from planner.rules.references.layers import title_called
from planner.rules.references.parcels import Parcel
from planner.rules.references.places import Place

_TALK: Final = frozenset({Intent.ANSWER, Intent.CLARIFY})
_MEASURED: Final = frozenset({Intent.MEASURE_DISTANCE, Intent.QUERY_FEATURES})
_MEASURED_AT: Final = frozenset({"start", "everywhere", "municipality", "extent"})
_WORDS: Final = ("query", "question")
_PLACES: Final = frozenset({"x", "y", "egrid", "number", "municipality", "q"})
_HERE: Final = "here"


def wish_of(wanted: Wanted, session: Session, tools: Sequence[ToolDescriptor]) -> Wish:
    """Once more, on the map as it is now, and with the option that was chosen."""
    if wanted.intent in _TALK:
        lacking = wanted.args.get(LACKING)
        return Wish(lacking) if isinstance(lacking, str) else Wish(wanted.intent, text="")
    others = (tool for tool in tools if tool.capability not in CLAIMED)
    tool = next((each for each in others if each.capability.replace(".", "_") == wanted.intent), None)
    wish = _of_other_tool(wanted, tool) if tool else _of_ours(wanted, session)
    return of_option(wish, wanted.chosen) if wanted.chosen else wish


def _of_ours(wanted: Wanted, session: Session) -> Wish:
    args = {name: value for name, value in wanted.args.items() if name not in ("among", _HERE)}
    query = next((text for name in _WORDS if isinstance(text := args.pop(name, ""), str) and text), "")
    filters = args.pop("filters", {})
    target = _place_in(args)
    counts = wanted.intent == Intent.QUERY_FEATURES
    if target is not None or not counts:
        args = {name: value for name, value in args.items() if name not in _PLACES}
    if "extent" in args and session.view:
        args["extent"] = tuple(session.view.extent)
    if wanted.intent == Intent.IDENTIFY and "place" not in args:
        args = {"layers": layers} if (layers := layers_in_view(session)) else {}
    nowhere = target is None and args.keys().isdisjoint(_MEASURED_AT)
    return Wish(
        wanted.intent,
        target,
        query,
        args,
        at_place=wanted.intent in _MEASURED and (nowhere or _HERE in wanted.args),
        filters=filters if isinstance(filters, dict) else {},
    )


def _of_other_tool(wanted: Wanted, tool: ToolDescriptor) -> Wish:
    """That of its arguments which is no place is what it was asked in words."""
    target = _place_in(wanted.args)
    town = wanted.args.get("municipality")
    if target is None and isinstance(town, str):
        target = Place(town, "municipality")
    said = (value for name, value in wanted.args.items() if name not in _PLACES)
    return Wish(wanted.intent, target, next((text for text in said if isinstance(text, str)), ""), tool=tool)


def _place_in(args: dict[str, Any]) -> Reference | None:
    match args:
        case {"x": int() | float() as x, "y": int() | float() as y} if is_lv95((x, y)):
            return Coordinate(x, y)
        case {"egrid": str(egrid)}:
            return Egrid(egrid)
        case {"number": str(number), "municipality": str(name)}:
            return Parcel(number, name)
        case {"number": str(number)}:
            return Parcel(number)
        case {"q": str(q)}:
            return _place_called(q)
        case {"municipality": str(name)} if "layer" not in args:
            return Parcel(None, name)
        case _:
            return None


def _place_called(name: str) -> Reference:
    """One of those that there are if that is all that it says; not `Kantonsspital Olten`."""
    parts = utterance_of(name).parts
    found = named_in_label(name) if not any(part.is_content for part in parts) else None
    return found or Place(name, "unknown")


def of_option(wish: Wish, label: str) -> Wish:
    """What a wish comes to with one of the options that it has led to."""
    target = named_in_label(label)
    if wish.intent == Intent.LOAD_LAYER or target is None:
        named = label if title_called(label) else label.rpartition(" (")[0]  # Waldplan (Gruppe)
        return replace(wish, query=named or label) if wish.query else wish
    return next(iter(moved((wish,), target) or (wish,)))


def named_in_label(label: str) -> Reference | None:
    return most_precise([part.what for part in utterance_of(label).parts if isinstance(part, Mention)])
