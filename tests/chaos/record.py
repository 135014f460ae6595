"""What users have seen, by the fault during which they asked."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic

from tests.e2e.running import Json

LATE_S = 30.0
"""A turn has an end after 30 s, whatever happens; with the servers there."""
PATIENCE_S = 90.0
"""Who has no answer after this, and after the fault is over, has lost it."""


class Lost(Exception):
    """A turn that is never answered."""


@dataclass
class Phase:
    """One fault at work. Times are those of `monotonic`."""

    fault: str
    detail: str = ""
    forgets: float = 0.0
    """So many seconds before the fault are lost with it, as docs/turn.md says."""
    allowed: int = 0
    begun: int = 0
    answered: int = 0
    forgotten: int = 0
    late: int = 0
    told: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    again: Counter[str] = field(default_factory=Counter)
    waiting: int = 0
    """Turns that were begun before the fault was over, and are not answered."""
    began: datetime = field(default_factory=lambda: datetime.now(UTC))
    broken_at: float | None = None
    healed_at: float | None = None
    recovered_s: float = 0.0
    """After the end of the fault, until the last turn from before was answered."""
    slowest_s: float = 0.0

    @property
    def in_vain(self) -> list[str]:
        return [*self.lost, *self.wrong, *self.doubled]


@dataclass
class Turn:
    record: "Record"
    phase: Phase
    began_at: float
    before_the_end: bool
    what: str

    def again(self, why: str) -> None:
        """Raises `Lost` when it has been said often enough."""
        self.phase.again[why] += 1
        if self.record.undisturbed_s(self.began_at) > PATIENCE_S:
            raise Lost(self.what)


@dataclass(frozen=True)
class Answer:
    """When a turn began, and when its last round was answered; in the phase that it ended in."""

    began: float
    ended: float
    phase: Phase


class Record:
    def __init__(self) -> None:
        self.phases = [Phase("before")]
        self.responses: dict[str, list[Json]] = {}
        """By request id, one for each round."""
        self.answers: dict[str, Answer] = {}
        self.known: set[str] = set()
        """Request ids of further turns: those over MCP that were answered."""
        self.unanswered_calls = 0
        """Each may have begun a turn that nobody knows."""

    @property
    def phase(self) -> Phase:
        return self.phases[-1]

    def undisturbed_s(self, since: float) -> float:
        """For how long there has been no fault; 0 during one."""
        broken = [phase for phase in self.phases if phase.broken_at is not None]
        healed = broken[-1].healed_at if broken else since
        return monotonic() - max(since, healed) if healed is not None else 0.0

    def phase_at(self, moment: datetime) -> Phase:
        return next((phase for phase in reversed(self.phases) if phase.began <= moment), self.phases[0])

    def keep(self, response: Json, began: float) -> None:
        request_id = response["requestId"]
        self.responses.setdefault(request_id, []).append(response)
        first = self.answers[request_id].began if request_id in self.answers else began
        self.answers[request_id] = Answer(first, monotonic(), self.phase)

    @asynccontextmanager
    async def turn(self, what: str) -> AsyncIterator[Turn]:
        """From the question to its answer; waits until another turn may begin."""
        while self.phase.begun >= self.phase.allowed:
            await asyncio.sleep(0.01)
        phase, began = self.phase, monotonic()
        turn = Turn(self, phase, began, phase.healed_at is None, what)
        phase.begun += 1
        phase.waiting += turn.before_the_end
        try:
            yield turn
        except Lost:
            phase.lost.append(what)
            raise
        finally:
            phase.waiting -= turn.before_the_end
        self._answered(turn)

    def _answered(self, turn: Turn) -> None:
        phase, now = turn.phase, monotonic()
        healed = phase.healed_at if phase.healed_at is not None else now
        phase.answered += 1
        phase.slowest_s = max(phase.slowest_s, now - turn.began_at)
        phase.late += self.undisturbed_s(turn.began_at) > LATE_S
        if turn.before_the_end:
            phase.recovered_s = max(phase.recovered_s, now - healed)

    def was_wrong(self, what: str, began: float) -> None:
        """An answer that does not fit, unless it rests on what was lost meanwhile."""
        for phase in self.phases:
            if phase.forgets and phase.broken_at is not None and began < phase.broken_at:
                phase.forgotten += 1
                return
        self.phase.wrong.append(what)

    def may_be_gone(self, answer: Answer) -> bool:
        """Whether something of this turn was lost during it, or soon after."""
        return any(
            phase.forgets
            and phase.broken_at is not None
            and answer.began < (phase.healed_at or float("inf"))
            and answer.ended > phase.broken_at - phase.forgets
            for phase in self.phases
        )
