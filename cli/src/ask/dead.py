"""`ask dead`: messages that no service could handle."""

import json
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import uuid4

from contracts import subjects
from contracts.subjects import DeadReason, Header
from nats.js import JetStreamContext
from nats.js.api import PubAck, RawStreamMsg
from nats.js.errors import APIError, NotFoundError
from servicekit.telemetry import request_id_of

from ask import bus
from ask.errors import AskError
from ask.texts import text

_STREAM = subjects.DEAD.name
_ADVISORY = subjects.MAX_DELIVERIES_ADVISORY.removesuffix(">")
_NO_MESSAGE = 10057
_ABOUT = frozenset({Header.REASON, Header.ERROR, Header.DELIVERIES, Header.ORIGIN})
"""What belongs to the burial and not to the message."""


@dataclass(frozen=True)
class Entry:
    """One entry of the stream DEAD: a buried message, or the server's note that it has given up on one."""

    number: int
    at: datetime
    service: str
    reason: str
    error: str
    deliveries: int
    """0 when the entry does not say."""
    stream: str
    sequence: int
    """Where the message was stored, and still is when the server has given up on it."""
    subject: str
    """Where it was sent to; empty when nobody knows, or not any more."""
    headers: dict[str, str]
    """As it was sent."""
    data: bytes
    """The message itself; empty when it is gone, or was too large to be kept."""

    @property
    def request_id(self) -> str:
        return request_id_of(self.headers)

    @property
    def is_stuck(self) -> bool:
        """Whether the message still lies in the work queue: nobody acknowledges it any more."""
        is_there = self.reason == DeadReason.GIVEN_UP and bool(self.data)
        return is_there and self.stream == subjects.COMMANDS.name


async def entries(js: JetStreamContext, after: int = 0) -> AsyncIterator[Entry]:
    """Oldest first."""
    async for raw in bus.messages(js, _STREAM, ">", after):
        yield await _entry(js, raw)


async def find(js: JetStreamContext, number: int) -> Entry:
    """Raises `AskError` when there is no such entry."""
    try:
        return await _entry(js, await js.get_msg(_STREAM, seq=number))
    except NotFoundError:
        raise AskError(text("dead_unknown", entry=number)) from None


async def last_number(js: JetStreamContext) -> int:
    """The number of the entry that came last, even when it has gone since."""
    return (await js.stream_info(_STREAM)).state.last_seq


async def send(js: JetStreamContext, entry: Entry, sender: JetStreamContext) -> PubAck:
    """Publish the message again as a new one, then delete the entry. Raises `AskError`.

    `sender` is the connection to publish on: not everybody may.
    """
    if not entry.data:
        raise AskError(text("dead_gone", entry=entry.number))
    if not subjects.takes(entry.service, entry.subject):
        # Whoever speaks for a service says here what others are to say in its place.
        raise AskError(
            text("dead_no_origin", entry=entry.number, service=entry.service, subject=entry.subject)
        )
    # A fresh id: the old one would be taken for a repetition and dropped. Its turn is told beside it.
    fresh = {Header.MESSAGE_ID: f"replay/{uuid4()}", Header.REQUEST_ID: entry.request_id}
    stored = await sender.publish(entry.subject, entry.data, headers=entry.headers | fresh)
    await drop(js, entry)
    return stored


async def drop(js: JetStreamContext, entry: Entry) -> None:
    """Delete the entry, and the message that it is about where that would lie in the way of others."""
    if entry.is_stuck:
        await _delete(js, entry.stream, entry.sequence)
    await _delete(js, _STREAM, entry.number)


async def _delete(js: JetStreamContext, stream: str, sequence: int) -> None:
    """Also when somebody else has been faster."""
    try:
        await js.delete_msg(stream, sequence)
    except APIError as error:
        if error.err_code != _NO_MESSAGE:
            raise


async def _entry(js: JetStreamContext, raw: RawStreamMsg) -> Entry:
    if (raw.subject or "").startswith(_ADVISORY):
        return await _given_up(js, raw)
    headers: dict[str, str] = raw.headers or {}
    _, stream, sequence, before = (*headers.get(Header.MESSAGE_ID, "").split("/", 3), "", "", "", "")[:4]
    sent = {name: value for name, value in headers.items() if name not in _ABOUT}
    return Entry(
        number=raw.seq or 0,
        at=_at(raw),
        service=(raw.subject or "").split(".")[1],
        reason=headers.get(Header.REASON, ""),
        error=headers.get(Header.ERROR, ""),
        deliveries=_number(headers.get(Header.DELIVERIES, "")),
        stream=stream,
        sequence=_number(sequence),
        subject=headers.get(Header.ORIGIN, ""),
        headers=sent | {Header.MESSAGE_ID: before},
        data=raw.data or b"",
    )


async def _given_up(js: JetStreamContext, raw: RawStreamMsg) -> Entry:
    note = json.loads(raw.data or b"{}")
    stream, sequence, deliveries = str(note["stream"]), int(note["stream_seq"]), int(note["deliveries"])
    message: RawStreamMsg | None = None
    with suppress(NotFoundError):
        message = await js.get_msg(stream, seq=sequence)
    if message is None or _at(message) > _at(raw):
        # Gone; or the stream was made anew since, and counts from 1 again.
        message = RawStreamMsg()
    return Entry(
        number=raw.seq or 0,
        at=_at(raw),
        service=str(note["consumer"]),
        reason=DeadReason.GIVEN_UP,
        error=text("dead_gave_up", deliveries=deliveries),
        deliveries=deliveries,
        stream=stream,
        sequence=sequence,
        subject=message.subject or "",
        headers=message.headers or {},
        data=message.data or b"",
    )


def _at(raw: RawStreamMsg) -> datetime:
    return raw.time or datetime.fromtimestamp(0, UTC)


def _number(said: str) -> int:
    return int(said) if said.isdecimal() else 0
