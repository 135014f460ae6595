"""A circuit breaker: a source that keeps failing is left alone for a while.

Our own, for what it counts: one question that a source never answers, asked again and again, says nothing
of the source. Libraries count every call alike, most of them failures in a row.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from time import monotonic

from servicekit.settings import OutboundSettings

_NEWEST = 40
"""Verdicts looked at, however many there are: with much traffic a source that dies is noticed at once."""


class Ticket:
    """Admission of one request."""


class Breaker:
    """Opens when a share of the different questions of the last seconds have failed, and there were enough.

    A question has one verdict, its latest. After the pause one probe at a time may pass, which alone decides.
    Every ticket is handed back exactly once, to `succeeded`, `failed` or `abandoned`.
    """

    def __init__(self, settings: OutboundSettings, clock: Callable[[], float] = monotonic) -> None:
        self._share = settings.outbound_breaker_share
        self._minimum = settings.outbound_breaker_min_questions
        self._window_s = settings.outbound_breaker_window_s
        self._pause_s = settings.outbound_breaker_pause_s
        self._clock = clock
        self._verdicts: OrderedDict[Hashable, tuple[float, bool]] = OrderedDict()
        """Question -> when it ended, and whether it failed; the newest last."""
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

    def succeeded(self, ticket: Ticket, question: Hashable) -> None:
        """The source lives: it has answered."""
        if self._returned(ticket):
            self._opened_at = None
            self._verdicts.clear()
        self._note(question, failed=False)

    def failed(self, ticket: Ticket, question: Hashable) -> None:
        """The source has not answered."""
        self._note(question, failed=True)
        failures = sum(failed for _, failed in self._verdicts.values())
        is_bad = len(self._verdicts) >= self._minimum and failures >= self._share * len(self._verdicts)
        # Requests from before the pause do not make it longer.
        if self._returned(ticket) or (self._opened_at is None and is_bad):
            self._opened_at = self._clock()

    def abandoned(self, ticket: Ticket) -> None:
        """The request ended without a verdict on the source, e.g. because nobody waits any more."""
        self._returned(ticket)

    def _note(self, question: Hashable, *, failed: bool) -> None:
        now, verdicts = self._clock(), self._verdicts
        verdicts[question] = now, failed
        verdicts.move_to_end(question)
        while len(verdicts) > _NEWEST or now - next(iter(verdicts.values()))[0] > self._window_s:
            verdicts.popitem(last=False)

    def _returned(self, ticket: Ticket) -> bool:
        is_probe = ticket is self._probe
        if is_probe:
            self._probe = None
        return is_probe
