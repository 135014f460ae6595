"""The safety net under the replies: a reply can be lost, the turn in Redis cannot."""

import asyncio
import logging
from contextlib import suppress

from contracts.turns import TurnState
from pydantic import ValidationError
from servicekit.tasks import end

from edge import errors
from edge.exchanges import Exchanges
from edge.metrics import LOOKED_UP
from edge.turns import Turns

log = logging.getLogger("edge.watch")

_DRAIN_PERIOD_S = 0.1


class Watch:
    """Looks at the turns of all waiting exchanges, every `period_s` seconds and when told to hurry."""

    def __init__(self, exchanges: Exchanges, turns: Turns, period_s: float) -> None:
        self._exchanges = exchanges
        self._turns = turns
        self._period_s = period_s
        self._hurried = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._task = asyncio.create_task(self.run())

    async def stop(self) -> None:
        await end(self._task)

    def hurry(self) -> None:
        """Look now."""
        self._hurried.set()

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._period_s):
                    await self._hurried.wait()
            self._hurried.clear()
            await self.look()

    async def look(self) -> None:
        """One look. Never raises: the next one may succeed."""
        waiting = self._exchanges.waiting()
        if not waiting:
            return
        try:
            views = await self._turns.views({each.request_id for each in waiting})
        except (errors.StateUnavailable, ValidationError) as error:
            log.warning("looking at turns failed", extra={"reason": type(error).__name__})
            return
        for each in waiting:
            view = views.get(each.request_id)
            found = view.round_of(each.exchange) if view else None
            if found is None or found.state is TurnState.RUNNING:
                continue
            if self._exchanges.settle(each.exchange, found.response, found.choice_id):
                LOOKED_UP.inc()

    async def drain(self, timeout_s: float) -> None:
        """Without replies any more: look often until nobody waits, then let the rest go."""
        self._exchanges.refuse()
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while len(self._exchanges):
                    await self.look()
                    await asyncio.sleep(_DRAIN_PERIOD_S)
        self._exchanges.release()
