"""What grows with what, each as a table and a plot.

    python bench/scaling.py workers      a tool that takes 200 ms, 4 calls at a time, 1 to 8 workers
    python bench/scaling.py sessions     turns of ever more sessions, all of which are kept
    python bench/scaling.py tools        ever more tools that nobody needs, with a model and without
    python bench/scaling.py results      ever larger results of the tool, which the answer shows on the map

Each row is a system of its own, of `tools` one with a model and one without. But `sessions` is one system:
between two measurements turns of further sessions are stored; both are of turns of sessions drawn
from all that there are.
"""

import argparse
import asyncio
import json
import os
import random
import statistics
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import psutil
import uvloop
from redis.asyncio import Redis
from rich.console import Console
from rich.table import Table

from ask.services import SERVICES, Service
from ask.stack import Stack
from bars import bars
from capacity import TOOL, limited
from drivers import HttpDriver, at_once, one_by_one
from turns import IN_FLIGHT, clients, services

RESULTS = Path("artefacts") / "scaling"
AT_ONCE = 4
TOOL_S = 0.2
ROUND = 1000
ROUNDS = 3
LARGE_ROUND = 200
LOOKED_S = 20.0
"""How long is looked at what rest costs: two rounds of announcements."""


@dataclass
class Growth:
    """`plotted`: the column of the plot."""

    title: str
    columns: Sequence[str]
    plotted: str
    rows: list[tuple[float, ...]] = field(default_factory=list)

    def show(self) -> None:
        table = Table(title=self.title, title_justify="left")
        for column in self.columns:
            table.add_column(column, justify="right")
        for row in self.rows:
            table.add_row(
                *(f"{value:{FORMATS.get(c, ',.0f')}}" for c, value in zip(self.columns, row, strict=True))
            )
        Console(width=120).print(table)

    def plot(self, name: str) -> Path:
        at = self.columns.index(self.plotted)
        values = {f"{row[0]:,.0f}": {"": row[at]} for row in self.rows}
        path = RESULTS / f"growth-{name}.svg"
        path.parent.mkdir(parents=True, exist_ok=True)
        title = f"{self.plotted}, by {self.columns[0]}"
        path.write_text(bars(title, values, {"": ("#4c78a8", "")}))
        return path


@asynccontextmanager
async def running(made: Sequence[Service], workers: Mapping[str, int] | None = None) -> AsyncIterator[Stack]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with Stack(Path(folder), services=tuple(made), workers=workers or {}) as stack:
            yield stack


async def of_workers(sizes: list[int]) -> Growth:
    growth = Growth(
        f"a tool of {TOOL_S * 1000:.0f} ms, {AT_ONCE} calls at a time",
        ("tool workers", "turns/s", "at best", "efficiency"),
        "efficiency",
    )
    os.environ["BENCH_PAUSE_S"] = str(TOOL_S)
    for workers in sizes:
        slots = workers * AT_ONCE
        made = [limited(service, AT_ONCE) for service in services()]
        async with running(made, {TOOL: workers}) as stack:
            # Half as many again as can be worked on: nobody waits for work.
            http = [await HttpDriver.connect("127.0.0.1", stack.port) for _ in range(slots * 3 // 2)]
            lanes = [client.turn for client in http]
            await at_once(lanes, slots * 3)
            rate, _ = await at_once(lanes, slots * 50)
            for client in http:
                await client.close()
        best = slots / TOOL_S
        growth.rows.append((workers, rate, best, rate / best))
    return growth


async def of_sessions(sizes: list[int]) -> Growth:
    growth = Growth(
        f"{IN_FLIGHT} in flight", ("sessions", "stored turns", "turns/s", "of the first"), "turns/s"
    )
    drawn = random.Random(1)
    async with running(services()) as stack:
        redis = Redis.from_url(stack.redis_url)
        await redis.config_set("maxmemory", 0)  # More than `ask up` gives it.
        await redis.aclose()
        known = stored = 0

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
            first = growth.rows[0][2] if growth.rows else rate
            growth.rows.append((size, stored, rate, rate / first))
    return growth


class InstantModel:
    """An endpoint that plans the same step for every message, and knows how much it was told."""

    def __init__(self) -> None:
        self.told_bytes = 0
        call = {"capability": "geolocation.geocode", "args": {"q": "Langendorfstrasse 19b, Solothurn"}}
        plan = {"steps": [{"intent": "goto_address", "calls": [call], "args": None, "message": None}]}
        message = {"role": "assistant", "content": json.dumps(plan)}
        document = {
            "id": "1",
            "object": "chat.completion",
            "created": 0,
            "model": "instant",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        }
        self._answer = json.dumps(document).encode()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await self._head(reader):
            length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            self.told_bytes = len(await reader.readexactly(length))
            writer.write(
                b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s"
                % (len(self._answer), self._answer)
            )

    async def _head(self, reader: asyncio.StreamReader) -> bytes:
        try:
            return await reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            return b""


async def of_tools(sizes: list[int]) -> Growth:
    growth = Growth(
        "turns one after the other; the further tools are no use for the message",
        ("tools", "prompt, kB", "p50 with a model, ms", "p50 with rules, ms", "at rest, % of a core"),
        "prompt, kB",
    )
    model = InstantModel()
    server = await asyncio.start_server(model.serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    real = tuple(
        each
        for each in SERVICES
        if each.name in {"edge", "orchestrator", "actionplanner", "planner", "tools-geo"}
    )
    made = (*real, next(each for each in services() if each.name == TOOL))
    for size in sizes:
        os.environ["BENCH_TOOLS"] = str(size)
        p50_ms = {}
        for kind, more in {"rules": {}, "model": {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "bench"}}.items():
            os.environ |= more
            async with running(made) as stack, clients(stack.port) as http:
                await one_by_one(http[0].turn, 50)
                single = await one_by_one(http[0].turn, 300)
                p50_ms[kind] = statistics.median(single) * 1000
                rest = await resting(stack)
            for name in more:
                del os.environ[name]
        growth.rows.append((size, model.told_bytes / 1000, p50_ms["model"], p50_ms["rules"], rest))
    server.close()
    return growth


async def resting(stack: Stack) -> float:
    """Of all processes together, in percent of a core."""
    processes = [psutil.Process(process.pid) for process in stack.processes.values() if process.pid]

    def used_s() -> float:
        return sum(sum(process.cpu_times()[:2]) for process in processes)

    before = used_s()
    await asyncio.sleep(LOOKED_S)
    return (used_s() - before) / LOOKED_S * 100


async def of_results(sizes: list[int]) -> Growth:
    growth = Growth(
        f"the tool finds an address whose outline has so many kB; {IN_FLIGHT} in flight",
        ("result, kB", "p50 at 1, ms", "turns/s", "MB/s of results"),
        "turns/s",
    )
    for kilobytes in sizes:
        os.environ["BENCH_RESULT_BYTES"] = str(kilobytes * 1000)
        async with running(services()) as stack, clients(stack.port) as http:
            lanes = [client.turn for client in http]
            await at_once(lanes, LARGE_ROUND)
            rate = statistics.median([(await at_once(lanes, LARGE_ROUND))[0] for _ in range(ROUNDS)])
            single = statistics.median(await one_by_one(http[0].turn, 50)) * 1000
        growth.rows.append((kilobytes, single, rate, rate * kilobytes / 1000))
    return growth


OF: dict[str, tuple[Callable[[list[int]], Coroutine[None, None, Growth]], list[int]]] = {
    "workers": (of_workers, [1, 2, 4, 8]),
    "sessions": (of_sessions, [100, 1_000, 10_000, 100_000]),
    "tools": (of_tools, [10, 40, 100, 300, 1_000]),
    "results": (of_results, [1, 10, 100, 300]),
}
FORMATS = {
    "efficiency": ".2f",
    "of the first": ".2f",
    "prompt, kB": ".1f",
    "p50 with a model, ms": ".1f",
    "p50 with rules, ms": ".1f",
    "p50 at 1, ms": ".1f",
    "MB/s of results": ".1f",
    "at rest, % of a core": ".1f",
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure what grows with what.")
    parser.add_argument("what", choices=OF)
    parser.add_argument("--sizes", type=int, nargs="+")
    args = parser.parse_args()
    measure, usual = OF[args.what]
    growth = uvloop.run(measure(args.sizes or usual))
    growth.show()
    print(growth.plot(args.what))
    return 0


if __name__ == "__main__":
    sys.exit(main())
