"""How long a name takes to be suggested, beside a request that does nothing.

    python bench/suggest.py --rounds 5 --requests 400

Both go over HTTP to the same edge of a real system, one after the other. A suggestion goes on to tools-geo
over NATS and back; `/healthz` is answered by the edge alone. Figures depend on the machine, the ratio holds.
"""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter
from urllib.parse import quote

import uvloop
from rich.console import Console
from rich.table import Table

import simulation
from ask.services import SERVICES
from ask.stack import Stack

BUDGET_MS = 50
"""Of the 95th percentile."""
WRITTEN = (
    "Gehe zur Langendorfstr",
    "Wo ist die Rötistr. 22 Sol",
    "Zeige mir Balm b. M",
    "Gehe nach Soloturn",
    "Zeige Parzelle 198 in Mes",
    "Lade Grundwasserschutzz",
    "Wo liegt die Langndorfstrase 19",
    "Das hier nennt ueberhaupt keinerlei Bekanntes",
)
"""Of each kind; mistyped, and nothing at all."""
HEALTH = "/healthz"


class Client:
    """One keep-alive connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def get(self, path: str) -> bytes:
        self._writer.write(f"GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n".encode())
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        body = await self._reader.readexactly(length)
        if b" 200 " not in head.splitlines()[0]:
            raise RuntimeError(f"{head.splitlines()[0].decode()}: {body[:300].decode()}")
        return body

    async def seconds(self, paths: list[str]) -> list[float]:
        """Of each, one after the other."""
        found = []
        for path in paths:
            started = perf_counter()
            await self.get(path)
            found.append(perf_counter() - started)
        return found


async def main(args: argparse.Namespace) -> bool:
    asked = [f"/api/suggest?q={quote(written)}" for written in WRITTEN]
    names: list[float] = []
    bare: list[float] = []
    ratios = []
    kept = tuple(service for service in SERVICES if service.name in {"edge", "orchestrator", "tools-geo"})
    with tempfile.TemporaryDirectory() as folder:
        async with Stack(Path(folder), services=kept, environment=os.environ) as stack:
            client = Client(*await asyncio.open_connection("127.0.0.1", stack.port))
            if b'"items":[]' in await client.get(asked[0]):
                raise RuntimeError("nobody knows names")
            await client.seconds(asked * 10)
            for _ in range(args.rounds):
                nothing = await client.seconds([HEALTH] * args.requests)
                found = await client.seconds(list(islice(cycle(asked), args.requests)))
                ratios.append(statistics.median(found) / statistics.median(nothing))
                bare += nothing
                names += found
    table = Table(
        "", "p50, ms", "p95, ms", "p99, ms", title=f"{args.rounds} rounds of {args.requests} requests"
    )
    for name, seconds in (("suggestion", names), ("health", bare)):
        table.add_row(name, *(f"{simulation.percentile(seconds, p) * 1000:.2f}" for p in (50, 95, 99)))
    console = Console()
    console.print(table)
    each = ", ".join(f"{ratio:.1f}" for ratio in ratios)
    console.print(f"ratio {statistics.median(ratios):.1f}× (median of {each}), budget {BUDGET_MS} ms at p95")
    return simulation.percentile(names, 95) * 1000 <= BUDGET_MS


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--requests", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=5)
    sys.exit(not uvloop.run(main(parser.parse_args())))
