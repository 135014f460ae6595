"""Who writes an answer, and what happens when that fails."""

import logging
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from contracts.messages import AnswerReady, AnswerRequested, Usage
from contracts.research import ErrorType
from contracts.session import ends_of
from servicekit.errors import ServiceKitError
from servicekit.telemetry import WITHDRAWN

from responder import extract, template
from responder.llm.prompt import user_prompt
from responder.numbers import foreign_numbers
from responder.settings import Settings
from responder.sources import sources_of
from responder.texts import text
from responder.writing import AnswerSink, ModelError, Writer, Written

log = logging.getLogger("ask.responder")

UNPROVEN: Final = "unproven"
_ERRORS = {
    "timeout": ErrorType.TIMEOUT,
    "content_filter": ErrorType.CONTENT_POLICY_VIOLATION,
}
"""Reasons of `LlmUnavailable`; all others are errors of a server."""


class Responder:
    """Lets the model write if there is one; else, and when it fails, quotes documents and lists results."""

    def __init__(self, model: Writer | None, settings: Settings) -> None:
        self._model = model
        self._settings = settings

    async def answer(self, request: AnswerRequested, sink: AnswerSink) -> AnswerReady:
        """What is in `sink` in the end is the text of the answer. Raises only what `sink` raises."""
        written = await self._write(self._bounded(request), sink)
        note = f"\n\n{request.note}" if request.note else ""
        await sink.append(note)
        return AnswerReady(
            **request.envelope(),
            text=written.text + note,
            sources=sources_of(request.documents, written),
            author=written.author,
            dropped_citations=written.dropped_citations,
            model_error=written.model_error,
            cut=written.is_cut or None,
            usage=written.usage,
        )

    def _bounded(self, request: AnswerRequested) -> AnswerRequested:
        """The last entries and results, each cut to its setting; of what was said its end stays, too."""
        settings = self._settings
        history = (
            request.history[-settings.answer_history_entries :] if settings.answer_history_entries else ()
        )
        results = request.results[-settings.answer_results :] if settings.answer_results else ()
        cut = settings.answer_result_chars
        return request.model_copy(
            update={
                "history": tuple(e.model_copy(update={"text": ends_of(e.text, cut)}) for e in history),
                "results": tuple(r.model_copy(update={"text": r.text[:cut]}) for r in results),
            }
        )

    async def _write(self, request: AnswerRequested, sink: AnswerSink) -> Written:
        if self._model is None:
            return await _from_material(request, sink)
        try:
            written = await self._model.write(request, sink)
        except ServiceKitError as failure:
            error = _ERRORS.get(getattr(failure, "reason", ""), ErrorType.SERVER_ERROR)
            return await self._instead(request, sink, error)
        except Exception:
            log.exception("writing failed", extra={"request_id": request.request_id})
            return await self._instead(request, sink, ErrorType.SERVER_ERROR)
        problem = self._problem(request, written)
        if problem is not None:
            log.warning(problem, extra={"request_id": request.request_id})
            return await self._instead(request, sink, UNPROVEN, written)
        return written

    def _problem(self, request: AnswerRequested, written: Written) -> str | None:
        """Why what a model has written cannot be checked."""
        if request.documents:
            return None if written.cited else "an answer without citations was withdrawn"
        material = f"{user_prompt(request, 0)} {datetime.now(UTC).date()}"
        invented = foreign_numbers(written.text, material)
        return "an answer with numbers of its own was withdrawn" if invented else None

    async def _instead(
        self, request: AnswerRequested, sink: AnswerSink, error: ModelError, withdrawn: Written | None = None
    ) -> Written:
        """Say that it has failed, and let the documents speak for themselves, or the data."""
        WITHDRAWN.labels(error).inc()
        await sink.restart()
        why = text(f"model_{error}", request.language) + "\n\n"
        await sink.append(why)
        written = await _from_material(request, sink)
        return replace(
            written,
            text=why + written.text,
            dropped_citations=withdrawn.dropped_citations if withdrawn else 0,
            model_error=error,
            usage=withdrawn.usage if withdrawn else Usage(calls=1),
        )


async def _from_material(request: AnswerRequested, sink: AnswerSink) -> Written:
    return await (extract.write if request.documents else template.write)(request, sink)
