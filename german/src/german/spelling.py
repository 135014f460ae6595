"""Words that may be misspelled: the nearest ones that are known. Swapped letters count as one mistake."""

from collections.abc import Iterable, Sequence

MAX_WORD_CHARS = 100
"""Nothing that anybody knows is called longer; ids of layers have up to 70."""
_MAX_EDITS = 3
_MAX_CLOSE = 12


class Spellings:
    """Known words. Only those of nearly the same length are compared with what somebody has written."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = tuple(words)
        self._of_length: dict[tuple[int, int], Sequence[str]] = {}

    def nearest(self, written: str, forgiven: int) -> tuple[str, int] | None:
        """The first of the words with the fewest wrong letters, and how many."""
        length = len(written)
        if length > MAX_WORD_CHARS:
            return None
        alike = self._of_length.get((length, forgiven))
        if alike is None:
            alike = [word for word in self._words if abs(len(word) - length) <= forgiven]
            self._of_length[length, forgiven] = alike
        # Imported here and below: it takes 4 MB, which nobody pays before somebody mistypes.
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        found = process.extractOne(written, alike, scorer=OSA.distance, score_cutoff=forgiven)
        return (found[0], int(found[1])) if found else None


def forgiven_edits(length: int) -> int:
    """Typos that a name of this length may have: short names differ too easily from one another."""
    if length <= 3:
        return 0
    if length <= 7:
        return 1
    return 2 if length <= 13 else _MAX_EDITS


def closest(
    key: str, vocabulary: Sequence[str], *, forgiven: Sequence[int] | None = None
) -> tuple[tuple[str, int], ...]:
    """The entries of a vocabulary with the fewest edits, and that number; empty when nothing is close enough.

    `forgiven` holds the limit for each entry; without it the length of the shorter word decides.
    """
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    found = process.extract(key, vocabulary, scorer=OSA.distance, score_cutoff=_MAX_EDITS, limit=_MAX_CLOSE)
    allowed = []
    for entry, edits, position in found:
        own = forgiven[position] if forgiven else forgiven_edits(len(entry))
        if edits <= min(own, forgiven_edits(len(key))):
            allowed.append((entry, int(edits)))
    fewest = min((edits for _, edits in allowed), default=0)
    return tuple((entry, edits) for entry, edits in allowed if edits == fewest)
