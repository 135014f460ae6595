"""Looks into the streams; reads, and only for a dead message writes."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import nats
from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError
from servicekit.access import options

from ask.errors import AskError
from ask.outside import without_password
from ask.permissions import OPERATOR, access_of, passwords
from ask.texts import text

_CONNECT_TIMEOUT_S = 8.0


@asynccontextmanager
async def connected(nats_url: str, user: str = OPERATOR) -> AsyncIterator[JetStreamContext]:
    """JetStream on one server. Raises `AskError` when it does not answer."""
    problems: list[Exception] = []

    async def note(problem: Exception) -> None:
        problems.append(problem)

    try:
        # Two attempts: without a limit the client would try for ever, and after a failed handshake it hangs.
        async with asyncio.timeout(_CONNECT_TIMEOUT_S):
            connection = await nats.connect(
                **options(nats_url, access_of(passwords(os.environ), user)),
                connect_timeout=3,
                max_reconnect_attempts=1,
                reconnect_time_wait=0,
                error_cb=note,
            )
    except Exception as error:
        problem = problems[-1] if problems else error
        reason = " ".join(str(problem).split()) or type(problem).__name__
        raise AskError(text("bus_unreachable", url=without_password(nats_url), reason=reason)) from None
    try:
        yield connection.jetstream()
    finally:
        await connection.close()


async def messages(
    js: JetStreamContext, stream: str, subject: str, after: int = 0
) -> AsyncIterator[RawStreamMsg]:
    """The messages of a stream on a subject (or pattern) after a number, oldest first. Raises `AskError`."""
    try:
        await js.stream_info(stream)
    except NotFoundError:
        raise AskError(text("no_stream", stream=stream)) from None
    sequence = after + 1
    while True:
        try:
            message = await js.get_msg(stream, seq=sequence, subject=subject, next=True)
        except NotFoundError:
            return
        yield message
        assert message.seq is not None
        sequence = message.seq + 1
