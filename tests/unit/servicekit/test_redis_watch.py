"""How soon a Redis that is lost is known, by a clock that nothing can slow down."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest
import virtual_time
from redis.exceptions import AuthenticationError, BusyLoadingError, ConnectionError, NoPermissionError
from servicekit.rediswatch import ANSWER_S, LOOK_PERIOD_S, RedisWatch

PROMISED_S = 5.0


class Server:
    """Of Redis what it says about its memory, when it says something."""

    error: Exception | None = None
    is_silent = False

    async def info(self, *sections: str) -> dict[str, int]:
        if self.is_silent:
            await asyncio.get_running_loop().create_future()
        if self.error is not None:
            raise self.error
        return {"used_memory": 1, "maxmemory": 4}

    async def aclose(self) -> None:
        pass


async def changed(watch: RedisWatch, answers: bool) -> float:
    """Seconds until it is known."""
    loop = asyncio.get_running_loop()
    since = loop.time()
    while watch.answers is not answers:
        assert loop.time() - since < 60
        await asyncio.sleep(0.01)
    return loop.time() - since


def silent(server: Server) -> None:
    server.is_silent = True


def gone(server: Server) -> None:
    server.error = ConnectionError()


def reading_its_files(server: Server) -> None:
    server.error = BusyLoadingError()


@pytest.mark.parametrize("lose", [silent, gone, reading_its_files])
def test_a_lost_redis_is_known_in_time_and_one_that_is_back_too(lose: Callable[[Server], None]) -> None:
    server = Server()
    known: list[float] = []

    async def watching() -> None:
        watch = RedisWatch(cast(Any, server), pytest.fail)
        await watch.start()
        assert (watch.answers, watch.fullness, await watch.problem()) == (True, 0.25, None)
        lose(server)
        known.append(await changed(watch, False))
        assert (await watch.problem(), watch.fullness) == ("no answer", 0.25)
        server.is_silent, server.error = False, None
        known.append(await changed(watch, True))
        await watch.stop()

    virtual_time.run(watching)
    lost_s, back_s = known
    assert lost_s == pytest.approx(LOOK_PERIOD_S + (ANSWER_S if lose is silent else 0), abs=0.02)
    assert max(lost_s, back_s) < PROMISED_S


@pytest.mark.parametrize("error", [AuthenticationError("WRONGPASS"), NoPermissionError("NOPERM")])
def test_a_redis_that_lets_nobody_in_is_no_matter_of_time(error: Exception) -> None:
    server, told = Server(), list[str]()
    server.error = error

    async def looking() -> None:
        watch = RedisWatch(cast(Any, server), told.append)
        await watch.look()
        assert not watch.answers

    virtual_time.run(looking)
    (reason,) = told
    assert str(error) in reason and "REDIS_URL" in reason


@pytest.mark.parametrize(("status", "fullness"), [("ok", 0.25), ("err", 1.0)])
async def test_a_redis_whose_disk_is_full_is_full(status: str, fullness: float) -> None:
    class Writing(Server):
        async def info(self, *sections: str) -> dict[str, Any]:
            return {**await super().info(*sections), "aof_last_write_status": status}

    watch = RedisWatch(cast(Any, Writing()), pytest.fail)
    await watch.look()
    assert watch.fullness == fullness
