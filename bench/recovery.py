"""How long turns lie still when a process is killed.

    python bench/recovery.py --in-flight 32 --rounds 3

While turns are under way, one process after the other is killed with SIGKILL; `ask up` starts it again. Each
turn has an Idempotency-Key: whose connection breaks asks again with it, as a client would. Told are the
seconds from the kill until a turn that is begun 0.05 s later is answered, until the last that was under way
has ended, and until the process is ready again.
"""

import argparse
import asyncio
import secrets
import statistics
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import uvloop
from rich.console import Console
from rich.table import Table

from ask.stack import Stack
from drivers import HttpDriver
from turns import services

SETTLES_S = 1.0
UNNOTICED_S = 0.05
"""What is sent to a dead process before its connection is known to be gone, was under way."""


class Load:
    """Turns one after the other on each of several lanes, with the moments of their begin and end."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._stopping = False
        self.turns: list[tuple[float, float]] = []

    async def lane(self) -> None:
        client: HttpDriver | None = None
        while not self._stopping:
            key = f"idempotency-key: {secrets.token_hex(8)}\r\n"
            begun = perf_counter()
            session = f"recovery-{secrets.token_hex(6)}"
            while True:
                try:
                    if client is None:
                        client = await HttpDriver.connect("127.0.0.1", self._port)
                    client.session = session
                    await client.turn(key)
                    break
                except (OSError, EOFError, RuntimeError):
                    # Cut off, or refused by an edge that is starting.
                    client = None
                    await asyncio.sleep(0.02)
            self.turns.append((begun, perf_counter()))
        if client is not None:
            await client.close()

    def stop(self) -> None:
        self._stopping = True


async def killed(stack: Stack, name: str, in_flight: int) -> tuple[float, float, float]:
    """(first answer, all that were in flight, ready), seconds after the kill."""
    load = Load(stack.port)
    lanes = [asyncio.create_task(load.lane()) for _ in range(in_flight)]
    await asyncio.sleep(SETTLES_S)
    kill = perf_counter()
    stack.kill(name)
    await asyncio.sleep(UNNOTICED_S)
    # The other lanes are busy with what was under way.
    lanes.append(asyncio.create_task(load.lane()))
    await stack.wait_ready(name)
    ready = perf_counter() - kill
    await asyncio.sleep(SETTLES_S)
    load.stop()
    await asyncio.gather(*lanes)
    first = min(end for begun, end in load.turns if begun > kill + UNNOTICED_S) - kill
    last = max(end for begun, end in load.turns if begun <= kill + UNNOTICED_S) - kill
    return first, last, ready


async def run(args: argparse.Namespace) -> int:
    table = Table(title=f"seconds after a kill, {args.in_flight} turns in flight", title_justify="left")
    for column in ("killed", "first answer", "worst", "all in flight", "worst", "ready"):
        table.add_column(column, justify="left" if column == "killed" else "right")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with Stack(Path(folder), services=services(args.compact)) as stack:
            for name in stack.processes:
                found = []
                for _ in range(args.rounds):
                    found.append(await killed(stack, name, args.in_flight))
                first, last, ready = zip(*found, strict=True)
                table.add_row(
                    name,
                    *(f"{value:.2f}" for value in (statistics.median(first), max(first))),
                    *(f"{value:.2f}" for value in (statistics.median(last), max(last))),
                    f"{statistics.median(ready):.2f}",
                )
    Console(width=100).print(table)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure recovery from SIGKILL.")
    parser.add_argument("--in-flight", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--compact", action="store_true", help="all services but the edge in one process")
    return uvloop.run(run(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
