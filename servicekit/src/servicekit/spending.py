"""What the work on one command asks of language models, counted wherever it is asked."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from contracts.messages import Usage

_spent: ContextVar[list[Usage] | None] = ContextVar("spent", default=None)


def spend(usage: Usage) -> None:
    """Count for the command that is being worked on; without one nobody counts."""
    counted = _spent.get()
    if counted is not None:
        counted.append(usage)


@contextmanager
def counting() -> Iterator[list[Usage]]:
    """What is spent inside, also by tasks that are begun there."""
    counted: list[Usage] = []
    token = _spent.set(counted)
    try:
        yield counted
    finally:
        _spent.reset(token)
