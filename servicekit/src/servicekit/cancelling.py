"""Work that can be stopped: who works on which round of a turn, and which rounds nobody wants any more."""

import asyncio
from collections import OrderedDict, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from contracts.messages import WorkCancelled

_MAX_REMEMBERED = 16_384
"""Commands of a cancelled round can still be on their way."""

Key = tuple[str, int]


class Cancelled(Exception):
    """The round of this work was cancelled."""


class Cancellations:
    """The work of one process."""

    def __init__(self) -> None:
        self.used = False
        self._tasks: dict[Key, set[asyncio.Task[Any]]] = defaultdict(set)
        self._cancelled: OrderedDict[Key, None] = OrderedDict()

    async def cancel(self, message: WorkCancelled) -> None:
        """Stop the work on a round, and what may still come of it."""
        key = (message.request_id, message.round)
        self._cancelled[key] = None
        if len(self._cancelled) > _MAX_REMEMBERED:
            self._cancelled.popitem(last=False)
        for task in self._tasks.get(key, ()):
            task.cancel()

    @contextmanager
    def watching(self, message: Any) -> Iterator[None]:
        """Raises `Cancelled` instead of doing the work, or in the middle of it."""
        key = (message.request_id, getattr(message, "round", 0))
        if key in self._cancelled:
            raise Cancelled
        task = asyncio.current_task()
        assert task is not None
        self._tasks[key].add(task)
        try:
            yield
        except asyncio.CancelledError:
            if key not in self._cancelled:
                raise
            task.uncancel()
            raise Cancelled from None
        finally:
            self._tasks[key].discard(task)
            if not self._tasks[key]:
                del self._tasks[key]
