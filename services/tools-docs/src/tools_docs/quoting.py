"""The sentences of a document that answer a question, word by word; none where that is not sure.

A wrong quotation is worse than none: a sentence has to be near to the question in meaning and to share words
with it, most of them unless its document is the best one and the question is German, the language in which
what is near enough was measured. Without vectors only the best one is quoted, where it shares nearly all
words.
"""

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from contracts.items import Passage
from german.sentences import sentences

from tools_docs.errors import NoVectors
from tools_docs.expansion import Expanded
from tools_docs.gateways import Embedder, StoredPassage
from tools_docs.ranking import coverage_of, match
from tools_docs.standards import Standard, Standards

log = logging.getLogger("ask.documents")

MAX_QUOTES = 3
"""Of a document."""
_MIN_CHARS, _MAX_CHARS = 30, 500
"""Of a sentence that says something and is still one."""
_SHARED, _MOSTLY_SHARED, _NEARLY_ALL = 0.2, 0.6, 0.8
"""Of the question's words, by importance; measured by `make eval-documents`, like what is near enough."""
_WORDS = 0.05
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
    def __init__(self, standards: Standards, embedder: Embedder | None = None) -> None:
        self._standards = standards
        self._embedder = embedder

    async def quotes(self, query: str, document_id: str, passages: Sequence[Passage]) -> tuple[Passage, ...]:
        """In the order of the document. Raises `IndexUnavailable`."""
        standard = await self._standards.of(query)
        is_best = standard.best == document_id
        is_surer = is_best and standard.question.language.is_german
        in_words = _SHARED if is_surer else _MOSTLY_SHARED
        least = in_words if standard.scale is not None else _NEARLY_ALL
        found = [s for s in sentences_in(standard.question, passages) if s.shared >= least]
        found = sorted(found, key=lambda s: (-s.shared, s.order))[:_MAX_COMPARED]
        sure = await self._near(standard, found) if standard.scale is not None else found if is_best else []
        best = sorted(sure, key=lambda s: (-s.score, s.order))[:MAX_QUOTES]
        return tuple(
            s.passage.model_copy(update={"text": s.text}) for s in sorted(best, key=lambda s: s.order)
        )

    async def _near(self, standard: Standard, found: Sequence[_Sentence]) -> list[_Sentence]:
        if not found or self._embedder is None or standard.vector is None or standard.scale is None:
            return []
        try:
            vectors = await self._embedder.passages([s.text for s in found])
        except NoVectors as error:
            log.warning("no vectors of sentences", extra={"reason": str(error)})
            return []
        near = [
            replace(s, nearness=_product(standard.vector, vector))
            for s, vector in zip(found, vectors, strict=True)
        ]
        return [s for s in near if s.score >= standard.scale.quotable]


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
                    terms = tuple(question.language.stems(sentence))
                    covered = match(question, (), StoredPassage(0, sentence, None, terms, ())).covered
                    shared = coverage_of(question, covered)
                    yield _Sentence(len(seen), sentence, passage, shared)


def _product(one: Sequence[float], other: Sequence[float]) -> float:
    return float(sum(a * b for a, b in zip(one, other, strict=True)))
