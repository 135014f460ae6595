"""What becomes of turns when more come than the system can work off, as ratios.

    python bench/fairness.py                       5 times the sustainable load
    python bench/fairness.py --times 20 --seconds 20

A tool takes a fixed time and does few things at once, so the sustainable load is known. Turns arrive at
random moments, from ten sessions: first at 0.8 of that load, then at several times of it. Somebody else asks
once a second all the while, as people do.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

import uvloop
from rich.console import Console
from rich.table import Table

import simulation
from ask.stack import Stack
from capacity import TOOL, limited
from turns import services

QUIET = 0.8
CROWD = 10


@dataclass
class Seen:
    """What came of turns, by HTTP status, and the seconds that each took."""

    seconds: dict[int, list[float]] = field(default_factory=dict)
    failed: int = 0
    """Answered with 200, but not in time for the tool."""

    def add(self, status: int, seconds: float, answer: bytes) -> None:
        self.seconds.setdefault(status, []).append(seconds)
        self.failed += status == 200 and b'"overallStatus":"ok"' not in answer

    def p95_ms(self, status: int = 200) -> float:
        found = self.seconds.get(status)
        return simulation.percentile(found, 95) * 1000 if found else 0.0

    @property
    def statuses(self) -> dict[int, int]:
        return dict(Counter({status: len(found) for status, found in self.seconds.items()}))


async def turn(port: int, session: str, seen: Seen) -> None:
    """One turn on a connection of its own."""
    body = json.dumps({"sessionId": session, "userMessage": "Gehe zur Langendorfstrasse 19b"}).encode()
    begun = perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(
        f"POST /api/chat HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n"
        f"connection: close\r\ncontent-length: {len(body)}\r\n\r\n".encode()
        + body
    )
    head, _, answer = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    seen.add(int(head.split(b" ", 2)[1]), perf_counter() - begun, answer)


async def ready(port: int) -> None:
    """Until the planner knows the tool. Raises `TimeoutError`."""
    async with asyncio.timeout(30):
        while True:
            warm = Seen()
            await turn(port, "warm", warm)
            if not warm.failed:
                return
            await asyncio.sleep(0.2)


async def load(port: int, rate: float, seconds: float) -> tuple[Seen, Seen]:
    """Turns at this rate, and those of somebody who asks once a second."""
    crowd, somebody = Seen(), Seen()
    tasks: list[asyncio.Task[None]] = []
    first = perf_counter()
    arrivals = [(at, crowd) for at in simulation.arrivals(rate, int(rate * seconds))]
    arrivals += [(float(n), somebody) for n in range(1, int(seconds))]
    for n, (at, seen) in enumerate(sorted(arrivals, key=lambda each: each[0])):
        await asyncio.sleep(first + at - perf_counter())
        session = "somebody" if seen is somebody else f"crowd-{n % CROWD}"
        tasks.append(asyncio.create_task(turn(port, session, seen)))
    await asyncio.gather(*tasks)
    return crowd, somebody


async def run(args: argparse.Namespace) -> int:
    os.environ["BENCH_PAUSE_S"] = str(args.tool)
    sustainable = args.at_once / args.tool
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        kinds = tuple(limited(service, args.at_once) for service in services())
        environment = {"MAX_CONNECTIONS_PER_ADDRESS": "2000", "TURN_TARGET_S": str(args.target)}
        async with Stack(Path(folder), services=kinds, workers={TOOL: 1}, environment=environment) as system:
            await ready(system.port)
            quiet = await load(system.port, QUIET * sustainable, args.seconds)
            loaded = await load(system.port, args.times * sustainable, args.seconds)
    show(sustainable, quiet, loaded, args)
    return 0


def show(
    sustainable: float, quiet: tuple[Seen, Seen], loaded: tuple[Seen, Seen], args: argparse.Namespace
) -> None:
    console = Console(width=110)
    table = Table(title=f"sustainable: {sustainable:g} turns/s", title_justify="left")
    for column in ("", f"{QUIET:g}×", f"{args.times:g}×", "ratio"):
        table.add_column(column, justify="left" if not column else "right")
    for who, n in (("crowd", 0), ("somebody else", 1)):
        before, after = quiet[n], loaded[n]
        table.add_row(f"{who}: statuses", str(before.statuses), str(after.statuses), "")
        table.add_row(f"{who}: answered too late", str(before.failed), str(after.failed), "")
        pair = before.p95_ms(), after.p95_ms()
        table.add_row(f"{who}: p95 ms", *(f"{each:.0f}" for each in pair), f"{pair[1] / pair[0]:.1f}×")
    table.add_row("a refusal: p95 ms", "", f"{loaded[0].p95_ms(429):.0f}", "")
    console.print(table)


def main() -> int:
    parser = argparse.ArgumentParser(description="More turns than the system can work off.")
    parser.add_argument("--times", type=float, default=5, help="of the sustainable load")
    parser.add_argument("--tool", type=float, default=0.4, help="seconds of a tool call")
    parser.add_argument("--at-once", type=int, default=8, help="tool calls at a time")
    parser.add_argument("--target", type=float, default=2.0, help="TURN_TARGET_S")
    parser.add_argument("--seconds", type=float, default=15, help="of each load")
    return uvloop.run(run(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
