"""Until when somebody waits for what is being done: set around a tool call, read where work is bounded."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

_ends_at: ContextVar[float | None] = ContextVar("ends_at", default=None)


@contextmanager
def ends_in(seconds: float) -> Iterator[None]:
    """What runs inside has `seconds` left. It is not cancelled: it asks `remaining_s`."""
    token = _ends_at.set(monotonic() + seconds)
    try:
        yield
    finally:
        _ends_at.reset(token)


def ends_at() -> float | None:
    """On the clock of `time.monotonic`; None when nobody has said."""
    return _ends_at.get()


def remaining_s() -> float | None:
    """Seconds that are left, perhaps none (0); None when nobody has said."""
    ends_at = _ends_at.get()
    return None if ends_at is None else max(0.0, ends_at - monotonic())
