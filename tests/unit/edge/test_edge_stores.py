"""When a store is full, and when it is no longer."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest
import virtual_time
from hypothesis import given
from hypothesis import strategies as st
from redis.exceptions import ConnectionError
from servicekit.errors import BusFull, BusUnavailable
from servicekit.rediswatch import ANSWER_S, LOOK_PERIOD_S, RedisWatch

from edge import errors
from edge.stores import HIGH, LOW, Stores, Watermark


class Info:
    """Of Redis only what it says about its memory."""

    def __init__(self) -> None:
        self.memory: dict[str, int] | None = {"used_memory": 0, "maxmemory": 100}

    async def info(self, *sections: str) -> dict[str, int]:
        if self.memory is None:
            raise ConnectionError
        return self.memory

    async def aclose(self) -> None:
        pass


async def empty() -> float:
    return 0.0


class World:
    def __init__(self) -> None:
        self.redis = Info()
        self.commands: Callable[[], Awaitable[float | None]] = empty
        self.stored = 0
        self.refusal: Exception | None = None
        self.now = 0.0
        self.given_up: list[str] = []
        self.watch = RedisWatch(cast(Any, self.redis), self.given_up.append)
        self.stores = Stores(self.watch, lambda: self.commands(), self.store, lambda: self.now)

    async def store(self) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.stored += 1

    async def look(self) -> str | None:
        await self.watch.look()
        await self.stores.look()
        return self.stores.full

    async def used(self, used: int, most: int = 100) -> str | None:
        self.redis.memory = {"used_memory": used, "maxmemory": most}
        return await self.look()


@given(st.lists(st.floats(0, 1.2), min_size=1))
def test_full_begins_above_the_high_mark_and_ends_below_the_low_one(levels: list[float]) -> None:
    mark, full = Watermark(), False
    for level in levels:
        full = level >= LOW if full else level >= HIGH
        assert mark.at(level) is full


async def test_between_the_marks_it_stays_as_it_was() -> None:
    world = World()
    assert [await world.used(each) for each in (85, 95, 85, 79, 85)] == [None, "redis", "redis", None, None]


async def test_a_redis_without_a_bound_is_never_full() -> None:
    assert await World().used(10**12, 0) is None


async def test_a_full_store_lets_nobody_begin_and_says_so() -> None:
    world = World()
    world.stores.check()
    await world.used(99)
    with pytest.raises(errors.StoreFull) as told:
        world.stores.check()
    assert (told.value.status, told.value.code, told.value.retry_after_s) == (503, "store_full", 5)
    assert await world.stores.problem() == "redis is full"


async def test_what_redis_refuses_is_known_at_once() -> None:
    world = World()
    world.stores.redis_refuses()
    assert world.stores.full == "redis"
    assert await world.used(10) is None


async def test_a_queue_that_is_full_is_left_alone_for_a_moment() -> None:
    world = World()
    world.stores.queue_refuses()
    assert world.stores.full == "commands"
    world.now = 5.0
    assert world.stores.full is None


async def test_a_redis_that_is_away_is_not_full_and_lets_nothing_begin() -> None:
    world = World()
    world.redis.memory = None
    assert await world.look() is None
    for check in (world.stores.check, world.stores.check_redis):
        with pytest.raises(errors.StateUnavailable):
            check()
    world.stores.check_bus()
    await world.used(10)
    world.stores.check()


async def away() -> float:
    raise BusUnavailable


async def missing() -> None:
    return None


@pytest.mark.parametrize(("commands", "problem"), [(away, "no answer"), (missing, "not declared")])
async def test_without_streams_turns_do_not_begin_and_links_are_still_made(
    commands: Callable[[], Awaitable[float | None]], problem: str
) -> None:
    world = World()
    world.commands = commands
    assert await world.look() is None
    assert await world.stores.streams_problem() == problem
    for check in (world.stores.check, world.stores.check_bus):
        with pytest.raises(errors.BusUnavailable):
            check()
    world.stores.check_redis()
    world.commands = empty
    await world.look()
    world.stores.check()


@pytest.mark.parametrize("refusal", [BusUnavailable(), TimeoutError()])
async def test_a_queue_that_is_silent_is_not_ready_until_it_stores_something(
    refusal: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    world = World()
    world.refusal = refusal
    world.stores.queue_is_silent()
    for _ in range(2):
        assert await world.stores.streams_problem() == "takes nothing"
        with pytest.raises(errors.BusUnavailable):
            world.stores.check()
        await world.look()
    world.commands = away
    await world.look()
    world.stores.queue_is_silent()
    assert await world.stores.streams_problem() == "no answer", "which is why"
    world.commands = empty
    await world.look()
    assert await world.stores.streams_problem() == "takes nothing", "what it tells of itself proves nothing"
    world.refusal = None
    await world.look()
    world.stores.check()
    await world.look()
    assert world.stored == 1, "only as long as it is in question"
    problems = [record.__dict__["problem"] for record in caplog.records if record.name == "edge.stores"]
    assert problems == ["takes nothing", "no answer", "takes nothing"]


async def test_a_queue_that_was_silent_and_now_refuses_is_full() -> None:
    world = World()
    world.refusal = BusFull()
    world.stores.queue_is_silent()
    assert await world.look() == "commands"
    assert await world.stores.streams_problem() is None


async def test_a_stream_that_fills_up_lets_nobody_begin_before_it_is_full() -> None:
    world = World()

    async def nearly() -> float:
        return HIGH

    world.commands = nearly
    assert await world.look() == "commands"
    with pytest.raises(errors.StoreFull):
        world.stores.check()
    world.stores.check_redis()


def test_streams_that_are_silent_are_known_in_time() -> None:
    known: list[float] = []

    async def silent() -> float:
        found: float = await asyncio.get_running_loop().create_future()
        return found

    async def watching() -> None:
        world = World()
        await world.stores.start()
        world.stores.check()
        for commands, problem in ((silent, "no answer"), (empty, None)):
            world.commands = commands
            since = asyncio.get_running_loop().time()
            while await world.stores.streams_problem() != problem:
                await asyncio.sleep(0.01)
            known.append(asyncio.get_running_loop().time() - since)
        await world.stores.stop()

    virtual_time.run(watching)
    assert known[0] == pytest.approx(LOOK_PERIOD_S + ANSWER_S, abs=0.02)
    assert max(known) < 5
