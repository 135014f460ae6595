"""Where turns wait for a moment until there is room for them at work."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from edge.metrics import AT_WORK, AT_WORK_LIMIT
from edge.pace import Pace
from edge.places import Claim, Places

PATIENCE_S = 0.8
"""A burst of short turns is through by then; who would wait longer is better told at once."""

Claims = Sequence[Claim]


class TooLong(Exception):
    """There was no room in time."""


@dataclass(eq=False, slots=True)
class _Waiting:
    claims: Claims
    admitted: asyncio.Future[None]


class Line:
    """Lets in as many turns as the pace allows; the room at work is shared as all places are.

    Next is who has the fewest at work by its first claim, then who came first.
    """

    def __init__(
        self, pace: Pace, patience_s: float = PATIENCE_S, now: Callable[[], float] = monotonic
    ) -> None:
        self.pace = pace
        self._patience_s = patience_s
        self._now = now
        self._room = Places(pace.limit)
        self._waiting: list[_Waiting] = []
        AT_WORK.set_function(lambda: self._room.taken)
        AT_WORK_LIMIT.set_function(lambda: pace.limit)

    async def enter(self, claims: Claims) -> float:
        """When the turn began, for `leave`. Raises `TooLong`."""
        if not self._take(claims):
            waiting = _Waiting(claims, asyncio.get_running_loop().create_future())
            self._waiting.append(waiting)
            try:
                async with asyncio.timeout(self._patience_s):
                    await waiting.admitted
            except BaseException as error:
                if waiting in self._waiting:
                    self._waiting.remove(waiting)
                else:
                    self._give_back(claims)
                if isinstance(error, TimeoutError):
                    raise TooLong from None
                raise
        return self._now()

    def leave(self, claims: Claims, began: float, *, learn: bool = True) -> None:
        """A turn has ended. `learn`: by itself, not because somebody has stopped it."""
        now = self._now()
        if learn:
            self.pace.ended(now - began, self._room.taken, now)
        self._give_back(claims)

    def _take(self, claims: Claims) -> bool:
        self.pace.began(self._room.taken, self._now())
        self._room.most = self.pace.limit
        return self._room.take(claims) is None

    def _give_back(self, claims: Claims) -> None:
        self._room.give_back(claims)
        # A sort keeps the order of those who have the same.
        for following in sorted(self._waiting, key=lambda each: self._room.held(each.claims[0].key)):
            if self._room.taken >= self.pace.limit:
                return
            if not following.admitted.done() and self._take(following.claims):
                self._waiting.remove(following)
                following.admitted.set_result(None)
