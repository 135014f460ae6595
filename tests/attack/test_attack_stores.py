"""Stores that are filled up: what is refused, how soon, what becomes of what was begun, and afterwards."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from time import monotonic

import httpx
import pytest
import pytest_asyncio
from contracts import subjects
from tests.e2e.running import System, problem_of, running, until

from .conftest import Told

pytestmark = pytest.mark.asyncio(loop_scope="module")

ROOM_BYTES = 3_000_000
"""Beyond what Redis needs for itself: some hundred turns instead of fifty thousand."""
BALLAST_BYTES = 12_000_000
"""Of something else that is kept there; its part of the whole lies below the low mark."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[System]:
    async with running(tmp_path_factory.mktemp("system")) as started:
        yield started


async def is_ready(system: System) -> bool:
    return (await system.http.get("/readyz")).status_code == 200


async def say(system: System, n: int) -> httpx.Response:
    body = {"sessionId": f"s-{n}", "userMessage": "Gehe zur Langendorfstrasse 19b in Solothurn"}
    return await system.http.post("/api/chat", json=body)


async def test_turns_fill_redis_until_new_ones_are_refused_and_the_others_have_their_answers(
    system: System, attack: Told
) -> None:
    redis = system.redis
    normal = str((await redis.config_get("maxmemory"))["maxmemory"])
    for n in range(BALLAST_BYTES // 100_000):
        await redis.rpush("ballast", b"x" * 100_000 + b"%d" % n)
    used = (await redis.info("memory"))["used_memory"]
    await redis.config_set("maxmemory", used + ROOM_BYTES)
    answers: list[httpx.Response] = []
    seconds: list[float] = []
    async with asyncio.timeout(400):
        while not answers or answers[-1].status_code == 200:
            begun = monotonic()
            answers += await asyncio.gather(*(say(system, len(answers) + n) for n in range(8)))
            seconds.append(monotonic() - begun)
    refused = [each for each in answers if each.status_code != 200]
    await until(lambda: _not(is_ready(system)), 40)
    # Nothing that was accepted is lost, and there is room for what is not a turn.
    lost = [
        each.json()["requestId"]
        for each in answers
        if each.status_code == 200 and each.json()["overallStatus"] == "error"
    ]
    memory = await redis.info("memory")
    again = [await say(system, 10_000 + n) for n in range(3)]
    deleted = await system.http.request("DELETE", "/api/chat", json={"sessionId": "s-0"})
    await redis.delete("ballast")
    await until(lambda: is_ready(system), 40)
    afterwards = await say(system, 20_000)
    await redis.config_set("maxmemory", normal)
    codes = Counter(each.status_code for each in answers)
    fullness = memory["used_memory"] / memory["maxmemory"]
    attack(
        f"turns until {memory['maxmemory'] / 1e6:.0f} MB of Redis are full",
        f"{codes[200]} answered, then 503 at {fullness:.0%}, nobody waits, {len(lost)} lost; "
        f"with room again: {afterwards.status_code}",
    )
    for each in (*refused, *again):
        assert (each.status_code, problem_of(each)["code"]) == (503, "store_full")
        assert int(each.headers["retry-after"]) >= 1
    assert lost == []
    assert fullness < 1
    assert deleted.status_code == 204
    assert afterwards.status_code == 200


async def _not(condition: object) -> bool:
    return not await condition  # type: ignore[misc]


async def test_a_redis_that_takes_nothing_any_more_makes_nobody_wait(system: System, attack: Told) -> None:
    redis = system.redis
    normal = str((await redis.config_get("maxmemory"))["maxmemory"])
    await redis.config_set("maxmemory", 1_000_000)
    await until(lambda: _not(is_ready(system)), 40)
    answered = [
        await say(system, 30_000),
        await system.http.post("/api/chat/stream", json={"sessionId": "x", "userMessage": "Hallo"}),
        await system.http.post(
            "/api/chat", json={"sessionId": "x", "userMessage": "Hallo"}, headers={"Idempotency-Key": "k"}
        ),
    ]
    slowest_s = max(each.elapsed.total_seconds() for each in answered)
    await redis.config_set("maxmemory", normal)
    await until(lambda: is_ready(system), 40)
    afterwards = await say(system, 30_001)
    attack(
        "a Redis that takes nothing any more",
        f"{[each.status_code for each in answered]} at once; with room again: {afterwards.status_code}",
    )
    assert {each.status_code for each in answered} == {503}
    # It was 32 s: as long as a turn may take.
    assert slowest_s < 10
    assert afterwards.status_code == 200


async def test_every_stream_has_a_size_and_the_server_has_room_for_all(system: System, attack: Told) -> None:
    sizes = {}
    for name in (*(stream.name for stream in subjects.STREAMS), f"KV_{subjects.TOOLS_BUCKET}"):
        sizes[name] = (await system.js.stream_info(name)).config.max_bytes or -1
    total = sum(sizes.values())
    attack("messages without end", ", ".join(f"{name} ≤ {size >> 20} MiB" for name, size in sizes.items()))
    assert min(sizes.values()) > 0
    assert total < 2 * 1_024**3
