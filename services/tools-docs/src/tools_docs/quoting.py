"""The sentences of a document that answer a question, word by word; none where that is not sure.

A wrong quotation is worse than none: a sentence is taken when it shares words with the question and is near
to it in meaning too. Without vectors it has to share most of the words.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from contracts.items import Passage
from german.sentences import sentences
from german.stems import stems

from tools_docs.errors import NoVectors
from tools_docs.expansion import Expanded
from tools_docs.gateways import DocumentIndex, Embedder, StoredPassage
from tools_docs.ranking import coverage_of, match
from tools_docs.retrieval import ANYTHING, Looked, look

MAX_QUOTES = 2
"""Of a document."""
_MIN_CHARS, _MAX_CHARS = 30, 500
"""Of a sentence that says something and is still one."""
_SHARED, _MOSTLY_SHARED = 0.3, 0.6
"""Of the question's words, by importance: beside vectors, and without them."""
_WORDS = 0.1
"""What all words of the question count for beside the similarity."""
_MAX_COMPARED = 8
_PARAGRAPHS = re.compile(r"\n(?=[^\S\n]*+(?:\n|[-*#|>]))")
_MARKUP = re.compile(r"^\s*+(?:#{1,6}\s+|[-*+]\s+|>\s*|\d{1,2}[.)]\s+)|[*_`|]+|\[([^\[\]]*+)\]\([^()]*+\)")


@dataclass(frozen=True, slots=True)
class _Sentence:
    order: int
    text: str
    passage: Passage
    shared: float
    nearness: float = 0.0

    @property
    def score(self) -> float:
        return self.nearness + _WORDS * self.shared


class Quoter:
    def __init__(self, index: DocumentIndex, embedder: Embedder | None = None) -> None:
        self._index = index
        self._embedder = embedder

    async def quotes(self, query: str, passages: Sequence[Passage]) -> tuple[Passage, ...]:
        """In the order of the document. Raises `IndexUnavailable`."""
        looked = await look(self._index, query, ANYTHING, self._embedder)
        found = [s for s in sentences_in(looked.question, passages) if s.shared >= _SHARED]
        found = sorted(found, key=lambda s: (-s.shared, s.order))[:_MAX_COMPARED]
        best = sorted(await self._sure(looked, found), key=lambda s: (-s.score, s.order))[:MAX_QUOTES]
        return tuple(
            s.passage.model_copy(update={"text": s.text}) for s in sorted(best, key=lambda s: s.order)
        )

    async def _sure(self, looked: Looked, found: Sequence[_Sentence]) -> list[_Sentence]:
        if not found or self._embedder is None or looked.vector is None or looked.scale is None:
            return [s for s in found if s.shared >= _MOSTLY_SHARED]
        try:
            vectors = await self._embedder.passages([s.text for s in found])
        except NoVectors:
            return [s for s in found if s.shared >= _MOSTLY_SHARED]
        near = [
            _Sentence(s.order, s.text, s.passage, s.shared, _product(looked.vector, vector))
            for s, vector in zip(found, vectors, strict=True)
        ]
        return [s for s in near if s.nearness >= looked.scale.quotable]


def sentences_in(question: Expanded, passages: Sequence[Passage]) -> Iterator[_Sentence]:
    """Each once, with what it shares with the question. Pure."""
    seen: set[str] = set()
    for passage in passages:
        for paragraph in _PARAGRAPHS.split(passage.text):
            plain = " ".join(_MARKUP.sub(lambda m: m[1] or "", paragraph).split())
            for sentence in sentences(plain):
                is_whole = sentence[0].isupper() or sentence[0].isdigit() or sentence[0] in "«‹„("
                if is_whole and _MIN_CHARS <= len(sentence) <= _MAX_CHARS and sentence not in seen:
                    seen.add(sentence)
                    terms = StoredPassage(0, sentence, None, tuple(stems(sentence)), ())
                    covered = match(question, (), terms).covered
                    shared = coverage_of(question, covered)
                    yield _Sentence(len(seen), sentence, passage, shared)


def _product(one: Sequence[float], other: Sequence[float]) -> float:
    return float(sum(a * b for a, b in zip(one, other, strict=True)))
