"""What a sentence can point at: a coordinate, an EGRID, a parcel, an address, a place."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from planner.rules.reading.tokens import Token
from planner.rules.references.addresses import Address, find_addresses
from planner.rules.references.coordinates import Coordinate, find_coordinates, find_unknown_coordinates
from planner.rules.references.found import Found, Hit, outside, scan
from planner.rules.references.parcels import Parcel, find_parcels
from planner.rules.references.places import (
    Place,
    before_code,
    coded_place,
    is_homonym,
    is_lone_name,
    leads_to_place,
    place_at,
    place_elsewhere,
    region_at,
)

_EGRID = re.compile(r"(?<!\w)CH((?:[ -]?\d){6,20})(?![\w])", re.IGNORECASE | re.ASCII)
EGRID_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Egrid:
    """The federal identifier of a parcel: `CH` and 12 digits, without spaces."""

    egrid: str


@dataclass(frozen=True, slots=True)
class BrokenEgrid:
    """What looks like an EGRID but has the wrong number of digits."""

    written: str


@dataclass(frozen=True, slots=True)
class UnknownCoordinate:
    """Two numbers that name no point in Switzerland in any system that we know."""

    written: str


Reference = Coordinate | UnknownCoordinate | Egrid | BrokenEgrid | Parcel | Address | Place

PRECISION: tuple[type, ...] = (BrokenEgrid, UnknownCoordinate, Egrid, Parcel, Coordinate, Address, Place)
"""Of several references for one wish the first type here counts."""


def find_references(cleaned: str, tokens: Sequence[Token]) -> tuple[Found[Reference], ...]:
    """All references of a cleaned message, in order, without overlaps."""
    found: list[Found[Reference]] = [Found(c.coordinate, c.start, c.end) for c in find_coordinates(cleaned)]
    found += outside(found, _find_egrids(cleaned))
    found += outside(found, _find_unknown_coordinates(cleaned))
    for scanner in _SCANNERS:
        found.sort(key=_start)
        for stretch in tuple(_free_stretches(tokens, found)):
            found += scanner(stretch)
    return tuple(sorted(found, key=_start))


def _start(found: Found[Reference]) -> int:
    return found.start


def most_precise(references: Iterable[Reference]) -> Reference | None:
    return min(references, key=lambda r: PRECISION.index(type(r)), default=None)


def _find_unknown_coordinates(cleaned: str) -> Iterable[Found[Reference]]:
    for start, end in find_unknown_coordinates(cleaned):
        yield Found(UnknownCoordinate(cleaned[start:end].strip()), start, end)


def _find_egrids(cleaned: str) -> Iterable[Found[Reference]]:
    for m in _EGRID.finditer(cleaned):
        digits = re.sub(r"\D", "", m[1])
        complete = len(digits) == EGRID_DIGITS
        yield Found(Egrid(f"CH{digits}") if complete else BrokenEgrid(m.group()), m.start(), m.end())


def _find_places(tokens: Sequence[Token]) -> Iterable[Found[Reference]]:
    def place(i: int) -> Hit[Place] | None:
        hit = coded_place(tokens, i) or _named_place(tokens, i)
        return Hit(hit[0], before_code(tokens, i), hit[1]) if hit else None

    return scan(tokens, place)


def _named_place(tokens: Sequence[Token], i: int) -> tuple[Place, int] | None:
    expected = leads_to_place(tokens, i)
    hit = region_at(tokens, i) or place_at(tokens, i, fuzzy=expected or is_lone_name(tokens, i))
    if hit and is_homonym(tokens[i]) and not (expected or tokens[i].is_noun):
        beside = (*tokens[max(0, i - 1) : i], *tokens[i + 1 : i + 2])
        hit = hit if any(t.is_number for t in beside) else None  # 198 messen
    return hit or place_elsewhere(tokens, i)


def _free_stretches(
    tokens: Sequence[Token], found: Sequence[Found[Reference]]
) -> Iterable[tuple[Token, ...]]:
    """The runs of tokens between what is already found, which is in order and does not overlap."""
    start = 0
    for each in found:
        end = next((n for n in range(start, len(tokens)) if tokens[n].end > each.start), len(tokens))
        yield tuple(tokens[start:end])
        start = next((n for n in range(end, len(tokens)) if tokens[n].start >= each.end), len(tokens))
    yield tuple(tokens[start:])


_SCANNERS: Final[tuple[Callable[[Sequence[Token]], Iterable[Found[Reference]]], ...]] = (
    find_parcels,
    find_addresses,
    _find_places,
)
