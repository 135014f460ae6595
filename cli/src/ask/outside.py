"""The few words with NATS and Redis before the services talk to them."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import nats
import nats.errors
from contracts.urls import without_password
from nats.js import JetStreamContext
from servicekit.access import NatsAccess, options
from servicekit.admittance import refusal
from servicekit.settings import ServiceSettings
from servicekit.streams import declare_consumers_on, declare_on

from ask.errors import AskError, Exit
from ask.permissions import access_of
from ask.texts import text

_DECLARED_S = 20.0
_ANSWER_S = 10.0
_CONNECT_TIMEOUT_S = 8.0


@asynccontextmanager
async def connected(nats_url: str, access: NatsAccess, unreachable: str) -> AsyncIterator[JetStreamContext]:
    """JetStream on one server. Raises `AskError` with the text `unreachable` when nobody lets us in."""
    problems: list[Exception] = []

    async def note(problem: Exception) -> None:
        problems.append(problem)

    try:
        # Three attempts: without a limit the client tries for ever, and after a failed handshake it hangs.
        async with asyncio.timeout(_CONNECT_TIMEOUT_S):
            connection = await nats.connect(
                **options(nats_url, access),
                connect_timeout=3,
                max_reconnect_attempts=2,
                reconnect_time_wait=0,
                error_cb=note,
            )
    except (nats.errors.Error, OSError, ValueError) as error:
        # A server that does not let somebody in closes the connection, sometimes before its word has come.
        refusals = [problem for problem in problems if refusal(problem)]
        reason = _reason((refusals or problems or [error])[-1])
        line = text(unreachable, url=without_password(nats_url), reason=reason)
        raise AskError(line, Exit.UNREACHABLE) from None
    try:
        yield connection.jetstream(timeout=_ANSWER_S)
    finally:
        await connection.close()


async def declare_streams(
    nats_url: str, passwords: Mapping[str, str], environment: Mapping[str, str]
) -> None:
    """Streams and bucket exist afterwards, and consumers where services may not make them themselves.

    `environment` is that of the services. Raises `AskError` when the server does not do it.
    """
    try:
        async with (
            asyncio.timeout(_DECLARED_S),
            connected(nats_url, access_of(passwords), "nats_silent") as js,
        ):
            await declare_on(js)
            if passwords:
                await declare_consumers_on(js, _settings(environment))
    except (nats.errors.Error, OSError, ValueError) as error:
        raise AskError(text("nats_silent", url=without_password(nats_url), reason=_reason(error))) from None


def _settings(environment: Mapping[str, str]) -> ServiceSettings:
    """As a service with these variables reads them."""
    known = ServiceSettings.model_fields.keys() & {name.lower() for name in environment}
    return ServiceSettings(**{name: environment[name.upper()] for name in known})  # type: ignore[arg-type]


async def ping_redis(redis_url: str) -> None:
    """Raises `AskError` when the server does not answer."""
    # Imported here: a stack with a server of its own has no use for the client.
    from redis.asyncio import Redis
    from redis.exceptions import RedisError

    try:
        client = Redis.from_url(redis_url)
        try:
            async with asyncio.timeout(_ANSWER_S):
                await client.ping()
        finally:
            await client.aclose()
    except (RedisError, OSError, ValueError) as error:
        reason = _reason(error)
        raise AskError(text("redis_silent", url=without_password(redis_url), reason=reason)) from None


def _reason(error: Exception) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__
