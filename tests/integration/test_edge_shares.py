"""Maps behind short links, on a real Redis."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from contracts import keys
from contracts.shares import Share, SharedMap
from redis.asyncio import Redis

from edge import errors, examples
from edge.shares import Shares

from .edge_harness import problem, running

SHARED = SharedMap.model_validate(examples.SHARED_MAP)
SIZE = len(SHARED.to_json())
DAY = timedelta(days=1)


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[Redis]:
    async with Redis.from_url(redis_url) as client:
        yield client


async def test_a_link_holds_until_it_expires_and_using_it_does_not_keep_it(redis: Redis) -> None:
    shares = Shares(redis, timedelta(seconds=8), 10 * SIZE)
    share_id, expires_at = await shares.keep(SHARED)
    assert expires_at - datetime.now(UTC) < timedelta(seconds=9)
    until = asyncio.get_running_loop().time() + 30
    assert await shares.find(share_id) == SHARED
    with pytest.raises(errors.ShareNotFound):
        while asyncio.get_running_loop().time() < until:
            await shares.find(share_id)
            await asyncio.sleep(0.02)


async def test_there_is_room_for_so_many_bytes_and_again_when_they_have_expired(redis: Redis) -> None:
    shares = Shares(redis, timedelta(seconds=8), 3 * SIZE)
    # One more than there is room for, at the same time.
    made = await asyncio.gather(*(shares.keep(SHARED) for _ in range(4)), return_exceptions=True)
    assert [type(each) for each in made if isinstance(each, BaseException)] == [errors.StoreFull]
    assert int(await redis.get(keys.shares_bytes()) or 0) == 3 * SIZE
    await asyncio.sleep(8.1)
    share_id, _ = await shares.keep(SHARED)
    assert await shares.find(share_id) == SHARED
    assert int(await redis.get(keys.shares_bytes()) or 0) == SIZE


async def test_every_key_expires(redis: Redis) -> None:
    share_id, expires_at = await Shares(redis, DAY, 10 * SIZE).keep(SHARED)
    assert abs(expires_at - datetime.now(UTC) - DAY) < timedelta(minutes=1)
    assert 0 < await redis.pttl(keys.share(share_id)) <= DAY / timedelta(milliseconds=1)
    for key in (keys.shares(), keys.shares_bytes()):
        assert await redis.pttl(key) > DAY / timedelta(milliseconds=1)


@pytest.mark.parametrize("document", [b"", b"{", b"[]", b'{"background": "pink"}', b"\xff"])
async def test_what_stands_there_and_is_no_map_is_not_handed_out(redis: Redis, document: bytes) -> None:
    await redis.set(keys.share("A" * 16), document, ex=60)
    with pytest.raises(errors.ShareNotFound):
        await Shares(redis, DAY, SIZE).find("A" * 16)


async def test_any_replica_serves_a_link_and_a_later_one_too(nats_url: str, redis_url: str) -> None:
    async with running(nats_url, redis_url) as first:
        made = Share.from_json((await first.http.post("/api/shares", json=examples.SHARED_MAP)).content)
        unknown = await first.http.get("/api/shares/" + "A" * 16)
    assert (unknown.status_code, problem(unknown)["code"]) == (404, "share_not_found")
    async with running(nats_url, redis_url, share_days=0) as second:
        read = await second.http.get(f"/api/shares/{made.id}")
        assert SharedMap.from_json(read.content) == SHARED
        refused = await second.http.post("/api/shares", json=examples.SHARED_MAP)
    assert (refused.status_code, problem(refused)["code"]) == (404, "shares_off")


async def test_nobody_shares_without_end(nats_url: str, redis_url: str) -> None:
    settings: dict[str, Any] = {"auth": "anonymous", "edge_secret": "x" * 32, "shares_per_day": 2}
    async with running(nats_url, redis_url, **settings) as edge:
        answers = []
        for _ in range(3):
            # Another browser each time, at the same address.
            edge.http.cookies.clear()
            answers.append(await edge.http.post("/api/shares", json=examples.SHARED_MAP))
    assert [each.status_code for each in answers] == [201, 201, 429]
    assert problem(answers[-1])["code"] == "rate_limited"
    assert int(answers[-1].headers["retry-after"]) > 60
