"""All services but the edge in one container: the flows, and turns that go on after it was killed."""

import asyncio
import time

import pytest
from docker_compose import run

from . import flows
from .conftest import Running

pytestmark = pytest.mark.asyncio(loop_scope="module")

FILES = ("compose.yaml", "compose.compact.yaml")
_AWAY_S = 2.0


async def test_containers_are_confined(system: Running) -> None:
    flows.confined(system, {"edge", "compact"})


async def test_the_flows_work(system: Running) -> None:
    await flows.work(system)


async def test_turns_go_on_after_the_container_was_killed(system: Running) -> None:
    is_back = asyncio.Event()

    async def client(number: int) -> float:
        """Has a turn in work all the time; of which the longest, in seconds."""
        longest_s = 0.0
        while not is_back.is_set():
            began = time.monotonic()
            answer = await flows.answer(system, f"load-{number}", userMessage=flows.BOTH)
            assert answer["overallStatus"] == "ok", answer
            longest_s = max(longest_s, time.monotonic() - began)
        return longest_s

    async def kill() -> None:
        try:
            await asyncio.sleep(1)
            victim = await asyncio.to_thread(system.project.kill, "compact")
            await asyncio.sleep(_AWAY_S)
            await asyncio.to_thread(run, "docker", "start", victim)
        finally:
            is_back.set()

    longest_s, _ = await asyncio.gather(asyncio.gather(*(client(n) for n in range(6))), kill())
    assert min(longest_s) > _AWAY_S
    await system.healthy()


async def test_nats_has_refused_nothing_and_nobody_died_of_himself(system: Running) -> None:
    flows.nothing_was_refused_and_nobody_died_of_himself(system)
