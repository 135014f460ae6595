"""What an unfinished message may be about: names that begin like its last words, else nearly like them."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from contracts.items import Coord
from contracts.suggest import Suggestion, SuggestionKind, Suggestions
from german.spelling import forgiven_edits
from german.words import words, words_in
from rapidfuzz import process
from rapidfuzz.distance import OSA

from tools_geo.embedded.datafiles import Dataset
from tools_geo.known_names import KnownName, known_names
from tools_geo.name_query import FILLERS
from tools_geo.spelling import compact, place_key, street_key

_MAX_WORDS = 4
"""A street with number, postal code and locality."""
_MIN_CHARS = 3
"""Of a part of a sentence; on its own, fewer may already be the beginning of a name."""
_MIN_MISTYPED = 6
_MAX_HITS = 400
"""Of one kind: more begin like this only while hardly anything is written."""
_MAX_COMPARED = 20_000
_GERMAN = {"gb", "grundstueck", "nr", "parzelle"}
_PARCEL_WORDS = _GERMAN | {"fondo", "mappale", "parcel", "parcella", "parcelle", "particella"}
_BESIDE_NUMBERS = FILLERS | {"a", "of"}
_KINDS: tuple[SuggestionKind, ...] = ("municipality", "place", "address", "layer", "parcel")
"""Of equally good ones, in this order."""


@dataclass(frozen=True)
class _Key:
    key: str
    name: KnownName
    is_own: bool
    written: str = ""


@dataclass(frozen=True)
class _Hit:
    found: _Key
    edits: int
    is_whole: bool

    @property
    def rank(self) -> tuple[object, ...]:
        kind = _KINDS.index(self.found.name.kind)
        return self.edits, not self.found.is_own, not self.is_whole, kind, len(self.found.key), self.found.key

    def told(self, language: str) -> Suggestion:
        name = self.found.name
        detail = self.found.written or (name.detail(language) if name.detail else "")
        return Suggestion(kind=name.kind, label=name.label(language), detail=detail or None, coord=name.coord)


class Suggesting:
    """Pure, and built once."""

    def __init__(self, data: Dataset | None) -> None:
        known = [key for name in (known_names(data) if data else ()) for key in _keys(name)]
        self._keys = {
            kind: sorted((key for key in known if key.name.kind == kind), key=lambda key: key.key)
            for kind in _KINDS
        }

    def of(self, q: str, limit: int, language: str) -> Suggestions:
        """For as many of the last words as are the beginning of a name; without one, of nearly a name."""
        ends = [end for end in _ends(q) if end.keys]
        for look in (self._beginnings, self._mistyped):
            for end in ends:
                if told := _told(look(end), limit, language):
                    return Suggestions(items=told, from_=end.start)
        return Suggestions(from_=len(q))

    def _beginnings(self, end: "_End") -> Iterator[_Hit]:
        for kind, written in end.keys:
            keys = self._keys[kind]
            first = bisect_left(keys, written, key=lambda key: key.key)
            for found in islice(keys, first, first + _MAX_HITS):
                if not found.key.startswith(written):
                    break
                yield _Hit(found, 0, found.key == written)

    def _mistyped(self, end: "_End") -> Iterator[_Hit]:
        if end.begins_with_filler:
            return
        for kind, written in end.keys:
            if kind == "parcel" or len(written) < _MIN_MISTYPED:
                continue
            keys = self._keys[kind]
            # The first letter is hardly ever wrong, and the others need not be compared.
            first = bisect_left(keys, written[0], key=lambda key: key.key)
            last = bisect_left(keys, written[0] + "\uffff", key=lambda key: key.key)
            near = keys[first : min(last, first + _MAX_COMPARED)]
            forgiven = forgiven_edits(len(written))
            # Whoever has left out letters has written the beginning of something longer.
            for length in range(len(written), len(written) + forgiven + 1):
                begun = [key.key[:length] for key in near]
                for _, edits, n in process.extract(
                    written, begun, scorer=OSA.distance, score_cutoff=forgiven, limit=_MAX_HITS
                ):
                    # Another number is no mistake in spelling.
                    if _digits(near[n].key).startswith(_digits(written)):
                        yield _Hit(near[n], int(edits), is_whole=False)


@dataclass(frozen=True)
class _End:
    """Some last words of a message, by kind of name as they would stand in the index."""

    start: int
    keys: tuple[tuple[SuggestionKind, str], ...]
    begins_with_filler: bool


def _ends(q: str) -> Iterator[_End]:
    """The longest first."""
    found = list(words_in(q))
    for word in found[-_MAX_WORDS:]:
        rest = q[word.start :]
        parts = words(rest)
        if not parts:
            continue
        is_filler = parts[0] in FILLERS
        if len(found) > 1 and len(parts) == 1 and (is_filler or len(parts[0]) < _MIN_CHARS):
            continue
        yield _End(word.start, tuple(_written(rest, parts)), is_filler)


def _written(rest: str, parts: Sequence[str]) -> Iterator[tuple[SuggestionKind, str]]:
    plain = place_key(rest)
    keys: list[tuple[SuggestionKind, str]] = [
        ("municipality", plain),
        ("place", plain),
        ("address", _address_key(parts)),
        ("layer", compact(parts)),
    ]
    named = parts[next((n for n, part in enumerate(parts) if part not in _PARCEL_WORDS), len(parts)) :]
    if named and (named[0][0].isdigit() or named[0].startswith("ch")):
        keys.append(("parcel", compact([named[0], *(p for p in named[1:] if p not in _BESIDE_NUMBERS)])))
    yield from ((kind, key) for kind, key in keys if key)


def _address_key(parts: Sequence[str]) -> str:
    """`Rötistr. 22` as roetistrasse22, also when it goes on."""
    number = next((n for n, part in enumerate(parts) if part[0].isdigit()), len(parts))
    street = street_key([street_key([part]) for part in parts[:number]])
    return street + compact(parts[number:])


def _told(hits: Iterator[_Hit], limit: int, language: str) -> tuple[Suggestion, ...]:
    told: dict[tuple[str, str, Coord | None], Suggestion] = {}
    for hit in sorted(hits, key=lambda hit: hit.rank):
        suggestion = hit.told(language)
        told.setdefault((suggestion.kind, suggestion.label, suggestion.coord), suggestion)
        if len(told) == limit:
            break
    return tuple(told.values())


def _keys(name: KnownName) -> Iterator[_Key]:
    for key in dict.fromkeys(filter(None, name.keys)):
        yield _Key(key, name, is_own=True)
    for key, written in name.further:
        if key and key not in name.keys:
            yield _Key(key, name, is_own=False, written=written)


def _digits(key: str) -> str:
    return "".join(filter(str.isdigit, key))
