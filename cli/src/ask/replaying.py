"""Sends dead letters again, and finds out what has become of their turns."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from contracts import subjects
from contracts.subjects import Header
from contracts.turns import TurnEvent, TurnEventKind
from nats.js import JetStreamContext
from pydantic import ValidationError

from ask import bus, dead
from ask.dead import Entry

_POLL_S = 0.2
_LATEST = timedelta(seconds=subjects.COMMANDS.max_age_s)
"""A turn does not last longer: the message that is its timer is kept no longer."""


@dataclass(frozen=True)
class End:
    """How a round of a turn has ended."""

    at: datetime
    status: str

    @classmethod
    def of(cls, finished: TurnEvent) -> "End":
        # A message that answers an open choice has no response: the choice has.
        return cls(finished.at, str(finished.response.overall_status) if finished.response else "forwarded")


@dataclass(frozen=True)
class Seen:
    """What the log of a turn says of the round that a message belongs to."""

    begun: bool
    end: End | None


@dataclass(frozen=True)
class Sent:
    """An entry whose message is on its way again, and where it is stored."""

    entry: Entry
    stream: str
    sequence: int


async def look(js: JetStreamContext, entry: Entry) -> Seen:
    """Read the log of its turn. Raises `AskError`."""
    log = [each async for each in _log(js, entry.request_id)]
    begun = {each.round for each in log}
    ends = {each.round: End.of(each) for each in log if each.kind is TurnEventKind.FINISHED}
    message = _message(entry)
    if "choiceId" in message:
        made = (each for each in log if each.detail.get("choiceId") == message["choiceId"])
        n = next((each.round for each in made if each.kind is TurnEventKind.CHOICE_MADE), -1)
        return Seen(n in begun, ends.get(n))
    if message and entry.subject != subjects.CHAT_CANCELLED:
        n = message.get("round", 0)
        return Seen(n in begun, ends.get(n))
    # Of any round: there is nobody left to wait for it when all have ended.
    is_over = begun and begun == ends.keys()
    return Seen(bool(begun), max(ends.values(), key=lambda end: end.at) if is_over else None)


def over_since(entry: Entry, seen: Seen, now: datetime) -> datetime | None:
    """Since when nobody waits for the message any more; None when it is to be sent.

    A late `chat.requested` is: it is the timer of its turn, without which that never ends. But not a late
    click that nobody has taken: it would use up the choice.
    """
    if seen.end is not None:
        return seen.end.at
    deadline = _deadline(entry)
    is_timer = entry.subject == subjects.CHAT_REQUESTED and (seen.begun or "choiceId" not in _message(entry))
    return deadline if now >= deadline + (_LATEST if is_timer else timedelta()) else None


async def followed(
    js: JetStreamContext, sent: Sequence[Sent], after: int, patience_s: float
) -> AsyncIterator[tuple[Entry, End | int | None]]:
    """The end of each turn, or the number of the entry that its message has become again after `after`.

    None for what neither is known of when that many seconds are over. Raises `AskError`.
    """
    waiting, again = list(sent), dict[tuple[str, int], int]()
    loop = asyncio.get_running_loop()
    until = loop.time() + patience_s
    while waiting:
        async for entry in dead.entries(js, after):
            again[entry.stream, entry.sequence] = after = entry.number
        is_last = loop.time() >= until
        for each in tuple(waiting):
            number = again.get((each.stream, each.sequence))
            found = number or (await look(js, each.entry)).end
            if found is not None or is_last:
                waiting.remove(each)
                yield each.entry, found
        await asyncio.sleep(_POLL_S if waiting else 0)


async def _log(js: JetStreamContext, request_id: str) -> AsyncIterator[TurnEvent]:
    if not subjects.is_token(request_id):
        return
    async for stored in bus.messages(js, subjects.TURNS.name, subjects.turn_event(request_id)):
        # What another version has written may be unreadable for this one.
        with suppress(ValidationError):
            for each in TurnEvent.from_json(stored.data or b"").entries():
                yield each


def _message(entry: Entry) -> dict[str, Any]:
    """What can be read of it, even when its service cannot."""
    try:
        document = json.loads(entry.data)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _deadline(entry: Entry) -> datetime:
    """That of the message; of an answer nobody knows it, but the end of its turn at the latest."""
    try:
        return datetime.fromisoformat(entry.headers[Header.DEADLINE])
    except (KeyError, ValueError):
        return entry.at + _LATEST
