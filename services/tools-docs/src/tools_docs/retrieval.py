"""From a question to documents."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from tools_docs.errors import NoVectors
from tools_docs.expansion import Expanded, expand
from tools_docs.gateways import Candidate, DocumentIndex, Embedder, Overview, Search
from tools_docs.nearness import Scale, scale_of
from tools_docs.question import named, understand
from tools_docs.ranking import Ranked, rank

log = logging.getLogger("ask.documents")


@dataclass(frozen=True, slots=True)
class Restrictions:
    """What documents have to be, whatever they say."""

    since: date | None = None
    until: date | None = None
    kind: str | None = None
    body: str | None = None


ANYTHING = Restrictions()


@dataclass(frozen=True, slots=True)
class Looked:
    """What an index has for a question, in no order."""

    question: Expanded
    overview: Overview
    candidates: Sequence[Candidate]
    vector: Sequence[float] | None = None
    scale: Scale | None = None
    """Of the similarities, where vectors were compared and the model is known."""

    def best(self, limit: int) -> tuple[Ranked, ...]:
        return rank(self.question, self.candidates, limit, self.scale)


async def look(
    index: DocumentIndex, query: str, restrictions: Restrictions, embedder: Embedder | None = None
) -> Looked:
    """Raises `IndexUnavailable`."""
    overview = await index.overview()
    question = await expand(understand(query, overview.kinds, overview.bodies), index, overview)
    vector = await _vector(query, embedder, overview)
    search = Search(
        sought=question.sought(),
        since=restrictions.since,
        until=restrictions.until,
        kinds=named(restrictions.kind, overview.kinds) if restrictions.kind else None,
        bodies=named(restrictions.body, overview.bodies) if restrictions.body else None,
        vector=vector,
        model=embedder.model if embedder else None,
    )
    scale = scale_of(overview.model) if vector is not None else None
    return Looked(question, overview, await index.search(search), vector, scale)


async def retrieve(
    index: DocumentIndex,
    query: str,
    restrictions: Restrictions,
    limit: int,
    embedder: Embedder | None = None,
) -> tuple[Ranked, ...]:
    """The documents that may answer, best first. Raises `IndexUnavailable`."""
    return (await look(index, query, restrictions, embedder)).best(limit)


async def _vector(query: str, embedder: Embedder | None, overview: Overview) -> Sequence[float] | None:
    """Without one the words alone decide, which is better than no answer."""
    if embedder is None or embedder.model != overview.model:
        return None
    try:
        return await embedder.question(query)
    except NoVectors as error:
        log.warning("no vector of the question", extra={"reason": str(error)})
        return None
