"""Services that run in one process, and what they say to each other.

A message for a service beside this one is handed over as it is: not written, not stored, not sent. That is
for what can be lost with the process, because somebody says it again from what is stored: a command that its
turn holds as outstanding, and the answer to a command that was handed over itself.
"""

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import Any, Protocol

_BY_HAND: ContextVar[bool] = ContextVar("by_hand", default=False)


class Taker(Protocol):
    """A handler of a service, and how much of its work can be done at once."""

    def take(
        self, message: Any, otherwise: Callable[[], Awaitable[None]], *, beyond_room: bool = False
    ) -> bool:
        """Begin to work on a message; False when there is no room for it. What fails is done `otherwise`."""
        ...


class Neighbours:
    """Who takes what in this process. In a process of one service nobody does."""

    def __init__(self) -> None:
        self._takers: dict[str, Taker] = {}

    def join(self, patterns: tuple[str, ...], taker: Taker) -> None:
        for pattern in patterns:
            self._takers[".".join(token for token in pattern.split(".") if token not in "*>")] = taker

    def taker_of(self, subject: str) -> Taker | None:
        """Patterns of the bus have two or three tokens in front of those that stand for others."""
        tokens = subject.split(".", 3)
        return self._takers.get(".".join(tokens[:2])) or self._takers.get(".".join(tokens[:3]))


def was_handed_over() -> bool:
    """Whether what is being worked on came from a neighbour: then the answer goes the same way."""
    return _BY_HAND.get()


def take_by_hand() -> None:
    """What this task works on has come from a neighbour; it works on nothing else."""
    _BY_HAND.set(True)
