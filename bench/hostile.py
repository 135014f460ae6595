"""How long honest users wait while hostile ones send the worst bodies found.

    make bench-hostile         or    python bench/hostile.py --hostile 10 --turns 300

One user asks for one turn after the other, on a system in which planner and tool take no time; in turn
without and with hostile connections, which are a process of their own. What counts is the ratio of the two.
The hostile ones send what costs most of all shapes in `tests/support/hostile_bodies.py`, at several sizes.
"""

import argparse
import asyncio
import multiprocessing
import os
import statistics
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from time import perf_counter, process_time

import uvloop
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

from contracts.chat import ChatRequest
from fastapi.exceptions import RequestValidationError
from hostile_bodies import PLACES, UNITS, keys, nested, repeated, texts
from hostile_client import Hostile

import simulation
from ask.stack import Stack
from drivers import HttpDriver
from edge import bodies, errors, shapes
from edge.agui.inputs import RunInput
from turns import services

BUDGET = 3.0
"""Honest p99 with hostile connections, of that without."""
RUN_BYTES, CHAT_BYTES = 524_288, 65_536
Body = tuple[str, bytes]


def found() -> list[tuple[float, str, Body]]:
    """Every shape with its cost: milliseconds of a core to refuse or take it, the most expensive first."""
    documents: list[tuple[str, bytes]] = []
    for before, after in PLACES:
        place = (before, after)
        for unit in UNITS:
            for most in (None, 16_000, 4_000, 2_000, 1_000, 64):
                documents.append(
                    (f"{most or 'all'} × {unit} in {before}", repeated(unit, place, RUN_BYTES, most))
                )
        for depth, size in ((30, 8_000), (200, 8_000)):
            for brackets in (("[", "]"), ('{"a":', "}")):
                tower = nested(depth, size, place, brackets).ljust(RUN_BYTES)
                documents.append((f"towers of {depth} {brackets[0]} in {before}", tower))
        documents.append((f"keys in {before}", keys(300_000, (before.rstrip("["), after.lstrip("]")))))
    documents += [("text", document) for document in texts(RUN_BYTES - 200)]
    costs = []
    for name, document in documents:
        for path, model, shape, size in (
            ("/api/ag-ui/map", RunInput, shapes.RUN, RUN_BYTES),
            ("/api/chat", ChatRequest, shapes.CHAT, CHAT_BYTES),
        ):
            sent = document.rstrip().ljust(size)
            if len(sent) > size:
                continue
            seconds = []
            for _ in range(3):
                started = process_time()
                with suppress(errors.EdgeError, RequestValidationError):
                    bodies.parsed(bytearray(sent), model, shape)
                seconds.append(process_time() - started)
            costs.append((min(seconds) * 1000, f"{path}: {name[:90]}", (path, sent)))
    return sorted(costs, key=lambda each: each[0], reverse=True)


def attack(port: int, worst: list[Body], connections: int) -> None:
    """Until killed, each connection its own of the bodies again and again."""

    async def sending(path: str, body: bytes) -> None:
        while True:
            client = await Hostile.connect(port)
            while await client.post(path, body) not in ("cut off", "408"):
                pass
            client.close()

    async def all_of_them() -> None:
        await asyncio.gather(*(sending(*worst[n % len(worst)]) for n in range(connections)))

    uvloop.run(all_of_them())


async def honest(port: int, turns: int) -> list[float]:
    """Seconds of each turn."""
    client = await HttpDriver.connect("127.0.0.1", port)
    seconds = []
    for _ in range(turns):
        started = perf_counter()
        await client.turn()
        seconds.append(perf_counter() - started)
    await client.close()
    return seconds


async def warm(port: int) -> None:
    """Until all services know the tool, and then some."""
    for attempt in range(20):
        try:
            await honest(port, 50)
            return
        except RuntimeError:
            if attempt == 19:
                raise
            await asyncio.sleep(0.5)


async def main(args: argparse.Namespace) -> bool:
    console = Console()
    costs = found()
    table = Table("ms", "worst bodies", title=f"{len(costs)} bodies read")
    for cost, name, _ in costs[:10]:
        table.add_row(f"{cost:.1f}", name)
    console.print(table)
    if args.search:
        return True
    worst = [body for _, _, body in costs[: args.hostile]]
    quiet: list[float] = []
    loud: list[float] = []
    ratios = []
    spawned = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        async with Stack(Path(folder), services=services(), environment=os.environ) as stack:
            await warm(stack.port)
            for _ in range(args.rounds):
                alone = await honest(stack.port, args.turns)
                hostile = spawned.Process(target=attack, args=(stack.port, worst, args.hostile), daemon=True)
                hostile.start()
                await asyncio.sleep(2)
                beside = await honest(stack.port, args.turns)
                hostile.kill()
                hostile.join()
                await asyncio.sleep(1)
                quiet += alone
                loud += beside
                ratios.append(simulation.percentile(beside, 99) / simulation.percentile(alone, 99))
    table = Table("", "p50, ms", "p99, ms", title=f"{args.rounds} rounds of {args.turns} turns")
    for name, seconds in (("quiet", quiet), (f"{args.hostile} hostile connections", loud)):
        table.add_row(name, *(f"{simulation.percentile(seconds, p) * 1000:.1f}" for p in (50, 99)))
    console.print(table)
    ratio = statistics.median(ratios)
    each = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    console.print(f"p99 ratio {ratio:.2f}× (median of {each}), budget {BUDGET:.0f}×")
    return ratio <= BUDGET


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--hostile", type=int, default=10)
    parser.add_argument("--turns", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--search", action="store_true", help="only measure what bodies cost")
    sys.exit(not uvloop.run(main(parser.parse_args())))
