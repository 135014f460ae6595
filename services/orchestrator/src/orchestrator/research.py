"""Questions about documents: found, checked one by one, answered from the relevant ones or not at all.

Pure; every function takes the transition in the making and adds to it.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from contracts.chat import Step
from contracts.items import Document, ItemBase, Proposal, Relevance
from contracts.messages import AnswerReady, AnswerRequested, Command, Outcome, ToolCalled, ToolResult
from contracts.research import ErrorInfo, ErrorType, Research, Sample, TrackedDocument, TrackedProposal
from contracts.status import Status
from contracts.turns import TurnEventKind

from orchestrator.frame import Frame
from orchestrator.guard import RETRIEVE, retrieves
from orchestrator.responding import written_by
from orchestrator.state import Findings, StepState, Turn, Verdict
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
    documents = _documents(outcome)
    findings = Findings(query=_query(frame, step), round=event.round, call=event.call)
    frame.update(index, findings=findings)
    frame.retrieved[index] = outcome
    if not documents:
        fail(frame, index, ErrorType.NO_DOCUMENTS_FOUND)
        return
    known = _research(frame, findings, outcome)
    detail = {
        "userQuery": known.user_query,
        "initialQuestion": known.initial_question,
        "documents": _plain(known.tracked_documents),
        "proposals": _plain(known.tracked_proposals),
    }
    frame.say(TurnEventKind.DOCUMENTS_FOUND, step.round, index, detail=detail)
    if CHECK not in frame.tools:
        for document in documents:
            _judge(
                frame, index, document.id, Verdict(is_relevant=True, reason=frame.text("check_unavailable"))
            )
        return
    deadline = min(frame.rounds[step.round].deadline, frame.now + check_timeout)
    for call, document in enumerate(documents, start=len(step.calls)):
        envelope = frame.envelope_of(index, call) | {"deadline": deadline}
        args = {"query": findings.query, "document": {"id": document.id}}
        frame.command(ToolCalled(**envelope, capability=CHECK, args=args))


def filled(turn: Turn, command: Command) -> Command:
    """A command as it is sent: with the documents that it names, or that its step has found relevant."""
    if not isinstance(command, ToolCalled | AnswerRequested):
        return command
    findings = turn.steps[command.step].findings
    if findings is None:
        return command
    found = turn.retrieved.get(command.step, Outcome())
    if isinstance(command, AnswerRequested):
        documents, proposals = _relevant(findings, found)
        more = {"documents": documents, "proposals": proposals, "note": found.note}
        return command.model_copy(update=more)
    if command.capability != CHECK:
        return command
    named = command.args["document"]["id"]
    content = [
        {"id": each.id, "name": each.name, "passages": _plain(each.passages)}
        for each in _documents(found)
        if each.id == named
    ]
    return (
        command.model_copy(update={"args": command.args | {"document": content[0]}}) if content else command
    )


def is_read_again(command: Command) -> bool:
    """Whether the answer has to be stored: of what a search finds the turn has the names only."""
    return isinstance(command, ToolCalled) and command.capability == RETRIEVE


def _documents(found: Outcome) -> tuple[Document, ...]:
    distinct: dict[str, Document] = {}
    for item in found.items:
        if isinstance(item, Document):
            distinct.setdefault(item.id, item)
    return tuple(distinct.values())[:MAX_DOCUMENTS]


def _proposals(found: Outcome) -> tuple[Proposal, ...]:
    return tuple(item for item in found.items if isinstance(item, Proposal))[:MAX_PROPOSALS]


def _relevant(findings: Findings, found: Outcome) -> tuple[tuple[Document, ...], tuple[Proposal, ...]]:
    """The relevant documents, with what their checks have quoted, and the proposals that belong to them."""
    verdicts = findings.verdicts
    documents = tuple(
        each.model_copy(update={"quotes": verdicts[each.id].quotes})
        for each in _documents(found)
        if each.id in verdicts and verdicts[each.id].is_relevant
    )
    ids = {each.id for each in documents}
    return documents, tuple(each for each in _proposals(found) if ids & set(each.document_ids))


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
        reason = frame.text("check_timeout" if late else "check_failed")
        _judge(frame, asked.step, document, Verdict(is_relevant=True, reason=reason))
        return
    match outcome.items:
        case (Relevance(id=found) as said,) if found == document:
            verdict = Verdict(is_relevant=said.is_relevant, reason=said.reason, quotes=said.quotes)
        case _:
            verdict = Verdict(is_relevant=True, reason=frame.text("check_unclear"))
    _judge(frame, asked.step, document, verdict)


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


def _judge(frame: Frame, index: int, document: str, verdict: Verdict) -> None:
    step = frame.steps[index]
    if step.findings is None:
        return
    verdicts = step.findings.verdicts | {document: verdict}
    findings = step.findings.model_copy(update={"verdicts": verdicts})
    frame.update(index, findings=findings)
    total = len(_documents(frame.retrieved.get(index, Outcome())))
    detail = {
        "id": document,
        "isRelevant": verdict.is_relevant,
        "reason": verdict.reason,
        "checked": len(verdicts),
        "total": total,
    }
    frame.say(TurnEventKind.DOCUMENT_CHECKED, step.round, index, detail=detail)
    if len(verdicts) == total:
        _collect(frame, index, findings)


# -- collected ------------------------------------------------------------------------------------------


def _collect(frame: Frame, index: int, findings: Findings) -> None:
    """Ask for an answer from the relevant documents, if there are any."""
    if not any(verdict.is_relevant for verdict in findings.verdicts.values()):
        documents = _documents(frame.retrieved[index])
        reasons = [{"name": d.name, "reason": findings.verdicts[d.id].reason} for d in documents]
        details = {"total_checked": len(documents), "reasons": reasons}
        fail(frame, index, ErrorType.NO_RELEVANT_DOCUMENTS, details=details)
        return
    frame.command(
        AnswerRequested(
            **frame.envelope_of(index, len(frame.steps[index].calls)),
            question=findings.query,
            history=frame.recent(),
        )
    )


def answered(frame: Frame, event: AnswerReady) -> None:
    """Take the answer, and of its sources those that are relevant documents of this question."""
    step = frame.steps[event.step]
    if event.error_type is not None or not event.text.strip() or step.findings is None:
        fail(frame, event.step, event.error_type or ErrorType.SERVER_ERROR)
        return
    relevant = {name for name, verdict in step.findings.verdicts.items() if verdict.is_relevant}
    sources = tuple(source for source in event.sources if source.id in relevant)
    dropped = event.dropped_citations + len(event.sources) - len(sources)
    found = frame.retrieved.get(event.step, Outcome())
    known = _research(frame, step.findings, found).model_copy(update={"sources": sources})
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
    findings = step.findings or Findings(query=_query(frame, step), round=step.round, call=0)
    found = frame.retrieved.get(index, Outcome())
    error = ErrorInfo(
        error_type=error_type,
        message=" ".join(filter(None, [frame.text(_sentence(frame, error_type)), found.note])),
        suggestions=suggestions(findings.query, (*offered, *found.suggestions), language=frame.turn.language),
        details=details or {},
    )
    known = _research(frame, findings, found).model_copy(update={"error_info": error})
    status = Status.NEEDS_CLARIFICATION if error_type in _QUESTIONS else Status.ERROR
    frame.finish_step(index, Step(intent=step.intent, status=status, message=error.message, research=known))


def _sentence(frame: Frame, error_type: ErrorType) -> str:
    """The text key of a reason. Of a model is spoken only where one was asked."""
    unasked = error_type is ErrorType.NO_TOOL_CALL and not frame.usage.calls
    return "error_no_question" if unasked else f"error_{error_type}"


# -- as others see it -----------------------------------------------------------------------------------


def _research(frame: Frame, findings: Findings, found: Outcome) -> Research:
    """Of the proposals those of relevant documents, as soon as it is known which ones are."""
    documents = _documents(found)
    collected = 0 < len(documents) == len(findings.verdicts)
    proposals = _relevant(findings, found)[1] if collected else _proposals(found)
    return Research(
        user_query=findings.query,
        initial_question=frame.turn.message,
        tracked_documents=tuple(_tracked(each, findings.verdicts.get(each.id)) for each in documents),
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
