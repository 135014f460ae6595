"""From a question to documents."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from tools_docs.errors import NoVectors
from tools_docs.expansion import Expanded, expand
from tools_docs.gateways import DocumentIndex, Embedder, Overview, Search
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


async def expanded(index: DocumentIndex, query: str) -> tuple[Expanded, Overview]:
    overview = await index.overview()
    return await expand(understand(query, overview.kinds, overview.bodies), index, overview), overview


async def retrieve(
    index: DocumentIndex,
    query: str,
    restrictions: Restrictions,
    limit: int,
    embedder: Embedder | None = None,
) -> tuple[Ranked, ...]:
    """The documents that may answer, best first."""
    question, overview = await expanded(index, query)
    search = Search(
        sought=question.sought(),
        since=restrictions.since,
        until=restrictions.until,
        kinds=named(restrictions.kind, overview.kinds) if restrictions.kind else None,
        bodies=named(restrictions.body, overview.bodies) if restrictions.body else None,
        vector=await _vector(query, embedder),
        model=embedder.model if embedder else None,
    )
    return rank(question, await index.search(search), limit)


async def _vector(query: str, embedder: Embedder | None) -> Sequence[float] | None:
    """Without one the words alone decide, which is better than no answer."""
    if embedder is None:
        return None
    try:
        return await embedder.question(query)
    except NoVectors as error:
        log.warning("no vector of the question", extra={"reason": str(error)})
        return None
