"""What documents say, to look up what is quoted of them, whatever the signs between the words. Pure."""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from contracts.items import Document
from german.unicode import normalized

MIN_WORDS = 3
"""Less, and without a number, is a term, and nothing that anybody has said."""
_MIN_PART_WORDS, _MAX_PARTS = 2, 5
"""Of a quotation with gaps: of single words anything can be made."""
_HIDDEN = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff\u00b9\u00b2\u00b3\u2070-\u2079]")
"""Also the numbers of footnotes."""
_THOUSANDS = re.compile(r"(?<=\d)['’\u2009\u202f](?=\d{3}(?!\d))")
_BROKEN = re.compile(r"(?<=[^\W\d_])-[^\S\n]*\n\s*(?=[a-zà-ÿ])")
_LINK_TARGET = re.compile(r"\]\([^()]*+\)")
_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
_GAP = re.compile(r"…|\.{3}|\[[^\[\]]*+\]|\(…\)")


class Quotable:
    def __init__(self, documents: Sequence[Document], asked: Iterable[str] = ()) -> None:
        """`asked`: what the user says, whose words may be repeated."""
        self._documents = documents
        self._asked = asked

    def quoted(self, quotation: str) -> frozenset[int] | None:
        """The numbers, from 1, of the documents that have it.

        None for what needs no proof: a term that occurs, a title, the words of the user.
        """
        whole = _words(quotation)
        parts = [words for part in _GAP.split(quotation) if (words := _words(part))]
        # A document may have gaps of its own.
        found = frozenset(
            n for n, text in enumerate(self._texts, 1) if _has(text, [whole]) or _has(text, parts)
        )
        is_term = whole.count(" ") + 1 < MIN_WORDS and not any(map(str.isdigit, whole))
        if not whole or (is_term and found) or whole in self._titles:
            return None
        return None if not found and f" {whole} " in self._words_asked else found

    @staticmethod
    def is_term(quotation: str) -> bool:
        words = _words(quotation).split()
        return len(words) < MIN_WORDS and not any(word[0].isdigit() for word in words)

    @cached_property
    def _texts(self) -> tuple[str, ...]:
        return tuple(
            _joined(each for p in document.passages for each in (p.heading or "", p.text))
            for document in self._documents
        )

    @cached_property
    def _titles(self) -> frozenset[str]:
        return frozenset(_words(document.name) for document in self._documents)

    @cached_property
    def _words_asked(self) -> str:
        return _joined(self._asked)


def _has(text: str, parts: Sequence[str]) -> bool:
    """All of them, in their order."""
    if len(parts) > 1 and (len(parts) > _MAX_PARTS or min(p.count(" ") + 1 for p in parts) < _MIN_PART_WORDS):
        return False
    at = 0
    for part in parts:
        at = text.find(f" {part} ", at)
        if at < 0:
            return False
        at += len(part) + 1
    return True


def _joined(texts: Iterable[str]) -> str:
    """Nothing is quoted across the border of two texts."""
    return f" {' | '.join(map(_words, texts))} "


def _words(text: str) -> str:
    """Its words and numbers, with a blank between them."""
    text = _THOUSANDS.sub("", _BROKEN.sub("", _HIDDEN.sub("", text)))
    text = normalized("NFKC", _LINK_TARGET.sub("]", text)).casefold()
    return " ".join(_WORD.findall(text))
