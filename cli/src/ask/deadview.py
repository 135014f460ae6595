"""`ask dead list | show | replay | drop` on the terminal."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import typer
from contracts.subjects import is_token
from nats.js import JetStreamContext
from rich.console import Console

from ask import bus, dead, replaying
from ask.dead import Entry
from ask.errors import AskError
from ask.permissions import passwords, publisher_of
from ask.replaying import End, Sent
from ask.texts import text

_COLUMNS = ("entry", "time", "service", "reason", "subject", "error")
_GAP = "  "


def show_list(nats_url: str, *, as_json: bool) -> None:
    """One line for each entry. Raises `AskError`."""
    found = asyncio.run(_found(nats_url, None))
    if as_json:
        for entry in found:
            typer.echo(json.dumps(_facts(entry), ensure_ascii=False))
        return
    if not found:
        typer.echo(text("dead_none"))
        return
    rows = [tuple(text(f"column_{column}") for column in _COLUMNS), *map(_row, found)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        line = _GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        typer.echo(_cut(line, Console().width))


def show(nats_url: str, number: int) -> None:
    """One JSON document with the entry and its message. Raises `AskError`."""
    [entry] = asyncio.run(_found(nats_url, number))
    document = _facts(entry) | {"headers": entry.headers, "message": _readable(entry.data)}
    typer.echo(json.dumps(document, ensure_ascii=False, indent=2))


def replay(nats_url: str, number: int | None, *, patience_s: float, as_json: bool = False) -> bool:
    """One entry, or all of them; whether each was sent or needs it no more, and none has died again.

    Tells what becomes of the turns, for so many seconds at most. Raises `AskError`.
    """
    return asyncio.run(_replay(nats_url, number, patience_s, as_json))


def drop(nats_url: str, number: int | None, *, sure: bool, as_json: bool = False) -> None:
    """One entry, or all of them after a question unless `sure`. Raises `AskError`."""
    wanted = asyncio.run(_found(nats_url, number))
    if number is None and wanted and not sure:
        typer.confirm(text("dead_drop_sure", number=len(wanted)), abort=True)
    asyncio.run(_drop(nats_url, wanted, as_json))


async def _found(nats_url: str, number: int | None) -> list[Entry]:
    async with bus.connected(nats_url) as js:
        return await _wanted(js, number)


async def _wanted(js: JetStreamContext, number: int | None) -> list[Entry]:
    if number is not None:
        return [await dead.find(js, number)]
    return [entry async for entry in dead.entries(js)]


async def _drop(nats_url: str, wanted: list[Entry], as_json: bool) -> None:
    async with bus.connected(nats_url) as js:
        for entry in wanted:
            await dead.drop(js, entry)
            outcome = "dropped_stuck" if entry.is_stuck else "dropped"
            _tell(as_json, outcome, entry=entry.number, stream=entry.stream)


async def _replay(nats_url: str, number: int | None, patience_s: float, as_json: bool) -> bool:
    sent: list[Sent] = []
    went_well = True
    async with bus.connected(nats_url) as js:
        last = await dead.last_number(js)
        # Listed before the first is replayed: what dies again must not be replayed again.
        for entry in await _wanted(js, number):
            try:
                sent += await _replay_one(nats_url, js, entry, as_json)
            except AskError as error:
                went_well = False
                typer.echo(str(error), err=True)
        of_turns = [each for each in sent if is_token(each.entry.request_id)]
        async for entry, found in replaying.followed(js, of_turns, last, patience_s):
            went_well &= not isinstance(found, int)
            _tell_end(as_json, entry, found)
    return went_well


async def _replay_one(nats_url: str, js: JetStreamContext, entry: Entry, as_json: bool) -> list[Sent]:
    """Nothing is sent where nobody waits for it any more. Raises `AskError`."""
    over = replaying.over_since(entry, await replaying.look(js, entry), datetime.now(UTC))
    if over is not None:
        await dead.drop(js, entry)
        _tell(as_json, "over", entry=entry.number, request=entry.request_id, since=over)
        return []
    async with _sender(nats_url, js, entry) as sender:
        stored = await dead.send(js, entry, sender)
    _tell(as_json, "replayed", entry=entry.number, subject=entry.subject)
    return [Sent(entry, stored.stream, stored.seq)]


@asynccontextmanager
async def _sender(nats_url: str, js: JetStreamContext, entry: Entry) -> AsyncIterator[JetStreamContext]:
    """Where users have permissions, only the one that the subject belongs to may publish there."""
    given = passwords(os.environ)
    if not given or not entry.subject:
        yield js
        return
    user = publisher_of(entry.subject, given)
    if user is None:
        raise AskError(text("dead_no_password", entry=entry.number, subject=entry.subject))
    async with bus.connected(nats_url, user) as sender:
        yield sender


def _tell_end(as_json: bool, entry: Entry, found: End | int | None) -> None:
    known = {"entry": entry.number, "request": entry.request_id}
    if isinstance(found, int):
        _tell(as_json, "again", **known, other=found)
    elif found is None:
        _tell(as_json, "no_end", **known)
    else:
        _tell(as_json, "ended", **known, status=found.status)


def _tell(as_json: bool, outcome: str, **known: Any) -> None:
    """In a sentence, or as a line of JSON."""
    if as_json:
        if "request" in known:
            known["requestId"] = known.pop("request")
        typer.echo(json.dumps({"outcome": outcome, **known}, default=datetime.isoformat))
    else:
        if "since" in known:
            known["since"] = _time(known["since"])
        typer.echo(text(f"dead_{outcome}", **known))


def _row(entry: Entry) -> tuple[str, ...]:
    # The turn is long and told elsewhere: there has to be room for the error.
    subject = entry.subject.removesuffix(f".{entry.request_id}")
    cells = (str(entry.number), _time(entry.at), entry.service, entry.reason, subject, entry.error)
    # Without what a terminal would obey: whoever may say something on the bus has written it.
    return tuple("".join(char if char.isprintable() else " " for char in cell) for cell in cells)


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else f"{line[: width - 1]}…"


def _time(moment: datetime) -> str:
    return moment.astimezone().strftime("%d.%m. %H:%M:%S")


def _facts(entry: Entry) -> dict[str, Any]:
    return {
        "entry": entry.number,
        "at": entry.at.isoformat(),
        "service": entry.service,
        "reason": entry.reason,
        "error": entry.error,
        "deliveries": entry.deliveries,
        "stream": entry.stream,
        "sequence": entry.sequence,
        "subject": entry.subject,
        "requestId": entry.request_id,
    }


def _readable(data: bytes) -> Any:
    """JSON as it is, anything else as text."""
    try:
        return json.loads(data)
    except ValueError:
        return data.decode(errors="replace")
