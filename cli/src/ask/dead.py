"""`ask dead`: messages that no service could handle."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import uuid4

from contracts import subjects
from contracts.subjects import Header
from nats.js import JetStreamContext
from nats.js.api import RawStreamMsg
from nats.js.errors import NotFoundError

from ask import bus
from ask.errors import AskError
from ask.texts import text

_STREAM = subjects.DEAD.name
_ADVISORY = subjects.MAX_DELIVERIES_ADVISORY.removesuffix(">")
# What belongs to the burial, or to the one publication that failed, and not to the message.
_LEFT_BEHIND = frozenset({Header.MESSAGE_ID, Header.REASON, Header.ORIGIN})


@dataclass(frozen=True)
class Body:
    """The message itself: `subject` is where it was sent to at first."""

    subject: str
    headers: dict[str, str]
    data: bytes
    stuck_in: tuple[str, int] | None = None
    """Stream and sequence, when it still lies where it could not be delivered."""


@dataclass(frozen=True)
class Entry:
    """One entry of the stream DEAD: a buried message, or the server's note that it has given up on one."""

    number: int
    at: datetime | None
    subject: str
    reason: str
    request_id: str
    raw: RawStreamMsg

    @property
    def note(self) -> dict[str, Any] | None:
        """What the server says of a message that it has given up on; None for a buried message."""
        if not (self.raw.subject or "").startswith(_ADVISORY):
            return None
        document: dict[str, Any] = json.loads(self.raw.data or b"{}")
        return document


def entry_of(raw: RawStreamMsg) -> Entry:
    """Reads what is stored under one number of the stream."""
    headers = raw.headers or {}
    entry = Entry(
        number=raw.seq or 0,
        at=raw.time,
        subject=headers.get(Header.ORIGIN, raw.subject or ""),
        reason=headers.get(Header.REASON, ""),
        request_id=headers.get(Header.REQUEST_ID, ""),
        raw=raw,
    )
    note = entry.note
    if note is None:
        return entry
    gave_up = text("dead_gave_up", consumer=note.get("consumer"), deliveries=note.get("deliveries"))
    place = f"{note.get('stream')} #{note.get('stream_seq')}"
    return Entry(entry.number, entry.at, place, gave_up, entry.request_id, raw)


async def entries(js: JetStreamContext) -> AsyncIterator[Entry]:
    """Oldest first."""
    async for raw in bus.messages(js, _STREAM, ">"):
        yield entry_of(raw)


async def find(js: JetStreamContext, number: int) -> Entry:
    """Raises `AskError` when there is no such entry."""
    try:
        return entry_of(await js.get_msg(_STREAM, seq=number))
    except NotFoundError:
        raise AskError(text("dead_unknown", entry=number)) from None


async def body_of(js: JetStreamContext, entry: Entry) -> Body:
    """The message behind an entry. Raises `AskError` when it has gone, or has no known destination."""
    note = entry.note
    if note is None:
        headers = entry.raw.headers or {}
        if Header.ORIGIN not in headers:
            raise AskError(text("dead_no_origin", entry=entry.number))
        return Body(headers[Header.ORIGIN], headers, entry.raw.data or b"")
    stream, sequence = str(note.get("stream")), int(note.get("stream_seq", 0))
    try:
        raw = await js.get_msg(stream, seq=sequence)
    except NotFoundError:
        raise AskError(text("dead_gone", entry=entry.number)) from None
    return Body(raw.subject or "", raw.headers or {}, raw.data or b"", (stream, sequence))


async def replay(js: JetStreamContext, entry: Entry, sender: JetStreamContext | None = None) -> Body:
    """Publish the message again as a new one, then delete the entry. Raises `AskError`.

    `sender` is the connection to publish on, when not everybody may.
    """
    body = await body_of(js, entry)
    headers = {name: value for name, value in body.headers.items() if name not in _LEFT_BEHIND}
    # A fresh id: the old one would be taken for a repetition and dropped.
    headers[Header.MESSAGE_ID] = f"replay/{uuid4()}"
    await (sender or js).publish(body.subject, body.data, headers=headers)
    if body.stuck_in is not None and body.stuck_in[0] == subjects.COMMANDS.name:
        # A work queue keeps what nobody has acknowledged; the new message has taken its place.
        await js.delete_msg(*body.stuck_in)
    await js.delete_msg(_STREAM, entry.number)
    return body
