"""Takes out of a stream of Markdown what is no Markdown: code fences and JSON. Pure."""

import re

_JSON = re.compile(r'\[?\s*\{\s*["}]')
_PERHAPS_JSON = re.compile(r"\[?\s*\{?\s*")
_FENCES = ("```", "~~~")


class Blob:
    """Finds the end of a JSON value that comes in pieces."""

    def __init__(self) -> None:
        self.text = ""
        self._depth = 0
        self._in_string = False
        self._escaped = False

    def take(self, piece: str) -> int | None:
        """How much of the piece belongs to the value; None when all of it and more to come."""
        for n, char in enumerate(piece):
            if self._in_string:
                if self._escaped:
                    self._escaped = False
                elif char == "\\":
                    self._escaped = True
                elif char == '"':
                    self._in_string = False
            elif char == '"':
                self._in_string = True
            elif char in "{[":
                self._depth += 1
            elif char in "}]":
                self._depth -= 1
                if self._depth == 0:
                    self.text += piece[: n + 1]
                    return n + 1
        self.text += piece
        return None


class PlainMarkdown:
    """A filter: fence lines go, what is inside of them stays, JSON objects go wherever they are.

    Text passes as soon as it cannot be the beginning of something to take out.
    """

    def __init__(self) -> None:
        self.blobs: list[str] = []
        """The JSON that was taken out."""
        self._waiting = ""
        self._blob: Blob | None = None
        self._line_is_blank = True

    def feed(self, text: str) -> str:
        self._waiting += text
        return self._pass_on(final=False)

    def close(self) -> str:
        rest = self._pass_on(final=True)
        if self._blob is not None:
            self.blobs.append(self._blob.text)
        return rest

    def _pass_on(self, *, final: bool) -> str:
        passed: list[str] = []
        while self._waiting:
            if self._blob is not None:
                if not self._end_blob(self._blob):
                    break
                continue
            start = next((n for n, char in enumerate(self._waiting) if char in "`~{["), None)
            passed.append(self._take(len(self._waiting) if start is None else start))
            if not self._waiting:
                break
            if self._is_undecided() and not final:
                break
            if self._waiting.startswith(_FENCES) and self._line_is_blank:
                self._waiting = self._waiting.partition("\n")[2]
            elif _JSON.match(self._waiting):
                self._blob = Blob()
            else:
                passed.append(self._take(1))
        return "".join(passed)

    def _is_undecided(self) -> bool:
        if self._waiting[0] in "`~":
            might_be = any(fence.startswith(self._waiting[:3]) for fence in _FENCES)
            return self._line_is_blank and might_be and "\n" not in self._waiting
        return _PERHAPS_JSON.fullmatch(self._waiting) is not None

    def _end_blob(self, blob: Blob) -> bool:
        end = blob.take(self._waiting)
        if end is None:
            self._waiting = ""
            return False
        self.blobs.append(blob.text)
        self._waiting = self._waiting[end:]
        self._blob = None
        return True

    def _take(self, length: int) -> str:
        taken, self._waiting = self._waiting[:length], self._waiting[length:]
        line = taken.rpartition("\n")
        blank_before = True if line[1] else self._line_is_blank
        self._line_is_blank = blank_before and not line[2].strip()
        return taken
