"""Geocoding in one worker: many at once against a slow source, from the cache, and from the embedded data.

    python bench/geocode.py --calls 200 --delay-ms 100

The source is a server of recorded answers in a process of its own, which waits before each answer. Every
question is another one, so that nothing comes from the cache but where it is meant to. There is no bus here:
that is measured in `turns.py`.
"""

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice, product
from pathlib import Path
from time import perf_counter
from typing import Any

import uvloop
from contracts.status import Status
from rich.console import Console
from rich.table import Table
from servicekit.outbound import Outbound
from servicekit.testing import MemoryBus
from servicekit.tools import Tool

from tools_geo.handlers import register
from tools_geo.settings import Settings
from tools_geo.sources import gateways

SUPPORT = Path(__file__).parents[1] / "tests" / "support"
NUMBERS = ("1", "3", "4", "5", "6", "17", "22", "22a", "24", "25", "37")
STREETS = tuple("Rötistrasse"[:length] for length in range(4, 12))
LOCALITIES = ("Solothurn", "Solothur", "olothurn")


def questions() -> Iterator[str]:
    """Existing addresses, each written in many ways; the search finds parts of words too."""
    for number, street, locality in product(NUMBERS, STREETS, LOCALITIES):
        yield f"{street} {number}, {locality}"


@contextmanager
def slow_source(delay_s: float) -> Iterator[str]:
    """The URL of a server that takes its time."""
    command = [sys.executable, "-m", "recorded", "--delay-s", str(delay_s)]
    environment = {**os.environ, "PYTHONPATH": str(SUPPORT)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def geocoder(settings: Settings, outbound: Outbound | None) -> Tool:
    bus: Any = MemoryBus()
    return register(bus, gateways(settings, outbound))["geolocation.geocode"]


async def ask(tool: Tool, question: str) -> float:
    """Seconds until there is an address."""
    started = perf_counter()
    outcome = await tool.call({"q": question}, "de")
    if outcome.status is not Status.OK or not outcome.items:
        raise SystemExit(f"{question}: {outcome.message}")
    return perf_counter() - started


async def at_once(tool: Tool, asked: Sequence[str], limit: int) -> float:
    """Seconds for all of them, as many at a time as a worker takes."""
    permits = asyncio.Semaphore(limit)

    async def one(question: str) -> None:
        async with permits:
            await ask(tool, question)

    started = perf_counter()
    await asyncio.gather(*map(one, asked))
    return perf_counter() - started


async def one_by_one(tool: Tool, asked: Sequence[str]) -> list[float]:
    return [await ask(tool, question) for question in asked]


async def run(calls: int, delay_s: float, rounds: int) -> None:
    asked = list(islice(questions(), calls))
    totals, cached = [], []
    with slow_source(delay_s) as url:
        settings = Settings(
            addresses_source="live", search_url=f"{url}/api/search/v2/", federal_fallback=False
        )
        for _ in range(rounds):
            outbound = Outbound(settings, (url,))
            live = geocoder(settings, outbound)
            totals.append(await at_once(live, asked, settings.max_concurrency))
            cached += await one_by_one(live, asked)
            await outbound.close()
    embedded = geocoder(Settings(), None)
    local = await one_by_one(embedded, [f"Rötistrasse {number}, Solothurn" for number in NUMBERS * 20])
    table = Table(title=f"geocoding, {rounds} rounds of {len(asked)}", title_justify="left")
    for column in ("", "measured", "budget"):
        table.add_column(column, justify="left" if not column else "right")
    total = f"{statistics.median(totals):.2f} s"
    table.add_row(f"{len(asked)} at once, source takes {delay_s * 1000:.0f} ms", total, "≤ 1 s")
    table.add_row("cached, p50", f"{statistics.median(cached) * 1000:.2f} ms", "≤ 5 ms")
    table.add_row("embedded, p50", f"{statistics.median(local) * 1000:.2f} ms", "≤ 5 ms")
    Console(width=100).print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure geocoding in one worker.")
    parser.add_argument("--calls", type=int, default=200, help="at once; 264 at most")
    parser.add_argument("--delay-ms", type=float, default=100, help="how long the source takes")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    uvloop.run(run(options.calls, options.delay_ms / 1000, options.rounds))


if __name__ == "__main__":
    main()
