"""Questions about documents: found, checked one by one, answered from the relevant ones or not at all.

Pure; every function takes the transition in the making and adds to it.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from contracts.chat import Step
from contracts.items import Document, Item, ItemBase, Passage, Proposal, Relevance
from contracts.messages import AnswerReady, AnswerRequested, Command, Outcome, ToolCalled, ToolResult
from contracts.research import ErrorInfo, ErrorType, Research, Sample, TrackedDocument, TrackedProposal
from contracts.status import Status
from contracts.turns import TurnEventKind

from orchestrator.frame import Frame
from orchestrator.guard import retrieves
from orchestrator.responding import written_by
from orchestrator.state import Findings, StepState
from orchestrator.suggestions import suggestions

CHECK = "documents.check"
MAX_DOCUMENTS = 20
MAX_PROPOSALS = 50
_QUESTIONS = {ErrorType.NO_TOOL_CALL, ErrorType.NO_DOCUMENTS_FOUND, ErrorType.NO_RELEVANT_DOCUMENTS}
"""What the user can mend by asking in another way."""


# -- found ----------------------------------------------------------------------------------------------


def retrieved(frame: Frame, event: ToolResult, check_timeout: timedelta) -> None:
    """Have every document checked, all at the same time."""
    index, outcome = event.step, event.outcome
    step = frame.steps[index]
    if outcome.status is Status.ERROR:
        fail(frame, index, outcome.error_type or ErrorType.SERVER_ERROR, outcome.suggestions)
        return
    documents = _documents(outcome.items)
    findings = Findings(
        query=_query(frame, step),
        tracked=tuple(_tracked(document) for document in documents),
        documents=documents,
        proposals=tuple(item for item in outcome.items if isinstance(item, Proposal))[:MAX_PROPOSALS],
        suggestions=outcome.suggestions,
        note=outcome.note,
    )
    frame.update(index, findings=findings)
    if not documents:
        fail(frame, index, ErrorType.NO_DOCUMENTS_FOUND)
        return
    known = _research(frame, findings)
    detail = {
        "userQuery": known.user_query,
        "initialQuestion": known.initial_question,
        "documents": _plain(known.tracked_documents),
        "proposals": _plain(known.tracked_proposals),
    }
    frame.say(TurnEventKind.DOCUMENTS_FOUND, step.round, index, detail=detail)
    if CHECK not in frame.tools:
        for document in documents:
            _judge(frame, index, document.id, True, frame.text("check_unavailable"))
        return
    deadline = min(frame.rounds[step.round].deadline, frame.now + check_timeout)
    for call, document in enumerate(documents, start=len(step.calls)):
        envelope = frame.envelope_of(index, call) | {"deadline": deadline}
        content = {"id": document.id, "name": document.name, "passages": _plain(document.passages)}
        args = {"query": findings.query, "document": content}
        frame.command(ToolCalled(**envelope, capability=CHECK, args=args))


def _documents(items: Iterable[Item]) -> tuple[Document, ...]:
    distinct: dict[str, Document] = {}
    for item in items:
        if isinstance(item, Document):
            distinct.setdefault(item.id, item)
    return tuple(distinct.values())[:MAX_DOCUMENTS]


def _query(frame: Frame, step: StepState) -> str:
    """What is searched for; the message, until that is known."""
    asked = step.calls[-1].args.get("query") if retrieves(step) else None
    return str(asked) if asked else frame.turn.message


# -- checked --------------------------------------------------------------------------------------------


def checked(frame: Frame, asked: ToolCalled, outcome: Outcome) -> None:
    """Take the judgement on one document. A check that fails keeps its document."""
    document = str(asked.args["document"]["id"])
    if outcome.status is Status.ERROR:
        late = outcome.error_type is ErrorType.TIMEOUT
        _judge(frame, asked.step, document, True, frame.text("check_timeout" if late else "check_failed"))
        return
    match outcome.items:
        case (Relevance(id=found) as judgement,) if found == document:
            quotes = judgement.quotes
            _judge(frame, asked.step, document, judgement.is_relevant, judgement.reason, quotes)
        case _:
            _judge(frame, asked.step, document, True, frame.text("check_unclear"))


def checks_until(outstanding: Iterable[Command], n: int) -> datetime | None:
    """When the open checks of a round are no longer waited for: all at the same time."""
    return max((check.deadline for check in _checks(outstanding, n)), default=None)


def close_checks(frame: Frame, n: int) -> None:
    """Nobody has judged these documents in time: they are kept."""
    for check in _checks(frame.outstanding, n):
        frame.outstanding.remove(check)
        checked(frame, check, Outcome(status=Status.ERROR, error_type=ErrorType.TIMEOUT))


def _checks(outstanding: Iterable[Command], n: int) -> list[ToolCalled]:
    return [c for c in outstanding if isinstance(c, ToolCalled) and c.capability == CHECK and c.round == n]


def _judge(
    frame: Frame,
    index: int,
    document: str,
    is_relevant: bool,
    reason: str,
    quotes: tuple[Passage, ...] | None = None,
) -> None:
    step = frame.steps[index]
    assert step.findings is not None
    verdict = {"is_checked": True, "is_relevant": is_relevant, "relevance_reason": reason}
    tracked = tuple(
        each.model_copy(update=verdict) if each.id == document else each for each in step.findings.tracked
    )
    documents = tuple(
        each.model_copy(update={"quotes": quotes}) if each.id == document else each
        for each in step.findings.documents
        if is_relevant or each.id != document
    )
    findings = step.findings.model_copy(update={"tracked": tracked, "documents": documents})
    frame.update(index, findings=findings)
    done = sum(each.is_checked for each in tracked)
    detail = {
        "id": document,
        "isRelevant": is_relevant,
        "reason": reason,
        "checked": done,
        "total": len(tracked),
    }
    frame.say(TurnEventKind.DOCUMENT_CHECKED, step.round, index, detail=detail)
    if done == len(tracked):
        _collect(frame, index, findings)


# -- collected ------------------------------------------------------------------------------------------


def _collect(frame: Frame, index: int, findings: Findings) -> None:
    """Ask for an answer from the relevant documents, if there are any."""
    relevant = {document.id for document in findings.documents}
    if not relevant:
        reasons = [{"name": each.name, "reason": each.relevance_reason} for each in findings.tracked]
        details = {"total_checked": len(findings.tracked), "reasons": reasons}
        frame.update(index, findings=findings.model_copy(update={"proposals": ()}))
        fail(frame, index, ErrorType.NO_RELEVANT_DOCUMENTS, details=details)
        return
    proposals = tuple(p for p in findings.proposals if relevant & set(p.document_ids))
    frame.command(
        AnswerRequested(
            **frame.envelope_of(index, len(frame.steps[index].calls)),
            question=findings.query,
            history=frame.recent(),
            documents=findings.documents,
            proposals=proposals,
            note=findings.note,
        )
    )
    frame.update(index, findings=findings.model_copy(update={"documents": (), "proposals": proposals}))


def answered(frame: Frame, event: AnswerReady) -> None:
    """Take the answer, and of its sources those that are relevant documents of this question."""
    step = frame.steps[event.step]
    if event.error_type is not None or not event.text.strip() or step.findings is None:
        fail(frame, event.step, event.error_type or ErrorType.SERVER_ERROR)
        return
    relevant = {each.id for each in step.findings.tracked if each.is_relevant}
    sources = tuple(source for source in event.sources if source.id in relevant)
    dropped = event.dropped_citations + len(event.sources) - len(sources)
    known = _research(frame, step.findings).model_copy(update={"sources": sources})
    answer = Step(intent=step.intent, status=Status.OK, message=event.text, research=known, cut=event.cut)
    frame.finish_step(event.step, answer, {**written_by(event), "droppedCitations": dropped})


def fail(
    frame: Frame,
    index: int,
    error_type: ErrorType,
    offered: Iterable[str] = (),
    details: dict[str, Any] | None = None,
) -> None:
    """End a question with the reason why there is no answer, and with what has been found so far."""
    step = frame.steps[index]
    findings = step.findings or Findings(query=_query(frame, step), tracked=())
    error = ErrorInfo(
        error_type=error_type,
        message=" ".join(filter(None, [frame.text(_sentence(frame, error_type)), findings.note])),
        suggestions=suggestions(
            findings.query, (*offered, *findings.suggestions), language=frame.turn.language
        ),
        details=details or {},
    )
    known = _research(frame, findings).model_copy(update={"error_info": error})
    status = Status.NEEDS_CLARIFICATION if error_type in _QUESTIONS else Status.ERROR
    frame.finish_step(index, Step(intent=step.intent, status=status, message=error.message, research=known))


def _sentence(frame: Frame, error_type: ErrorType) -> str:
    """The text key of a reason. Of a model is spoken only where one was asked."""
    unasked = error_type is ErrorType.NO_TOOL_CALL and not frame.usage.calls
    return "error_no_question" if unasked else f"error_{error_type}"


# -- as others see it -----------------------------------------------------------------------------------


def _research(frame: Frame, findings: Findings) -> Research:
    return Research(
        user_query=findings.query,
        initial_question=frame.turn.message,
        tracked_documents=findings.tracked,
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
            for each in findings.proposals
        ),
    )


def _tracked(document: Document) -> TrackedDocument:
    return TrackedDocument(
        id=document.id,
        name=document.name,
        url=document.url,
        size_bytes=document.size_bytes,
        date=document.date,
        kind=document.kind,
        body=document.body,
        sample=_sample(document),
    )


def _sample(item: ItemBase) -> Sample:
    return True if item.provenance is not None and item.provenance.sample else None


def _plain(values: Iterable[Any]) -> list[dict[str, Any]]:
    """As JSON."""
    return [value.model_dump(mode="json", exclude_none=True) for value in values]
