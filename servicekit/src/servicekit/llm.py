"""The client for any endpoint that speaks OpenAI's protocol, and what can go wrong with one."""

from contextlib import suppress
from typing import Literal

import httpx2
from openai import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AsyncOpenAI,
    AuthenticationError,
    InternalServerError,
    OpenAIError,
    PermissionDeniedError,
    RateLimitError,
)
from servicekit.errors import ServiceKitError
from servicekit.exchange import trusted
from servicekit.settings import OpenAiSettings

OPENAI_URL = "https://api.openai.com/v1"
MAX_CONNECTIONS = 64

Reason = Literal[
    "timeout", "connection", "credentials", "rate_limit", "server", "content_filter", "rejected", "protocol"
]
"""`rejected`: the endpoint does not take such a request (model, parameter, schema).
`protocol`: what came back with status 200 is no answer of a language model."""

_FILTERED = frozenset({"content_filter", "content_policy_violation"})


class LlmUnavailable(ServiceKitError):
    """The language model does not answer."""

    code = "llm_unavailable"

    def __init__(self, reason: Reason, status: int | None = None) -> None:
        super().__init__()
        self.reason = reason
        self.status = status

    @property
    def outcome(self) -> str:
        """The reason and, if the endpoint has answered, its status."""
        return f"{self.reason} {self.status or ''}".strip()


def openai_client(settings: OpenAiSettings, api_key: str, base_url: str | None) -> AsyncOpenAI:
    """A pooled client; one a process, closed with `await client.close()`.

    The time-out bounds every attempt's connect, read and write, not the whole of it: bound that with
    `asyncio.timeout`. A server that asks for a longer pause than the settings allow is not tried again.
    """
    timeout_s = settings.openai_timeout_s

    async def decline_long_pauses(response: httpx2.Response) -> None:
        if _retry_after_s(response) > settings.openai_max_retry_pause_s:
            response.headers["x-should-retry"] = "false"

    return AsyncOpenAI(
        api_key=api_key,
        # Named here, so that the SDK does not look for it in the environment by itself.
        base_url=base_url or OPENAI_URL,
        timeout=timeout_s,
        max_retries=settings.openai_max_retries,
        http_client=httpx2.AsyncClient(
            verify=trusted(),
            timeout=timeout_s,
            limits=httpx2.Limits(max_connections=MAX_CONNECTIONS, max_keepalive_connections=MAX_CONNECTIONS),
            # A prompt goes to the configured host and to no other.
            follow_redirects=False,
            event_hooks={"response": [decline_long_pauses]},
        ),
    )


def _retry_after_s(response: httpx2.Response) -> float:
    with suppress(ValueError):
        return float(response.headers.get("retry-after-ms", "")) / 1_000
    with suppress(ValueError):
        return float(response.headers.get("retry-after", ""))
    return 0.0


def failure(error: OpenAIError) -> LlmUnavailable:
    """Why a call failed, in words that need no SDK."""
    match error:
        case APITimeoutError():
            return LlmUnavailable("timeout")
        case APIConnectionError():
            return LlmUnavailable("connection")
        case AuthenticationError() | PermissionDeniedError():
            return LlmUnavailable("credentials", error.status_code)
        case RateLimitError():
            return LlmUnavailable("rate_limit", error.status_code)
        case InternalServerError():
            return LlmUnavailable("server", error.status_code)
        case APIStatusError(code=code) if code in _FILTERED:
            return LlmUnavailable("content_filter", error.status_code)
        case APIStatusError():
            return LlmUnavailable("rejected", error.status_code)
        case _:
            return LlmUnavailable("protocol")
