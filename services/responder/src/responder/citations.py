"""Checks what a stream of Markdown refers to: only given documents, by number; no links of its own. Pure."""

import re
from collections.abc import Iterator

_SUSPECT = re.compile(r"!?\[|<(?=[A-Za-z/!])|https?://|www\.", re.IGNORECASE)
_PERHAPS_SUSPECT = re.compile(r"(?:!|<|h|ht|htt|https?:?/?|w{1,2}|www)$", re.IGNORECASE)
_NUMBERS = re.compile(r"\s*\^?\d{1,4}(?:\s*(?:[,;–-]|und)\s*\^?\d{1,4})*\s*")
_RANGE = re.compile(r"(\d+)(?:\s*[–-]\s*\^?(\d+))?")
_URL_END = re.compile(r"[\s<>\"»)\]]")
_MAX_BRACKET_CHARS = 300
"""A bracket that is open for longer is none."""
_MAX_RANGE = 20


class Citations:
    """A filter: `[n]` stays when there is a document n, links lose their address, HTML tags go.

    Text passes as soon as it cannot be the beginning of a reference.
    """

    def __init__(self, documents: int) -> None:
        self.cited: set[int] = set()
        self.dropped = 0
        """Citations of documents that do not exist."""
        self._documents = documents
        self._waiting = ""

    def feed(self, text: str) -> str:
        self._waiting += text
        return "".join(self._pass_on(final=False))

    def close(self) -> str:
        return "".join(self._pass_on(final=True))

    def _pass_on(self, *, final: bool) -> Iterator[str]:
        while self._waiting:
            found = _SUSPECT.search(self._waiting)
            if found is None:
                perhaps = None if final else _PERHAPS_SUSPECT.search(self._waiting)
                yield self._take(perhaps.start() if perhaps else len(self._waiting))
                return
            yield self._take(found.start())
            reference = self._reference(found.group(), final=final)
            if reference is None:
                return
            yield reference

    def _reference(self, mark: str, *, final: bool) -> str | None:
        """What remains of the reference at the beginning; None when its end has not come."""
        if mark.endswith("["):
            return self._bracket(len(mark), final=final)
        if mark == "<":
            return self._tag(final=final)
        return self._url(final=final)

    def _bracket(self, begin: int, *, final: bool) -> str | None:
        end = self._waiting.find("]", begin)
        too_long = len(self._waiting) > _MAX_BRACKET_CHARS
        if end < 0:
            # What is left out later must not make a citation of an open bracket.
            return None if not (final or too_long) else self._take(begin) if final else self._drop(begin)
        inside, after = self._waiting[begin:end], self._waiting[end + 1 : end + 2]
        if not after and not final:
            return None
        if after == "(":
            closing = self._waiting.find(")", end)
            if closing < 0 and not (final or too_long):
                return None
            self._drop(closing + 1 if closing >= 0 else end + 2)
        elif _NUMBERS.fullmatch(inside):
            self._drop(end + 1)
        else:
            return self._drop(begin) if _SUSPECT.search(inside) else self._take(begin)
        return self._checked(inside) if _NUMBERS.fullmatch(inside) else _plain(inside)

    def _checked(self, inside: str) -> str:
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

    def _tag(self, *, final: bool) -> str | None:
        end = self._waiting.find(">")
        if end < 0:
            return self._take(1) if final or len(self._waiting) > _MAX_BRACKET_CHARS else None
        return self._drop(end + 1)

    def _url(self, *, final: bool) -> str | None:
        end = _URL_END.search(self._waiting)
        if end is None and not final:
            # However long it is, nothing of it is kept.
            self._waiting = self._waiting[:8]
            return None
        return self._drop(end.start() if end else len(self._waiting))

    def _drop(self, length: int) -> str:
        self._take(length)
        return ""

    def _take(self, length: int) -> str:
        taken, self._waiting = self._waiting[:length], self._waiting[length:]
        return taken


def _plain(words: str) -> str:
    """The words of a link, without anything that could be a reference again."""
    return re.sub(r"[\[\]<>]", "", _SUSPECT.sub("", words))
