"""Mixed turns while every service and every server is killed once: all answered, none wrong, none twice."""

import asyncio
import os
import random
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from itertools import cycle, islice
from pathlib import Path

import pytest
import pytest_asyncio
from contracts import keys, subjects
from contracts.turns import TurnEvent, TurnEventKind, log_entry
from tests.e2e.running import Shape, System, running

from .clients import KINDS, Kind, Record, User

pytestmark = pytest.mark.asyncio(loop_scope="module")

TURNS = 300
IN_FLIGHT = 20
SHARED_SESSIONS = 5
SERVICES = ("orchestrator", "planner", "actionplanner", "tools-geo", "tools-oereb", "tools-docs", "responder")
SERVERS = ("edge", "nats-server", "redis-server")
VICTIMS = {"services": (*SERVICES, *SERVERS), "compact": (*("compact", "compact-2") * 3, "compact", *SERVERS)}
"""By shape of the system."""
PER_KILL = TURNS // 10


@pytest.fixture(scope="module", params=VICTIMS)
def shape(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(shape: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[System]:
    compact = shape == "compact"
    folder: Path = tmp_path_factory.mktemp("chaos")
    async with running(folder, Shape(compact, {"compact": 2} if compact else {})) as started:
        yield started


class Storm:
    """Kills in a random order, spread over the turns: neither ever runs away from the other."""

    def __init__(self, system: System, record: Record, victims: list[str]) -> None:
        self._system = system
        self._record = record
        self._victims = victims
        self.killed: list[str] = []
        self.over = False

    async def run(self) -> None:
        stack = self._system.stack
        for n, victim in enumerate(self._victims):
            await self._until_started(n * PER_KILL + PER_KILL // 2)
            stack.kill(victim)
            self.killed.append(victim)
            try:
                await stack.wait_ready(victim, 30)
            except TimeoutError:
                log = stack.processes[victim].log.read_text(errors="replace")
                raise AssertionError(f"{victim} has not come back:\n{log[-4000:]}") from None
        self.over = True

    async def _until_started(self, turns: int) -> None:
        while self._record.started < turns:
            await asyncio.sleep(0.01)

    async def turn(self) -> None:
        """Until the next turn may begin: those that are due before the next kill, and some more."""
        while not self.over and self._record.started >= (len(self.killed) + 1) * PER_KILL:
            await asyncio.sleep(0.01)


def kinds() -> list[Kind]:
    """So many that they have `TURNS` turns."""
    rounds, rest = divmod(TURNS, sum(kind.turns for kind in KINDS))
    assert rest == 0
    return list(islice(cycle(KINDS), rounds * len(KINDS)))


async def all_events(system: System) -> list[TurnEvent]:
    """The whole stream, with whatever is in it twice."""
    total = (await system.js.stream_info(subjects.TURNS.name)).state.messages
    subscription = await system.js.subscribe("turn.*.*", ordered_consumer=True)
    messages = [log_entry((await subscription.next_msg(timeout=10)).data) for _ in range(total)]
    await subscription.unsubscribe()
    return [entry for each in messages if isinstance(each, TurnEvent) for entry in each.entries()]


async def test_every_turn_is_answered_right_and_once_whatever_is_killed(
    system: System, shape: str, capsys: pytest.CaptureFixture[str]
) -> None:
    seed = int(os.environ.get("CHAOS_SEED", "0")) or random.randrange(1, 1_000_000)
    dice = random.Random(seed)
    victims, todo = list(VICTIMS[shape]), kinds()
    dice.shuffle(victims)
    dice.shuffle(todo)
    record = Record()
    storm = Storm(system, record, victims)

    async def work(numbered: list[tuple[int, Kind]]) -> None:
        while numbered:
            n, kind = numbered.pop()
            session = f"shared-{n % SHARED_SESSIONS}" if kind.shared else f"chaos-{n}"
            await kind.act(User(system.http, record, session, storm.turn))

    began = time.monotonic()
    numbered = list(enumerate(todo))
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(storm.run())
            for _ in range(IN_FLIGHT):
                group.create_task(work(numbered))
    finally:
        took_s = time.monotonic() - began
        with capsys.disabled():
            print(  # noqa: T201
                f"\nchaos: {record.answered} turns, {len(storm.killed)} kills ({', '.join(storm.killed)}), "
                f"{record.failures.total()} retries {dict(record.failures)}, {took_s:.1f} s, "
                f"slowest turn {record.slowest_s:.1f} s, seed {seed}"
            )
    assert record.answered == TURNS
    assert sorted(storm.killed) == sorted(VICTIMS[shape])
    assert "internal_error" not in record.failures

    await system.settled()
    assert (await system.js.stream_info(subjects.DEAD.name)).state.messages == 0
    await check_log(system, record)
    async for key in system.redis.scan_iter(count=1_000):
        assert 0 < await system.redis.ttl(key) <= max(keys.TURN_TTL_S, keys.SESSION_TTL_S), key


async def check_log(system: System, record: Record) -> None:
    """Every round of every turn has one end, which is the answer that the user has got."""
    logs: defaultdict[str, list[TurnEvent]] = defaultdict(list)
    for event in await all_events(system):
        logs[event.request_id].append(event)
    # A retry that began a turn of its own would leave one that nobody knows.
    assert set(logs) == set(record.responses)
    for request_id, events in logs.items():
        assert Counter(event.n for event in events) == Counter(range(len(events))), request_id
        finished = sorted((e for e in events if e.kind is TurnEventKind.FINISHED), key=lambda e: e.n)
        ends = [e.response.model_dump(mode="json", exclude_none=True) for e in finished if e.response]
        assert ends == record.responses[request_id]
        made = sum(event.kind is TurnEventKind.CHOICE_MADE for event in events)
        assert made == len(finished) - 1
