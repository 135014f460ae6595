"""What a message names: places, numbers and layers, and what stands around each of them. Pure."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from german.fold import fold

from planner.rules.grammar.parts import Mention, Part, Sign, Word
from planner.rules.learned.features import titled
from planner.rules.references.addresses import Address
from planner.rules.references.finding import Egrid, Reference
from planner.rules.references.parcels import Parcel
from planner.rules.references.places import Place

_NAMED = (Place, Address, Parcel, Egrid)
_ENDS = frozenset(".!?;\n")
_NEAR = 4
"""So many parts on either side are told apart by where they stand."""
_AROUND = 14
"""So many are looked at between one thing and the next."""
_FAR = 40
"""So many are looked at in the sentences before and after."""
_MOST = 3
_MOST_RIVALS = 8
"""Who names more tells a list."""


class Thing(NamedTuple):
    """The parts `start:end` of a message name it; a layer by its title."""

    start: int
    end: int
    what: Reference | str

    @property
    def kind(self) -> str:
        return "title" if isinstance(self.what, str) else type(self.what).__name__.lower()

    @property
    def is_layer(self) -> bool:
        return isinstance(self.what, str)


def things_in(parts: Sequence[Part]) -> tuple[Thing, ...]:
    """In their order."""
    mentions = ((n, part.what) for n, part in enumerate(parts) if isinstance(part, Mention))
    found = [Thing(n, n + 1, what) for n, what in mentions if isinstance(what, _NAMED)]
    return tuple(sorted([*found, *(Thing(*each) for each in titled(parts))], key=lambda each: each.start))


def rivals(things: Sequence[Thing]) -> tuple[tuple[int, ...], ...]:
    """Those of one sort, of which not all may be meant: all layers, and all that is no layer."""
    sorts = [tuple(n for n, each in enumerate(things) if each.is_layer is layers) for layers in (False, True)]
    return tuple(s for s in sorts if len(s) <= _MOST_RIVALS and len({things[n].what for n in s}) > 1)


def surroundings(parts: Sequence[Part], things: Sequence[Thing], n: int) -> frozenset[str]:
    """What a model looks at to tell whether the thing `n` is meant: all but what it is called.

    (But for layers: the words that name one may as well name something else.)
    """
    return frozenset(_Message(parts, things).around(n))


class _Message:
    def __init__(self, parts: Sequence[Part], things: Sequence[Thing]) -> None:
        self._parts, self._things = parts, things
        self._of_thing = {at: thing for thing in things for at in range(thing.start, thing.end)}

    def around(self, n: int) -> Iterator[str]:
        thing, parts = self._things[n], self._parts
        start = next((at + 1 for at in range(thing.start - 1, -1, -1) if _ends(parts[at])), 0)
        end = next((at for at in range(thing.end, len(parts)) if _ends(parts[at])), len(parts))
        before = self._things[n - 1].end if n else 0
        after = self._things[n + 1].start if n + 1 < len(self._things) else len(parts)
        yield from self._of(thing, n, start, end)
        for far in range(1, _NEAR + 1):
            for token in self._tokens(thing.start - far):
                yield from (f"{far} before {token}", f"before {token}")
            for token in self._tokens(thing.end - 1 + far):
                yield from (f"{far} after {token}", f"after {token}")
        stretches = {
            "since": range(max(before, thing.start - _AROUND), thing.start),
            "until": range(thing.end, min(after, thing.end + _AROUND)),
            "sentence before": range(start, thing.start),
            "sentence after": range(thing.end, end),
            "earlier": range(min(start, _FAR)),
            "later": range(end, min(end + _FAR, len(parts))),
        }
        for name, stretch in stretches.items():
            yield from (f"{name} {token}" for at in stretch for token in self._tokens(at))

    def _of(self, thing: Thing, n: int, start: int, end: int) -> Iterator[str]:
        """What it is, and where it stands among the others."""
        same = [each for each in self._things if each.kind == thing.kind]
        place = same.index(thing)
        yield f"is {thing.kind}"
        yield f"of {min(len(same), _MOST + 1)}"
        yield f"nth {min(place, _MOST)}"
        yield f"from last {min(len(same) - 1 - place, _MOST)}"
        yield f"last of all {n == len(self._things) - 1}"
        yield f"sentence ends {self._parts[end].text if end < len(self._parts) else ''}"
        yield f"some before {any(each.end <= start for each in same)}"
        yield f"some after {any(each.start >= end for each in same)}"
        if thing.is_layer:
            yield f"called {' '.join(part.folded for part in self._parts[thing.start : thing.end])}"

    def _tokens(self, at: int) -> Sequence[str]:
        if not 0 <= at < len(self._parts):
            return ("<end>",)
        if at in self._of_thing:
            return (f"<{self._of_thing[at].kind}>",)
        match self._parts[at]:
            case Sign(text=text):
                return (text,)
            case Word() as word if word.text.isdigit():
                return ("<number>",)
            case Word() as word:
                role = (f"<{word.role}>",) if word.role else ()
                return (*sorted({fold(word.text), word.folded}), *role)
        return ("<mention>",)


def _ends(part: Part) -> bool:
    return isinstance(part, Sign) and part.text in _ENDS
