"""A circuit breaker: a source that keeps failing is left alone for a while."""

from collections.abc import Callable
from time import monotonic


class Ticket:
    """Admission of one request."""


class Breaker:
    """Open after `failures` failures in a row; after `pause_s` seconds one probe at a time may pass.

    Every ticket is handed back exactly once, to `succeeded`, `failed` or `abandoned`.
    """

    def __init__(self, failures: int, pause_s: float, clock: Callable[[], float] = monotonic) -> None:
        self._failures = failures
        self._pause_s = pause_s
        self._clock = clock
        self._in_a_row = 0
        self._opened_at: float | None = None
        self._probe: Ticket | None = None

    @property
    def is_open(self) -> bool:
        """Whether nothing but a probe may pass."""
        return self._opened_at is not None

    def admit(self) -> Ticket | None:
        """A ticket if a request may be sent now."""
        if self._opened_at is None:
            return Ticket()
        if self._probe is not None or self._clock() - self._opened_at < self._pause_s:
            return None
        self._probe = Ticket()
        return self._probe

    def succeeded(self, ticket: Ticket) -> None:
        """The source lives: it has answered, be it a request from before the pause."""
        del ticket
        self._in_a_row = 0
        self._opened_at = self._probe = None

    def failed(self, ticket: Ticket) -> None:
        self._in_a_row += 1
        is_probe = self._returned(ticket)
        # Failures of requests from before the pause do not make it longer.
        if is_probe or (self._opened_at is None and self._in_a_row >= self._failures):
            self._opened_at = self._clock()

    def abandoned(self, ticket: Ticket) -> None:
        """The request ended without a verdict on the source, e.g. because nobody waits any more."""
        self._returned(ticket)

    def _returned(self, ticket: Ticket) -> bool:
        is_probe = ticket is self._probe
        if is_probe:
            self._probe = None
        return is_probe
