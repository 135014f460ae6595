"""Lets a model write: one streamed question without any response format, checked while it comes."""

import logging
from datetime import UTC, datetime
from time import perf_counter

from contracts.messages import AnswerRequested, Usage
from servicekit import clock
from servicekit.completions import LanguageModel
from servicekit.fence import repeats
from servicekit.llm import LlmUnavailable

from responder.draft import Draft
from responder.llm.prompt import system_prompt, user_prompt
from responder.settings import Settings
from responder.texts import text
from responder.writing import AnswerSink, Written

log = logging.getLogger("ask.responder.llm")

_LOOKED_AT_CHARS = 2_000
"""Of the end of an answer: a line of the prompt has long been told in it."""


class ModelWriter:
    """Any number of answers at the same time."""

    def __init__(self, model: LanguageModel, settings: Settings) -> None:
        self._model = model
        self._settings = settings

    async def write(self, request: AnswerRequested, sink: AnswerSink) -> Written:
        started, outcome, usage = perf_counter(), "cancelled", Usage()
        try:
            written = await self._write(request, sink)
            outcome, usage = "ok", written.usage
            return written
        except LlmUnavailable as unavailable:
            outcome = unavailable.outcome
            raise
        finally:
            facts = {
                "request_id": request.request_id,
                "model": self._model.name,
                "outcome": outcome,
                "input_tokens": usage.input_tokens,
                "output_tokens": usage.output_tokens,
                "ms": round((perf_counter() - started) * 1_000, 1),
            }
            log.log(logging.INFO if outcome == "ok" else logging.WARNING, "written", extra=facts)

    async def _write(self, request: AnswerRequested, sink: AnswerSink) -> Written:
        settings = self._settings
        asked = (request.question, *(entry.text for entry in request.history if entry.role == "user"))
        draft = Draft(request.documents, asked)
        rules = system_prompt(request, datetime.now(UTC).date())
        messages = [
            {"role": "system", "content": rules},
            {"role": "user", "content": user_prompt(request, settings.answer_document_chars)},
        ]
        left_s = (request.deadline - clock.now()).total_seconds() - settings.openai_reserve_s
        async with self._model.stream(
            messages, temperature=settings.answer_temperature, timeout_s=max(0.0, left_s)
        ) as answer:
            async for piece in answer.pieces():
                await sink.append(draft.feed(piece))
                self._check(draft, rules)
            await sink.append(draft.close())
            self._check(draft, rules)
            if not draft.text:
                raise LlmUnavailable("protocol")
            is_cut = answer.ending == "length"
            cut = "\n\n" + text("cut", request.language) if is_cut else ""
            await sink.append(cut)
        return Written(
            draft.text + cut,
            self._model.name,
            draft.cited,
            dropped_citations=draft.dropped_citations,
            is_cut=is_cut,
            usage=Usage(calls=1) + answer.usage,
        )

    def _check(self, draft: Draft, rules: str) -> None:
        """What the model was told is for nobody else. Raises `LlmUnavailable`."""
        if repeats(draft.text[-_LOOKED_AT_CHARS:], rules):
            log.warning("an answer that repeats its prompt was withdrawn", extra={"model": self._model.name})
            raise LlmUnavailable("content_filter")
