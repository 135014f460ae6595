"""Work that is heavy for an event loop: in a thread, and with pauses."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic, sleep
from typing import TypeVar

_T = TypeVar("_T")


class Lane:
    """Does one thing after the other, and takes at most a share of the time.

    A thread alone does not help: a parser holds the lock of the interpreter until it is done, and the loop
    waits as if it had parsed itself. With pauses that is the exception, however many there are who send.
    """

    def __init__(self, name: str, share: float) -> None:
        self._thread = ThreadPoolExecutor(1, name)
        self._pause = 1 / share - 1
        self._free_at = 0.0

    def submit(self, work: Callable[[], _T]) -> "Future[_T]":
        """It is done when its turn comes. What is cancelled before that is not done."""
        return self._thread.submit(self._do, work)

    def _do(self, work: Callable[[], _T]) -> _T:
        sleep(max(0.0, self._free_at - monotonic()))
        begun = monotonic()
        try:
            return work()
        finally:
            # By the clock: on a busy machine the loop waits as long as this thread does.
            ended = monotonic()
            self._free_at = ended + self._pause * (ended - begun)
