"""`ask top`: the system at work, on the terminal."""

import asyncio
from collections import deque
from collections.abc import Iterable, Mapping
from time import monotonic

import httpx
import typer
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from ask.errors import AskError, Exit
from ask.figures import Row, Snapshot, View, view
from ask.texts import text

_TIMEOUT_S = 2.0
_WINDOW_S = 60.0
_MAX_ROWS = 12


async def run(places: Mapping[str, str], *, once: bool, as_json: bool, interval_s: float) -> None:
    """Frame after frame, or one after an interval. `places`: process -> URL of its metrics.

    Raises `AskError` when nobody answers at the beginning.
    """
    console = Console(highlight=False)
    async with httpx.AsyncClient(timeout=_TIMEOUT_S, trust_env=False) as http:
        seen: deque[Snapshot] = deque([(await _look(http, places))[0]])
        if not seen[0].values:
            raise AskError(text("top_silent", places=", ".join(places.values())), Exit.UNREACHABLE)
        if once or as_json:
            await asyncio.sleep(interval_s)
            found = await _next(http, places, seen)
            if as_json:
                typer.echo(found.model_dump_json())
            else:
                console.print(frame(found))
            return
        with Live(console=console, screen=console.is_terminal, auto_refresh=False) as live:
            while True:
                live.update(frame(await _next(http, places, seen)), refresh=True)
                await asyncio.sleep(interval_s)


async def _next(http: httpx.AsyncClient, places: Mapping[str, str], seen: deque[Snapshot]) -> View:
    now, unreachable = await _look(http, places)
    seen.append(now)
    while len(seen) > 2 and now.at - seen[0].at > _WINDOW_S:
        seen.popleft()
    return view(seen[0], now, unreachable)


async def _look(http: httpx.AsyncClient, places: Mapping[str, str]) -> tuple[Snapshot, list[str]]:
    """What all say who answer, and who does not."""
    answers = await asyncio.gather(*(_ask(http, url) for url in places.values()))
    told = dict(zip(places, answers, strict=True))
    said = (document for document in told.values() if document is not None)
    return Snapshot.of(monotonic(), said), [name for name, document in told.items() if document is None]


async def _ask(http: httpx.AsyncClient, url: str) -> str | None:
    try:
        answered = await http.get(url, headers={"Accept": "text/plain"})
        return answered.raise_for_status().text
    except (httpx.HTTPError, httpx.InvalidURL):
        return None


def frame(seen: View) -> RenderableType:
    """One picture of the system."""
    head = text(
        "top_head",
        per_s=f"{seen.turns_per_s:.1f}",
        in_flight=seen.in_flight,
        at_most=seen.at_most,
        failed=f"{seen.failed_share:.1%}",
        oldest=_seconds(seen.oldest_s),
    )
    parts: list[RenderableType] = [Text(head, style="bold")]
    if seen.unreachable:
        parts.append(Text(text("top_unreachable", names=", ".join(seen.unreachable)), style="red"))
    for key, rows in (("interfaces", seen.interfaces), ("intents", seen.intents), ("tools", seen.tools)):
        if rows:
            parts += [Text(), _table(text(f"top_{key}"), rows)]
    if seen.waiting:
        parts += [Text(), _waiting(seen)]
    if seen.tokens:
        lines = (text("top_tokens", model=t.model, input=t.input, output=t.output) for t in seen.tokens)
        parts += [Text(), *map(Text, lines)]
    return Group(*parts)


def _table(title: str, rows: Iterable[Row]) -> Table:
    """What nobody has asked for in the last minute is dim: its times are older."""
    table = Table(box=None, pad_edge=False)
    table.add_column(title, min_width=28, no_wrap=True)
    for key in ("per_s", "calls", "failed", "p50", "p95"):
        table.add_column(text(f"top_{key}"), justify="right")
    for row in tuple(rows)[:_MAX_ROWS]:
        cells = (
            f"{row.per_s:.1f}",
            str(row.calls),
            str(row.failed),
            _seconds(row.p50_s),
            _seconds(row.p95_s),
        )
        table.add_row(Text(row.name), *cells, style="" if row.recent else "dim")
    return table


def _waiting(seen: View) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(text("top_consumers"), min_width=28, no_wrap=True)
    for key in ("pending", "unacknowledged"):
        table.add_column(text(f"top_{key}"), justify="right")
    for each in seen.waiting:
        name = Text(f"{each.consumer} {each.stream}")
        table.add_row(name, str(each.pending), str(each.unacknowledged), style="red" if each.pending else "")
    return table


def _seconds(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
