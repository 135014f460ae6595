"""What replicas count together, on a real Redis."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from edge.ledger import Account, Ledger, Quota, Rate, Refusal, SharedPlaces, StoreFull

from .conftest import ServerProcess


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[Redis]:
    async with Redis.from_url(redis_url) as client:
        yield client


@pytest.fixture
async def ledger(redis: Redis) -> AsyncIterator[Ledger]:
    made = Ledger(redis, hold_s=30)
    yield made
    await made.settled()


def rate(most: int, cost: int = 1, window: int = 60_000) -> Account:
    return Account(rates=[Rate("rate_principal", "rate:turns:principal:a", most, cost, window)])


def places(most: int | None, key: str = "atwork:principal:a") -> SharedPlaces:
    return SharedPlaces("places_principal", key, most)


async def test_no_more_turns_in_a_window_than_allowed_however_many_come_at_once(ledger: Ledger) -> None:
    told = await asyncio.gather(*(ledger.enter(str(n), rate(7)) for n in range(50)))
    refused = [each for each in told if each is not None]
    assert len(refused) == 43
    assert {each.name for each in refused} == {"rate_principal"}


async def test_who_waits_as_long_as_told_gets_in_and_nobody_does_much_earlier(ledger: Ledger) -> None:
    account = rate(4, window=3_000)
    for n in range(4):
        assert await ledger.enter(str(n), account) is None
    told = await ledger.enter("early", account)
    assert told is not None and told.retry_ms is not None
    assert 0 < told.retry_ms <= 2 * 3_000
    for _ in range(20):
        # Each refusal tells what is left; another window may have begun meanwhile.
        await asyncio.sleep(told.retry_ms / 1000)
        again = await ledger.enter("late", account)
        if again is None:
            break
        told = again
    assert again is None


async def test_a_window_slides_what_came_at_its_end_still_counts_in_the_next(
    ledger: Ledger, redis: Redis
) -> None:
    seconds, micros = await redis.time()
    now_ms = seconds * 1000 + micros // 1000
    window = 3_600_000
    key = "rate:turns:principal:a"
    await redis.hset(key, mapping={"window": now_ms // window - 1, "count": 100, "before": 0})
    part_left = 1 - (now_ms % window) / window
    let_in = 0
    while await ledger.enter(str(let_in), rate(100, window=window)) is None:
        let_in += 1
    assert abs(let_in - 100 * (1 - part_left)) <= 2


async def test_bytes_count_by_their_number(ledger: Ledger) -> None:
    assert await ledger.enter("a", rate(100, cost=60)) is None
    assert await ledger.enter("b", rate(100, cost=60)) is not None
    assert await ledger.enter("c", rate(100, cost=40)) is None


async def test_places_are_shared_by_replicas_and_given_back(redis: Redis, ledger: Ledger) -> None:
    other, account = Ledger(redis, hold_s=30), Account(places=[places(2)])
    assert await ledger.enter("a", account) is None
    assert await other.enter("b", account) is None
    assert await ledger.enter("c", account) == Refusal("places_principal", 0)
    other.leave("b", account)
    await other.settled()
    assert await ledger.enter("c", account) is None


async def test_places_of_a_replica_that_died_are_free_after_a_while(redis: Redis, ledger: Ledger) -> None:
    account = Account(places=[places(1)])
    assert await Ledger(redis, hold_s=0.05).enter("dead", account) is None
    await asyncio.sleep(0.1)
    assert await ledger.enter("next", account) is None


async def test_nothing_is_counted_of_what_is_refused(redis: Redis, ledger: Ledger) -> None:
    account = Account(
        places=[places(1), places(0, "atwork:address:x")],
        rates=rate(5).rates,
    )
    assert await ledger.enter("a", account) is not None
    assert await redis.keys("*") == []


async def test_a_quota_counts_what_is_spent_and_what_is_at_work(redis: Redis, ledger: Ledger) -> None:
    at_work = places(None)
    account = Account([at_work], quotas=[Quota("quota", "spent:d:a", 100, 40, at_work.key)])
    for n in range(3):
        # 0, 40 and 80 are reserved by those before.
        assert await ledger.enter(str(n), account) is None
    assert await ledger.enter("3", account) == Refusal("reserved", 0)
    for n in range(3):
        ledger.leave(str(n), account)
    await ledger.settled()
    await redis.set("spent:d:a", 99)
    assert await ledger.enter("4", account) is None
    await redis.set("spent:d:a", 100)
    assert await ledger.enter("5", account) == Refusal("quota", None)


async def test_every_key_goes_away_by_itself(redis: Redis, ledger: Ledger) -> None:
    await ledger.enter("a", Account([places(3)], rate(5).rates))
    assert all([await redis.pttl(key) > 0 for key in await redis.keys("*")])


async def test_without_redis_turns_are_let_in(redis_server: ServerProcess, ledger: Ledger) -> None:
    redis_server.kill()
    assert await ledger.enter("a", Account([places(1)])) is None


async def test_a_redis_without_room_says_so(redis: Redis, ledger: Ledger) -> None:
    await redis.config_set("maxmemory", 1)
    with pytest.raises(StoreFull):
        await ledger.enter("a", rate(5))
