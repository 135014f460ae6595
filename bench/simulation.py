"""What happens to turns that arrive faster or slower than workers can work. Pure; times are seconds.

A service is a pool of slots: its workers times what each does at the same time (MAX_CONCURRENCY). A message
takes the first slot that is free, in the order of arrival, as on a shared durable consumer.
"""

import heapq
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

QUEUED_AT_MOST_S = 0.05
"""So long 95 of 100 messages may wait for a slot, where nothing else is said."""


@dataclass(frozen=True)
class Stage:
    """A service that every turn passes through once."""

    name: str
    takes_s: float
    slots: int


def arrivals(rate: float, count: int, seed: int = 1) -> list[float]:
    """Moments at which `count` turns begin: as many in a second as `rate` says, at random."""
    source = random.Random(seed)
    found, now = [], 0.0
    for _ in range(count):
        now += source.expovariate(rate)
        found.append(now)
    return found


def served(moments: Sequence[float], takes_s: Sequence[float], slots: int) -> list[float]:
    """When each message is done. `moments` are in any order, and so is what comes back."""
    free = [0.0] * slots
    done = [0.0] * len(moments)
    for n in sorted(range(len(moments)), key=lambda n: moments[n]):
        start = max(moments[n], heapq.heappop(free))
        done[n] = start + takes_s[n]
        heapq.heappush(free, done[n])
    return done


def turns(begun: Sequence[float], stages: Sequence[Stage], overhead_s: float) -> list[float]:
    """How long each turn lasts: its stages one after the other, and what the system itself needs."""
    moments = list(begun)
    for stage in stages:
        moments = served(moments, [stage.takes_s] * len(moments), stage.slots)
    return [end - start + overhead_s for start, end in zip(begun, moments, strict=True)]


@dataclass
class Pool:
    """Slots that turns visit, each several times. Between the two moments `away` no visit begins."""

    slots: int
    away: tuple[float, float] = (0.0, 0.0)
    busy_s: float = 0.0
    _free: list[float] = field(default_factory=list)

    def serve(self, now: float, takes_s: float) -> float:
        """When a visit is over that begins to wait now; in the order of `now`."""
        free = heapq.heappop(self._free) if len(self._free) == self.slots else 0.0
        start = max(now, free)
        if self.away[0] <= start < self.away[1]:
            start = self.away[1]
        self.busy_s += takes_s
        heapq.heappush(self._free, start + takes_s)
        return start + takes_s


Path = Sequence[tuple[Pool, float]]
"""Whom a turn visits, and how long each visit takes on the average."""


def passed(begun: Sequence[float], paths: Sequence[Path], seed: int = 1) -> list[float]:
    """When each turn is through its own path. Times of visits are drawn around their average."""
    source = random.Random(seed)
    done = [0.0] * len(begun)
    # Of all that happens, what happens next comes first: every pool sees its visits in their order.
    happens = [(moment, n, 0) for n, moment in enumerate(begun)]
    heapq.heapify(happens)
    while happens:
        now, n, step = heapq.heappop(happens)
        if step == len(paths[n]):
            done[n] = now
            continue
        pool, takes_s = paths[n][step]
        heapq.heappush(happens, (pool.serve(now, source.expovariate(1 / takes_s)), n, step + 1))
    return done


def queued(begun: Sequence[float], takes_s: Sequence[float], slots: int) -> list[float]:
    """How long each message waits for a slot."""
    done = served(begun, takes_s, slots)
    return [end - start - own for start, end, own in zip(begun, done, takes_s, strict=True)]


def workers_needed(
    rate: float,
    takes_s: float,
    per_worker: int,
    *,
    queued_s: float = QUEUED_AT_MOST_S,
    count: int = 20_000,
    seed: int = 1,
) -> int:
    """The fewest workers with which 95 of 100 messages wait at most `queued_s`.

    Times are drawn around `takes_s` (exponentially): models and map services are not punctual.
    """
    source = random.Random(seed)
    begun = arrivals(rate, count, seed)
    drawn = [source.expovariate(1 / takes_s) for _ in begun]
    workers = max(1, math.floor(rate * takes_s / per_worker))  # fewer are busy for ever (Little's law)
    while percentile(queued(begun, drawn, workers * per_worker), 95) > queued_s:
        workers += 1
    return workers


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that so many in a hundred do not exceed."""
    return sorted(values)[max(0, math.ceil(len(values) * percent / 100) - 1)]
