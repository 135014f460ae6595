"""The state of the `riskiagent`, as its clients know it: snake_case, without the text of documents. Pure."""

from collections.abc import Iterable
from typing import Any

from contracts.base import Contract
from contracts.research import Research, TrackedDocument, TrackedProposal

from edge.agui.run_events import Json


class ResearchState:
    """What is known of a message. A message can ask more than one question; each is a step of the plan."""

    def __init__(self, question: str) -> None:
        self.question = question
        self._query = question
        self._documents: list[tuple[int, Json]] = []
        self._proposals: list[tuple[int, Json]] = []
        self._sources: list[Json] = []
        self._error: Json | None = None
        self._answered = False

    def document(self) -> Json:
        state: Json = {
            "user_query": self._query,
            "initial_question": self.question,
            "tracked_documents": [document for _, document in self._documents],
            "tracked_proposals": [proposal for _, proposal in self._proposals],
            "sources": self._sources,
        }
        # An answer to one question is better news than the failure of another one.
        return state if self._error is None or self._answered else state | {"error_info": self._error}

    def ask(self, question: str) -> None:
        self.question = self._query = question

    def find(self, step: int, detail: Json) -> None:
        """Documents and proposals have been found, and are not checked yet."""
        self._query = str(detail.get("userQuery", "")) or self._query
        documents = (TrackedDocument.model_validate(each) for each in detail.get("documents", ()))
        proposals = (TrackedProposal.model_validate(each) for each in detail.get("proposals", ()))
        self._replace(step, documents, proposals)

    def judge(self, step: int, detail: Json) -> list[Json]:
        """Take the judgement on one document. The operations that bring it to the state of a client."""
        verdict = {
            "is_checked": True,
            "is_relevant": bool(detail.get("isRelevant")),
            "relevance_reason": str(detail.get("reason", "")),
        }
        for index, (owner, document) in enumerate(self._documents):
            if owner == step and document["id"] == detail.get("id"):
                self._documents[index] = (owner, document | verdict)
                path = f"/tracked_documents/{index}"
                return [_replacing(f"{path}/{key}", value) for key, value in verdict.items()]
        return []

    def collect(self, step: int) -> Json:
        """Of the proposals of a question, keep those that belong to a relevant document."""
        relevant = {doc["id"] for owner, doc in self._documents if owner == step and doc["is_relevant"]}
        self._proposals = [
            (owner, proposal)
            for owner, proposal in self._proposals
            if owner != step or relevant.intersection(proposal["document_ids"])
        ]
        return _replacing("/tracked_proposals", [proposal for _, proposal in self._proposals])

    def settle(self, step: int, research: Research | None) -> None:
        """What a question has come to in the end."""
        if research is None:
            self._answered = True
            return
        self._query = research.user_query
        self._replace(step, research.tracked_documents, research.tracked_proposals)
        self._sources += map(_plain, research.sources)
        if research.error_info is None:
            self._answered = True
        else:
            self._error = _plain(research.error_info)

    def has_found(self, step: int) -> bool:
        return any(owner == step for owner, _ in self._documents)

    def is_checked(self, step: int) -> bool:
        """Whether nothing is left to check."""
        return all(document["is_checked"] for owner, document in self._documents if owner == step)

    def has_relevant(self, step: int) -> bool:
        return any(document["is_relevant"] for owner, document in self._documents if owner == step)

    def _replace(
        self, step: int, documents: Iterable[TrackedDocument], proposals: Iterable[TrackedProposal]
    ) -> None:
        self._documents = _replaced(self._documents, step, documents)
        self._proposals = _replaced(self._proposals, step, proposals)


def _replaced(known: list[tuple[int, Json]], step: int, new: Iterable[Contract]) -> list[tuple[int, Json]]:
    """What belongs to a step anew, in its place: what follows keeps its index."""
    place = next((n for n, (owner, _) in enumerate(known) if owner == step), len(known))
    others = [each for each in known if each[0] != step]
    return [*others[:place], *((step, _plain(each)) for each in new), *others[place:]]


def _plain(contract: Contract) -> Json:
    document: dict[str, Any] = contract.model_dump(mode="json", by_alias=False, exclude_none=True)
    return document


def _replacing(path: str, value: Any) -> Json:
    return {"op": "replace", "path": path, "value": value}
