"""Which documents a text cites: only given ones, by number. Pure."""

import re

CITATION = r"\[\s*+\^?\d{1,4}(?:\s*+(?:[,;–-]|und)\s*+\^?\d{1,4})*+\s*+\]"
"""`[1]`, `[1, 2]`, `[1–3]`, `[^1]`, as a pattern."""
_CITATION = re.compile(CITATION)
_RANGE = re.compile(r"(\d+)(?:\s*[–-]\s*\^?(\d+))?")
_MAX_RANGE = 20


class Citations:
    """`[n]` stays when there is a document n."""

    def __init__(self, documents: int) -> None:
        self.cited: set[int] = set()
        self.dropped = 0
        """Citations of documents that do not exist."""
        self.kept = 0
        self._documents = documents

    def checked(self, inside: str) -> str:
        """What remains of a bracket with numbers."""
        found = _numbers(inside)
        kept = [n for n in found if 1 <= n <= self._documents]
        self.dropped += len(found) - len(kept)
        self.kept += len(kept)
        self.cited.update(kept)
        return "".join(f"[{n}]" for n in dict.fromkeys(kept))


def cited_in(text: str) -> list[int]:
    """The numbers in the brackets of a text."""
    return [n for bracket in _CITATION.findall(text) for n in _numbers(bracket)]


def _numbers(inside: str) -> list[int]:
    return [
        n
        for first, last in _RANGE.findall(inside)
        for n in range(int(first), int(last or first) + 1)[:_MAX_RANGE] or (int(first),)
    ]
