"""How soon everything is ready, and what it needs while nothing is asked.

    python bench/start.py            all services
    python bench/start.py --compact  all but the edge in one process
    python bench/start.py --alone    each service started by itself, as in a container

Memory is the proportional set size (PSS): what several processes share counts once. Of a service by
itself it is all that it has (RSS). Linux only.
"""

import argparse
import asyncio
import signal
import statistics
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import psutil
import uvloop
from rich.console import Console
from rich.table import Table

from ask.children import launch
from ask.process import Process
from ask.services import SERVICES, compacted
from ask.stack import Stack

SETTLES_S = 5.0
RESTARTED = "planner"
READY_S, REST_MB = 3, 350


async def measure(compact: bool, memory: dict[str, list[float]]) -> tuple[float, float]:
    """(seconds until ready, seconds until a killed service is again); adds to the memory of each process."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        began = perf_counter()
        async with Stack(Path(folder), services=compacted(SERVICES) if compact else SERVICES) as stack:
            ready_s = perf_counter() - began
            await asyncio.sleep(SETTLES_S)
            names = {process.pid: name for name, process in stack.processes.items()}
            for process in psutil.Process().children(recursive=True):
                name = names.get(process.pid, "what starts them")
                memory.setdefault(name, []).append(process.memory_full_info().pss / 2**20)
            began = perf_counter()
            victim = "compact" if compact else RESTARTED
            stack.kill(victim)
            await stack.wait_ready(victim)
            return ready_s, perf_counter() - began


async def alone(process: Process) -> tuple[float, float]:
    """(MB, seconds until ready) of a service that no fork server has started."""
    program = process.program
    await process.stop(grace_s=10)
    began = perf_counter()
    child = await launch(program, process.log)
    while not await program.probe():
        await asyncio.wait([child.exited], timeout=0.02)
    ready_s = perf_counter() - began
    await asyncio.sleep(SETTLES_S)
    resident = psutil.Process(child.pid).memory_info().rss / 2**20
    child.send(signal.SIGTERM)
    await child.exited
    return resident, ready_s


async def run_alone() -> int:
    table = Table(title="each by itself, at rest", title_justify="left")
    for column in ("process", "RSS, MB", "ready, s"):
        table.add_column(column, justify="left" if column == "process" else "right")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with Stack(Path(folder)) as stack:
            for name in [service.name for service in SERVICES if service.name in stack.processes]:
                resident, ready_s = await alone(stack.processes[name])
                table.add_row(name, f"{resident:.0f}", f"{ready_s:.2f}")
    Console(width=100).print(table)
    return 0


async def run(args: argparse.Namespace) -> int:
    if args.alone:
        return await run_alone()
    memory: dict[str, list[float]] = {}
    seconds = [await measure(args.compact, memory) for _ in range(args.rounds)]
    table = Table(title=f"at rest, {args.rounds} rounds", title_justify="left")
    table.add_column("process")
    table.add_column("PSS, MB", justify="right")
    for name, found in sorted(memory.items(), key=lambda each: -sum(each[1])):
        table.add_row(name, f"{sum(found) / args.rounds:.0f}")
    total = sum(map(sum, memory.values())) / args.rounds
    console = Console(width=100)
    console.print(table)
    ready, again = (statistics.median(each) for each in zip(*seconds, strict=True))
    console.print(
        f"together {total:.0f} MB (budget {REST_MB}), ready after {ready:.1f} s (budget {READY_S} s)"
    )
    console.print(f"a killed service is ready again after {again:.2f} s, 0.2 s of it a pause")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure start and rest.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--compact", action="store_true", help="all services but the edge in one process")
    parser.add_argument("--alone", action="store_true", help="each service started by itself")
    return uvloop.run(run(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
