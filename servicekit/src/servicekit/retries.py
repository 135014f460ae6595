"""When a failed request is tried again: exponential back-off with full jitter, and what the server wishes."""

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import random

RETRIABLE = frozenset({429, 502, 503, 504})
"""A plain 500 is not among them: it is what a source says of one question, and it would say it again."""
_BASE_S = 0.1
_CAP_S = 2.0


def backoff_s(attempt: int, rand: Callable[[], float] = random) -> float:
    """Seconds after the `attempt`-th failure (from 1): random, below 0.1, 0.2, 0.4, ... at most 2."""
    return rand() * min(_CAP_S, _BASE_S * 2.0 ** (attempt - 1))


def retry_after_s(value: str | None, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> float:
    """Seconds of a `Retry-After` header, which has them or an HTTP date; 0 for none and for nonsense."""
    value = (value or "").strip()
    if value.isdecimal() and value.isascii():
        # No more digits than a float takes.
        return float(value[:18])
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return 0.0
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now()).total_seconds())
