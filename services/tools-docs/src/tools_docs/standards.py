"""What the documents of a question are measured by: all of them are judged at nearly the same time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from servicekit.cache import TtlCache

from tools_docs.expansion import Expanded
from tools_docs.gateways import DocumentIndex, Embedder
from tools_docs.nearness import Scale
from tools_docs.ranking import score_of
from tools_docs.retrieval import ANYTHING, look

_KEPT_QUESTIONS, _KEPT_S = 256, 10.0


@dataclass(frozen=True, slots=True)
class Standard:
    """Of one question. `passages`: how many the index has."""

    question: Expanded
    best_score: float
    passages: int
    best: str | None
    """The id of the document that comes first."""
    vector: Sequence[float] | None
    scale: Scale | None
    nearness: Mapping[str, float]
    """Of the documents that were found, by id."""

    @property
    def best_nearness(self) -> float:
        return max(self.nearness.values(), default=0.0)


class Standards:
    def __init__(self, index: DocumentIndex, embedder: Embedder | None = None) -> None:
        self._index = index
        self._embedder = embedder
        self._kept = TtlCache(_KEPT_QUESTIONS, _KEPT_S, _KEPT_S)

    async def of(self, query: str) -> Standard:
        """Raises `IndexUnavailable`."""
        return (await self._kept.fetch(query, lambda: self._of(query))).value

    async def _of(self, query: str) -> Standard:
        looked = await look(self._index, query, ANYTHING, self._embedder)
        near = {each.facts.id: each.nearness for each in looked.candidates if each.nearness is not None}
        return Standard(
            looked.question,
            max((score_of(looked.question, each) for each in looked.candidates), default=0.0),
            looked.overview.passages,
            next((each.facts.id for each in looked.best(1)), None),
            looked.vector,
            looked.scale,
            near,
        )
