"""What a model is asked: the question in its context, and the material. Pure."""

import json
from collections.abc import Iterator, Sequence
from datetime import date

from contracts.items import Document, Proposal
from contracts.messages import AnswerRequested
from contracts.session import Found, HistoryEntry, StepResult
from servicekit.fence import fenced

from responder.template import mark
from responder.texts import text


def system_prompt(request: AnswerRequested, today: date) -> str:
    key = "system_documents" if request.documents else "system_results"
    return text(key, request.language, today=f"{today.day}.{today.month}.{today.year}")


def user_prompt(request: AnswerRequested, document_chars: int) -> str:
    """`document_chars`: how much of each document's passages goes in."""
    language = request.language
    parts = [*_history(request.history, language)]
    if request.documents:
        parts += [_document(n, d, document_chars) for n, d in enumerate(request.documents, 1)]
        parts += _proposals(request.proposals)
    elif request.results:
        lines = [line for n, r in enumerate(request.results, 1) for line in _result(n, r)]
        parts.append(fenced("ergebnisse", "\n".join(lines)))
    else:
        parts.append(text("prompt_no_results", language))
    parts.append(fenced("frage", request.question))
    return "\n\n".join(parts)


def _history(entries: Sequence[HistoryEntry], language: str) -> Iterator[str]:
    if entries:
        lines = [text(f"prompt_{entry.role}", language, text=entry.text) for entry in entries]
        yield fenced("gespraech", "\n".join(lines))


def _result(n: int, result: StepResult) -> Iterator[str]:
    yield f"{n}. [{mark(ok=result.ok)}] {result.intent}: {result.text}"
    found = result.model_dump(include=set(Found.model_fields), exclude_defaults=True)
    if found:
        yield json.dumps(found, ensure_ascii=False, separators=(",", ":"))


def _document(n: int, document: Document, chars: int) -> str:
    facts = [document.name, document.kind, document.body, document.date and document.date.isoformat()]
    passages = "\n…\n".join(
        f"{passage.heading}: {passage.text}" if passage.heading else passage.text
        for passage in document.passages
    )
    return fenced("dokument", passages[:chars], nummer=n, titel=" · ".join(fact for fact in facts if fact))


def _proposals(proposals: Sequence[Proposal]) -> Iterator[str]:
    if proposals:
        lines = [f"- {p.identifier} {p.name}: {p.subject}" for p in proposals]
        yield fenced("antraege", "\n".join(lines))
