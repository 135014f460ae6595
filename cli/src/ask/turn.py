"""`ask turn`: the event log of one turn."""

import asyncio

import typer
from contracts import subjects
from contracts.turns import AnswerDelta, TurnEvent, log_entry
from pydantic import ValidationError
from rich.console import Console
from servicekit.logorder import Logged, LogOrder

from ask import bus
from ask.errors import AskError
from ask.rendering import show_turn
from ask.texts import text

Entry = TurnEvent | AnswerDelta


async def read(nats_url: str, request_id: str) -> list[Entry]:
    """The entries in their order, repeated ones left out. Raises `AskError` when there are none."""
    order = LogOrder()
    entries: list[Entry] = []
    async with bus.connected(nats_url) as js:
        async for message in bus.messages(js, subjects.TURNS.name, subjects.turn_log(request_id)):
            try:
                entry = log_entry(message.data or b"")
            except ValidationError:
                continue
            if entry.subject != message.subject:
                # Of a sender who may not say that.
                continue
            each: Entry
            for each in entry.entries():
                entries += [told.entry for told in order.take(Logged(message.seq or 0, each))]
    entries += [told.entry for told in order.give_up()]
    if not entries:
        raise AskError(text("turn_unknown", request_id=request_id))
    return entries


def run(nats_url: str, request_id: str, *, as_json: bool) -> None:
    """Raises `AskError`."""
    entries = asyncio.run(read(nats_url, request_id))
    if as_json:
        for entry in entries:
            typer.echo(entry.to_json().decode())
    else:
        show_turn(Console(highlight=False), entries)
