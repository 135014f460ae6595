"""Lets a model write: one streamed question without any response format, checked while it comes."""

import asyncio
import logging
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING, Any

import httpx2
from contracts.messages import AnswerRequested, Usage
from openai import AsyncOpenAI, OpenAIError, omit
from servicekit import clock
from servicekit.asking import Asking, asking
from servicekit.fence import repeats
from servicekit.llm import LlmUnavailable, failure

from responder.draft import Draft
from responder.llm.prompt import system_prompt, user_prompt
from responder.settings import Settings
from responder.texts import text
from responder.writing import AnswerSink, Written

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionChunk

log = logging.getLogger("ask.responder.llm")

_LOOKED_AT_CHARS = 2_000
"""Of the end of an answer: a line of the prompt has long been told in it."""


class ModelWriter:
    """One client a process; any number of answers at the same time."""

    def __init__(self, client: AsyncOpenAI, settings: Settings) -> None:
        self._client = client
        self._settings = settings
        self._model = settings.answer_model or settings.openai_model
        self._plain = False
        """The endpoint takes neither a temperature of our own nor a wish for the usage."""

    async def write(self, request: AnswerRequested, sink: AnswerSink) -> Written:
        started, outcome, usage = perf_counter(), "cancelled", Usage()
        budget_s = (request.deadline - clock.now()).total_seconds() - self._settings.openai_reserve_s
        try:
            with asking(self._model, capture=self._settings.otel_capture_messages) as call:
                async with asyncio.timeout(max(0.0, budget_s)):
                    written = await self._write(request, sink, call)
            outcome, usage = "ok", written.usage
            return written
        except TimeoutError:
            outcome = "timeout"
            raise LlmUnavailable("timeout") from None
        except LlmUnavailable as unavailable:
            outcome = f"{unavailable.reason} {unavailable.status or ''}".strip()
            raise
        finally:
            facts = {
                "request_id": request.request_id,
                "model": self._model,
                "outcome": outcome,
                "input_tokens": usage.input_tokens,
                "output_tokens": usage.output_tokens,
                "ms": round((perf_counter() - started) * 1_000, 1),
            }
            log.log(logging.INFO if outcome == "ok" else logging.WARNING, "written", extra=facts)

    async def _write(self, request: AnswerRequested, sink: AnswerSink, call: Asking) -> Written:
        asked = (request.question, *(entry.text for entry in request.history if entry.role == "user"))
        draft = Draft(request.documents, asked)
        rules = system_prompt(request, datetime.now(UTC).date())
        ending, usage = "", Usage(calls=1)
        async for chunk in self._chunks(request, rules, call):
            if chunk.usage is not None:
                usage = Usage(
                    calls=1,
                    input_tokens=chunk.usage.prompt_tokens or 0,
                    output_tokens=chunk.usage.completion_tokens or 0,
                )
                call.used(usage.input_tokens, usage.output_tokens)
            for choice in chunk.choices or ()[:1]:
                if choice.delta is not None and choice.delta.refusal:
                    raise LlmUnavailable("content_filter")
                if choice.delta is not None and choice.delta.content:
                    await sink.append(draft.feed(choice.delta.content))
                    self._check(draft, rules)
                ending = choice.finish_reason or ending
        call.ended(ending)
        if ending == "content_filter":
            raise LlmUnavailable("content_filter")
        if not ending:
            # The stream has ended, the answer has not.
            raise LlmUnavailable("protocol")
        await sink.append(draft.close())
        self._check(draft, rules)
        if not draft.text:
            raise LlmUnavailable("protocol")
        whole = draft.text
        is_cut = ending == "length"
        if is_cut:
            cut = "\n\n" + text("cut", request.language)
            await sink.append(cut)
            whole += cut
        if self._settings.log_prompts:
            log.info("answer", extra={"text": whole})
        call.said("output", [{"role": "assistant", "content": whole}])
        return Written(
            whole,
            self._model,
            draft.cited,
            dropped_citations=draft.dropped_citations,
            is_cut=is_cut,
            usage=usage,
        )

    def _check(self, draft: Draft, rules: str) -> None:
        """What the model was told is for nobody else. Raises `LlmUnavailable`."""
        if repeats(draft.text[-_LOOKED_AT_CHARS:], rules):
            log.warning("an answer that repeats its prompt was withdrawn", extra={"model": self._model})
            raise LlmUnavailable("content_filter")

    async def _chunks(
        self, request: AnswerRequested, rules: str, call: Asking
    ) -> "AsyncIterator[ChatCompletionChunk]":
        """The pieces of one answer. Raises `LlmUnavailable`."""
        try:
            async for chunk in await self._stream(request, rules, call):
                yield chunk
        except OpenAIError as error:
            raise failure(error) from None
        except httpx2.TimeoutException:
            raise LlmUnavailable("timeout") from None
        except (httpx2.HTTPError, ValueError):
            # Cut off in the middle, or no stream of events at all.
            raise LlmUnavailable("connection") from None

    async def _stream(self, request: AnswerRequested, rules: str, call: Asking) -> Any:
        settings = self._settings
        limit = settings.openai_max_output_tokens
        newer = settings.openai_token_limit == "max_completion_tokens"
        content = user_prompt(request, settings.answer_document_chars)
        messages: Any = [
            {"role": "system", "content": rules},
            {"role": "user", "content": content},
        ]
        if settings.log_prompts:
            log.info("prompt", extra={"messages": messages})
        call.said("input", messages)
        while True:
            temperature = settings.answer_temperature
            try:
                return await self._client.chat.completions.create(
                    model=self._model,
                    messages=messages,
                    stream=True,
                    stream_options=omit if self._plain else {"include_usage": True},
                    temperature=omit if self._plain or temperature is None else temperature,
                    reasoning_effort=settings.openai_reasoning_effort or omit,
                    max_completion_tokens=limit if newer else omit,
                    max_tokens=omit if newer else limit,
                )
            except OpenAIError as error:
                if self._plain or failure(error).reason != "rejected":
                    raise
                log.warning("the endpoint takes no temperature or usage", extra={"model": self._model})
                self._plain = True
