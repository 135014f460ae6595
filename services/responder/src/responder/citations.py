"""Which documents a text cites: only given ones, by number. Pure."""

import re

_RANGE = re.compile(r"(\d+)(?:\s*[–-]\s*\^?(\d+))?")
_MAX_RANGE = 20


class Citations:
    """`[n]` stays when there is a document n."""

    def __init__(self, documents: int) -> None:
        self.cited: set[int] = set()
        self.dropped = 0
        """Citations of documents that do not exist."""
        self._documents = documents

    def checked(self, inside: str) -> str:
        """What remains of a bracket with numbers."""
        kept = []
        for first, last in _RANGE.findall(inside):
            numbers = range(int(first), int(last or first) + 1)[:_MAX_RANGE]
            for n in numbers or (int(first),):
                if 1 <= n <= self._documents:
                    kept.append(n)
                else:
                    self.dropped += 1
        self.cited.update(kept)
        return "".join(f"[{n}]" for n in dict.fromkeys(kept))
