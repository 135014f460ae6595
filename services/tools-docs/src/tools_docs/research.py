"""The two things that this service does: finding documents, and judging one."""

from collections.abc import Callable
from datetime import UTC, datetime

from contracts.messages import Outcome

from tools_docs import answers
from tools_docs.arguments import CheckedDocument, Filters
from tools_docs.corpus import SAMPLE
from tools_docs.gateways import DocumentIndex, Embedder, Judge, Judged, Verdict
from tools_docs.judging.comparing import ComparingJudge
from tools_docs.quoting import Quoter
from tools_docs.retrieval import Restrictions, retrieve
from tools_docs.standards import Standards
from tools_docs.suggestions import MAX_SUGGESTIONS, suggestions
from tools_docs.texts import text


def utc_now() -> datetime:
    return datetime.now(UTC)


class Research:
    def __init__(
        self,
        index: DocumentIndex,
        embedder: Embedder | None = None,
        judge: Judge | None = None,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        """Without a judge one that compares."""
        standards = Standards(index, embedder)
        self._index = index
        self._judge = judge or ComparingJudge(index, standards)
        self._embedder = embedder
        self._quoter = Quoter(standards, embedder)
        self._now = now

    async def retrieve(self, query: str, filters: Filters | None, limit: int) -> Outcome:
        """Documents and the proposals linked to them. Raises `IndexUnavailable`."""
        wanted = filters or Filters()
        restrictions = Restrictions(wanted.since, wanted.until, wanted.kind, wanted.body)
        found = await retrieve(self._index, query, restrictions, limit, self._embedder)
        proposals = await self._index.proposals([each.facts.id for each in found])
        near = [each.facts for each in found]
        missing = MAX_SUGGESTIONS - len(near)
        newest = await self._index.newest(MAX_SUGGESTIONS) if missing > 0 else ()
        return answers.about_documents(
            query,
            found,
            proposals,
            suggestions(near, newest),
            is_sample=SAMPLE in (await self._index.overview()).sources,
            now=self._now(),
        )

    async def check(self, query: str, document: CheckedDocument) -> Outcome:
        """The judgement on one document; without passages it is read from the index."""
        name, passages = document.name, document.passages
        if not passages:
            stored = await self._index.document(document.id)
            if stored is not None:
                name = stored.facts.name
                passages = tuple(answers.shown(each) for each in stored.passages)
        if not passages:
            verdict = Verdict(is_relevant=True, reason=text("kept_unreadable"))
        else:
            content = tuple((passage.heading, passage.text) for passage in passages)
            verdict = await self._judge.judge(query, Judged(document.id, name, content))
        quotes = await self._quoter.quotes(query, document.id, passages) if verdict.is_relevant else ()
        return answers.about_relevance(document.id, name, verdict, quotes)
