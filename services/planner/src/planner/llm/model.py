"""One question to a language model over chat completions, and its answer with what it cost."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from openai import AsyncOpenAI, OpenAIError, omit
from pydantic import BaseModel, ValidationError
from servicekit.asking import Asking, asking
from servicekit.llm import LlmUnavailable, failure

from planner.settings import Settings

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionMessageParam
    from openai.types.chat.completion_create_params import ResponseFormat

    from planner.llm.strict import Schema

log = logging.getLogger(__name__)

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True)
class Said:
    role: Role
    text: str


@dataclass(frozen=True)
class Reply:
    """`ending`: why the model stopped; everything but `stop` means that the text is not whole."""

    text: str
    ending: Literal["stop", "refusal", "length", "content_filter"]
    prompt_tokens: int = 0
    completion_tokens: int = 0


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

    choices: list[_Choice]
    usage: _Usage | None = None


class Model:
    """A model behind an endpoint, asked in one fixed way."""

    def __init__(self, client: AsyncOpenAI, settings: Settings) -> None:
        self._client = client
        self._settings = settings

    async def reply(self, conversation: Sequence[Said], schema: "Schema") -> Reply:
        """Ask once; bounding the time is up to the caller. Raises `LlmUnavailable`."""
        model = self._settings.plan_model or self._settings.openai_model
        with asking(model, capture=self._settings.otel_capture_messages) as call:
            return await self._reply(model, conversation, schema, call)

    async def _reply(self, model: str, conversation: Sequence[Said], schema: "Schema", call: Asking) -> Reply:
        settings = self._settings
        limit = settings.openai_max_output_tokens
        newer = settings.openai_token_limit == "max_completion_tokens"
        messages = [_message(said) for said in conversation]
        if settings.log_prompts:
            log.info("prompt", extra={"messages": messages})
        call.said("input", messages)
        try:
            # The raw body, because the SDK would hand out whatever came as if it were a completion.
            response = await self._client.chat.completions.with_raw_response.create(
                model=model,
                messages=messages,
                response_format=_response_format(settings, schema),
                temperature=omit if settings.openai_temperature is None else settings.openai_temperature,
                reasoning_effort=settings.openai_reasoning_effort or omit,
                max_completion_tokens=limit if newer else omit,
                max_tokens=omit if newer else limit,
            )
        except OpenAIError as error:
            unavailable = failure(error)
            if unavailable.reason == "content_filter":
                call.ended("content_filter")
                return Reply("", "content_filter")
            raise unavailable from None
        try:
            completion = _Completion.model_validate_json(response.http_response.content)
        except ValidationError:
            raise LlmUnavailable("protocol", response.http_response.status_code) from None
        if settings.log_prompts:
            log.info("answer", extra={"completion": completion.model_dump()})
        reply = _reply(completion)
        call.said("output", [{"role": "assistant", "content": reply.text}])
        call.used(reply.prompt_tokens, reply.completion_tokens)
        call.ended(reply.ending)
        return reply


def _message(said: Said) -> "ChatCompletionMessageParam":
    match said.role:
        case "system":
            return {"role": "system", "content": said.text}
        case "assistant":
            return {"role": "assistant", "content": said.text}
        case "user":
            return {"role": "user", "content": said.text}


def _response_format(settings: Settings, schema: "Schema") -> "ResponseFormat":
    match settings.openai_structured_output:
        case "strict":
            return {
                "type": "json_schema",
                "json_schema": {"name": "plan", "strict": True, "schema": schema},
            }
        case "json_object":
            return {"type": "json_object"}
        case "none":
            return {"type": "text"}


def _reply(completion: _Completion) -> Reply:
    usage = completion.usage or _Usage()
    choice = completion.choices[0] if completion.choices else _Choice()
    ending: Literal["stop", "refusal", "length", "content_filter"] = "stop"
    if choice.message.refusal:
        ending = "refusal"
    elif choice.finish_reason == "length":
        ending = "length"
    elif choice.finish_reason == "content_filter":
        ending = "content_filter"
    return Reply(choice.message.content or "", ending, usage.prompt_tokens, usage.completion_tokens)
