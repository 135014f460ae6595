"""One-tool turns through the real processes, against a raw JetStream chain of as many hops.

    make bench            or    python bench/turns.py --rounds 5

Planner and tool take no time, so all of it is the system's own. Both are measured in turn, in one run, on one
nats-server: absolute figures depend on the machine and drift, the ratios hold.
"""

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import nats
import psutil
import uvloop
from rich.console import Console
from rich.table import Table

import chain
from ask.services import COMPACT, SERVICES, Service
from ask.stack import Stack
from drivers import ChainDriver, HttpDriver, at_once, one_by_one

HERE = Path(__file__).parent
IN_FLIGHT = 64
SETTLES_S = 3.0
"""What is done once at the start is done by then."""
KEPT = {"edge", "orchestrator", "actionplanner"}


def services(compact: bool = False) -> tuple[Service, ...]:
    """The real ones, with an instant planner and one instant tool; all but the edge in one process."""
    if compact:
        edge = next(service for service in SERVICES if service.name == "edge")
        return (edge, Service(COMPACT, (sys.executable, str(HERE / "compact.py"))))
    kept = tuple(service for service in SERVICES if service.name in KEPT)
    instant = str(HERE / "instant.py")
    return (
        *kept,
        Service("planner", (sys.executable, instant, "planner")),
        Service("tools-bench", (sys.executable, instant, "tools")),
    )


@dataclass
class Side:
    """The figures of one of the two sides."""

    single_s: list[float] = field(default_factory=list)
    loaded_s: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    cpu_ms: dict[str, float] = field(default_factory=dict)
    turns: int = 0

    def p(self, percent: int, values: list[float]) -> float:
        return statistics.quantiles(values, n=100)[percent - 1] * 1000

    @property
    def rate(self) -> float:
        return statistics.median(self.rates)


class Processor:
    """CPU time by process, in milliseconds."""

    def __init__(self, pids: dict[str, int]) -> None:
        self._processes = {name: psutil.Process(pid) for name, pid in pids.items()}

    def read(self) -> dict[str, float]:
        found = {}
        for name, process in self._processes.items():
            times = process.cpu_times()
            found[name] = (times.user + times.system) * 1000
        return found

    def rss_mb(self) -> dict[str, float]:
        return {name: process.memory_info().rss / 2**20 for name, process in self._processes.items()}


def pss_mb(processes: Iterable[psutil.Process]) -> float:
    """What they have in memory together; what several share counts once."""
    return sum(process.memory_full_info().pss for process in processes) / 2**20


async def measure(side: Side, turn: Any, lanes: list[Any], args: argparse.Namespace, cpu: Processor) -> None:
    before = cpu.read()
    rate, seconds = await at_once(lanes, args.loaded)
    after = cpu.read()
    side.single_s += await one_by_one(turn, args.single)
    side.rates.append(rate)
    side.loaded_s += seconds
    side.turns += args.loaded
    for name in before:
        side.cpu_ms[name] = side.cpu_ms.get(name, 0) + after[name] - before[name]


async def start_chain(stack: AsyncExitStack, nats_url: str) -> dict[str, int]:
    pids = {}
    for role in ("coordinator", *(str(n) for n in range(1, chain.WORKERS + 1))):
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(HERE / "chain.py"),
            role,
            env={**os.environ, "NATS_URL": nats_url},
            stdout=subprocess.PIPE,
        )
        stack.callback(process.terminate)
        assert process.stdout is not None
        await process.stdout.readline()
        pids[f"chain {role}"] = process.pid
    return pids


async def run(args: argparse.Namespace) -> int:
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        started = perf_counter()
        system = await stack.enter_async_context(
            Stack(folder, services=services(args.compact > 0), workers={COMPACT: args.compact})
        )
        ready_s = perf_counter() - started
        await asyncio.sleep(SETTLES_S)
        idle_mb = pss_mb(psutil.Process().children(recursive=True))
        connection = await nats.connect(system.nats_url)
        stack.push_async_callback(connection.close)
        js = connection.jetstream()
        await chain.declare(js)
        chain_pids = await start_chain(stack, system.nats_url)
        pids = {name: process.pid for name, process in system.processes.items() if process.pid is not None}
        servers = {name: pid for name, pid in pids.items() if name.endswith("-server")}
        cpu_system, cpu_chain = (
            Processor(pids),
            Processor(chain_pids | {"nats-server": servers["nats-server"]}),
        )

        raw = ChainDriver(connection, js)
        await raw.open()
        async with clients(system.port) as http:
            await at_once([client.turn for client in http], args.loaded // 4)
        await at_once([raw.turn] * IN_FLIGHT, args.loaded // 4)

        ours, keyed, yardstick = Side(), Side(), Side()
        for _ in range(args.rounds):
            await measure(yardstick, raw.turn, [raw.turn] * IN_FLIGHT, args, cpu_chain)
            async with clients(system.port) as http:
                await measure(ours, http[0].turn, [client.turn for client in http], args, cpu_system)
            async with clients(system.port) as http:
                keyed_lanes = [client.keyed_turn for client in http]
                await measure(keyed, http[0].keyed_turn, keyed_lanes, args, cpu_system)
        show(ours, yardstick, cpu_system.rss_mb())
        show_keyed(ours, keyed)
        Console().print(f"ready after {ready_s:.1f} s (budget 3 s), idle {idle_mb:.0f} MB (budget 350)")
    return 0


@asynccontextmanager
async def clients(port: int) -> AsyncIterator[list[HttpDriver]]:
    """Fresh connections: the edge closes idle ones."""
    made = [await HttpDriver.connect("127.0.0.1", port) for _ in range(IN_FLIGHT)]
    try:
        yield made
    finally:
        for client in made:
            await client.close()


def show_keyed(ours: Side, keyed: Side) -> None:
    table = Table(title="with an Idempotency-Key", title_justify="left")
    for column in ("", "without", "with", "ratio", "budget"):
        table.add_column(column, justify="left" if not column else "right")
    single = [side.p(50, side.single_s) for side in (ours, keyed)]
    table.add_row("p50 at 1 in flight, ms", *cells(single), "≤ 1.05×")
    table.add_row(f"turns/s at {IN_FLIGHT} in flight", *cells([ours.rate, keyed.rate]), "≥ 0.95×")
    cpu = [sum(side.cpu_ms.values()) / side.turns for side in (ours, keyed)]
    table.add_row(f"CPU ms/turn at {IN_FLIGHT}", *cells(cpu), "")
    Console(width=100).print(table)


def show(ours: Side, yardstick: Side, rss_mb: dict[str, float]) -> None:
    console = Console(width=100)
    table = Table(title=f"one-tool turn, {len(ours.rates)} interleaved rounds", title_justify="left")
    for column in ("", "raw chain", "ask.sogis", "ratio", "budget"):
        table.add_column(column, justify="left" if not column else "right")
    single = [side.p(50, side.single_s) for side in (yardstick, ours)]
    tail = [side.p(99, side.single_s) for side in (yardstick, ours)]
    loaded = [side.p(99, side.loaded_s) for side in (yardstick, ours)]
    table.add_row("p50 at 1 in flight, ms", *cells(single), "≤ 10 ms, ≤ 3×")
    table.add_row("p99 at 1 in flight, ms", *cells(tail), "")
    rates = [yardstick.rate, ours.rate]
    table.add_row(f"turns/s at {IN_FLIGHT} in flight", *cells(rates), "≥ 400/s, ≥ 0.2×")
    table.add_row(f"p99 at {IN_FLIGHT} in flight, ms", *cells(loaded), "")
    cpu = [sum(side.cpu_ms.values()) / side.turns for side in (yardstick, ours)]
    table.add_row(f"CPU ms/turn at {IN_FLIGHT}", *cells(cpu), "")
    console.print(table)
    detail = Table(title="by process", title_justify="left")
    for column in ("process", "CPU ms/turn", "RSS MB"):
        detail.add_column(column, justify="left" if column == "process" else "right")
    for name, value in sorted(ours.cpu_ms.items(), key=lambda pair: -pair[1]):
        detail.add_row(name, f"{value / ours.turns:.2f}", f"{rss_mb[name]:.0f}")
    console.print(detail)


def cells(pair: list[float]) -> tuple[str, str, str]:
    raw, ours = pair
    return f"{raw:.2f}", f"{ours:.2f}", f"{ours / raw:.2f}×"


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure turns against a raw JetStream chain.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--single", type=int, default=300, help="turns one after the other, a round")
    parser.add_argument("--loaded", type=int, default=2000, help=f"turns with {IN_FLIGHT} in flight, a round")
    parser.add_argument(
        "--compact",
        type=int,
        nargs="?",
        const=1,
        default=0,
        help="all services but the edge in one process, or in so many",
    )
    return uvloop.run(run(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
