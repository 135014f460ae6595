"""`ask turn`: the event log of one turn."""

import asyncio
from collections.abc import AsyncIterator

import typer
from contracts import subjects
from contracts.turns import TurnEvent
from nats.js.api import RawStreamMsg
from rich.console import Console

from ask import bus
from ask.errors import AskError
from ask.rendering import show_turn
from ask.texts import text


async def read(nats_url: str, request_id: str) -> list[TurnEvent]:
    """The events in their order, repeated ones left out. Raises `AskError` when there are none."""
    async with bus.connected(nats_url) as js:
        subject = subjects.turn_event(request_id)
        found = bus.messages(js, subjects.TURNS.name, subject)
        events = {event.n: event async for event in _events(found)}
    if not events:
        raise AskError(text("turn_unknown", request_id=request_id))
    return [events[n] for n in sorted(events)]


async def _events(found: AsyncIterator[RawStreamMsg]) -> AsyncIterator[TurnEvent]:
    async for message in found:
        yield TurnEvent.from_json(message.data or b"")


def run(nats_url: str, request_id: str, *, as_json: bool) -> None:
    """Raises `AskError`."""
    events = asyncio.run(read(nats_url, request_id))
    if as_json:
        for event in events:
            typer.echo(event.to_json().decode())
    else:
        show_turn(Console(highlight=False), events)
