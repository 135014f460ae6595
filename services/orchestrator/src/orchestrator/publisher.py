"""Says on the bus what was decided about a turn, and reads what others have said about it."""

from collections.abc import AsyncIterator, Callable, Iterable
from datetime import datetime, timedelta
from typing import Protocol

from contracts import subjects
from contracts.base import Contract
from contracts.messages import Command, ToolResult
from contracts.turns import TurnEvent
from pydantic import ValidationError
from servicekit import clock
from servicekit.bus import Publishable
from servicekit.errors import MessageTooLarge

from orchestrator.decision import Decision
from orchestrator.flows import is_read_again
from orchestrator.sizes import without_details
from orchestrator.state import Turn
from orchestrator.tickets import SealedEvent, refusal, sealed

MAX_READ = 2_000
"""Results of one turn: whoever sends more of them does not keep us reading."""
IDS_KNOWN = timedelta(seconds=subjects.DUPLICATES_KNOWN_S - 20)
"""For so long a message that is published again is surely no second one."""
MIN_DELAY_S = 0.05
"""A timer that is due at once must not come back before this delivery is over."""


class TurnBus(Protocol):
    """What is needed of the bus."""

    async def publish(self, *messages: Publishable) -> None: ...
    def hand_over(self, message: Publishable, held: Iterable[str], *, beyond_room: bool = False) -> bool: ...
    async def send(self, subject: str, message: Contract) -> None: ...
    async def acknowledge(self, ack_subject: str) -> None: ...
    async def redeliver(self, ack_subject: str, delay_s: float) -> None: ...
    async def erase(self, request_id: str) -> None: ...
    def stored(self, subject: str) -> AsyncIterator[tuple[str, bytes]]: ...
    def fits(self, message: Publishable) -> bool: ...


class Publisher:
    """Publishes decisions. `erase` and everything else may raise `BusUnavailable`."""

    def __init__(self, bus: TurnBus, now: Callable[[], datetime] = clock.now) -> None:
        self._bus = bus
        self._now = now

    async def publish(self, decision: Decision) -> tuple[Command, ...]:
        """Say all of it. Returns the commands that are too large to be said."""
        # The turn is saved: who waits need not wait until its log is stored, too.
        for subject, reply in decision.replies:
            await self._bus.send(subject, reply)
        for stopped in decision.stopped:
            await self._bus.send(subjects.WORK_CANCELLED, stopped)
        unsaid = await self._keep(decision)
        for timer, moment in decision.wakes:
            await self._bus.redeliver(timer, self.until(moment))
        for timer in decision.timers:
            await self._bus.acknowledge(timer)
        return unsaid

    async def _keep(self, decision: Decision) -> tuple[Command, ...]:
        """Publish what streams keep. Returns the commands that are too large."""
        turn, commands, progress = decision.turn, decision.commands, decision.progress
        if turn is None:
            return ()
        if decision.changed:
            # What is said once more may have been lost with a process: that is stored. What is not saved may
            # be in no stream either, and others would look there for it.
            beyond = decision.unsaved
            commands = tuple(
                each
                for each in commands
                if is_read_again(turn, each)
                or not self._bus.hand_over(each, turn.rounds[each.round].timers, beyond_room=beyond)
            )
            if decision.again:
                progress = (*await self._untold(decision.again), *progress)
        else:
            progress = await self._untold(progress)
        try:
            await self._bus.publish(*commands, *progress)
        except MessageTooLarge:
            unsaid = tuple(each for each in commands if not self._bus.fits(each))
            bare = (e if self._bus.fits(e) else sealed(turn.seed, without_details(e)) for e in progress)
            await self._bus.publish(*(each for each in commands if each not in unsaid), *bare)
            return unsaid
        return ()

    async def _untold(self, pages: tuple[SealedEvent, ...]) -> tuple[SealedEvent, ...]:
        """Of what is told once more, what the log does not have: NATS knows ids of messages for a while."""
        if not pages or self._now() - min(page.at for page in pages) < IDS_KNOWN:
            return pages
        told: set[int] = set()
        async for _, body in self._bus.stored(subjects.turn_event(pages[0].request_id)):
            told.update(entry.n for entry in TurnEvent.from_json(body).entries())
        return tuple(page for page in pages if not told.issuperset(entry.n for entry in page.entries()))

    def until(self, moment: datetime) -> float:
        """Seconds from now on, never quite none."""
        return max(MIN_DELAY_S, (moment - self._now()).total_seconds())

    async def erase(self, request_id: str) -> None:
        """Delete what the bus keeps of a turn."""
        await self._bus.erase(request_id)

    async def completed(self, turn: Turn) -> Turn:
        """With the results whose items are looked at one by one: only the stream of events keeps them."""
        retrieved = dict(turn.retrieved)
        for index, step in enumerate(turn.steps):
            if step.findings is not None and index not in retrieved:
                result = await self.result(turn, f"{step.findings.round}/{index}/{step.findings.call}")
                if result is not None:
                    retrieved[index] = result.outcome
        return turn.model_copy(update={"retrieved": retrieved}) if retrieved != turn.retrieved else turn

    async def result(self, turn: Turn, call_id: str) -> ToolResult | None:
        """What a tool has said to a call of this turn, from the stream of events."""
        read = 0
        async for subject, body in self._bus.stored(subjects.tool_result("*", turn.request_id)):
            read += 1
            if read > MAX_READ:
                break
            try:
                result = ToolResult.from_json(body)
            except ValidationError:
                continue
            if (result.subject, result.call_id) == (subject, call_id) and refusal(turn, result) is None:
                return result
        return None
