"""What a turn costs the servers, in messages, round trips and bytes: it cannot grow unseen."""

import asyncio
from typing import Any

import pytest
from contracts import subjects
from contracts.items import Passage
from contracts.messages import Outcome
from contracts.status import Status
from servicekit.batch import Batch, Command
from world import GOTO, SEARCH, document, judgement, plan

from .orchestrator_harness import System, nothing_left, running

pytestmark = pytest.mark.asyncio

MAX_MESSAGES = 9
MAX_ROUND_TRIPS = 3
MAX_REDIS_BYTES = 3 * 1024
MAX_JETSTREAM_BYTES = 4 * 1024
MAX_WRITTEN_BYTES = 300_000
"""To Redis, for a question that finds as many documents as a turn takes."""


class Counting(Batch):
    """Counts how often Redis is asked, and how much is sent."""

    trips = 0
    sent_bytes = 0

    async def _once(self, commands: list[Command]) -> list[Any]:
        self.trips += 1
        self.sent_bytes += sum(len(str(part).encode()) for command in commands for part in command)
        return await super()._once(commands)


async def counting(system: System) -> list[Counting]:
    """In the place of the connections of all orchestrators."""
    made = []
    for store in system.stores:
        await store.close()
        made.append(Counting(system.redis, timeout_s=20))
        store._batch = made[-1]
    return made


async def stored(system: System) -> tuple[int, int]:
    """(messages stored so far, bytes that are left of them)"""
    messages = size = 0
    for stream in subjects.STREAMS:
        state = (await system.edge.jetstream.stream_info(stream.name)).state
        messages += state.last_seq
        size += state.bytes
    return messages, size


async def digested(system: System) -> None:
    """The reply comes before the log is stored."""
    await nothing_left(system.edge)
    before = -1
    while before != (before := (await stored(system))[0]):
        await asyncio.sleep(0.1)


async def kept_in_redis(system: System) -> int:
    """Bytes of all keys and values."""
    size = 0
    for key in await system.redis.keys("*"):
        match await system.redis.type(key):
            case b"hash":
                values = [part for pair in (await system.redis.hgetall(key)).items() for part in pair]
            case b"list":
                values = await system.redis.lrange(key, 0, -1)
            case _:
                values = [await system.redis.get(key) or b""]
        size += len(key) + sum(map(len, values))
    return size


@pytest.mark.parametrize("orchestrators", [1, 3])
async def test_a_turn_with_one_tool(nats_url: str, redis_url: str, orchestrators: int) -> None:
    async with running(nats_url, redis_url) as system:
        system.plan = plan(GOTO)
        await system.start(orchestrators)
        await system.ask("req-0", session_id="s0")
        await digested(system)
        await system.redis.flushall()
        redis = await counting(system)
        messages, size = await stored(system)

        response = await system.ask("req-1", message="Gehe zur Langendorfstrasse 19b in Solothurn")
        assert response.overall_status is Status.OK
        await digested(system)

        now_messages, now_size = await stored(system)
        assert now_messages - messages <= MAX_MESSAGES
        assert now_size - size <= MAX_JETSTREAM_BYTES
        assert await kept_in_redis(system) <= MAX_REDIS_BYTES
        if orchestrators == 1:
            # Another one has to read first what it has not in memory.
            assert sum(each.trips for each in redis) <= MAX_ROUND_TRIPS


async def test_a_question_with_twenty_documents(nats_url: str, redis_url: str) -> None:
    text = "Das Grundwasser ist in den Schutzzonen S1 bis S3 besonders zu schützen. " * 20
    found = tuple(
        document(n).model_copy(update={"passages": tuple(Passage(text=text) for _ in range(4))})
        for n in range(20)
    )
    async with running(nats_url, redis_url) as system:
        system.plan = plan(SEARCH)
        system.tools["documents.retrieve"] = lambda args: Outcome(items=found)
        system.tools["documents.check"] = lambda args: judgement(args["document"]["id"])
        await system.start()
        redis = await counting(system)
        response = await system.ask("req-1")
        assert response.overall_status is Status.OK
        research = response.steps[0].research
        assert research is not None and len(research.tracked_documents) == 20
        assert sum(len(each.to_json()) for each in found) > 100_000
        assert sum(each.sent_bytes for each in redis) <= MAX_WRITTEN_BYTES
