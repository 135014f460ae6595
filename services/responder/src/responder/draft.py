"""The answer of a model while it is being written: cleaned and checked piece by piece. Pure."""

import json
from collections.abc import Iterable, Sequence

from contracts.items import Document
from contracts.markdown import Links, Sanitiser

from responder.citations import Citations
from responder.markup import PlainMarkdown
from responder.quotable import Quotable
from responder.quotations import Quotations

_ANSWER_KEYS = ("response", "answer", "antwort", "summary", "text", "message")


class Draft:
    """Pieces in, clean pieces out; together they are `text`, without white space around it."""

    def __init__(self, documents: Sequence[Document], asked: Iterable[str] = ()) -> None:
        """`documents`: what the text may cite, quote and link to; `asked`: what the user has said."""
        self.text = ""
        self._markdown = PlainMarkdown()
        self._quotations = Quotations(Quotable(documents, asked)) if documents else None
        self._citations = Citations(len(documents))
        links = Links(urls=frozenset(document.url for document in documents if document.url))
        self._sanitiser = Sanitiser(links, references=self._citations.checked)
        self._space = ""

    @property
    def cited(self) -> tuple[int, ...]:
        """None when all that is cited stands before quotations which no document has."""
        if self._quotations and self._quotations.hollow >= self._citations.kept:
            return ()
        return tuple(sorted(self._citations.cited))

    @property
    def dropped_citations(self) -> int:
        return self._citations.dropped + (self._quotations.dropped if self._quotations else 0)

    def feed(self, piece: str) -> str:
        return self._trimmed(self._checked(self._markdown.feed(piece)))

    def close(self) -> str:
        """What was held back; when all was JSON, the answer inside of it."""
        rest = self._checked(self._markdown.close(), final=True)
        if not self.text and not rest.strip():
            rest = self._checked(_inside(self._markdown.blobs), final=True)
        return self._trimmed(rest)

    def _checked(self, text: str, *, final: bool = False) -> str:
        # What is harmless is decided last: without its marks a text may be another one.
        if self._quotations is not None:
            text = self._quotations.feed(text) + (self._quotations.close() if final else "")
        return self._sanitiser.feed(text) + (self._sanitiser.close() if final else "")

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
