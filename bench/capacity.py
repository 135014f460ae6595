"""How many workers are needed: predicted from arrivals and times, and checked against the running system.

    python bench/capacity.py                                          predicts, measures, compares
    python bench/capacity.py --ask --rate 50 --plan 2 --tool 0.5 --answer 4     only predicts

The check starts the system several times with more and more tool workers, whose tool takes a fixed time and
who do few things at once; turns arrive at random moments, the same ones in the prediction. What the system
itself adds to a turn is measured first, with one turn after the other.
"""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

import uvloop
from rich.console import Console
from rich.table import Table

import simulation
from ask.services import Service
from ask.stack import Stack
from drivers import HttpDriver, one_by_one
from simulation import Stage
from turns import services

PER_WORKER = 64
"""MAX_CONCURRENCY of a service, unless it is set."""
TOOL = "tools-bench"
PATIENCE = 1.25
"""Workers are enough when 95 of 100 turns last no longer than so many times plan and tool."""


@dataclass
class Figures:
    """Seconds of each turn, and how many were done in a second."""

    seconds: list[float]
    rate: float

    def ms(self, percent: float) -> float:
        return simulation.percentile(self.seconds, percent) * 1000


def predicted(begun: list[float], stages: list[Stage], overhead_s: float) -> Figures:
    seconds = simulation.turns(begun, stages, overhead_s)
    last = max(start + lasted for start, lasted in zip(begun, seconds, strict=True))
    return Figures(seconds, len(begun) / (last - begun[0]))


async def measured(port: int, begun: list[float]) -> Figures:
    """Turns that begin at these moments, whether or not earlier ones are done; each on its own connection."""
    seconds: list[float] = []

    async def one() -> None:
        started = perf_counter()
        client = await HttpDriver.connect("127.0.0.1", port)
        await client.turn()
        seconds.append(perf_counter() - started)
        await client.close()

    tasks = []
    first = perf_counter()
    for moment in begun:
        await asyncio.sleep(first + moment - perf_counter())
        tasks.append(asyncio.create_task(one()))
    await asyncio.gather(*tasks)
    return Figures(seconds, len(begun) / (perf_counter() - first - begun[0]))


def limited(service: Service, at_once: int) -> Service:
    """The tool, with a MAX_CONCURRENCY that the others do not share."""
    if service.name != TOOL:
        return service
    return replace(service, argv=("/usr/bin/env", f"MAX_CONCURRENCY={at_once}", *service.argv))


async def check(args: argparse.Namespace) -> int:
    os.environ |= {"BENCH_PAUSE_S": str(args.tool), "BENCH_PLAN_PAUSE_S": str(args.plan)}
    begun = simulation.arrivals(args.rate, args.turns)
    stages = [Stage("planner", args.plan, PER_WORKER), Stage(TOOL, args.tool, args.at_once)]
    rows = []
    for workers in range(1, args.workers + 1):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            kinds = tuple(limited(service, args.at_once) for service in services())
            async with Stack(Path(folder), services=kinds, workers={TOOL: workers}) as system:
                alone = await HttpDriver.connect("127.0.0.1", system.port)
                singles = await one_by_one(alone.turn, 5)
                await alone.close()
                overhead_s = statistics.median(singles) - args.plan - args.tool
                found = await measured(system.port, begun)
        stages[-1] = replace(stages[-1], slots=workers * args.at_once)
        rows.append((workers, predicted(begun, stages, overhead_s), found))
    show(rows, args)
    return 0


def show(rows: list[tuple[int, Figures, Figures]], args: argparse.Namespace) -> None:
    console = Console(width=110)
    title = (
        f"{args.rate:g} turns/s arrive; the tool takes {args.tool:g} s, {args.at_once} at once in a worker"
    )
    table = Table(title=title, title_justify="left")
    table.add_column("workers")
    for name in ("turns/s", "p50 ms", "p95 ms"):
        for column in (f"{name} predicted", "measured", "ratio"):
            table.add_column(column, justify="right")
    for workers, then, now in rows:
        pairs = ((then.rate, now.rate), (then.ms(50), now.ms(50)), (then.ms(95), now.ms(95)))
        cells = [cell for a, b in pairs for cell in (f"{a:,.4g}", f"{b:,.4g}", f"{b / a:.2f}×")]
        table.add_row(str(workers), *cells)
    console.print(table)
    enough_ms = (args.plan + args.tool) * 1000 * PATIENCE
    for word, figures in (("predicted", [r[1] for r in rows]), ("measured", [r[2] for r in rows])):
        enough = [row[0] for row, side in zip(rows, figures, strict=True) if side.ms(95) <= enough_ms]
        console.print(f"{word}: p95 within {enough_ms:.0f} ms from {min(enough, default='more')} workers on")


def ask(args: argparse.Namespace) -> int:
    table = Table(title=f"for {args.rate:g} turns/s", title_justify="left")
    for column in ("service", "takes, s", "at work at a time", "workers"):
        table.add_column(column, justify="left" if column == "service" else "right")
    for name in ("plan", "tool", "answer"):
        takes_s = getattr(args, name)
        if takes_s > 0:
            needed = simulation.workers_needed(args.rate, takes_s, args.at_once)
            table.add_row(name, f"{takes_s:g}", f"{args.rate * takes_s:.0f}", str(needed))
    Console(width=100).print(table)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Predict the workers that are needed, and check it.")
    parser.add_argument("--ask", action="store_true", help="only predict; nothing is started")
    parser.add_argument("--rate", type=float, default=12, help="turns that arrive in a second")
    parser.add_argument("--plan", type=float, default=0.3, help="seconds of a plan")
    parser.add_argument("--tool", type=float, default=1, help="seconds of a tool call")
    parser.add_argument("--answer", type=float, default=0, help="seconds of an answer (--ask)")
    parser.add_argument("--at-once", type=int, help="messages at a time in a worker: 8, with --ask 64")
    parser.add_argument("--workers", type=int, default=4, help="tool workers at most, from one on")
    parser.add_argument("--turns", type=int, default=240, help="with each number of workers")
    args = parser.parse_args()
    if args.at_once is None:
        args.at_once = PER_WORKER if args.ask else 8
    return ask(args) if args.ask else uvloop.run(check(args))


if __name__ == "__main__":
    sys.exit(main())
