"""Many streams on one edge at the same time: memory each, and the time to the first event.

    python bench/streams.py --streams 10 100 1000 5000

Every stream is a turn of its own whose tool takes so long that all of them are open together. The yardstick
is the first event of a stream that is alone, in the same run.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import psutil
import uvloop
from rich.console import Console
from rich.table import Table

from ask.stack import Stack
from turns import services

PAUSE_S = 4.0
BEGUN_A_SECOND = 100
"""Streams that a slow machine begins; the tool takes so much longer."""
LIMITS = (
    "MAX_CONCURRENCY",
    "MAX_WAITING_TURNS",
    "TURNS_AT_FIRST",
    "MAX_CONNECTIONS",
    "MAX_CONNECTIONS_PER_ADDRESS",
    "MAX_STREAMS",
)
OPENING = 50
"""So many connections are opened at the same time."""


@dataclass
class Read:
    first_s: float
    events: list[str]


async def read(port: int, session: str, gate: asyncio.Semaphore) -> Read:
    """One stream from the request to its end."""
    body = json.dumps({"sessionId": session, "userMessage": "Gehe zur Langendorfstrasse 19b"}).encode()
    async with gate:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**20)
        started = perf_counter()
        writer.write(
            b"POST /api/chat/stream HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
            b"connection: close\r\ncontent-length: %d\r\n\r\n" % len(body) + body
        )
        try:
            await reader.readuntil(b"event: ")
        except asyncio.IncompleteReadError as refused:
            raise RuntimeError(refused.partial.decode()) from None
        first_s = perf_counter() - started
    rest = b"event: " + await reader.read()
    writer.close()
    return Read(
        first_s, [part.split(b"\n")[0].split(b"\r")[0].decode() for part in rest.split(b"event: ")[1:]]
    )


async def measure(streams: int) -> tuple[str, ...]:
    """The row of a table."""
    pause_s = PAUSE_S + streams / BEGUN_A_SECOND
    os.environ |= {"BENCH_PAUSE_S": str(pause_s), "TURN_TIMEOUT_S": "300", "WAIT_TIMEOUT_S": "310"}
    os.environ |= dict.fromkeys(LIMITS, str(2 * streams))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with Stack(Path(folder), services=services()) as system:
            edge = psutil.Process(system.processes["edge"].pid)
            alone = await read(system.port, "alone", asyncio.Semaphore())
            before_mb = edge.memory_info().rss / 2**20
            gate = asyncio.Semaphore(OPENING)
            reading = [asyncio.ensure_future(read(system.port, f"s-{n}", gate)) for n in range(streams)]
            peak_mb = before_mb
            while not all(task.done() for task in reading):
                peak_mb = max(peak_mb, edge.memory_info().rss / 2**20)
                await asyncio.sleep(0.2)
    together = [await task for task in reading]
    first_ms = sorted(one.first_s * 1000 for one in together)
    whole = sum(one.events[-1] == "turn.finished" for one in together)
    p50, p99 = first_ms[len(first_ms) // 2], first_ms[max(0, int(len(first_ms) * 0.99) - 1)]
    return (
        f"{streams:,}",
        f"{whole:,}",
        f"{alone.first_s * 1000:.1f}",
        f"{p50:.1f}",
        f"{p99:.1f}",
        f"{before_mb:.0f}",
        f"{peak_mb:.0f}",
        f"{(peak_mb - before_mb) * 1024 / streams:.0f}",
    )


async def run(sizes: list[int]) -> int:
    title = f"streams open together on one edge, {OPENING} beginning at a time"
    table = Table(title=title, title_justify="left")
    first = "first event alone, ms", "first event, p50", "p99"
    for column in ("streams", "finished", *first, "edge before, MB", "at its peak", "kB a stream"):
        table.add_column(column, justify="right")
    for streams in sizes:
        table.add_row(*await measure(streams))
    Console(width=120).print(table)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure many streams on one edge.")
    parser.add_argument("--streams", type=int, nargs="+", default=[10, 100, 1000, 5000])
    return uvloop.run(run(parser.parse_args().streams))


if __name__ == "__main__":
    sys.exit(main())
