"""Which words of a corpus are parts of which others. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from german.compounds import MIN_COMPOUND_CHARS, split
from german.fold import bare
from german.stop_words import stop_stems

FEW_PASSAGES = 2
"""A word that occurs less often may be a typing error; to take others apart it must be more."""


@dataclass(frozen=True, slots=True)
class CorpusWord:
    """A way to write a term. `is_new`: it has not been taken apart since it became frequent enough."""

    form: str
    term: str
    passages: int
    is_new: bool


@dataclass(frozen=True, slots=True)
class Compounds:
    """What has changed: for these terms, these are all the parts."""

    terms: frozenset[str]
    parts: Sequence[tuple[str, str]]
    """(part, compound)"""


def compounds(words: Sequence[CorpusWord]) -> Compounds:
    """Takes apart the words that are new, and older ones that a new one is a part of."""
    known: Counter[str] = Counter()
    for word in words:
        known[word.term] += word.passages
    parts = {term for term, passages in known.items() if passages >= FEW_PASSAGES} - stop_stems()
    fresh = {bare(word.form) for word in words if word.is_new and word.term in parts}
    affected = frozenset(w.term for w in words if w.is_new or _has_part_in(bare(w.form), fresh))
    return Compounds(affected, sorted(set(_pairs(words, affected, parts))))


def _pairs(
    words: Iterable[CorpusWord], affected: frozenset[str], parts: set[str]
) -> Iterator[tuple[str, str]]:
    for word in words:
        if word.term in affected:
            for part in split(word.form, parts.__contains__):
                yield part, word.term


def _has_part_in(letters: str, words: set[str]) -> bool:
    if not words or len(letters) < MIN_COMPOUND_CHARS:
        return False
    starts = range(len(letters) - 2)
    return any(letters[start:end] in words for start in starts for end in range(start + 3, len(letters) + 1))
