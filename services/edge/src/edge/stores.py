"""Whether the stores answer and have room, and so whether new turns may begin."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from time import monotonic

from servicekit.errors import BusFull, BusUnavailable
from servicekit.rediswatch import ANSWER_S, LOOK_PERIOD_S, RedisWatch, asked_twice
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
_NO_ANSWER, _TAKES_NOTHING = "no answer", "takes nothing"
_QUEUE_PAUSE_S = 5.0
"""A queue that has refused something is tried again after this. An empty one may: the server has no room."""


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
    """Looks at Redis and at the stream of the turns twice a second. What it finds is what `/readyz` says, and
    what new turns are refused for."""

    def __init__(
        self,
        redis: RedisWatch,
        commands: Callable[[], Awaitable[float | None]],
        store: Callable[[], Awaitable[None]],
        now: Callable[[], float] = monotonic,
    ) -> None:
        """`commands`: how full the stream is, None without one. `store`: has the stream take something, or
        raises `BusFull`. Both may raise `BusUnavailable`, or not answer."""
        self._redis = redis
        self._commands = commands
        self._store = store
        self._now = now
        self._marks = {REDIS: Watermark(), COMMANDS: Watermark()}
        self._queue_full_until = float("-inf")
        self._streams_problem: str | None = None
        self._is_silent = False
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        await self._redis.start()
        await self.look()
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        await end(self._task)
        await self._redis.stop()

    @property
    def full(self) -> str | None:
        """The name of a store that is full."""
        if self._marks[REDIS].is_full:
            return REDIS
        return COMMANDS if self._marks[COMMANDS].is_full or self._now() < self._queue_full_until else None

    def check(self) -> None:
        """Raises `StateUnavailable`, `BusUnavailable` or `StoreFull` when a turn that began now might not be
        finished."""
        self.check_redis()
        self.check_bus()
        if self.full is not None:
            raise errors.StoreFull()

    def check_redis(self) -> None:
        """Raises `StateUnavailable` or `StoreFull` when nothing can be kept now."""
        if not self._redis.answers:
            raise errors.StateUnavailable()
        if self.full == REDIS:
            raise errors.StoreFull()

    def check_bus(self) -> None:
        """Raises `BusUnavailable` when nothing can be said on the bus now."""
        if self._streams_problem is not None:
            raise errors.BusUnavailable()

    async def streams_problem(self) -> str | None:
        """A readiness check."""
        return self._streams_problem

    async def problem(self) -> str | None:
        """A readiness check."""
        return None if self.full is None else f"{self.full} is full"

    def redis_refuses(self) -> None:
        """Somebody was told so: no need to look."""
        self._filled(REDIS, 1.0)

    def queue_refuses(self) -> None:
        """The queue of turns takes nothing: leave it alone for a moment."""
        self._queue_full_until = self._now() + _QUEUE_PAUSE_S
        STORE_FULLNESS.labels(COMMANDS).set(1)

    def queue_is_silent(self) -> None:
        """The queue of turns has not acknowledged something: no turn begins before it does.

        A stream of NATS that could not write tells all about itself, and stores nothing more.
        """
        self._is_silent = True
        if self._streams_problem is None:
            self._trouble(_TAKES_NOTHING, "not acknowledged")

    async def look(self) -> None:
        """Never raises. How full a store is that cannot be seen stays as it was."""
        if self._redis.answers:
            self._filled(REDIS, self._redis.fullness)
        problem = _NO_ANSWER
        try:
            fullness = await asked_twice(self._commands, ANSWER_S)
            if fullness is not None and self._is_silent:
                problem = _TAKES_NOTHING
                async with asyncio.timeout(ANSWER_S):
                    await self._store()
        except (TimeoutError, BusUnavailable) as error:
            self._trouble(problem, repr(error))
            return
        except BusFull:
            self.queue_refuses()
        self._is_silent = False
        self._streams_problem = None if fullness is not None else "not declared"
        self._filled(COMMANDS, fullness or 0.0)

    def _trouble(self, problem: str, reason: str) -> None:
        if self._streams_problem != problem:
            log.warning("trouble with the streams", extra={"problem": problem, "reason": reason})
        self._streams_problem = problem

    def _filled(self, store: str, fullness: float) -> None:
        mark = self._marks[store]
        was_full = mark.is_full
        STORE_FULLNESS.labels(store).set(fullness)
        if mark.at(fullness) != was_full:
            log.warning("full" if not was_full else "no longer full", extra={"store": store})

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(LOOK_PERIOD_S)
            await self.look()
