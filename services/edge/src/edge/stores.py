"""How full the stores are, and whether new turns may begin."""

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Any

from redis.asyncio import Redis
from redis.exceptions import RedisError
from servicekit.tasks import end

from edge import errors
from edge.metrics import STORE_FULLNESS

log = logging.getLogger("edge.stores")

REDIS = "redis"
COMMANDS = "commands"
HIGH = 0.9
"""What is left is room for the turns that have begun."""
LOW = 0.8
"""Turns begin again when there is room for more than a moment."""
_PERIOD_S = 0.5
_QUEUE_PAUSE_S = 5.0
"""A queue that was full is tried again after this; what waits in it has somewhere to go meanwhile."""


class Watermark:
    """Full from `high` on until it is below `low`. Pure."""

    def __init__(self, high: float = HIGH, low: float = LOW) -> None:
        self._high = high
        self._low = low
        self.is_full = False

    def at(self, fullness: float) -> bool:
        """Whether it is full, now that it is so full."""
        self.is_full = fullness >= (self._low if self.is_full else self._high)
        return self.is_full


class Stores:
    """Looks at Redis twice a second; of the queue it learns from those who are refused by it."""

    def __init__(self, redis: Redis, now: Callable[[], float] = monotonic) -> None:
        self._redis = redis
        self._now = now
        self._watermark = Watermark()
        self._queue_full_until = float("-inf")
        self._task: asyncio.Task[None] | None = None
        self.redis_answers = True

    async def start(self) -> None:
        await self.look()
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        if self._task is not None:
            await end(self._task)

    @property
    def full(self) -> str | None:
        """The name of a store that is full."""
        if self._watermark.is_full:
            return REDIS
        return COMMANDS if self._now() < self._queue_full_until else None

    def check(self) -> None:
        """Raises `StoreFull` when what begins now might not be finished."""
        if self.full is not None:
            raise errors.StoreFull()

    async def problem(self) -> str | None:
        """A readiness check."""
        return None if self.full is None else f"{self.full} is full"

    def redis_refuses(self) -> None:
        """Somebody was told so: no need to look."""
        self._filled(1.0)

    def queue_refuses(self) -> None:
        """The queue of turns takes nothing: leave it alone for a moment."""
        self._queue_full_until = self._now() + _QUEUE_PAUSE_S
        STORE_FULLNESS.labels(COMMANDS).set(1)

    async def look(self) -> None:
        """Never raises. What cannot be seen stays as it was."""
        if self._now() >= self._queue_full_until:
            STORE_FULLNESS.labels(COMMANDS).set(0)
        try:
            memory: dict[str, Any] = await self._redis.info("memory")
        except RedisError as error:
            if self.redis_answers:
                log.warning("redis does not answer", extra={"reason": repr(error)})
            self.redis_answers = False
            return
        self.redis_answers = True
        most = int(memory.get("maxmemory", 0))
        self._filled(int(memory.get("used_memory", 0)) / most if most else 0.0)

    def _filled(self, fullness: float) -> None:
        was_full = self._watermark.is_full
        STORE_FULLNESS.labels(REDIS).set(fullness)
        if self._watermark.at(fullness) != was_full:
            log.warning("full" if not was_full else "no longer full", extra={"store": REDIS})

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(_PERIOD_S)
            with suppress(Exception):
                await self.look()
