"""Lets a language model judge. Whatever goes wrong, the document is kept and the reason says so."""

import logging
import re
from collections.abc import Sequence
from contextlib import suppress
from time import perf_counter
from typing import Any

from contracts.markdown import sentence
from contracts.messages import Usage
from pydantic import BaseModel, ConfigDict, StrictBool, StrictInt, ValidationError
from servicekit import deadline
from servicekit.completions import LanguageModel, Reply
from servicekit.fence import repeats
from servicekit.llm import LlmUnavailable
from servicekit.spending import spend
from servicekit.wording import language

from tools_docs.gateways import Judged, Verdict
from tools_docs.judging import prompt
from tools_docs.judging.gathering import Gatherer
from tools_docs.settings import Settings
from tools_docs.texts import text

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


class ModelJudge:
    """See `gateways.Judge`. Any number of documents at the same time."""

    def __init__(self, model: LanguageModel, settings: Settings) -> None:
        self._model = model
        self._settings = settings
        together = settings.docs_check_batch
        self._gatherer = Gatherer(self._judge_all, together) if together > 1 else None

    async def judge(self, query: str, document: Judged) -> Verdict:
        if self._gatherer is not None:
            return await self._gatherer.judge(query, document)
        (verdict,) = await self._judge_all(query, (document,))
        return verdict

    async def _judge_all(self, query: str, documents: Sequence[Judged]) -> Sequence[Verdict]:
        started, outcome, usage = perf_counter(), "cancelled", Usage()
        ids = ", ".join(document.id for document in documents)
        try:
            reply = await self._ask(query, documents)
            usage = reply.usage
            spend(Usage(calls=1) + usage)
            verdicts = _verdicts(reply, len(documents))
            outcome = "ok"
        except LlmUnavailable as unavailable:
            outcome = unavailable.outcome
            verdicts = [_kept(_KEPT.get(unavailable.reason, "kept_unavailable"))] * len(documents)
        except Exception:
            log.exception("judgement failed", extra={"documents": ids})
            outcome, verdicts = "bug", [_kept("kept_failed")] * len(documents)
        finally:
            facts = {
                "documents": ids,
                "model": self._model.name,
                "outcome": outcome,
                "input_tokens": usage.input_tokens,
                "output_tokens": usage.output_tokens,
                "ms": round((perf_counter() - started) * 1_000, 1),
            }
            log.log(logging.INFO if outcome == "ok" else logging.WARNING, "judged", extra=facts)
        return verdicts

    def _budget_s(self) -> float:
        """Until the caller stops to wait, so that a document is kept with the true reason."""
        left_s = deadline.remaining_s()
        limit_s = self._settings.docs_check_timeout_s
        return limit_s if left_s is None else max(0.0, min(limit_s, left_s))

    async def _ask(self, query: str, documents: Sequence[Judged]) -> Reply:
        many = len(documents) > 1
        content = prompt.question(query, documents, self._settings.docs_check_document_chars)
        messages = [
            {"role": "system", "content": prompt.rules(language(), many=many)},
            {"role": "user", "content": content},
        ]
        schema = prompt.MANY_SCHEMA if many else prompt.SCHEMA
        return await self._model.reply(messages, "relevance", schema, timeout_s=self._budget_s())


def _verdicts(reply: Reply, documents: int) -> Sequence[Verdict]:
    """For each document, by its number. Raises `LlmUnavailable` when there are none."""
    if reply.ending in ("refusal", "content_filter"):
        raise LlmUnavailable("content_filter")
    fenced = _FENCE.fullmatch(reply.text.strip())
    content = fenced[1] if fenced else reply.text
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
