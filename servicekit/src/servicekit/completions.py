"""Chat completions of a language model: one reply at once, or an answer that comes in pieces."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx2
from contracts.messages import Usage
from openai import OpenAIError
from pydantic import BaseModel, ValidationError
from servicekit.asking import Asking, asking
from servicekit.llm import LlmUnavailable, failure, openai_client
from servicekit.settings import OpenAiSettings

log = logging.getLogger("ask.llm")

Message = dict[str, str]
"""`role` (system, user or assistant) and `content`."""


@dataclass(frozen=True)
class Reply:
    """`ending`: `refusal`, or what the endpoint says: `stop`, `length`, `content_filter`, or nothing."""

    text: str
    ending: str
    usage: Usage = field(default_factory=Usage)
    """The tokens alone."""


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


class LanguageModel:
    """A model behind an endpoint that has a key; one a process, for any number of calls at the same time."""

    def __init__(self, settings: OpenAiSettings, name: str | None = None) -> None:
        """`name`: of another model than `OPENAI_MODEL`."""
        assert settings.openai_api_key is not None
        self.name = name or settings.openai_model
        self._settings = settings
        self._client = openai_client(
            settings, settings.openai_api_key.get_secret_value(), settings.openai_base_url
        )
        self._is_plain = False
        """The endpoint takes neither a temperature of our own nor a wish for the usage of a stream."""

    async def close(self) -> None:
        await self._client.close()

    async def reply(
        self,
        messages: Sequence[Message],
        schema_name: str,
        schema: dict[str, Any],
        *,
        temperature: float | None = None,
        timeout_s: float | None = None,
    ) -> Reply:
        """Ask once, for a JSON object. Raises `LlmUnavailable`."""
        async with self._call(messages, timeout_s) as call:
            completion = await self._completion(
                **self._request(messages, temperature),
                response_format=self._response_format(schema_name, schema),
            )
            if self._settings.log_prompts:
                log.info("answer", extra={"completion": completion.model_dump()})
            reply = _reply(completion)
            call.used(reply.usage.input_tokens, reply.usage.output_tokens)
            call.said("output", [{"role": "assistant", "content": reply.text}])
            call.ended(reply.ending)
            return reply

    @asynccontextmanager
    async def stream(
        self, messages: Sequence[Message], *, temperature: float | None, timeout_s: float
    ) -> "AsyncIterator[Stream]":
        """Ask for a text; all that is done inside counts as part of the call. Raises `LlmUnavailable`."""
        async with self._call(messages, timeout_s) as call:
            stream = Stream(self._chunks(self._request(messages, temperature)), call)
            yield stream
            if self._settings.log_prompts:
                log.info("answer", extra={"text": stream.text})

    @asynccontextmanager
    async def _call(self, messages: Sequence[Message], timeout_s: float | None) -> AsyncIterator[Asking]:
        with asking(self.name, capture=self._settings.otel_capture_messages) as call:
            if self._settings.log_prompts:
                log.info("prompt", extra={"messages": messages})
            call.said("input", messages)
            try:
                async with asyncio.timeout(timeout_s):
                    yield call
            except TimeoutError:
                raise LlmUnavailable("timeout") from None

    def _request(self, messages: Sequence[Message], temperature: float | None) -> dict[str, Any]:
        settings = self._settings
        optional = {"temperature": temperature, "reasoning_effort": settings.openai_reasoning_effort}
        return {
            "model": self.name,
            "messages": messages,
            settings.openai_token_limit: settings.openai_max_output_tokens,
            **{name: value for name, value in optional.items() if value is not None},
        }

    def _response_format(self, name: str, schema: dict[str, Any]) -> dict[str, Any]:
        match self._settings.openai_structured_output:
            case "strict":
                return {
                    "type": "json_schema",
                    "json_schema": {"name": name, "strict": True, "schema": schema},
                }
            case "json_object":
                return {"type": "json_object"}
            case "none":
                return {"type": "text"}

    async def _completion(self, **request: Any) -> _Completion:
        try:
            # The raw body, because the SDK would hand out whatever came as if it were a completion.
            response = await self._client.chat.completions.with_raw_response.create(**request)
        except OpenAIError as error:
            raise failure(error) from None
        try:
            return _Completion.model_validate_json(response.http_response.content)
        except ValidationError:
            raise LlmUnavailable("protocol", response.http_response.status_code) from None

    async def _chunks(self, request: dict[str, Any]) -> AsyncIterator[Any]:
        try:
            async for chunk in await self._open(request):
                yield chunk
        except OpenAIError as error:
            raise failure(error) from None
        except httpx2.TimeoutException:
            raise LlmUnavailable("timeout") from None
        except (httpx2.HTTPError, ValueError):
            # Cut off in the middle, or no stream of events at all.
            raise LlmUnavailable("connection") from None

    async def _open(self, request: dict[str, Any]) -> Any:
        create = self._client.chat.completions.create
        plain = {name: value for name, value in request.items() if name != "temperature"}
        if not self._is_plain:
            try:
                return await create(**request, stream=True, stream_options={"include_usage": True})
            except OpenAIError as error:
                if failure(error).reason != "rejected":
                    raise
                log.warning("the endpoint takes no temperature or usage", extra={"model": self.name})
                self._is_plain = True
        return await create(**plain, stream=True)


class Stream:
    """An answer while it comes. `text`, `ending` and `usage` (the tokens alone) grow with the pieces."""

    def __init__(self, chunks: AsyncIterator[Any], call: Asking) -> None:
        self._chunks = chunks
        self._call = call
        self.text = ""
        self.ending = ""
        self.usage = Usage()

    async def pieces(self) -> AsyncIterator[str]:
        """To the end, once. Raises `LlmUnavailable`, also when the answer ends before it is whole,
        unless that is for its `length`."""
        async for chunk in self._chunks:
            if chunk.usage is not None:
                self.usage = Usage(
                    input_tokens=chunk.usage.prompt_tokens or 0,
                    output_tokens=chunk.usage.completion_tokens or 0,
                )
                self._call.used(self.usage.input_tokens, self.usage.output_tokens)
            for choice in chunk.choices or ():
                if choice.delta is not None and choice.delta.refusal:
                    raise LlmUnavailable("content_filter")
                if choice.delta is not None and choice.delta.content:
                    self.text += choice.delta.content
                    yield choice.delta.content
                self.ending = choice.finish_reason or self.ending
        self._call.ended(self.ending)
        if self.ending == "content_filter":
            raise LlmUnavailable("content_filter")
        if not self.ending:
            # The stream has ended, the answer has not.
            raise LlmUnavailable("protocol")
        self._call.said("output", [{"role": "assistant", "content": self.text}])


def _reply(completion: _Completion) -> Reply:
    usage = completion.usage or _Usage()
    choice = completion.choices[0] if completion.choices else _Choice()
    return Reply(
        choice.message.content or "",
        "refusal" if choice.message.refusal else choice.finish_reason or "",
        Usage(input_tokens=usage.prompt_tokens, output_tokens=usage.completion_tokens),
    )
