"""Four complete systems on this machine, each with a NATS and a Redis of its own, that share the sessions.

    python bench/partitions.py                          3,000 messages, 40 in a second
    python bench/partitions.py --messages 600 --rate 20

The hash of its id says which cell has a session. Messages arrive at random moments; after a third of them
all processes of one cell are killed, its servers too, with turns under way; after two thirds it is started
again. What it has not answered is asked once more then, with the same key. Every fourth message offers a
choice, which is taken some messages later. At the end it is looked up in NATS and Redis which cell has had
which sessions and turns.
"""

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
from collections import defaultdict
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import nats
import psutil
import uvloop
from contracts import owners, subjects
from redis.asyncio import Redis
from rich.console import Console
from rich.table import Table

import simulation
from ask.services import COMPACT, EDGE, SERVICES, Service
from ask.stack import Stack
from drivers import HttpDriver
from edge.auth.derivation import Derivation, keyed_digest
from peers.contestants import own
from sizes import cell_of

HERE = Path(__file__).parent
CELLS = 4
KILLED = 2
SESSIONS = 200
CHOICE_EVERY = 4
PAUSE_MS = 50
"""So long the tool takes: something is always under way."""
TAKEN_LATER = 20
"""A choice is answered so many messages after it was offered."""
SECRET = "the-secret-that-all-edges-of-this-bench-share"
PHASES = ("before", "one away", "again")


@dataclass
class Asked:
    """One request, and what came of it."""

    session: str
    key: str
    message: dict[str, str]
    phase: str
    lasted_s: float = 0.0
    answer: dict[str, Any] | None = None

    @property
    def cell(self) -> int:
        return cell_of(self.session, CELLS)


class Router:
    """Knows which cell has a session, and where each cell listens."""

    def __init__(self, ports: list[int]) -> None:
        self._ports = ports

    async def ask(self, asked: Asked) -> None:
        """`asked.answer` stays None when the cell does not answer. Raises `RuntimeError` when it refuses."""
        started = perf_counter()
        with suppress(OSError, EOFError):
            client = await HttpDriver.connect("127.0.0.1", self._ports[asked.cell])
            body = {"sessionId": asked.session, **asked.message}
            try:
                status, answer = await client.post("/api/chat", body, f"idempotency-key: {asked.key}\r\n")
            finally:
                await client.close()
            if status == 200:
                asked.answer = json.loads(answer)
            elif asked.cell != KILLED or asked.phase != "one away":
                raise RuntimeError(f"{status}: {answer[:200]!r}")
        asked.lasted_s = perf_counter() - started


@dataclass
class Run:
    """All that was asked, in its order."""

    router: Router
    drawn: random.Random
    asked: list[Asked] = field(default_factory=list)
    begun: dict[tuple[int, str], asyncio.Event] = field(default_factory=dict)

    def next(self, phase: str) -> Asked:
        n = len(self.asked)
        offering = self.asked[n - TAKEN_LATER] if n >= TAKEN_LATER else None
        if offering is not None and (choice := first_choice(offering)):
            asked = Asked(offering.session, f"key-{n}", {"choiceId": choice}, phase)
        else:
            kind = "choice" if n % CHOICE_EVERY == 0 else "one"
            session = f"partitions-{self.drawn.randrange(SESSIONS):04x}"
            asked = Asked(session, f"key-{n}", {"userMessage": f"{kind} {PAUSE_MS} key-{n}"}, phase)
        self.asked.append(asked)
        if begun := self.begun.get((asked.cell, phase)):
            begun.set()
        return asked

    async def phase(self, name: str, messages: int, rate: float) -> None:
        """Messages at random moments, whether or not earlier ones are answered."""
        first = perf_counter()
        async with asyncio.TaskGroup() as group:
            for moment in simulation.arrivals(rate, messages, seed=len(self.asked) + 1):
                await asyncio.sleep(first + moment - perf_counter())
                group.create_task(self.router.ask(self.next(name)))

    async def under_way(self, cell: int, phase: str) -> None:
        """Until a cell has something to do in a phase."""
        self.begun[cell, phase] = begun = asyncio.Event()
        await begun.wait()
        await asyncio.sleep(PAUSE_MS / 2_000)


def first_choice(asked: Asked) -> str | None:
    if asked.answer is None or asked.answer["overallStatus"] != "needs_user_choice":
        return None
    return str(asked.answer["steps"][0]["choices"][0]["id"])


def cell(folder: Path, number: int, port: int = 0) -> Stack:
    edge = next(service for service in SERVICES if service.name == EDGE)
    environment = {"CELL": str(number), "MAX_CONNECTIONS_PER_ADDRESS": "2000"}
    services: tuple[Service, ...] = (edge, own(COMPACT, COMPACT))
    place = folder / str(number)
    return Stack(place, port=port, services=services, edge_secret=SECRET, environment=environment)


async def killed(stack: Stack) -> None:
    """All of its processes at once; nobody of them can say good-bye."""
    for process in [psutil.Process(each.pid) for each in stack.processes.values() if each.pid]:
        process.kill()
    await stack.stop(grace_s=0)


async def kept(stack: Stack) -> tuple[set[str], set[str], set[str]]:
    """(sessions inside, turns in Redis, turns in the log) of a cell."""
    redis = Redis.from_url(stack.redis_url, decode_responses=True)
    connection = await nats.connect(stack.nats_url)
    try:
        sessions = {key.split(":")[1] async for key in redis.scan_iter("session:*:turns", count=1_000)}
        turns = {key.split(":")[1] async for key in redis.scan_iter("turn:*", count=1_000)}
        js = connection.jetstream()
        log = await js.stream_info(subjects.TURNS.name, subjects_filter="turn.event.>")
        return sessions, turns, {subject.rpartition(".")[2] for subject in log.state.subjects or {}}
    finally:
        await connection.close()
        await redis.aclose()


def inside(session: str) -> str:
    """What a session is called behind the edge, where nobody has to say who they are."""
    key = Derivation(SECRET.encode()).key("sessions")
    return owners.session_id(owners.LOCAL, keyed_digest(key, owners.LOCAL, session))


async def check(stacks: list[Stack], run: Run) -> None:
    """Raises `AssertionError` when a session or a turn is where it does not belong, or missing."""
    expected: dict[int, set[str]] = defaultdict(set)
    of_turns: dict[int, set[str]] = defaultdict(set)
    for asked in run.asked:
        assert asked.answer is not None, f"lost: {asked}"
        expected[asked.cell].add(inside(asked.session))
        of_turns[asked.cell].add(str(asked.answer["requestId"]))
    for number, stack in enumerate(stacks):
        sessions, turns, log = await kept(stack)
        assert sessions == expected[number], f"cell {number} has other sessions than its own"
        assert of_turns[number] <= turns == log, f"cell {number} has other turns than its own"
        assert {turn[4:6] for turn in turns} == {f"{number:02x}"}, "a turn does not tell its cell"
    assert sum(map(len, expected.values())) == len({asked.session for asked in run.asked})


async def run(args: argparse.Namespace) -> Run:
    async with AsyncExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        stacks = [await opened.enter_async_context(cell(folder, number)) for number in range(CELLS)]
        ports = [stack.port for stack in stacks]
        this = Run(Router(ports), random.Random(args.seed))
        third = args.messages // 3
        await this.phase("before", third, args.rate)
        async with asyncio.TaskGroup() as group:
            group.create_task(this.phase("one away", third, args.rate))
            await this.under_way(KILLED, "one away")
            await killed(stacks[KILLED])
        stacks[KILLED] = await opened.enter_async_context(cell(folder, KILLED, ports[KILLED]))
        missing = [asked for asked in this.asked if asked.answer is None]
        for asked in missing:
            asked.phase = "asked again"
            await this.router.ask(asked)
        await this.phase("again", third, args.rate)
        await check(stacks, this)
    show(this)
    return this


def show(this: Run) -> None:
    table = Table(title="messages by cell", title_justify="left")
    for column in ("cell", "phase", "answered", "choices", "asked again", "p50 ms", "p95 ms", "p99 ms"):
        table.add_column(column, justify="left" if column == "phase" else "right")
    for number in range(CELLS):
        for phase in PHASES:
            mine = [each for each in this.asked if each.cell == number and each.phase == phase]
            again = [each for each in this.asked if each.cell == number and each.phase == "asked again"]
            ms = [
                simulation.percentile([each.lasted_s * 1e3 for each in mine], p) if mine else 0
                for p in (50, 95, 99)
            ]
            choices = sum("choiceId" in each.message for each in mine)
            late = len(again) if phase == "one away" else 0
            cells = (str(number), phase, len(mine), choices, late, *(f"{each:.0f}" for each in ms))
            table.add_row(*map(str, cells))
    Console(width=110).print(table)
    sessions = len({each.session for each in this.asked})
    print(
        f"{len(this.asked)} messages of {sessions} sessions, all answered, each session and turn in its cell"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Four cells that share the sessions; one of them is killed.")
    parser.add_argument("--messages", type=int, default=3_000)
    parser.add_argument("--rate", type=float, default=40, help="messages that arrive in a second")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    os.environ["PYTHONPATH"] = str(HERE)
    uvloop.run(run(args))
    return 0


if __name__ == "__main__":
    sys.exit(main())
