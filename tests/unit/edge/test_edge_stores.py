"""When a store is full, and when it is no longer."""

from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from redis.exceptions import ConnectionError

from edge import errors
from edge.stores import HIGH, LOW, Stores, Watermark


class Info:
    """Of Redis only what it says about its memory."""

    def __init__(self) -> None:
        self.memory: dict[str, int] | None = {"used_memory": 0, "maxmemory": 100}

    async def info(self, section: str) -> dict[str, int]:
        if self.memory is None:
            raise ConnectionError
        return self.memory


class World:
    def __init__(self) -> None:
        self.redis = Info()
        self.now = 0.0
        self.stores = Stores(cast(Any, self.redis), lambda: self.now)

    async def used(self, used: int, most: int = 100) -> str | None:
        self.redis.memory = {"used_memory": used, "maxmemory": most}
        await self.stores.look()
        return self.stores.full


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


async def test_a_redis_that_is_away_is_not_full() -> None:
    world = World()
    world.redis.memory = None
    await world.stores.look()
    assert (world.stores.full, world.stores.redis_answers) == (None, False)
    await world.used(10)
    assert world.stores.redis_answers
