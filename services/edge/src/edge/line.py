"""Where turns wait for a moment until there is room for them at work."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic

from edge.metrics import AT_WORK, AT_WORK_LIMIT
from edge.pace import Pace

PATIENCE_S = 0.8
"""A burst of short turns is through by then; who would wait longer is better told at once."""


class TooLong(Exception):
    """There was no room in time."""


@dataclass(eq=False, slots=True)
class _Waiting:
    key: str
    admitted: asyncio.Future[None]


class Line:
    """Lets in as many turns as the pace allows; next is who has the fewest at work, then who came first."""

    def __init__(
        self, pace: Pace, patience_s: float = PATIENCE_S, now: Callable[[], float] = monotonic
    ) -> None:
        self.pace = pace
        self._patience_s = patience_s
        self._now = now
        self._at_work: Counter[str] = Counter()
        self._total = 0
        self._waiting: list[_Waiting] = []
        AT_WORK.set_function(lambda: self._total)
        AT_WORK_LIMIT.set_function(lambda: pace.limit)

    async def enter(self, key: str) -> float:
        """When the turn began, for `leave`. Raises `TooLong`."""
        if self._waiting or self._total >= self.pace.limit:
            waiting = _Waiting(key, asyncio.get_running_loop().create_future())
            self._waiting.append(waiting)
            try:
                async with asyncio.timeout(self._patience_s):
                    await waiting.admitted
            except BaseException as error:
                if waiting in self._waiting:
                    self._waiting.remove(waiting)
                else:
                    self._out(key)
                if isinstance(error, TimeoutError):
                    raise TooLong from None
                raise
        else:
            self._in(key)
        return self._now()

    def leave(self, key: str, began: float, *, learn: bool = True) -> None:
        """A turn has ended. `learn`: by itself, not because somebody has stopped it."""
        now = self._now()
        if learn:
            self.pace.ended(now - began, self._total, now)
        self._out(key)

    def _in(self, key: str) -> None:
        self.pace.began(self._total, self._now())
        self._total += 1
        self._at_work[key] += 1

    def _out(self, key: str) -> None:
        self._total -= 1
        self._at_work[key] -= 1
        if not self._at_work[key]:
            del self._at_work[key]
        while self._waiting and self._total < self.pace.limit:
            following = min(self._waiting, key=lambda each: self._at_work[each.key])
            self._waiting.remove(following)
            if not following.admitted.done():
                self._in(following.key)
                following.admitted.set_result(None)
