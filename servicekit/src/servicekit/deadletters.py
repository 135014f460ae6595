"""What is kept of a message that no service could handle, for a person to find."""

import json
import re
from collections.abc import Iterator
from typing import Any

from contracts import subjects
from contracts.subjects import DeadReason, Header
from nats.aio.msg import Msg
from pydantic import ValidationError
from servicekit.publisher import Entry
from servicekit.telemetry import request_id_of

_LINE_CHARS = 500
_READ_CHARS = 4_000
"""Of an error, however long it is."""
_SHORT_CHARS = 4
"""Shorter texts are in any error, whoever has written them."""
_WORD = re.compile(r"[^\s'\"]+")
_QUERY = re.compile(r"[?#]")


def letter(raw: Msg, service: str, reason: DeadReason, error: Exception) -> Entry:
    """The entry of the stream DEAD: the message as it came, and in its headers what happened to it."""
    headers = dict(raw.header or {})
    metadata = raw.metadata
    request_id = request_id_of(headers)
    subject = subjects.dead(service, request_id if subjects.is_token(request_id) else "unknown")
    headers[Header.REQUEST_ID] = request_id
    # With the id that it came with: others do not know that one, and cannot use this one first.
    headers[Header.MESSAGE_ID] = "/".join(
        ("dead", metadata.stream, str(metadata.sequence.stream), headers.get(Header.MESSAGE_ID, ""))
    )
    headers[Header.ORIGIN] = raw.subject
    headers[Header.REASON] = reason
    headers[Header.ERROR] = told(error, raw)
    headers[Header.DELIVERIES] = str(metadata.num_delivered)
    return subject, raw.data, headers


def without_body(entry: Entry) -> Entry:
    """Where there is no room for a word about it beside it."""
    subject, body, headers = entry
    error = f"{headers[Header.ERROR]} ({len(body)} bytes were left out)"
    return subject, b"", headers | {Header.ERROR: error}


def told(error: Exception, raw: Msg) -> str:
    """Type and message of an error, on one line of at most 500 ASCII characters.

    Without what it may quote: passwords and queries of addresses, and what the message says beside what its
    subject does, which may be a user's words.
    """
    said = faults(error) if isinstance(error, ValidationError) else str(error)
    said = _WORD.sub(_shown, said[:_READ_CHARS])
    for text in sorted(_texts(raw.data), key=len, reverse=True):
        if text not in raw.subject:
            said = said.replace(text, "…")
    line = " ".join(f"{type(error).__name__}: {said}".split())
    # A header may hold nothing else.
    return line.replace("…", "...").encode("ascii", "backslashreplace").decode()[:_LINE_CHARS]


def _shown(word: re.Match[str]) -> str:
    """An address without user and query; anything else as it is."""
    scheme, is_address, rest = word.group().partition("://")
    if not is_address:
        return scheme
    place, *query = _QUERY.split(rest, maxsplit=1)
    host, slash, path = place.partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}{'?…' if query else ''}"


def faults(error: ValidationError) -> str:
    """What is wrong with a document, without the values that are."""
    first = error.errors()[0]
    where = [".".join(map(str, first["loc"]))] if first["loc"] else []
    return f"{error.error_count()} errors, first: {': '.join((*where, first['msg']))}"


def _texts(body: bytes) -> set[str]:
    try:
        return set(_strings(json.loads(body)))
    except (ValueError, RecursionError):
        return set()


def _strings(value: Any) -> Iterator[str]:
    match value:
        case str() if len(value) >= _SHORT_CHARS:
            yield value
        case dict():
            for each in value.values():
                yield from _strings(each)
        case list():
            for each in value:
                yield from _strings(each)
