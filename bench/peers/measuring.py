"""One contestant at one kind of work, for a given time: alone, with many at once, and as an open loop."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from time import perf_counter

from peers.clients import Client, Work, new_key
from peers.contestants import Contestant

IN_FLIGHT = 64
SHARE = 0.6
"""Of the capacity, for the open loop."""
MAX_CLIENTS = 512
"""Of an open loop; who arrives when all are busy waits, and the waiting counts."""


@dataclass
class Figures:
    """Of all rounds; seconds of turns, turns/s, and milliseconds of CPU by process."""

    single_s: list[float] = field(default_factory=list)
    loaded_s: list[float] = field(default_factory=list)
    open_s: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)
    open_rates: list[float] = field(default_factory=list)
    cpu_ms: dict[str, float] = field(default_factory=dict)
    turns: int = 0


async def measure(contestant: Contestant, wanted: Work, seconds: float, figures: Figures) -> None:
    """`seconds` for many at once, as long for the open loop, half of it for one after the other."""
    async with clients(contestant, IN_FLIGHT) as made:
        figures.single_s += await lane(made[0], wanted, perf_counter() + seconds / 2)
        before = contestant.usage.cpu_ms()
        begun = perf_counter()
        lanes = await asyncio.gather(*(lane(client, wanted, begun + seconds) for client in made))
        took = perf_counter() - begun
        after = contestant.usage.cpu_ms()
    done = [each for lane_s in lanes for each in lane_s]
    rate = len(done) / took
    figures.loaded_s += done
    figures.rates.append(rate)
    figures.turns += len(done)
    for name in before:
        figures.cpu_ms[name] = figures.cpu_ms.get(name, 0) + after[name] - before[name]
    figures.open_rates.append(rate * SHARE)
    figures.open_s += await open_loop(contestant, wanted, rate * SHARE, seconds)


@asynccontextmanager
async def clients(contestant: Contestant, count: int) -> AsyncIterator[list[Client]]:
    """Fresh connections: servers close idle ones."""
    made = [await contestant.client() for _ in range(count)]
    try:
        yield made
    finally:
        for client in made:
            await client.close()


async def lane(client: Client, wanted: Work, until: float) -> list[float]:
    """Seconds of one turn after the other; the last begins before `until`, and there is at least one."""
    found: list[float] = []
    while not found or perf_counter() < until:
        begun = perf_counter()
        await client.turn(wanted, new_key())
        found.append(perf_counter() - begun)
    return found


async def open_loop(contestant: Contestant, wanted: Work, rate: float, seconds: float) -> list[float]:
    """Turns arrive at random moments, whatever became of those before; each is timed from its arrival."""
    async with clients(contestant, min(MAX_CLIENTS, 8 + int(rate * 0.5))) as made:
        free: asyncio.Queue[Client] = asyncio.Queue()
        for client in made:
            free.put_nowait(client)
        found: list[float] = []

        async def arrive(at: float) -> None:
            client = await free.get()
            try:
                await client.turn(wanted, new_key())
            finally:
                free.put_nowait(client)
            found.append(perf_counter() - at)

        chance = random.Random(1)
        begun = at = perf_counter()
        async with asyncio.TaskGroup() as group:
            while (at := at + chance.expovariate(rate)) < begun + seconds:
                await asyncio.sleep(at - perf_counter())
                group.create_task(arrive(at))
    return found
