"""What a message names: places, numbers and layers. Pure."""

from collections.abc import Container, Iterator, Sequence
from string import digits
from typing import NamedTuple

from planner.rules.grammar.parts import Mention, Part, Word
from planner.rules.learned.features import titled
from planner.rules.learned.titles import certain_title
from planner.rules.reading.known import known
from planner.rules.reading.lexicon import ACTIONS
from planner.rules.references.addresses import Address
from planner.rules.references.finding import Egrid, Reference
from planner.rules.references.parcels import Parcel, is_parcel_number, plain_number
from planner.rules.references.places import COUNTED, Place

_NAMED = (Place, Address, Parcel, Egrid)
_SORTS: tuple[tuple[type, ...], ...] = ((Place,), (Address, Parcel, Egrid), (str,))


class Thing(NamedTuple):
    """The parts `start:end` of a message name it; a layer by its title."""

    start: int
    end: int
    what: Reference | str

    @property
    def at(self) -> range:
        return range(self.start, self.end)

    @property
    def is_layer(self) -> bool:
        return isinstance(self.what, str)


def things_in(parts: Sequence[Part]) -> tuple[Thing, ...]:
    """In their order; numbers that stand alone may be those of parcels."""
    layers = (Thing(*each) for each in titled(parts))
    found = [*_mentioned(parts), *(each for each in layers if not _is_action(parts[each.start : each.end]))]
    covered = {n for thing in found for n in thing.at}
    found += (thing for thing in (*_numbers(parts), *_meant(parts, covered)) if thing.start not in covered)
    return tuple(sorted(found, key=lambda each: each.start))


def _meant(parts: Sequence[Part], covered: Container[int]) -> Iterator[Thing]:
    """Layers that are called by a word that is no name of them, but can hardly mean another: `Steischlag`."""
    titles = {layer.name for layer in known().vocabulary.layers}
    for n, part in enumerate(parts):
        is_name = isinstance(part, Word) and part.is_content and not part.text[:1].isdigit()
        if is_name and n not in covered and (title := certain_title([part])) in titles:
            yield Thing(n, n + 1, title)


def _mentioned(parts: Sequence[Part]) -> Iterator[Thing]:
    """Without streets: what has no number may as well be something else (`Route irgendwo`)."""
    for n, part in enumerate(parts):
        if isinstance(part, Mention) and isinstance(part.what, _NAMED) and not _is_street(part.what):
            yield Thing(n, n + 1, part.what)


def _is_action(named: Sequence[Part]) -> bool:
    """`Affiche les communes`: a word for what is to be done, and no poster."""
    return all(part.role in ACTIONS for part in named)


def _is_street(what: Reference) -> bool:
    return isinstance(what, Address) and what.house_number is None


def _numbers(parts: Sequence[Part]) -> Iterator[Thing]:
    for n, part in enumerate(parts):
        is_number = isinstance(part, Word) and part.role is None and is_parcel_number(part.text)
        if is_number and not _is_measured(part.folded, parts[n + 1 : n + 3]):
            yield Thing(n, n + 1, Parcel(plain_number(part.text)))


def _is_measured(number: str, behind: Sequence[Part]) -> bool:
    """Whether a number says how far or how much: `500 m`, `500m`, `1.5 km`, `50 %`."""
    others = (each.folded or each.text for each in behind if not each.folded.isdigit())
    return (number.lstrip(digits) or next(others, "")) in COUNTED


def rivals(things: Sequence[Thing]) -> tuple[tuple[int, ...], ...]:
    """Those of one sort, of which not all may be meant: places, what has a number, and layers."""
    sorts = [tuple(n for n, each in enumerate(things) if isinstance(each.what, sort)) for sort in _SORTS]
    return tuple(s for s in sorts if len({things[n].what for n in s}) > 1)
