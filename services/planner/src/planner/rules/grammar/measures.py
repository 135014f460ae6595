"""How far it is; and what nobody here can measure: lengths, differences of heights, areas of towns."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from contracts.intents import Intent
from contracts.tools import ToolDescriptor

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.parts import Mention, Part, Word
from planner.rules.grammar.targets import located, target_of
from planner.rules.grammar.wishes import Wish, clarify
from planner.rules.reading.lexicon import Role
from planner.rules.reading.tables import table
from planner.rules.reading.topics import is_theme
from planner.rules.references.addresses import Address
from planner.rules.references.coordinates import Coordinate
from planner.rules.references.finding import Egrid, Reference
from planner.rules.references.parcels import Parcel
from planner.rules.references.places import Place

_WORDS: Final = table("words.toml")["measuring"]
_COMPARED: Final = frozenset(_WORDS["compared"].split())
_UNITS: Final = frozenset(_WORDS["units"].split())
_ORDERS: Final = frozenset(_WORDS["orders"].split())
_AREAS: Final = frozenset(_WORDS["areas"].split())
_FAR: Final = frozenset(_WORDS["far"].split())
_NOT_FAR: Final = frozenset(_WORDS["not_far"].split())
DISTANCE: Final = "geolocation.distance"
_ENDS = 2
_MAX_NAME_CHARS = 200
_TO: Final = frozenset({"nach", "bis"})
_FROM: Final = frozenset({"von", "ab"})
_APART: Final = frozenset(_WORDS["apart"].split())
_DASHES: Final = frozenset("-–—")
_HIGHER: Final = frozenset({"hoeher", "tiefer"})
_IT: Final = frozenset({"das", "es"})


def distance(clause: Clause, tools: Sequence[ToolDescriptor]) -> tuple[Wish, ...] | None:
    """`Wie weit ist es von Olten nach Solothurn?`, `Distanz von hier bis Grenchen`"""
    said = clause.said
    if not said & _FAR or said & _NOT_FAR or clause.roles & {Role.HEIGHT, Role.DOCUMENT}:
        return None
    unknown = tuple(_unknown_ends(clause))
    if set(_subjects(clause)) - {each.folded for each in unknown}:
        return None
    ends = tuple(_ends((*clause.mentions, *unknown), clause.parts))
    if not any(tool.capability == DISTANCE for tool in tools) or not 0 < len(ends) <= _ENDS:
        return None
    *start, end = (_spoken(each)[:_MAX_NAME_CHARS] for each in ends)
    args = {"end": end} | ({"start": start[0]} if start else {})
    return (Wish(Intent.MEASURE_DISTANCE, args=args, at_place=not start),)


def _unknown_ends(clause: Clause) -> Iterator[Mention]:
    """`von Olten bis Atlantis`, `Olten – Atlantis`: who measures says that nobody knows it."""
    for before, word in pairwise(clause.parts):
        named = isinstance(word, Word) and word.role is None and word.is_noun and word.folded.isalpha()
        if named and (before.folded in _TO or before.text in _DASHES) and not is_theme(word.folded):
            what = Place(word.text, "unknown")
            yield Mention(word.text, word.folded, start=word.start, what=what)


def _ends(mentions: Sequence[Mention], parts: Sequence[Part]) -> Iterator[Reference]:
    """The places that are named, an address with its town as one; one without has that of the other."""
    places = sorted(mentions, key=lambda each: each.start)
    towns = {id(one): later for one, later in pairwise(places) if _is_town_of(one, later, parts)}
    taken = {id(town) for town in towns.values()}
    ends = [
        located(each.what, town.what)
        if (town := towns.get(id(each))) and isinstance(town.what, Place)
        else each.what
        for each in places
        if id(each) not in taken
    ]
    shared = next((each.place for each in ends if isinstance(each, Address) and each.place), "")
    for each in ends:
        yield located(each, Place(shared, "locality")) if shared else each


def _is_town_of(address: Mention, place: Mention, parts: Sequence[Part]) -> bool:
    """`Rötistrasse 25 in Solothurn`"""
    between = [part.folded for part in parts if address.start < part.start < place.start]
    return (
        isinstance(address.what, Address) and isinstance(place.what, Place) and between in (["in"], [""], [])
    )


def measured_to(wish: Wish, end: Reference) -> Wish:
    """The same distance, to somewhere else."""
    return replace(wish, args={**wish.args, "end": _spoken(end)[:_MAX_NAME_CHARS]})


def measured_from(wish: Wish, start: Reference) -> Wish:
    """The same distance, from somewhere else."""
    return replace(wish, args={**wish.args, "start": _spoken(start)[:_MAX_NAME_CHARS]}, at_place=False)


def measures(wish: Wish, spot: Reference) -> bool:
    """Whether it is a distance from or to a place."""
    ends = (wish.args.get("start"), wish.args.get("end"))
    return wish.intent == Intent.MEASURE_DISTANCE and _spoken(spot)[:_MAX_NAME_CHARS] in ends


def between_both(clause: Clause, ends: Sequence[Reference]) -> Wish | None:
    """`Wie weit liegen die beiden auseinander?`: the two places that were talked about last."""
    if not clause.said & _FAR or clause.said & _NOT_FAR or clause.mentions or len(ends) < _ENDS:
        return None
    if not clause.said & _APART or set(_subjects(clause)) - _APART:
        return None
    last, first = (_spoken(each)[:_MAX_NAME_CHARS] for each in ends[:_ENDS])
    return Wish(Intent.MEASURE_DISTANCE, args={"start": first, "end": last})


def asks_how_far(clause: Clause) -> bool:
    """`wie weit`, `Distanz`"""
    return bool(clause.said & _FAR)


def goes_to(clause: Clause) -> bool:
    """`bis Luterbach`"""
    return "bis" in clause.said


def goes_from(clause: Clause) -> bool:
    """`von Olten aus`"""
    return bool(clause.said & _FROM) and not clause.said & _TO


def _spoken(place: Reference) -> str:
    """As a search understands it."""
    match place:
        case Coordinate(x, y):
            return f"{x:.10g} / {y:.10g}"
        case Address():
            return place.q
        case Place():
            return place.spoken
        case Parcel(number, municipality):
            return f"Grundstück {number or ''} {municipality or ''}".strip()
        case Egrid(egrid):
            return egrid
        case _:
            return place.written


def measuring(clause: Clause) -> tuple[Wish, ...] | None:
    """An honest no; nothing where the words are rather about something else: `Welcher Abstand gilt?`"""
    if Role.HEIGHT in clause.roles and len(clause.mentions) < 2:
        return None  # Wie viele Meter über Meer liegt Olten?
    places = [mention.what for mention in clause.mentions if isinstance(mention.what, Place)]
    if clause.said & _HIGHER and len(places) == _ENDS and not _subjects(clause):
        return tuple(Wish(Intent.HEIGHT_QUERY, place) for place in places)  # Liegt Olten höher als Trimbach?
    if Role.MEASURE in clause.roles and (_says_where(clause) or _orders(clause)):
        in_other_units = any(set(word.folded.split()) & _AREAS for word in clause.words)
        return (clarify("only_square_metres" if in_other_units else "no_measuring"),)
    target = target_of(clause) if Role.SIZE in clause.roles and not _subjects(clause) else None
    if isinstance(target, Place) and Role.PARCEL not in clause.roles:
        return (clarify("no_area", place=target.spoken),)
    return None


def _says_where(clause: Clause) -> bool:
    subjects, said = _subjects(clause), {word.folded for word in clause.words}
    leads = said & _TO and target_of(clause) is not None  # Wie weit ist es nach Bern?
    named = clause.mentions or clause.roles & {Role.HERE, Role.PARCEL} or said & (_COMPARED | _IT)
    return bool(len(clause.mentions) > 1 or (leads and len(subjects) < 2) or (named and not subjects))


def _subjects(clause: Clause) -> list[str]:
    """What it is about besides places and numbers."""
    words = (word for word in clause.content if not word.text[0].isdigit())
    return [word.folded for word in words if word.folded not in _UNITS | _COMPARED | _ORDERS]


def _orders(clause: Clause) -> bool:
    return Role.QUESTION not in clause.roles and any(word.folded in _ORDERS for word in clause.words)
