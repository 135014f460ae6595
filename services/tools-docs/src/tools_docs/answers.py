"""From documents to what the system is told."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from contracts.items import Document, Passage, Provenance, Relevance
from contracts.items import Proposal as ProposalItem
from contracts.markdown import line
from contracts.messages import Outcome

from tools_docs.chunking import MAX_CHARS
from tools_docs.corpus import Proposal
from tools_docs.gateways import StoredPassage, Verdict
from tools_docs.ranking import Ranked
from tools_docs.texts import text

_MAX_ASKED_CHARS = 80
"""Of a question to which there is nothing."""


def about_documents(
    query: str,
    found: Sequence[Ranked],
    proposals: Sequence[Proposal],
    suggested: tuple[str, ...],
    *,
    is_sample: bool,
    now: datetime,
) -> Outcome:
    """The documents, best first, then the proposals linked to them. Nothing found is no failure."""
    note = text("sample") if is_sample else ""
    documents = tuple(_document(each, found[0].score, is_sample=is_sample, now=now) for each in found)
    linked = tuple(_proposal(each, is_sample=is_sample, now=now) for each in proposals)
    message = _message(query, len(documents))
    told = f"{message} {note}" if note else message
    return Outcome(items=(*documents, *linked), message=told, note=note, suggestions=suggested)


def _message(query: str, n: int) -> str:
    if n == 0:
        return text("documents_none", query=line(query, _MAX_ASKED_CHARS))
    return text("document_found" if n == 1 else "documents_found", n=n)


def about_relevance(document_id: str, name: str, verdict: Verdict, quotes: tuple[Passage, ...]) -> Outcome:
    item = Relevance(
        id=document_id,
        label=name or document_id,
        is_relevant=verdict.is_relevant,
        reason=verdict.reason,
        quotes=quotes or None,
    )
    return Outcome(items=(item,))


def shown(passage: StoredPassage) -> Passage:
    """As others see it."""
    return Passage(
        text=passage.text[:MAX_CHARS], heading=passage.heading, page=passage.page, anchor=passage.anchor
    )


def _document(found: Ranked, best: float, *, is_sample: bool, now: datetime) -> Document:
    facts = found.facts
    if found.confidence is not None:
        confidence = found.confidence
    else:
        # A text about half of the question is half as certain, and so is one that others surpass by far.
        share = found.score / best if best > 0 else 1.0
        confidence = min(1.0, found.coverage) * min(1.0, share) ** 0.5
    return Document(
        id=facts.id,
        label=facts.name,
        name=facts.name,
        url=facts.url,
        size_bytes=facts.size_bytes,
        date=facts.date,
        kind=facts.kind,
        body=facts.body,
        passages=tuple(map(shown, found.passages)),
        confidence=round(confidence, 2),
        provenance=_provenance("exact" if found.is_exact else "fuzzy", is_sample=is_sample, now=now),
    )


def _proposal(proposal: Proposal, *, is_sample: bool, now: datetime) -> ProposalItem:
    return ProposalItem(
        id=proposal.identifier,
        label=f"{proposal.identifier}: {proposal.name}",
        identifier=proposal.identifier,
        name=proposal.name,
        subject=proposal.subject,
        url=proposal.url,
        date=proposal.date,
        document_ids=proposal.document_ids,
        provenance=_provenance("exact", is_sample=is_sample, now=now),
    )


def _provenance(match: Literal["exact", "fuzzy"], *, is_sample: bool, now: datetime) -> Provenance:
    kind = "sample" if is_sample else "index"
    return Provenance(
        source=text(f"source_{kind}"),
        license=text(f"license_{kind}"),
        retrieved_at=now,
        match=match,
        sample=is_sample,
    )
