"""Questions about documents: found, checked one by one, answered from the relevant ones or not at all."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from contracts.chat import Step
from contracts.items import Document, ItemBase, Passage, Proposal, Relevance
from contracts.messages import AnswerReady, AnswerRequested, Outcome, ToolCalled, ToolResult
from contracts.research import ErrorInfo, ErrorType, Research, Sample, TrackedDocument, TrackedProposal
from contracts.status import Status
from contracts.turns import TurnEventKind

from orchestrator import fanout
from orchestrator.flows.flow import Flow
from orchestrator.flows.shown import go_on
from orchestrator.flows.written import written_by
from orchestrator.guard import retrieves
from orchestrator.state import Findings, ItemResult, StepState, Turn
from orchestrator.suggestions import suggestions
from orchestrator.texts import text
from orchestrator.transition import Transition

MAX_PROPOSALS = 50
_QUESTIONS = {ErrorType.NO_TOOL_CALL, ErrorType.NO_DOCUMENTS_FOUND, ErrorType.NO_RELEVANT_DOCUMENTS}
"""What the user can mend by asking in another way."""


class Verdict(NamedTuple):
    """What the check of a document has said. A failed check keeps its document."""

    is_relevant: bool
    reason: str
    quotes: tuple[Passage, ...] | None = None


class Researched(Flow):
    """Every document that is found is checked; then an answer from the relevant ones is asked for."""

    def on_result(self, before: Transition, event: ToolResult, asked: ToolCalled) -> Transition:
        index, outcome = event.step, event.outcome
        step = before.steps[index]
        if not retrieves(step) or event.call + 1 < len(step.calls):
            return go_on(before, event)
        if outcome.status is Status.ERROR:
            return _fail(before, index, outcome.error_type or ErrorType.SERVER_ERROR, outcome.suggestions)
        after = fanout.kept(before, event)
        documents = _documents(outcome)
        if not documents:
            return _fail(after, index, ErrorType.NO_DOCUMENTS_FOUND)
        known = _research(after, index)
        detail = {
            "userQuery": known.user_query,
            "initialQuestion": known.initial_question,
            "documents": _plain(known.tracked_documents),
            "proposals": _plain(known.tracked_proposals),
        }
        after = after.with_entry(TurnEventKind.DOCUMENTS_FOUND, event.round, index, detail=detail)
        spread = fanout.spread(after, asked)
        if not fanout.is_complete(spread, index):
            return spread
        for document in documents:
            after = fanout.with_result(after, index, document.id, ItemResult(failure="unavailable"))
            after = self.on_item(after, index, document.id)
        return self.on_gathered(after, index)

    def on_item(self, before: Transition, index: int, item_id: str) -> Transition:
        """Tell the judgement on one document."""
        findings = before.steps[index].findings
        verdict = _verdict(findings, item_id, before.turn.language)
        if findings is None or verdict is None:
            return before
        detail = {
            "id": item_id,
            "isRelevant": verdict.is_relevant,
            "reason": verdict.reason,
            "checked": len(findings.results),
            "total": len(_documents(before.retrieved.get(index, Outcome()))),
        }
        return before.with_entry(TurnEventKind.DOCUMENT_CHECKED, findings.round, index, detail=detail)

    def on_gathered(self, before: Transition, index: int) -> Transition:
        """Ask for an answer from the relevant documents, if there are any."""
        step = before.steps[index]
        documents = _documents(before.retrieved.get(index, Outcome()))
        judged = [(each, _verdict(step.findings, each.id, before.turn.language)) for each in documents]
        if not any(verdict is not None and verdict.is_relevant for _, verdict in judged):
            reasons = [{"name": each.name, "reason": v.reason} for each, v in judged if v is not None]
            details = {"total_checked": len(documents), "reasons": reasons}
            return _fail(before, index, ErrorType.NO_RELEVANT_DOCUMENTS, details=details)
        return before.with_command(
            AnswerRequested(
                **before.envelope_of(index, len(step.calls)),
                question=_query(before, step),
                history=before.recent(),
            )
        )

    def on_answer(self, before: Transition, event: AnswerReady) -> Transition:
        """Take the answer, and of its sources those that are relevant documents of this question."""
        index, step = event.step, before.steps[event.step]
        if event.error_type is not None or not event.text.strip() or step.findings is None:
            return _fail(before, index, event.error_type or ErrorType.SERVER_ERROR)
        documents, _ = _relevant(before.retrieved.get(index, Outcome()), step.findings, before.turn.language)
        relevant = {each.id for each in documents}
        sources = tuple(source for source in event.sources if source.id in relevant)
        dropped = event.dropped_citations + len(event.sources) - len(sources)
        known = _research(before, index).model_copy(update={"sources": sources})
        answer = Step(intent=step.intent, status=Status.OK, message=event.text, research=known, cut=event.cut)
        return before.end_step(index, answer, {**written_by(event), "droppedCitations": dropped})

    def fail(
        self, before: Transition, index: int, reason: ErrorType, message: str, **details: object
    ) -> Transition:
        return _fail(before, index, reason, details=details)


def with_documents(turn: Turn, command: AnswerRequested) -> AnswerRequested:
    """As it is sent: with the documents that its step has found relevant."""
    findings = turn.steps[command.step].findings
    if findings is None:
        return command
    found = turn.retrieved.get(command.step, Outcome())
    documents, proposals = _relevant(found, findings, turn.language)
    return command.model_copy(update={"documents": documents, "proposals": proposals, "note": found.note})


def _documents(found: Outcome) -> tuple[Document, ...]:
    items = fanout.items_of(found, Document.model_fields["type"].default)
    return tuple(item for item in items if isinstance(item, Document))


def _proposals(found: Outcome) -> tuple[Proposal, ...]:
    return tuple(item for item in found.items if isinstance(item, Proposal))[:MAX_PROPOSALS]


def _verdict(findings: Findings | None, document_id: str, language: str) -> Verdict | None:
    """None as long as nothing was said of a document."""
    match findings.results.get(document_id) if findings is not None else None:
        case None:
            return None
        case ItemResult(failure=None, items=(Relevance(id=judged) as said,)) if judged == document_id:
            return Verdict(is_relevant=said.is_relevant, reason=said.reason, quotes=said.quotes)
        case ItemResult(failure=failure):
            return Verdict(is_relevant=True, reason=text(f"check_{failure or 'unclear'}", language))


def _relevant(
    found: Outcome, findings: Findings | None, language: str
) -> tuple[tuple[Document, ...], tuple[Proposal, ...]]:
    """The relevant documents, with what their checks have quoted, and the proposals that belong to them."""
    judged = ((each, _verdict(findings, each.id, language)) for each in _documents(found))
    documents = tuple(
        each.model_copy(update={"quotes": verdict.quotes})
        for each, verdict in judged
        if verdict is not None and verdict.is_relevant
    )
    ids = {each.id for each in documents}
    return documents, tuple(each for each in _proposals(found) if ids & set(each.document_ids))


def _query(before: Transition, step: StepState) -> str:
    """What is searched for; the message, until that is known."""
    asked = step.calls[-1].args.get("query") if retrieves(step) else None
    return str(asked) if asked else before.turn.message


def _fail(
    before: Transition,
    index: int,
    error_type: ErrorType,
    offered: Iterable[str] = (),
    details: dict[str, Any] | None = None,
) -> Transition:
    """End a question with the reason why there is no answer, and with what has been found so far."""
    step = before.steps[index]
    query, found = _query(before, step), before.retrieved.get(index, Outcome())
    error = ErrorInfo(
        error_type=error_type,
        message=" ".join(filter(None, [before.text(_sentence(before, error_type)), found.note])),
        suggestions=suggestions(query, (*offered, *found.suggestions), language=before.turn.language),
        details=details or {},
    )
    known = _research(before, index).model_copy(update={"error_info": error})
    status = Status.NEEDS_CLARIFICATION if error_type in _QUESTIONS else Status.ERROR
    return before.end_step(
        index, Step(intent=step.intent, status=status, message=error.message, research=known)
    )


def _sentence(before: Transition, error_type: ErrorType) -> str:
    """The text key of a reason. Of a model is spoken only where one was asked."""
    unasked = error_type is ErrorType.NO_TOOL_CALL and not before.usage.calls
    return "error_no_question" if unasked else f"error_{error_type}"


def _research(before: Transition, index: int) -> Research:
    """As others see it: of the proposals those of relevant documents, once it is known which ones are."""
    step, found = before.steps[index], before.retrieved.get(index, Outcome())
    documents = _documents(found)
    verdicts = [_verdict(step.findings, each.id, before.turn.language) for each in documents]
    collected = bool(documents) and None not in verdicts
    proposals = _relevant(found, step.findings, before.turn.language)[1] if collected else _proposals(found)
    return Research(
        user_query=_query(before, step),
        initial_question=before.turn.message,
        tracked_documents=tuple(map(_tracked, documents, verdicts)),
        tracked_proposals=tuple(
            TrackedProposal(
                identifier=each.identifier,
                name=each.name,
                subject=each.subject,
                url=each.url,
                date=each.date,
                document_ids=each.document_ids,
                sample=_sample(each),
            )
            for each in proposals
        ),
    )


def _tracked(document: Document, verdict: Verdict | None) -> TrackedDocument:
    return TrackedDocument(
        id=document.id,
        name=document.name,
        url=document.url,
        size_bytes=document.size_bytes,
        date=document.date,
        kind=document.kind,
        body=document.body,
        is_checked=verdict is not None,
        is_relevant=verdict is not None and verdict.is_relevant,
        relevance_reason=verdict.reason if verdict is not None else "",
        sample=_sample(document),
    )


def _sample(item: ItemBase) -> Sample:
    return True if item.provenance is not None and item.provenance.sample else None


def _plain(values: Iterable[Any]) -> list[dict[str, Any]]:
    """As JSON."""
    return [value.model_dump(mode="json", exclude_none=True) for value in values]
