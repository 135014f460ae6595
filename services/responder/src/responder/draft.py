"""The answer of a model while it is being written: cleaned and checked piece by piece. Pure."""

import json
from collections.abc import Iterable

from contracts.markdown import Links, Sanitiser

from responder.citations import Citations
from responder.markup import PlainMarkdown

_ANSWER_KEYS = ("response", "answer", "antwort", "summary", "text", "message")


class Draft:
    """Pieces in, clean pieces out; together they are `text`, without white space around it."""

    def __init__(self, documents: int, sources: Iterable[str] = ()) -> None:
        """`sources`: the addresses of the documents, which the text may link to."""
        self.text = ""
        self._markdown = PlainMarkdown()
        self._citations = Citations(documents)
        links = Links(urls=frozenset(filter(None, sources)))
        self._sanitiser = Sanitiser(links, references=self._citations.checked)
        self._space = ""

    @property
    def cited(self) -> tuple[int, ...]:
        return tuple(sorted(self._citations.cited))

    @property
    def dropped_citations(self) -> int:
        return self._citations.dropped

    def feed(self, piece: str) -> str:
        return self._trimmed(self._sanitiser.feed(self._markdown.feed(piece)))

    def close(self) -> str:
        """What was held back; when all was JSON, the answer inside of it."""
        rest = self._sanitiser.feed(self._markdown.close()) + self._sanitiser.close()
        if not self.text and not rest.strip():
            rest = self._sanitiser.feed(_inside(self._markdown.blobs)) + self._sanitiser.close()
        return self._trimmed(rest)

    def _trimmed(self, piece: str) -> str:
        """White space waits for what follows it."""
        piece = (self._space + piece) if self.text else piece.lstrip()
        kept = piece.rstrip()
        self._space = piece[len(kept) :] if self.text or kept else ""
        self.text += kept
        return kept


def _inside(blobs: list[str]) -> str:
    """The sentence that a model has wrapped into JSON although it should not."""
    for blob in blobs:
        try:
            document = json.loads(blob)
        except ValueError:
            continue
        if isinstance(document, list) and document:
            document = document[0]
        if isinstance(document, dict):
            for key in _ANSWER_KEYS:
                value = document.get(key)
                if isinstance(value, str) and value.strip() and not value.lstrip().startswith(("{", "[{")):
                    return value
    return ""
