"""From what one turn takes to pods, NATS, Redis and cells, for ten, 1,000 and 100,000 turns a second.

    python bench/sizes.py                                   with the figures of docs/capacity.md
    python bench/sizes.py --usage artefacts/usage.json      with those that bench/usage.py has measured last

A cell is a complete system: NATS with its streams, Redis, all services. A session belongs to the cell that
the hash of its id names. The simulation passes turns through the cells; it and the arithmetic are pure.
"""

import argparse
import json
import math
import random
import sys
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from contracts.keys import TURN_TTL_S
from contracts.subjects import COMMANDS, EVENTS, TURNS
from rich.console import Console
from rich.table import Table

from simulation import Path as Visits
from simulation import Pool, arrivals, passed, percentile

MEASURED = {
    "cpu edge": 0.565,
    "cpu orchestrator": 1.57,
    "cpu planner": 0.185,
    "cpu tools-bench": 0.183,
    "cpu actionplanner": 0.235,
    "cpu nats-server": 0.68,
    "cpu redis-server": 0.155,
    "stored COMMANDS": 4,
    "stored EVENTS": 3,
    "stored TURNS": 2,
    "kept EVENTS": 2_207,
    "kept TURNS": 1_876,
    "redis commands": 40.2,
    "redis in": 7_396,
    "redis out": 1_239,
    "redis kept": 3_457,
    "redis-server disk": 8_286,
    "nats-server read": 9_381,
    "nats-server written": 15_604,
    "nats-server disk": 9_233,
    "chain": 0.543,
    "R1 sum": 0.243,
    "R3 sum": 0.695,
    "R3 most": 0.253,
}
"""See docs/capacity.md for when and where; names and units as in `bench/usage.py`."""
RATES = (10, 1_000, 100_000)
SERVICES = ("edge", "orchestrator", "planner", "tools-bench", "actionplanner")
RULES_MS = 1.5
"""A plan by rules, which the instant planner does not make (docs/deploy.md); for what is called by name."""

BUSY = 0.6
"""So much of its time a core works: the rest is for peaks and for what a dead one leaves."""
FEWEST = 2
"""Of each service, in each cell."""
TURN_S = 6.5
"""A plan of a model 2 s, a tool 0.5 s, an answer 4 s; so long its request lies in COMMANDS."""
OUTAGE_S = 60
"""EVENTS should hold what is said while no orchestrator reads: twice TURN_TIMEOUT_S."""
SHARD_BYTES = 32 * 2**30
"""A large Redis: copies and rewrites of more take minutes."""
DISK_BYTES_A_S = 250e6
NETWORK_BYTES_A_S = 1.25e9
"""10 Gbit/s."""
SHORT_S = 3_600
"""The default of ANONYMOUS_RETENTION_S."""
CELL_RATE = 1_000
"""Turns a second for which a cell is made: about half of the lowest ceiling, but for memory."""

Usage = Mapping[str, float]


def cell_of(name: str, cells: int) -> int:
    """The cell that has a session: CRC-32 of its id, modulo their number."""
    return zlib.crc32(name.encode()) % cells


def cpu_s(usage: Usage, service: str) -> float:
    return (usage[f"cpu {service}"] + (RULES_MS if service == "planner" else 0)) / 1000


def nats_s(usage: Usage, replicas: str = "R3 sum") -> float:
    """CPU of a turn with three replicas: of all three servers, or of the one that has the most to do."""
    return usage["cpu nats-server"] * usage[replicas] / usage["R1 sum"] / 1000


def leader_s(usage: Usage, stream: str) -> float:
    """CPU of a turn at the leader of one stream, by its part of the messages."""
    stored = sum(usage[f"stored {each.name}"] for each in (COMMANDS, EVENTS, TURNS))
    return nats_s(usage, "R3 most") * usage[f"stored {stream}"] / stored


def pods(rate: float, seconds: float) -> int:
    return max(FEWEST, math.ceil(rate * seconds / BUSY))


@dataclass(frozen=True)
class Ceiling:
    """Where one set of servers ends, in turns per second, and what ends there."""

    what: str
    rate: float
    then: str


def ceilings(usage: Usage) -> list[Ceiling]:
    """The lowest first."""
    return sorted(
        (
            Ceiling(
                "log in TURNS, 24 h", TURNS.max_bytes / usage["kept TURNS"] / TURNS.max_age_s, "shorter log"
            ),
            Ceiling("memory of Redis, 24 h", SHARD_BYTES / usage["redis kept"] / TURN_TTL_S, "turns refused"),
            Ceiling("memory of Redis, 1 h", SHARD_BYTES / usage["redis kept"] / SHORT_S, "turns refused"),
            Ceiling(
                f"EVENTS holds {OUTAGE_S} s",
                EVENTS.max_bytes / usage["kept EVENTS"] / OUTAGE_S,
                "lost results",
            ),
            Ceiling("leader of COMMANDS, one core", BUSY / leader_s(usage, "COMMANDS"), "turns wait"),
            Ceiling("thread of Redis", BUSY / cpu_s(usage, "redis-server"), "turns wait"),
            Ceiling("requests in COMMANDS", BUSY * COMMANDS.max_msgs / TURN_S, "turns refused"),
            Ceiling("disk of a NATS server", BUSY * DISK_BYTES_A_S / usage["nats-server disk"], "turns wait"),
            Ceiling(
                "network of a NATS server",
                BUSY * NETWORK_BYTES_A_S / (3 * (usage["nats-server read"] + usage["nats-server written"])),
                "turns wait",
            ),
        ),
        key=lambda each: each.rate,
    )


def needs(usage: Usage, rate: float) -> dict[str, float]:
    """Of everything, in all cells together, by what is needed and its unit."""
    cells = math.ceil(rate / CELL_RATE)
    stored = sum(usage[f"stored {each.name}"] for each in (COMMANDS, EVENTS, TURNS))
    found = {"cells": cells}
    found |= {f"{each}, pods": cells * pods(rate / cells, cpu_s(usage, each)) for each in SERVICES}
    return found | {
        "services, cores at work": rate * sum(cpu_s(usage, each) for each in SERVICES),
        "NATS servers": 3 * cells,
        "NATS, cores at work": rate * nats_s(usage),
        "NATS, stored messages/s": rate * stored,
        "NATS, disk MB/s (three copies)": 3 * rate * usage["nats-server disk"] / 1e6,
        "NATS, network MB/s of clients": rate
        * (usage["nats-server read"] + usage["nats-server written"])
        / 1e6,
        "Redis, commands/s": rate * usage["redis commands"],
        "Redis, cores at work": rate * cpu_s(usage, "redis-server"),
        "Redis, disk MB/s": rate * usage["redis-server disk"] / 1e6,
        "Redis, memory GB, 24 h": rate * usage["redis kept"] * TURN_TTL_S / 1e9,
        "Redis, memory GB, 1 h": rate * usage["redis kept"] * SHORT_S / 1e9,
        "Redis servers, 24 h": max(cells, math.ceil(rate * usage["redis kept"] * TURN_TTL_S / SHARD_BYTES)),
        "Redis servers, 1 h": max(cells, math.ceil(rate * usage["redis kept"] * SHORT_S / SHARD_BYTES)),
    }


class Cell:
    """The pools of a cell, as large as its part of the turns wants them, and the way through them."""

    def __init__(self, usage: Usage, rate: float, away: tuple[float, float] = (0.0, 0.0)) -> None:
        """`away`: from when until when its NATS does not answer; it goes on with what waits for it."""
        self.leaders = {stream: Pool(1, away) for stream in ("COMMANDS", "EVENTS", "TURNS")}
        self.redis = Pool(1)
        self.pods = {each: Pool(pods(rate, cpu_s(usage, each))) for each in SERVICES}
        visits = {"edge": 2, "orchestrator": 4, "redis": 3}

        def at(service: str) -> tuple[Pool, float]:
            return self.pods[service], cpu_s(usage, service) / visits.get(service, 1)

        def by(stream: str) -> tuple[Pool, float]:
            return self.leaders[stream], leader_s(usage, stream) / usage[f"stored {stream}"]

        command, event, log = by("COMMANDS"), by("EVENTS"), by("TURNS")
        core, redis = at("orchestrator"), (self.redis, cpu_s(usage, "redis-server") / visits["redis"])
        self.visits: Visits = (
            *(at("edge"), command, core, redis, log),
            *(command, at("planner"), event, core, redis),
            *(command, at("tools-bench"), event, core),
            *(command, at("actionplanner"), event, core, redis, log),
            at("edge"),
        )


@dataclass(frozen=True)
class Outcome:
    """Of a simulation; the lasted are ms, by cell those of its turns."""

    cells: int
    rate: float
    lasted_ms: tuple[tuple[float, ...], ...]
    leader_busy: tuple[float, ...]
    """Of COMMANDS, by cell: of the time until all turns had ended."""

    def p(self, percent: float, cells: Sequence[int] | None = None) -> float:
        """Of these cells, or of all."""
        wanted = range(self.cells) if cells is None else cells
        return percentile([each for n in wanted for each in self.lasted_ms[n]], percent)


def simulated(
    usage: Usage,
    rate: float,
    cells: int,
    *,
    turns: int = 100_000,
    away: tuple[float, float] = (0.0, 0.0),
    seed: int = 1,
) -> Outcome:
    """Turns of sessions that ask every 30 s on the average, by the hash of their session in cells; the first
    cell is `away` for a time. Only what the system itself takes: no model, no map service, no network."""
    made = [Cell(usage, rate / cells, away if n == 0 else (0.0, 0.0)) for n in range(cells)]
    drawn = random.Random(seed)
    sessions = max(1_000, math.ceil(30 * rate))
    # Numbers in a row would be divided more evenly than names are.
    names = (drawn.randrange(sessions) * 0x9E3779B97F4A7C15 & 2**64 - 1 for _ in range(turns))
    where = [cell_of(f"{name:016x}", cells) for name in names]
    begun = arrivals(rate, turns, seed)
    done = passed(begun, [made[n].visits for n in where], seed)
    lasted: list[list[float]] = [[] for _ in made]
    for n, start, end in zip(where, begun, done, strict=True):
        lasted[n].append((end - start) * 1000)
    took_s = max(done) - begun[0]
    return Outcome(
        cells,
        turns / took_s,
        tuple(map(tuple, lasted)),
        tuple(each.leaders["COMMANDS"].busy_s / took_s for each in made),
    )


def table(title: str, *columns: str) -> Table:
    made = Table(title=title, title_justify="left")
    for n, column in enumerate(columns):
        made.add_column(column, justify="right" if n else "left")
    return made


def number(value: float) -> str:
    """With three digits that count."""
    if value >= 100:
        return f"{float(f'{value:.3g}'):,.0f}"
    return f"{value:.3g}"


def show(usage: Usage) -> None:
    console = Console(width=110)
    ends = table("one cell ends at", "what", "turns/s", "then")
    for each in ceilings(usage):
        ends.add_row(each.what, number(each.rate), each.then)
    console.print(ends)
    sizes = table("needed", "turns/s", *(f"{rate:,}" for rate in RATES))
    columns = [needs(usage, rate) for rate in RATES]
    for name in columns[0]:
        sizes.add_row(name, *(number(column[name]) for column in columns))
    console.print(sizes)
    loads = table(
        "simulated", "turns/s", "cells", "done/s", "leader", "busiest", "p50 ms", "p99 ms", "busiest p99"
    )
    for rate, cells in SIMULATED:
        found = simulated(usage, rate, cells)
        busiest = max(range(cells), key=lambda n: found.leader_busy[n])
        loads.add_row(
            f"{rate:,}",
            str(cells),
            number(found.rate),
            f"{sum(found.leader_busy) / cells:.0%}",
            f"{found.leader_busy[busiest]:.0%}",
            number(found.p(50)),
            number(found.p(99)),
            number(percentile(found.lasted_ms[busiest], 99)),
        )
    console.print(loads)
    console.print(f"four cells at {FOUR:,} turns/s, one of them away for {AWAY[1] - AWAY[0]:g} s")
    four = table("", "", "p50 ms", "p99 ms", "worst ms")
    shown: tuple[tuple[str, tuple[float, float], range], ...] = (
        ("all, nobody away", (0.0, 0.0), range(4)),
        ("the three others", AWAY, range(1, 4)),
        ("the one away", AWAY, range(1)),
    )
    for name, away, mine in shown:
        found = simulated(usage, FOUR, 4, away=away)
        four.add_row(name, *(number(found.p(percent, mine)) for percent in (50, 99, 100)))
    console.print(four)


SIMULATED = ((10, 1), (1_000, 1), (100_000, 100), (100_000, 50), (100_000, 32), (100_000, 25), (100_000, 20))
"""(turns/s, cells)"""
FOUR = 4_000
AWAY = (5.0, 10.0)


def main() -> int:
    parser = argparse.ArgumentParser(description="Calculate what so many turns a second need.")
    parser.add_argument("--usage", type=Path, help="what a turn takes, as bench/usage.py keeps it")
    args = parser.parse_args()
    show(json.loads(args.usage.read_text()) if args.usage else MEASURED)
    return 0


if __name__ == "__main__":
    sys.exit(main())
