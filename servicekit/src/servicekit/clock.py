"""The time that all services share. A deadline is set on one machine and read on others."""

import logging
from datetime import UTC, datetime, timedelta

log = logging.getLogger("ask.clock")

TOLERATED_S = 5.0
"""Clocks that are kept are never so far apart; less than that, deadlines have room for."""

_ahead = timedelta()


def now() -> datetime:
    """By the clock of this machine, unless it is off: then by that of NATS."""
    return datetime.now(UTC) + _ahead


def set_by(server: datetime, asked: datetime) -> None:
    """What NATS says the time is, to the second, and when it was asked, by the clock of this machine."""
    global _ahead
    # What lies between the question and now is right: a process may be held up before it reads the answer.
    off = server - min(max(server, asked), datetime.now(UTC))
    taken = off if abs(off.total_seconds()) > TOLERATED_S else timedelta()
    if abs((taken - _ahead).total_seconds()) > TOLERATED_S:
        what = "the clock of this machine is off" if taken else "the clock of this machine is right again"
        log.warning(what, extra={"behind_s": round(off.total_seconds())})
    _ahead = taken
