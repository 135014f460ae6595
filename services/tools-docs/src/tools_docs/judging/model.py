"""Lets a language model judge. Whatever goes wrong, the document is kept and the reason says so."""

import asyncio
import logging
import re
from collections.abc import Sequence
from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal

from contracts.markdown import sentence
from contracts.messages import Usage
from openai import AsyncOpenAI, OpenAIError, omit
from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, ValidationError
from servicekit import deadline
from servicekit.asking import Asking, asking
from servicekit.fence import repeats
from servicekit.llm import LlmUnavailable, failure
from servicekit.spending import spend
from servicekit.wording import language

from tools_docs.gateways import Judged, Verdict
from tools_docs.judging import prompt
from tools_docs.judging.gathering import Gatherer
from tools_docs.settings import Settings
from tools_docs.texts import text

if TYPE_CHECKING:
    from openai.types.chat.completion_create_params import ResponseFormat

log = logging.getLogger("ask.documents.judge")

_FENCE = re.compile(r"```(?:json)?(.*)```", re.DOTALL)
_MAX_SAID = 100
_KEPT = {"timeout": "kept_timeout", "content_filter": "kept_refused", "protocol": "kept_unclear"}
"""Reasons of `LlmUnavailable` -> texts; all others mean that the model cannot be reached."""


class _Judgement(BaseModel):
    model_config = ConfigDict(extra="ignore")
    relevant: StrictBool
    reason: str = ""


class _NumberedJudgement(_Judgement):
    number: StrictInt


class _Judgements(BaseModel):
    model_config = ConfigDict(extra="ignore")
    verdicts: list[Any]
    """Each is read by itself: one that is none leaves the others."""


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Message = _Message()
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Completion(BaseModel):
    """The part of a chat completion that counts. Compatible servers differ in all the rest."""

    choices: list[_Choice] = Field(min_length=1)
    usage: _Usage | None = None


class ModelJudge:
    """See `gateways.Judge`. One client a process; any number of documents at the same time."""

    def __init__(self, client: AsyncOpenAI, settings: Settings) -> None:
        self._client = client
        self._settings = settings
        self._model = settings.judge_model or settings.openai_model
        together = settings.docs_check_batch
        self._gatherer = Gatherer(self._judge_all, together) if together > 1 else None

    async def judge(self, query: str, document: Judged) -> Verdict:
        if self._gatherer is not None:
            return await self._gatherer.judge(query, document)
        (verdict,) = await self._judge_all(query, (document,))
        return verdict

    async def _judge_all(self, query: str, documents: Sequence[Judged]) -> Sequence[Verdict]:
        started, outcome, usage = perf_counter(), "cancelled", _Usage()
        ids = ", ".join(document.id for document in documents)
        try:
            with asking(self._model, capture=self._settings.otel_capture_messages) as call:
                async with asyncio.timeout(self._budget_s()):
                    completion = await self._ask(query, documents, call)
            usage = completion.usage or usage
            spend(Usage(calls=1, input_tokens=usage.prompt_tokens, output_tokens=usage.completion_tokens))
            verdicts = _verdicts(completion.choices[0], len(documents))
            outcome = "ok"
        except TimeoutError:
            outcome, verdicts = "timeout", [_kept("kept_timeout")] * len(documents)
        except LlmUnavailable as unavailable:
            outcome = f"{unavailable.reason} {unavailable.status or ''}".strip()
            verdicts = [_kept(_KEPT.get(unavailable.reason, "kept_unavailable"))] * len(documents)
        except Exception:
            log.exception("judgement failed", extra={"documents": ids})
            outcome, verdicts = "bug", [_kept("kept_failed")] * len(documents)
        finally:
            facts = {
                "documents": ids,
                "model": self._model,
                "outcome": outcome,
                "input_tokens": usage.prompt_tokens,
                "output_tokens": usage.completion_tokens,
                "ms": round((perf_counter() - started) * 1_000, 1),
            }
            log.log(logging.INFO if outcome == "ok" else logging.WARNING, "judged", extra=facts)
        return verdicts

    def _budget_s(self) -> float:
        """Until the caller stops to wait, so that a document is kept with the true reason."""
        left_s = deadline.remaining_s()
        limit_s = self._settings.docs_check_timeout_s
        return limit_s if left_s is None else max(0.0, min(limit_s, left_s))

    async def _ask(self, query: str, documents: Sequence[Judged], call: Asking) -> _Completion:
        settings = self._settings
        limit = settings.openai_max_output_tokens
        newer = settings.openai_token_limit == "max_completion_tokens"
        content = prompt.question(query, documents, settings.docs_check_document_chars)
        many = len(documents) > 1
        rules = prompt.rules(language(), many=many)
        if settings.log_prompts:
            log.info("prompt", extra={"content": content})
        call.said("input", [{"role": "system", "content": rules}, {"role": "user", "content": content}])
        try:
            # The raw body, because the SDK would hand out whatever came as if it were a completion.
            response = await self._client.chat.completions.with_raw_response.create(
                model=self._model,
                messages=[{"role": "system", "content": rules}, {"role": "user", "content": content}],
                response_format=_response_format(
                    settings.openai_structured_output, prompt.MANY_SCHEMA if many else prompt.SCHEMA
                ),
                reasoning_effort=settings.openai_reasoning_effort or omit,
                max_completion_tokens=limit if newer else omit,
                max_tokens=omit if newer else limit,
            )
        except OpenAIError as error:
            raise failure(error) from None
        try:
            completion = _Completion.model_validate_json(response.http_response.content)
        except ValidationError:
            raise LlmUnavailable("protocol", response.http_response.status_code) from None
        usage, first = completion.usage or _Usage(), completion.choices[0]
        call.used(usage.prompt_tokens, usage.completion_tokens)
        call.said("output", [{"role": "assistant", "content": first.message.content}])
        call.ended(first.finish_reason)
        return completion


def _response_format(
    wanted: Literal["strict", "json_object", "none"], schema: dict[str, Any]
) -> "ResponseFormat":
    match wanted:
        case "strict":
            return {
                "type": "json_schema",
                "json_schema": {"name": "relevance", "strict": True, "schema": schema},
            }
        case "json_object":
            return {"type": "json_object"}
        case "none":
            return {"type": "text"}


def _verdicts(choice: _Choice, documents: int) -> Sequence[Verdict]:
    """For each document, by its number. Raises `LlmUnavailable` when there are none."""
    if choice.message.refusal or choice.finish_reason == "content_filter":
        raise LlmUnavailable("content_filter")
    content = choice.message.content or ""
    fenced = _FENCE.fullmatch(content.strip())
    content = fenced[1] if fenced else content
    try:
        if documents == 1:
            return [_verdict(_Judgement.model_validate_json(content))]
        said = _Judgements.model_validate_json(content).verdicts
    except ValidationError:
        raise LlmUnavailable("protocol") from None
    found: dict[int, list[_NumberedJudgement]] = {}
    for each in said[:_MAX_SAID]:
        with suppress(ValidationError):
            judgement = _NumberedJudgement.model_validate(each)
            found.setdefault(judgement.number, []).append(judgement)
    return [_agreed(found.get(number, [])) for number in range(1, documents + 1)]


def _agreed(judgements: Sequence[_NumberedJudgement]) -> Verdict:
    """Nobody is left out whom the model has forgotten, or of whom it says both."""
    if len({judgement.relevant for judgement in judgements}) != 1:
        return _kept("kept_unclear")
    return _verdict(judgements[0])


def _verdict(judgement: _Judgement) -> Verdict:
    default = text("judged_relevant" if judgement.relevant else "judged_irrelevant")
    reason = sentence(judgement.reason.replace("\u00df", "ss"))
    # What the model was told is for nobody else.
    told = any(repeats(reason, prompt.rules(language(), many=many)) for many in (False, True))
    return Verdict(judgement.relevant, default if told else reason or default)


def _kept(key: str) -> Verdict:
    return Verdict(is_relevant=True, reason=text(key))
