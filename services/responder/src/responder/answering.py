"""Who writes an answer, and what happens when that fails."""

import logging
from datetime import UTC, datetime

from contracts.messages import AnswerReady, AnswerRequested, Usage
from contracts.research import ErrorType
from servicekit.errors import ServiceKitError

from responder import extract, template
from responder.llm.prompt import user_prompt
from responder.numbers import foreign_numbers
from responder.settings import Settings
from responder.sources import sources_of
from responder.texts import text
from responder.writing import Voice, Writer, Written

log = logging.getLogger("ask.responder")

APOLOGY = "apology"
_ERROR_TYPES = {
    "timeout": ErrorType.TIMEOUT,
    "content_filter": ErrorType.CONTENT_POLICY_VIOLATION,
}


class Responder:
    """Lets the model write if there is one, else quotes documents and lists results."""

    def __init__(self, model: Writer | None, settings: Settings) -> None:
        self._model = model
        self._settings = settings

    async def answer(self, request: AnswerRequested, voice: Voice) -> AnswerReady:
        """What `voice` has said in the end is the text of the answer. Raises only what `voice` raises."""
        written = await self._write(self._bounded(request), voice)
        note = f"\n\n{request.note}" if request.note else ""
        await voice.say(note)
        return AnswerReady(
            **request.envelope(),
            text=written.text + note,
            sources=sources_of(request.documents, written),
            author=written.author,
            dropped_citations=written.dropped_citations,
            error_type=written.error_type,
            cut=written.is_cut or None,
            usage=written.usage,
        )

    def _bounded(self, request: AnswerRequested) -> AnswerRequested:
        """The last entries and results, each cut to its setting."""
        settings = self._settings
        history = (
            request.history[-settings.answer_history_entries :] if settings.answer_history_entries else ()
        )
        results = request.results[-settings.answer_results :] if settings.answer_results else ()
        cut = settings.answer_result_chars
        return request.model_copy(
            update={
                "history": tuple(e.model_copy(update={"text": e.text[:cut]}) for e in history),
                "results": tuple(r.model_copy(update={"text": r.text[:cut]}) for r in results),
            }
        )

    async def _write(self, request: AnswerRequested, voice: Voice) -> Written:
        quote_or_list = extract.write if request.documents else template.write
        if self._model is None:
            return await quote_or_list(request, voice)
        try:
            written = await self._model.write(request, voice)
        except ServiceKitError as failure:
            return await self._apologise(request, voice, failure)
        problem = self._problem(request, written)
        if problem is not None:
            # Better the documents' own words, and the data as they are.
            log.warning(problem, extra={"request_id": request.request_id})
            await voice.restart()
            quoted = await quote_or_list(request, voice)
            return Written(
                quoted.text,
                quoted.author,
                quoted.cited,
                dropped_citations=written.dropped_citations,
                usage=written.usage,
            )
        return written

    def _problem(self, request: AnswerRequested, written: Written) -> str | None:
        """Why what a model has written cannot be checked."""
        if request.documents:
            return None if written.cited else "an answer without citations was withdrawn"
        material = f"{user_prompt(request, 0)} {datetime.now(UTC).date()}"
        invented = foreign_numbers(written.text, material)
        return "an answer with numbers of its own was withdrawn" if invented else None

    async def _apologise(self, request: AnswerRequested, voice: Voice, failure: ServiceKitError) -> Written:
        reason = getattr(failure, "reason", "")
        log.warning("no answer", extra={"request_id": request.request_id, "reason": reason or failure.code})
        apology = text("apology", request.language)
        await voice.restart()
        await voice.say(apology)
        error_type = _ERROR_TYPES.get(reason, ErrorType.SERVER_ERROR)
        return Written(apology, APOLOGY, error_type=error_type, usage=Usage(calls=1))
