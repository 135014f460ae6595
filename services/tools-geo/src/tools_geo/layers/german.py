"""German words: their stems, and the parts of compounds."""

from collections.abc import Container
from functools import lru_cache

from snowballstemmer import stemmer

_MIN_STEMMED = 3
_MIN_PART = 4
_MIN_KNOWN_SHARE = 0.5
"""Of a compound, so much must be known words: more of it is unknown, and it is about something else."""
_MIN_REST = 3
"""So few unknown letters are no part of their own: `rente` has nothing to do with `ente`."""
LINKS = ("", "s", "n", "es", "en", "er", "e")
"""What German puts between the parts: Lärm-belastung, Gewässer-schutz, Nutzung-s-plan, Strasse-n-lärm."""

_snowball = stemmer("german")


@lru_cache(maxsize=16_384)
def stem(word: str) -> str:
    """The stem of a folded word, by Snowball: `waelder` and `wald` are `wald`, `laerm` is `larm`.

    A stem is a key, not always a word; two spellings of an umlaut have the same one.
    """
    return _snowball.stemWord(word) if len(word) >= _MIN_STEMMED else word


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
        for end in range(start + _MIN_PART, len(compound) + 1):
            part = compound[start:end]
            if part == compound or part not in known:
                continue
            for link in LINKS:
                if compound.startswith(link, end):
                    unknown, count, parts = best[end + len(link)]
                    options.append((unknown, count + 1, (part, *parts)))
        best[start] = min(options, key=lambda option: option[:2])
    unknown, _, parts = best[0]
    if 0 < unknown < _MIN_REST or unknown > len(compound) * (1 - _MIN_KNOWN_SHARE):
        return (), False
    return parts, unknown == 0
