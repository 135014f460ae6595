"""What each of several things is wanted for: as the model hears it, and as lists and streets tell."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from contracts.intents import Intent

from planner.rules.grammar.parts import Mention, Part, Sign
from planner.rules.grammar.utterance import Utterance
from planner.rules.learned.things import things_in
from planner.rules.learned.wanted import SURE, Wanted, wanted_in
from planner.rules.reading.lexicon import GLUE, Role
from planner.rules.reading.tables import table
from planner.rules.references.addresses import Address
from planner.rules.references.parcels import Parcel
from planner.rules.references.places import Place

_LISTS: Final = GLUE | {Role.SHOW, Role.LOAD, Role.LAYER, Role.EVERYTHING, Role.GREETING, Role.THANKS, None}
"""What may stand in a mere list of names."""
TAKES_BACK: Final = frozenset({Role.NOT, Role.NO, Role.NONE, Role.CORRECTION, Role.OTHER})
_ONLY: Final = frozenset(table("words.toml")["exceptions"]["only"].split())
_OF_SPEAKER: Final = frozenset({"bin", "sind"})
"""`Wald und Karst, ich bin Waldbesitzer`"""
_BETWEEN_NAMES: Final = frozenset(",;+&")
_BEFORE_NAMES: Final = frozenset({"der", "die", "das", "den", "noch", "auch", "dann", "-"})


def wanted_of(said: Utterance) -> tuple[Wanted, ...]:
    """What each of several things is wanted for, as it is heard; all of a mere list is wanted."""
    wanted = _with_houses(wanted_in(said), said)
    if not wanted or not _is_list(said):
        return wanted
    starts, ends = ({each.thing[n] for each in wanted} for n in (0, 1))
    beside = [each.thing.start in ends or each.thing.end in starts for each in wanted]
    return tuple(each if near else _surely(each) for each, near in zip(wanted, beside, strict=True))


def _surely(wanted: Wanted) -> Wanted:
    intent = Intent.LOAD_LAYER if wanted.thing.is_layer else Intent.SEARCH_PLACE
    return Wanted(wanted.thing, {**dict.fromkeys(wanted.probable, 0.0), intent: 1.0})


def _is_list(said: Utterance) -> bool:
    """`Zeig mir Karst, Geotope und Moore. Danke!`: nothing but names of layers and places in one sentence."""
    naming = [each for each in said.sentences if things_in(each.parts)]
    if len(naming) != 1 or naming[0].asks or not TAKES_BACK.isdisjoint(said.roles):
        return False
    parts, things = naming[0].parts, things_in(naming[0].parts)
    if not all(isinstance(thing.what, Place | str) for thing in things):
        return False
    around = (*parts[: things[0].start], *parts[things[-1].end :])
    between = (parts[one.end : other.start] for one, other in pairwise(things))
    return all(map(_says_nothing, around)) and all(map(_join, between))


def _says_nothing(part: Part) -> bool:
    plain = isinstance(part, Sign) or (part.role in _LISTS and not part.is_content)
    return plain and (_ONLY | _OF_SPEAKER).isdisjoint(part.folded.split())


def _join(parts: Sequence[Part]) -> bool:
    """`, und die`, `und noch`"""
    joints = [part for part in parts if part.text in _BETWEEN_NAMES or part.role is Role.AND]
    return bool(joints) and all(part in joints or part.folded in _BEFORE_NAMES for part in parts)


def _with_houses(wanted: Sequence[Wanted], said: Utterance) -> tuple[Wanted, ...]:
    """`Rötistrasse 22 und 24`: a number that is surely to be shown is one of the only street."""
    named = (part.what for part in said.parts if isinstance(part, Mention))
    streets = {replace(what, house_number=None) for what in named if isinstance(what, Address)}
    if len(streets) != 1:
        return tuple(wanted)
    (street,) = streets
    return tuple(_as_house(each, street, said) for each in wanted)


def _as_house(wanted: Wanted, street: Address, said: Utterance) -> Wanted:
    is_named = isinstance(said.parts[wanted.thing.start], Mention)
    match wanted.thing.what:
        case Parcel(number=number) if not is_named and wanted.of(Intent.SEARCH_PLACE) > SURE:
            house = replace(street, house_number=number)
            return wanted._replace(thing=wanted.thing._replace(what=house))
    return wanted
