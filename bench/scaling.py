"""What grows with what: turns per second against tool workers, and against sessions and stored turns.

    python bench/scaling.py workers            a tool that takes 200 ms, 4 calls at a time, 1 to 8 workers
    python bench/scaling.py sessions           turns of ever more sessions, all of which are kept

Each row of `workers` is a system of its own. `sessions` is one system: between two measurements turns of
further sessions are stored; both measurements are of turns of sessions drawn from all that there are.
"""

import argparse
import os
import random
import statistics
import sys
import tempfile
from functools import partial
from pathlib import Path

import uvloop
from rich.console import Console
from rich.table import Table

from ask.stack import Stack
from capacity import TOOL, limited
from drivers import HttpDriver, at_once
from turns import IN_FLIGHT, clients, services

AT_ONCE = 4
TOOL_S = 0.2
ROUND = 1000
ROUNDS = 3


async def of_workers() -> Table:
    table = Table(title=f"a tool of {TOOL_S * 1000:.0f} ms, {AT_ONCE} calls at a time", title_justify="left")
    for column in ("tool workers", "turns/s", "at best", "efficiency"):
        table.add_column(column, justify="right")
    os.environ["BENCH_PAUSE_S"] = str(TOOL_S)
    for workers in (1, 2, 4, 8):
        slots = workers * AT_ONCE
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            made = [limited(service, AT_ONCE) for service in services()]
            async with Stack(Path(folder), services=made, workers={TOOL: workers}) as stack:
                # Half as many again as can be worked on: nobody waits for work.
                http = [await HttpDriver.connect("127.0.0.1", stack.port) for _ in range(slots * 3 // 2)]
                lanes = [client.turn for client in http]
                await at_once(lanes, slots * 3)
                rate, _ = await at_once(lanes, slots * 50)
                for client in http:
                    await client.close()
        best = slots / TOOL_S
        table.add_row(str(workers), f"{rate:.0f}", f"{best:.0f}", f"{rate / best:.2f}")
    return table


async def of_sessions(sizes: list[int]) -> Table:
    table = Table(title=f"{IN_FLIGHT} in flight", title_justify="left")
    for column in ("sessions", "stored turns", "turns/s", "of the first"):
        table.add_column(column, justify="right")
    drawn = random.Random(1)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with Stack(Path(folder), services=services()) as stack:
            known = stored = 0
            first = 0.0

            async def run(count: int, upto: int | None = None) -> float:
                """Turns of known sessions, or of new ones up to a number."""
                nonlocal known, stored

                async def turn(client: HttpDriver) -> None:
                    nonlocal known
                    if upto is not None:
                        known += 1
                    client.session = f"scaling-{known if upto is not None else drawn.randrange(known)}"
                    await client.turn()

                async with clients(stack.port) as http:
                    lanes = [partial(turn, client) for client in http]
                    rate, _ = await at_once(lanes, count)
                stored += count
                return rate

            for size in sizes:
                while known < size:
                    await run(min(size - known, 10_000), upto=size)
                rate = statistics.median([await run(ROUND) for _ in range(ROUNDS)])
                first = first or rate
                table.add_row(f"{size:,}", f"{stored:,}", f"{rate:.0f}", f"{rate / first:.2f}×")
    return table


async def run(args: argparse.Namespace) -> int:
    table = await (of_workers() if args.what == "workers" else of_sessions(args.sizes))
    Console(width=100).print(table)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what grows with what.")
    parser.add_argument("what", choices=("workers", "sessions"))
    parser.add_argument("--sizes", type=int, nargs="+", default=[100, 1_000, 10_000, 100_000])
    return uvloop.run(run(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
