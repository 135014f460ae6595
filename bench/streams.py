"""Many streams on one edge at the same time: memory each, and the time to the first event.

    python bench/streams.py --streams 500

Every stream is a turn of its own whose tool takes some seconds, so that all of them are open together. The
yardstick is the first event of a stream that is alone, in the same run.
"""

import argparse
import asyncio
import json
import os
import statistics
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

PAUSE_S = 6.0
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
            b"POST /api/chat/stream HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\n"
            b"connection: close\r\ncontent-length: %d\r\n\r\n" % len(body) + body
        )
        head = await reader.readuntil(b"event: ")
        first_s = perf_counter() - started
    if b" 200 " not in head:
        raise RuntimeError(head[:200].decode())
    rest = b"event: " + await reader.read()
    writer.close()
    return Read(
        first_s, [part.split(b"\n")[0].split(b"\r")[0].decode() for part in rest.split(b"event: ")[1:]]
    )


async def run(streams: int) -> int:
    os.environ |= {"BENCH_PAUSE_S": str(PAUSE_S), "MAX_CONCURRENCY": "1000", "MAX_WAITING_TURNS": "2000"}
    os.environ |= {"TURNS_AT_FIRST": "2000", "MAX_CONNECTIONS_PER_ADDRESS": "2000"}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with Stack(Path(folder), services=services()) as system:
            edge = psutil.Process(system.processes["edge"].pid)
            alone = [await read(system.port, f"alone-{n}", asyncio.Semaphore()) for n in range(3)]
            before_mb = edge.memory_info().rss / 2**20
            gate = asyncio.Semaphore(OPENING)
            reading = [asyncio.ensure_future(read(system.port, f"s-{n}", gate)) for n in range(streams)]
            peak_mb = before_mb
            while not all(task.done() for task in reading):
                peak_mb = max(peak_mb, edge.memory_info().rss / 2**20)
                await asyncio.sleep(0.2)
            show(alone, [await task for task in reading], before_mb, peak_mb)
    return 0


def show(alone: list[Read], together: list[Read], before_mb: float, peak_mb: float) -> None:
    whole = sum(one.events[-1] == "turn.finished" for one in together)
    one_ms = statistics.median(one.first_s for one in alone) * 1000
    first_ms = sorted(one.first_s * 1000 for one in together)
    table = Table(title=f"{len(together)} streams on one edge", title_justify="left", show_header=False)
    table.add_row("streams that ended with turn.finished", str(whole))
    table.add_row("first event of a stream alone, ms", f"{one_ms:.1f}")
    p50, p99 = first_ms[len(first_ms) // 2], first_ms[int(len(first_ms) * 0.99) - 1]
    table.add_row(f"first event, {OPENING} beginning together, p50, ms", f"{p50:.1f} ({p50 / one_ms:.1f}×)")
    table.add_row(f"first event, {OPENING} beginning together, p99, ms", f"{p99:.1f} ({p99 / one_ms:.1f}×)")
    table.add_row("edge before, MB", f"{before_mb:.1f}")
    table.add_row("edge at its peak, MB", f"{peak_mb:.1f}")
    table.add_row("memory a stream, kB", f"{(peak_mb - before_mb) * 1024 / len(together):.0f}")
    Console(width=100).print(table)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure many streams on one edge.")
    parser.add_argument("--streams", type=int, default=500)
    return uvloop.run(run(parser.parse_args().streams))


if __name__ == "__main__":
    sys.exit(main())
