"""How many turns are at work at the same time, learned from how long they take. Pure.

As TCP finds out how much a network takes (additive increase, multiplicative decrease): the number grows while
turns end soon, quickly at first and slowly near the number that was too much before; it falls when more than
one turn in twenty takes too long.
"""

from collections import deque

LEAST = 8
"""Turns that mostly wait for a slow model do no harm to each other."""
_WINDOW = 20
_SLOW_IN_WINDOW = 2
_DECREASE = 0.8
_RESTART_S = 10.0
"""What was learned of turns so long ago says little about the next ones."""


class Pace:
    """Begins with `first`. Turns that take longer than `target_s` mean that too many are at work."""

    def __init__(self, first: int, most: int, target_s: float) -> None:
        self._most = most
        self._target_s = target_s
        self._first = min(first, most)
        self._limit = float(self._first)
        self._fast_until = float(most)
        self._recent: deque[float] = deque(maxlen=_WINDOW)
        self._ended_at = self._fell_at = float("-inf")

    @property
    def limit(self) -> int:
        return int(self._limit)

    @property
    def typical_s(self) -> float:
        """How long a turn takes at the moment; 0 when nobody knows."""
        return sum(self._recent) / len(self._recent) if self._recent else 0.0

    def began(self, at_work: int, now: float) -> None:
        """A turn begins beside `at_work` others."""
        if at_work == 0 and now - self._ended_at > _RESTART_S:
            self._limit = min(self._limit, self._first)
            self._fast_until = float(self._most)

    def ended(self, seconds: float, at_work: int, now: float) -> None:
        """A turn has ended; `at_work` counts it, too."""
        self._ended_at = now
        if now - seconds < self._fell_at:
            # Let in before the number fell: it has been answered already.
            return
        self._recent.append(seconds)
        if sum(each > self._target_s for each in self._recent) >= _SLOW_IN_WINDOW:
            self._recent.clear()
            self._recent.append(seconds)
            self._limit = max(min(LEAST, self._first), self._limit * _DECREASE)
            self._fast_until = self._limit
            self._fell_at = now
        elif seconds <= self._target_s and 2 * at_work > self._limit:
            # Only a number that was tried out is known to be good.
            self._limit += 1 if self._limit < self._fast_until else 1 / self._limit
            self._limit = min(self._limit, self._most)
