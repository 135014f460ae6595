"""Who holds how many of a bounded number of places. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Reason = Literal["all", "session", "principal", "address"]
"""Whose share is used up; `all`: everybody's."""


@dataclass(frozen=True, slots=True)
class Claim:
    """On whose account a place is taken."""

    reason: Reason
    key: str
    most: int | None = None
    """How many this one may hold whatever is free; None is no limit of its own."""


class Places:
    """Places that newcomers always find.

    Nobody holds more places than are free (dynamic thresholds, as switches share their buffers): whoever is
    alone may take half of them, of several greedy ones each gets its equal part, and a part of the places as
    large as theirs stays for others.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._held: Counter[str] = Counter()
        self._taken = 0

    @property
    def taken(self) -> int:
        return self._taken

    def held(self, key: str) -> int:
        return self._held[key]

    def take(self, claims: Sequence[Claim]) -> Reason | None:
        """Take one place on account of all `claims`; else tell why not."""
        free = self.most - self._taken
        if free <= 0:
            return "all"
        for claim in claims:
            held = self._held[claim.key]
            if held > free or (claim.most is not None and held >= claim.most):
                return claim.reason
        self._taken += 1
        self._held.update(claim.key for claim in claims)
        return None

    def give_back(self, claims: Sequence[Claim]) -> None:
        """What `take` has taken."""
        self._taken -= 1
        for claim in claims:
            self._held[claim.key] -= 1
            if self._held[claim.key] <= 0:
                del self._held[claim.key]
