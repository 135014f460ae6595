"""Words that may be misspelled: the nearest one that is known."""

from collections.abc import Iterable, Sequence

from rapidfuzz import process
from rapidfuzz.distance import OSA

MAX_WORD_CHARS = 100
"""Nothing that anybody knows is called longer; ids of layers have up to 70."""


class Spellings:
    """Known words. Only those of nearly the same length are compared with what somebody has written."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = tuple(words)
        self._of_length: dict[tuple[int, int], Sequence[str]] = {}

    def nearest(self, written: str, forgiven: int) -> tuple[str, int] | None:
        """The first of the words with the fewest wrong letters (swapped ones count as one), and how many."""
        length = len(written)
        if length > MAX_WORD_CHARS:
            return None
        alike = self._of_length.get((length, forgiven))
        if alike is None:
            alike = [word for word in self._words if abs(len(word) - length) <= forgiven]
            self._of_length[length, forgiven] = alike
        found = process.extractOne(written, alike, scorer=OSA.distance, score_cutoff=forgiven)
        return (found[0], int(found[1])) if found else None
