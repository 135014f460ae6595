"""A bounded cache of what sources have answered. While a source is down, its old answers still serve."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from time import monotonic
from typing import Any, Generic, TypeVar

from servicekit import deadline
from servicekit.errors import SourceError, SourceErrorKind

_WORTH_S = 0.5
"""With less time left nothing is asked again: a source that is slow already would not answer."""

_T = TypeVar("_T")


@dataclass(frozen=True)
class Cached(Generic[_T]):
    """A value and where it stands in time. It is shared: do not change it."""

    value: _T
    retrieved_at: datetime
    """UTC."""
    stale: bool = False
    """Older than it should be: its source did not answer."""


@dataclass
class _Entry:
    found: Cached[Any]
    loaded_at: float


@dataclass
class _Flight:
    task: asyncio.Task[_Entry]
    ends_at: float | None
    """The deadline of the caller who has begun it, which is that of the load."""
    waiting: int = 0

    @property
    def is_cut_short(self) -> bool:
        """Whether it was out of time when somebody who waits for it is not."""
        now, left_s = monotonic(), deadline.remaining_s()
        is_over = self.ends_at is not None and self.ends_at <= now
        return is_over and (left_s is None or left_s >= _WORTH_S)


class TtlCache:
    """Values live `ttl_s` seconds; for `stale_s` seconds they may stand in for a source that fails.

    Holds `max_entries` values, of any size, and forgets the least recently used one first. Whoever asks for a
    key that is just being loaded waits for the same load. Bounded by the process; nothing is shared.
    """

    def __init__(
        self,
        max_entries: int = 2_000,
        ttl_s: float = 300,
        stale_s: float = 86_400,
        *,
        clock: Callable[[], float] = monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._max_entries = max_entries
        self._ttl_s = ttl_s
        self._stale_s = stale_s
        self._clock = clock
        self._now = now
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._flights: dict[Hashable, _Flight] = {}

    def __len__(self) -> int:
        return len(self._entries)

    async def fetch(self, key: Hashable, load: Callable[[], Awaitable[_T]]) -> Cached[_T]:
        """The value for a key, loaded when there is no fresh one.

        An old value is returned as `stale` when `load` raises `SourceError`, or does not end before the
        deadline of the caller. Without one, whatever `load` raises is raised. Failures are not kept.
        """
        entry = self._entries.get(key)
        if entry is None or self._age_s(entry) >= self._stale_s:
            return (await self._load(key, load)).found
        self._entries.move_to_end(key)
        if self._age_s(entry) < self._ttl_s:
            return entry.found
        try:
            async with asyncio.timeout(deadline.remaining_s()):
                return (await self._load(key, load)).found
        except (SourceError, TimeoutError):
            return replace(entry.found, stale=True)

    def _age_s(self, entry: _Entry) -> float:
        return self._clock() - entry.loaded_at

    async def _load(self, key: Hashable, load: Callable[[], Awaitable[Any]]) -> _Entry:
        """The entry as loaded by this or an earlier call."""
        flight = self._flights.get(key)
        if flight is None:
            return await self._wait_for(key, self._begin(key, load))
        try:
            return await self._wait_for(key, flight)
        except SourceError as error:
            if error.kind is SourceErrorKind.TIMEOUT and flight.is_cut_short:
                return await self._load(key, load)
            raise

    def _begin(self, key: Hashable, load: Callable[[], Awaitable[Any]]) -> _Flight:
        flight = self._flights[key] = _Flight(asyncio.create_task(self._enter(key, load)), deadline.ends_at())
        flight.task.add_done_callback(_seen)
        return flight

    async def _wait_for(self, key: Hashable, flight: _Flight) -> _Entry:
        flight.waiting += 1
        try:
            await asyncio.wait({flight.task})
            return flight.task.result()
        finally:
            flight.waiting -= 1
            if not flight.waiting:
                # Nobody is left who would use it.
                flight.task.cancel()
            if (not flight.waiting or flight.task.done()) and self._flights.get(key) is flight:
                del self._flights[key]

    async def _enter(self, key: Hashable, load: Callable[[], Awaitable[Any]]) -> _Entry:
        value = await load()
        entry = self._entries[key] = _Entry(Cached(value, self._now()), self._clock())
        self._entries.move_to_end(key)
        while len(self._entries) > self._max_entries:
            self._entries.popitem(last=False)
        return entry


def _seen(task: asyncio.Task[_Entry]) -> None:
    """A failure that nobody waits for any more is no news."""
    if not task.cancelled():
        task.exception()
