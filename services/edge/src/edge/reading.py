"""What an entry of a log has to say to somebody who reads it from its beginning. Pure.

Every encoder puts the log into its own words; what is left out, and when map actions can be applied, is the
same for all.
"""

from dataclasses import dataclass

from contracts.chat import Step
from contracts.turns import AnswerDelta, TurnEvent, TurnEventKind

_SETTLED = {TurnEventKind.STEP_FINISHED, TurnEventKind.CHOICE_PENDING}


@dataclass(frozen=True, slots=True)
class News:
    entry: TurnEvent | AnswerDelta
    restarts: bool = False
    """A piece of an answer that withdraws what came before."""
    applicable: tuple[tuple[int, Step], ...] = ()
    """The steps whose map actions can be applied now, in the order of the plan."""


class Reading:
    """Reads one log.

    Events that were stored twice and pieces of answers that were withdrawn before they were stored are left
    out. Map actions are handed out in the order of the plan, whatever the order in which steps finish.
    """

    def __init__(self) -> None:
        self._next_event = 0
        self._attempts: dict[tuple[int, int], int] = {}
        self._order: list[int] = []
        self._held: dict[int, Step] = {}

    def take(self, entry: TurnEvent | AnswerDelta) -> News | None:
        """What is new in the next entry; None when nothing is."""
        if isinstance(entry, AnswerDelta):
            return self._delta(entry)
        if entry.n < self._next_event:
            return None
        self._next_event = entry.n + 1
        return News(entry, applicable=self._applicable(entry))

    def _delta(self, delta: AnswerDelta) -> News | None:
        key = (delta.step, delta.call)
        before = self._attempts.get(key, delta.attempt)
        if delta.attempt < before:
            return None
        self._attempts[key] = delta.attempt
        return News(delta, restarts=delta.restart or delta.attempt > before)

    def _applicable(self, event: TurnEvent) -> tuple[tuple[int, Step], ...]:
        if event.kind is TurnEventKind.PLAN_READY:
            self._order = list(range(len(event.detail.get("steps", ()))))
        if event.kind in _SETTLED and event.step is not None and event.answer is not None:
            self._held[event.step] = event.answer
        if event.kind is TurnEventKind.FINISHED:
            return tuple((n, self._held.pop(n)) for n in sorted(self._held))
        if event.kind not in _SETTLED or event.round > 0:
            # After a choice nobody knows beforehand which steps will follow.
            return ()
        ready: list[tuple[int, Step]] = []
        while self._order and self._order[0] in self._held:
            ready.append((self._order[0], self._held.pop(self._order.pop(0))))
        return tuple(ready)
