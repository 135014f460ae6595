"""Brings the entries of a log into the order in which they happened. Pure.

Replicas of the orchestrator that work on the same turn store their events at the same time: one can overtake
another, and one that was stored before a crash can be stored again.
"""

from dataclasses import dataclass

from contracts.turns import AnswerDelta, TurnEvent


@dataclass(frozen=True, slots=True)
class Logged:
    """An entry and its position, which grows along the log, but not by one."""

    position: int
    entry: TurnEvent | AnswerDelta


class LogOrder:
    """Entries in, entries out: events by number without a double, pieces of answers between them.

    Entries that had to wait for an earlier event share out the positions that all of them have taken: what
    comes out, and under which position, depends on the log alone.
    """

    def __init__(self) -> None:
        self._next = 0
        self._held: list[Logged] = []

    @property
    def is_waiting(self) -> bool:
        """Whether an event is known to be missing."""
        return bool(self._held)

    def take(self, logged: Logged) -> list[Logged]:
        """What can be told now."""
        entry = logged.entry
        if isinstance(entry, TurnEvent) and self._is_known(entry.n):
            return []
        self._held.append(logged)
        return self._release()

    def give_up(self) -> list[Logged]:
        """Wait no longer: the missing events are gone."""
        numbers = [held.entry.n for held in self._held if isinstance(held.entry, TurnEvent)]
        self._next = min(numbers, default=self._next)
        return self._release()

    def _is_known(self, n: int) -> bool:
        return n < self._next or any(
            isinstance(held.entry, TurnEvent) and held.entry.n == n for held in self._held
        )

    def _release(self) -> list[Logged]:
        told: list[TurnEvent | AnswerDelta] = []
        waiting = [held.entry for held in self._held]
        while found := next((e for e in waiting if self._can_be_told(e, waiting)), None):
            waiting.remove(found)
            told.append(found)
            if isinstance(found, TurnEvent):
                self._next = found.n + 1
        positions = sorted(held.position for held in self._held)
        self._held = [Logged(p, e) for p, e in zip(positions[len(told) :], waiting, strict=True)]
        return [Logged(p, e) for p, e in zip(positions, told, strict=False)]

    def _can_be_told(self, entry: TurnEvent | AnswerDelta, waiting: list[TurnEvent | AnswerDelta]) -> bool:
        """An event when it is its turn; a piece of an answer when nothing before it waits any more."""
        if isinstance(entry, TurnEvent):
            return entry.n == self._next
        return waiting[0] is entry
