"""`ask dead list | show | replay` on the terminal."""

import asyncio
import json
import os
from typing import Any

import typer
from nats.js import JetStreamContext
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ask import bus, dead
from ask.dead import Body, Entry
from ask.errors import AskError
from ask.permissions import passwords, publisher_of
from ask.texts import text


def show_list(nats_url: str, *, as_json: bool) -> None:
    """Raises `AskError`."""
    found = asyncio.run(_all(nats_url))
    if as_json:
        for entry in found:
            typer.echo(json.dumps(_facts(entry), ensure_ascii=False))
        return
    console = Console(highlight=False)
    if not found:
        console.print(text("dead_none"))
        return
    table = Table(box=None, pad_edge=False)
    for column in ("entry", "time", "subject", "request", "reason"):
        table.add_column(text(f"column_{column}"), overflow="fold")
    for entry in found:
        at = entry.at.astimezone().strftime("%d.%m. %H:%M:%S") if entry.at is not None else ""
        table.add_row(*map(Text, (str(entry.number), at, entry.subject, entry.request_id, entry.reason)))
    console.print(table)


def show(nats_url: str, number: int) -> None:
    """One JSON document with the entry and its message. Raises `AskError`."""
    entry, body = asyncio.run(_one(nats_url, number))
    message = {"subject": body.subject, "headers": body.headers, "message": _readable(body.data)}
    document = _facts(entry) | message
    typer.echo(json.dumps(document, ensure_ascii=False, indent=2))


def replay(nats_url: str, number: int | None) -> None:
    """One entry, or all of them. Raises `AskError`."""
    for entry, body in asyncio.run(_replay(nats_url, number)):
        typer.echo(text("dead_replayed", entry=entry.number, subject=body.subject))


async def _all(nats_url: str) -> list[Entry]:
    async with bus.connected(nats_url) as js:
        return [entry async for entry in dead.entries(js)]


async def _one(nats_url: str, number: int) -> tuple[Entry, Body]:
    async with bus.connected(nats_url) as js:
        entry = await dead.find(js, number)
        return entry, await dead.body_of(js, entry)


async def _replay(nats_url: str, number: int | None) -> list[tuple[Entry, Body]]:
    async with bus.connected(nats_url) as js:
        if number is not None:
            wanted = [await dead.find(js, number)]
        else:
            # Listed before the first is replayed: what dies again must not be replayed again.
            wanted = [entry async for entry in dead.entries(js)]
        return [(entry, await _replay_one(nats_url, js, entry)) for entry in wanted]


async def _replay_one(nats_url: str, js: JetStreamContext, entry: Entry) -> Body:
    """Where users have permissions, only the one that the subject belongs to may publish there."""
    given = passwords(os.environ)
    if not given:
        return await dead.replay(js, entry)
    subject = (await dead.body_of(js, entry)).subject
    user = publisher_of(subject, given)
    if user is None:
        raise AskError(text("dead_no_password", entry=entry.number, subject=subject))
    async with bus.connected(nats_url, user) as sender:
        return await dead.replay(js, entry, sender)


def _facts(entry: Entry) -> dict[str, Any]:
    return {
        "entry": entry.number,
        "at": entry.at.isoformat() if entry.at is not None else None,
        "subject": entry.subject,
        "requestId": entry.request_id,
        "reason": entry.reason,
    }


def _readable(data: bytes) -> Any:
    """JSON as it is, anything else as text."""
    try:
        return json.loads(data)
    except ValueError:
        return data.decode(errors="replace")
