"""The few words with NATS and Redis before the services talk to them."""

import asyncio

from servicekit.streams import declare

from ask.errors import AskError
from ask.texts import text

_TIMEOUT_S = 10.0


async def declare_streams(nats_url: str) -> None:
    """Streams and bucket exist afterwards. Raises `AskError` when the server does not do it."""
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            await declare(nats_url)
    except Exception as error:
        raise AskError(text("nats_silent", url=without_password(nats_url), reason=_reason(error))) from None


async def ping_redis(redis_url: str) -> None:
    """Raises `AskError` when the server does not answer."""
    # Imported here: a stack with a server of its own has no use for the client.
    from redis.asyncio import Redis

    try:
        client = Redis.from_url(redis_url)
        try:
            async with asyncio.timeout(_TIMEOUT_S):
                await client.ping()
        finally:
            await client.aclose()
    except Exception as error:
        raise AskError(text("redis_silent", url=without_password(redis_url), reason=_reason(error))) from None


def without_password(url: str) -> str:
    """The URL as it may be shown."""
    scheme, separator, rest = url.partition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2]}" if separator else url


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__
