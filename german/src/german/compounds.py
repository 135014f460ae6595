"""Takes German compounds apart: `Grundwasserschutzzonen` -> Grundwasser, Schutz, Zonen and all between."""

from collections.abc import Callable, Container
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise

from german.fold import bare
from german.stems import stem

MIN_COMPOUND_CHARS = 7
"""Shorter words are hardly ever compounds that anybody asks for by a part."""
_MIN_PART_CHARS = 4
"""Of a word of the corpus; the parts that ship with the service may be shorter (`Bau`, `Weg`)."""
_MIN_SHIPPED_CHARS = 3
_MAX_COMPOUND_CHARS = 48
_LINKS = ("", "s", "es", "n", "en")
"""What German puts between the parts: Gewässer-schutz, Nutzung-s-plan, Strasse-n-lärm."""
ALL_LINKS = (*_LINKS, "er", "e")
"""With those that ask for known words on both sides: Lärm-e-messung, Kind-er-garten."""
_MIN_REST = 3
"""So few unknown letters are no part of their own: `rente` has nothing to do with `ente`."""
_MIN_KNOWN_SHARE = 0.5
"""Of a compound, so much must be known words: more of it is unknown, and it is about something else."""
_LISTED_COST, _FOUND_COST = 1.0, 1.15
"""Fewer parts are better, and between equals those that are known for sure."""

IsWord = Callable[[str], bool]
"""Whether a term occurs by itself, often enough to believe in it."""


@lru_cache(maxsize=1)
def shipped_parts() -> frozenset[str]:
    """Terms that form compounds in administrative German, whatever a corpus holds."""
    listed = files("german").joinpath("data/parts.txt").read_text(encoding="utf-8")
    return frozenset(stem(word) for line in listed.splitlines() for word in line.partition("#")[0].split())


def part_candidates(form: str) -> frozenset[str]:
    """Every term that could be a part of a word: what `IsWord` may be asked about it."""
    letters = bare(form)
    if not _may_be_compound(letters):
        return frozenset()
    return frozenset(
        term
        for start in range(len(letters) - _MIN_SHIPPED_CHARS + 1)
        for end in range(start + _MIN_SHIPPED_CHARS, len(letters) + 1)
        if end - start < len(letters)
        for term in _terms_of_part(letters[start:end], last=end == len(letters))
    )


def split(form: str, is_word: IsWord) -> frozenset[str]:
    """The terms of all parts of a compound, longest ones included; nothing when it is none.

    Of four parts `abcd` these are a, b, c, d, ab, bc, cd, abc and bcd.
    """
    letters = bare(form)
    if not _may_be_compound(letters):
        return frozenset()
    cuts = _cuts(letters, is_word)
    if len(cuts) < 3:
        return frozenset()
    found = set()
    for first in range(len(cuts) - 1):
        for last in range(first + 1, len(cuts)):
            if last - first < len(cuts) - 1:
                part, ends = letters[cuts[first] : cuts[last]], last == len(cuts) - 1
                found.add(stem(part if ends else _unlinked(part, is_word)))
    return frozenset(found) - {stem(form)}


def parts_of(compound: str, known: Container[str]) -> tuple[tuple[str, ...], bool]:
    """The known words that a folded compound is made of, and whether they are all of it.

    `laermschutzzone` -> laerm, schutzzone. The fewest letters may be left over, then the fewest parts win.
    Nothing for a word with much else in it.
    """
    # best[i]: letters left over, number of parts, and the parts, of compound[i:].
    best: list[tuple[int, int, tuple[str, ...]]] = [(0, 0, ())] * (len(compound) + 1)
    for start in range(len(compound) - 1, -1, -1):
        unknown, count, parts = best[start + 1]
        options = [(unknown + 1, count, parts)]
        for end in range(start + _MIN_PART_CHARS, len(compound) + 1):
            part = compound[start:end]
            if part == compound or part not in known:
                continue
            for link in ALL_LINKS:
                if compound.startswith(link, end):
                    unknown, count, parts = best[end + len(link)]
                    options.append((unknown, count + 1, (part, *parts)))
        best[start] = min(options, key=lambda option: option[:2])
    unknown, _, parts = best[0]
    if 0 < unknown < _MIN_REST or unknown > len(compound) * (1 - _MIN_KNOWN_SHARE):
        return (), False
    return parts, unknown == 0


def _may_be_compound(letters: str) -> bool:
    return MIN_COMPOUND_CHARS <= len(letters) <= _MAX_COMPOUND_CHARS and letters.isalpha()


def _cuts(letters: str, is_word: IsWord) -> list[int]:
    """Where the parts begin, and the end: the cheapest way through the word, its parts cut again."""
    whole = len(letters)
    best: dict[int, tuple[float, list[int]]] = {0: (0.0, [0])}
    for end in range(_MIN_SHIPPED_CHARS, whole + 1):
        ways = [
            (cost + price, [*cuts, end])
            for start, (cost, cuts) in best.items()
            if _MIN_SHIPPED_CHARS <= end - start < whole
            and (price := _price(letters[start:end], is_word, last=end == whole)) is not None
        ]
        if ways:
            best[end] = min(ways, key=lambda way: way[0])
    if whole not in best:
        return []
    cuts = {0, whole}
    found = best[whole][1]
    for start, end in pairwise(found):
        cuts.add(end)
        if end - start >= MIN_COMPOUND_CHARS:
            cuts.update(start + cut for cut in _cuts(letters[start:end], is_word))
    return sorted(cuts)


def _price(part: str, is_word: IsWord, *, last: bool) -> float | None:
    """What it costs to believe in a part; None when it is no word."""
    terms = _terms_of_part(part, last=last)
    if any(term in shipped_parts() for term in terms):
        return _LISTED_COST
    if len(part) >= _MIN_PART_CHARS and any(len(t) >= _MIN_PART_CHARS - 1 and is_word(t) for t in terms):
        return _FOUND_COST
    return None


def _terms_of_part(part: str, *, last: bool) -> tuple[str, ...]:
    """The last part has an ending of its own, those before it may have a link (`Kanton-s-rat`)."""
    if last:
        return (stem(part),)
    stripped = (part.removesuffix(link) for link in _LINKS if part.endswith(link))
    return tuple(dict.fromkeys(stem(s) for s in stripped if len(s) >= _MIN_SHIPPED_CHARS))


def _unlinked(part: str, is_word: IsWord) -> str:
    """The part without the link to the next one, where that is the word that is known."""
    for link in _LINKS:
        if part.endswith(link) and len(shorter := part.removesuffix(link)) >= _MIN_SHIPPED_CHARS:
            term = stem(shorter)
            if term in shipped_parts() or is_word(term):
                return shorter
    return part.removesuffix("s") if part.endswith(("ts", "gs", "ns", "ms", "ls", "ds", "rs")) else part
