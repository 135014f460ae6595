"""What telemetry costs: one-tool turns with every trace kept and sent, against the same without.

    python bench/telemetry.py --rounds 9

Both systems run all the time, and take turns: absolute figures depend on the machine and drift, the ratios of
neighbours in time hold, and the processor time of a turn most of all. Traces go to a receiver in a process of
its own, which reads and forgets them.
"""

import argparse
import asyncio
import statistics
import subprocess
import sys
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

import uvloop
from rich.console import Console
from rich.table import Table

from ask.stack import Stack
from drivers import at_once, one_by_one
from turns import IN_FLIGHT, SETTLES_S, Processor, Side, clients, services

BUDGET = 0.15
"""Of the throughput."""


async def receive(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """As little as an OTLP receiver can do."""
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            await reader.readexactly(int(head.split(b"content-length:")[1].split(b"\r\n")[0]))
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
    except (EOFError, OSError):
        writer.close()


async def be_receiver() -> None:
    server = await asyncio.start_server(receive, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def run(args: argparse.Namespace) -> int:
    async with AsyncExitStack() as stack:
        receiver = await asyncio.create_subprocess_exec(
            sys.executable, __file__, "--receiver", stdout=subprocess.PIPE
        )
        stack.callback(receiver.terminate)
        assert receiver.stdout is not None
        port = int(await receiver.stdout.readline())
        traced = {
            "OTEL_ENABLED": "true",
            "OTEL_SAMPLE_RATIO": str(args.ratio),
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}",
            "NO_PROXY": "127.0.0.1",
        }
        sides: list[tuple[Side, int, Processor]] = []
        for environment in ({}, traced):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
            made = Stack(folder, services=services(args.compact), environment=environment)
            system = await stack.enter_async_context(made)
            pids = {name: process.pid for name, process in system.processes.items() if process.pid}
            sides.append((Side(), system.port, Processor(pids)))
        await asyncio.sleep(SETTLES_S)
        for round_ in range(-1, args.rounds):
            # Who is second finds another machine than who is first.
            for side, port, cpu in sides if round_ % 2 else reversed(sides):
                await measure(side if round_ >= 0 else Side(), port, cpu, args)
        off, on = (side for side, _, _ in sides)
        return show(off, on, args)


async def measure(side: Side, port: int, cpu: Processor, args: argparse.Namespace) -> None:
    async with clients(port) as http:
        before = cpu.read()
        rate, seconds = await at_once([client.turn for client in http], args.loaded)
        after = cpu.read()
        side.rates.append(rate)
        side.loaded_s += seconds
        side.turns += args.loaded
        for name in before:
            side.cpu_ms[name] = side.cpu_ms.get(name, 0) + after[name] - before[name]
        side.single_s += await one_by_one(http[0].turn, args.single)


def show(off: Side, on: Side, args: argparse.Namespace) -> int:
    ratios = [ours / without for without, ours in zip(off.rates, on.rates, strict=True)]
    ratio = statistics.median(ratios)
    title = f"every trace kept × {args.ratio:g}, {len(ratios)} interleaved rounds"
    table = Table(title=title, title_justify="left")
    for column in ("", "without", "with", "ratio", "budget"):
        table.add_column(column, justify="left" if not column else "right")
    table.add_row(
        f"turns/s at {IN_FLIGHT} in flight",
        f"{off.rate:.0f}",
        f"{on.rate:.0f}",
        f"{ratio:.3f}×",
        f"≥ {1 - BUDGET:.2f}×",
    )
    single = [side.p(50, side.single_s) for side in (off, on)]
    table.add_row(
        "p50 at 1 in flight, ms", *(f"{ms:.2f}" for ms in single), f"{single[1] / single[0]:.3f}×", ""
    )
    cpu = [sum(side.cpu_ms.values()) / side.turns for side in (off, on)]
    table.add_row("CPU ms/turn", *(f"{ms:.2f}" for ms in cpu), f"{cpu[1] / cpu[0]:.3f}×", "")
    console = Console(width=100)
    console.print(table)
    console.print(
        "ratios of the rounds:", " ".join(f"{each:.3f}" for each in sorted(ratios)), highlight=False
    )
    for name in sorted(off.cpu_ms):
        ms = [side.cpu_ms[name] / side.turns for side in (off, on)]
        console.print(f"  {name}: {ms[0]:.2f} → {ms[1]:.2f} ms/turn", highlight=False)
    return 0 if ratio >= 1 - BUDGET else 1


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what telemetry costs.")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument(
        "--loaded", type=int, default=1_000, help=f"turns with {IN_FLIGHT} in flight, a round"
    )
    parser.add_argument("--single", type=int, default=50, help="turns one after the other, a round")
    parser.add_argument("--ratio", type=float, default=1.0, help="OTEL_SAMPLE_RATIO")
    parser.add_argument("--compact", action="store_true", help="all services but the edge in one process")
    parser.add_argument("--receiver", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    return uvloop.run(be_receiver()) or 0 if args.receiver else uvloop.run(run(args))


if __name__ == "__main__":
    sys.exit(main())
