"""Looks into the streams; reads, and only for a dead message writes."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError

from ask import outside
from ask.errors import AskError
from ask.permissions import OPERATOR, access_of, passwords
from ask.texts import text


@asynccontextmanager
async def connected(nats_url: str, user: str = OPERATOR) -> AsyncIterator[JetStreamContext]:
    """JetStream on one server. Raises `AskError` when it does not answer."""
    access = access_of(passwords(os.environ), user)
    async with outside.connected(nats_url, access, "bus_unreachable") as js:
        yield js


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
