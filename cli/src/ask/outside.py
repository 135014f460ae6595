"""The few words with NATS and Redis before the services talk to them."""

import asyncio
from collections.abc import Mapping

import nats
from servicekit.access import options
from servicekit.settings import ServiceSettings
from servicekit.streams import declare_consumers_on, declare_on

from ask.errors import AskError
from ask.permissions import access_of
from ask.texts import text

_TIMEOUT_S = 10.0


async def declare_streams(
    nats_url: str, passwords: Mapping[str, str], environment: Mapping[str, str]
) -> None:
    """Streams and bucket exist afterwards, and consumers where services may not make them themselves.

    `environment` is that of the services. Raises `AskError` when the server does not do it.
    """
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            access = options(nats_url, access_of(passwords))
            connection = await nats.connect(**access, max_reconnect_attempts=3, reconnect_time_wait=0.2)
            try:
                await declare_on(connection.jetstream())
                if passwords:
                    await declare_consumers_on(connection.jetstream(), _settings(environment))
            finally:
                await connection.close()
    except Exception as error:
        raise AskError(text("nats_silent", url=without_password(nats_url), reason=_reason(error))) from None


def _settings(environment: Mapping[str, str]) -> ServiceSettings:
    """As a service with these variables reads them."""
    known = ServiceSettings.model_fields.keys() & {name.lower() for name in environment}
    return ServiceSettings(**{name: environment[name.upper()] for name in known})  # type: ignore[arg-type]


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
