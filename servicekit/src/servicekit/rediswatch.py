"""Whether Redis answers, known before anybody has to wait for it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import AuthenticationError, NoPermissionError, RedisError
from servicekit.admittance import GiveUp
from servicekit.tasks import end

_T = TypeVar("_T")

log = logging.getLogger("ask.redis")

LOOK_PERIOD_S = 0.5
ANSWER_S = 2.0
"""A store that is silent is known after both. It answers in less than a millisecond; the rest is for whoever
asks, who may be busy himself."""


async def asked_twice(question: Callable[[], Awaitable[_T]], within_s: float) -> _T:
    """Its answer, or `TimeoutError`. Who was held up himself finds his first question over time, whatever the
    store said."""
    try:
        async with asyncio.timeout(within_s / 2):
            return await question()
    except TimeoutError:
        async with asyncio.timeout(within_s / 2):
            return await question()


def client(redis_url: str) -> Redis:
    """For a watch: a connection that a restart has ended is not yet a Redis that is gone."""
    return Redis.from_url(redis_url, retry=Retry(NoBackoff(), retries=1))


class RedisWatch:
    """Looks twice a second, over a connection of its own. What it does not get into ends the process."""

    def __init__(self, redis: Redis, give_up: GiveUp) -> None:
        self._redis = redis
        self._give_up = give_up
        self._task: asyncio.Task[None] | None = None
        self.answers = True
        self.fullness = 0.0
        """When it answered last: of the memory that it may take, how much it takes; 0 without a bound, and 1
        while it takes nothing because its disk does not."""

    async def start(self) -> None:
        await self.look()
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        await end(self._task)
        await self._redis.aclose()

    async def problem(self) -> str | None:
        """A readiness check."""
        return None if self.answers else "no answer"

    async def look(self) -> None:
        """Never raises."""
        try:
            found = await asked_twice(self._info, ANSWER_S)
        except (AuthenticationError, NoPermissionError) as error:
            self.answers = False
            self._give_up(f"Redis does not let it in ({error}): REDIS_URL needs its user and password")
        except (RedisError, OSError, TimeoutError) as error:
            if self.answers:
                log.warning("redis does not answer", extra={"reason": repr(error)})
            self.answers = False
        else:
            if not self.answers:
                log.warning("redis answers again")
            self.answers = True
            self.fullness = _fullness(found)

    async def _info(self) -> Mapping[str, Any]:
        return await self._redis.info("memory", "persistence")

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(LOOK_PERIOD_S)
            await self.look()


def _fullness(found: Mapping[str, Any]) -> float:
    if found.get("aof_last_write_status", "ok") != "ok":
        return 1.0
    most = int(found.get("maxmemory", 0))
    return int(found.get("used_memory", 0)) / most if most else 0.0
