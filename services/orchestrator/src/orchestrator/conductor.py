"""The thin shell around the core: load, advance, save, say."""

import asyncio
import logging
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Protocol
from weakref import WeakValueDictionary

from contracts import subjects
from contracts.base import Contract
from contracts.messages import ChatCancelled, ChatRequested, Command, Event, ToolResult
from contracts.session import Session
from contracts.turns import TurnEvent, TurnState
from pydantic import ValidationError
from servicekit import clock, tracing
from servicekit.bus import Publishable
from servicekit.errors import MessageTooLarge

from orchestrator.frame import Limits
from orchestrator.metrics import REFUSED, answered
from orchestrator.research import is_read_again
from orchestrator.sizes import in_place_of, without_details
from orchestrator.state import Turn
from orchestrator.store import TurnDeleted, TurnStore
from orchestrator.tickets import SealedEvent, refusal, sealed
from orchestrator.turn import ChatArrived, Decision, advance, due, not_begun, unseen

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 20
MAX_CACHED_TURNS = 4_096
MAX_READ = 2_000
"""Results of one turn: whoever sends more of them does not keep us reading."""
IDS_KNOWN = timedelta(seconds=subjects.DUPLICATES_KNOWN_S - 20)
"""For so long a message that is published again is surely no second one."""
MIN_DELAY_S = 0.05
"""A timer that is due at once must not come back before this delivery is over."""


Happening = ChatArrived | ChatCancelled | Event


class ResultMissing(Exception):
    """The stream of events does not have, or not yet have, what a tool has found; later it may."""


class Voice(Protocol):
    """What the conductor needs of the bus."""

    async def publish(self, *messages: Publishable) -> None: ...
    def hand_over(self, message: Publishable, *, beyond_room: bool = False) -> bool: ...
    async def send(self, subject: str, message: Contract) -> None: ...
    async def acknowledge(self, ack_subject: str) -> None: ...
    async def redeliver(self, ack_subject: str, delay_s: float) -> None: ...
    async def erase(self, request_id: str) -> None: ...
    def stored(self, subject: str) -> AsyncIterator[tuple[str, bytes]]: ...
    def fits(self, message: Publishable) -> bool: ...


def refuse(reason: str, event: Happening | ChatRequested) -> None:
    """Note a message that counts for nothing: somebody says what is not theirs to say."""
    REFUSED.labels(reason).inc()
    log.warning("event refused", extra={"request_id": event.request_id, "reason": reason})


class Conductor:
    """Applies events to turns. Any number of conductors may work on the same turn.

    A turn is saved before anything is said about it, unless its one command says it all: then the answer to
    that saves it. Who loses the race to save reads again and decides anew.
    """

    def __init__(
        self,
        store: TurnStore,
        voice: Voice,
        choice_ttl: timedelta = Limits.choice_ttl,
        check_timeout: timedelta = Limits.check_timeout,
        now: Callable[[], datetime] = clock.now,
    ) -> None:
        self._store = store
        self._voice = voice
        self._limits = Limits(choice_ttl, check_timeout)
        self._now = now
        self._cache: OrderedDict[str, Turn] = OrderedDict()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def chat(self, request: ChatRequested, timer: str) -> float | None:
        """Take a message or a choice. Seconds until it has to come back, or None when it is answered."""
        seed, at, trace = secrets.token_hex(16), self._now(), tracing.traceparent()
        turn = await self._apply(ChatArrived(request, Session(), timer, seed, at, trace))
        if turn is None and request.choice_id is None:
            await self._say(not_begun(request))
        found = turn.round_of(request.exchange) if turn is not None else None
        if turn is None or found is None:
            return None
        # A choice is made whenever its user likes: its trace is another one than that of the round before.
        tracing.link(before.trace for before in turn.rounds[max(0, found.n - 1) : found.n])
        return self._until(due(turn, found)) if found.state is TurnState.RUNNING else None

    async def event(self, event: Event) -> None:
        """Take the answer of a planner, a tool, the action planner or the responder."""
        turn = await self._apply(event)
        if turn is None and await self._store.was_deleted(event.request_id):
            # Somebody was still at work; what they have stored since is to go, too.
            await self._voice.erase(event.request_id)

    async def cancel(self, request: ChatCancelled) -> bool:
        """End what runs of a turn. False when nobody has begun it yet.

        When its client has left, nobody will.
        """
        if await self._apply(request) is not None:
            return True
        return request.left is not None and await self._store.forbid(request.request_id)

    async def erase(self, session_id: str) -> None:
        """Delete the turns of a session, and what the bus keeps of them. Raises `BusUnavailable`."""
        for request_id in await self._store.delete_turns(session_id):
            # Whoever is about to say something about it here, does so before.
            async with self._lock(request_id):
                self._cache.pop(request_id, None)
            await self._voice.erase(request_id)

    def _lock(self, request_id: str) -> asyncio.Lock:
        return self._locks.setdefault(request_id, asyncio.Lock())

    async def _apply(self, event: Happening) -> Turn | None:
        turn, unsaid = await self._transition(event)
        for command in unsaid:
            # Sooner or later there is none: an answer that is made up here is small.
            log.warning("command too large", extra={"request_id": event.request_id, "kind": command.kind})
            turn = await self._apply(in_place_of(turn, command)) if turn is not None else None
        return turn

    async def _transition(self, event: Happening) -> tuple[Turn | None, tuple[Command, ...]]:
        """The turn after an event, and what of it cannot be said."""
        async with self._lock(event.request_id):
            try:
                return await self._transited(event)
            except TurnDeleted:
                await self._voice.erase(event.request_id)
                return None, ()

    async def _transited(self, event: Happening) -> tuple[Turn | None, tuple[Command, ...]]:
        for _ in range(MAX_ATTEMPTS):
            turn = self._cache.pop(event.request_id, None)
            certain = turn is None
            if certain:
                turn, event, is_new = await self._read(event)
                if turn is not None and is_new:
                    self._remember(turn)
                    return turn, await self._say(Decision(turn, changed=True, commands=turn.outstanding))
            decision = advance(turn, event, self._now(), self._limits)
            if decision.changed and decision.turn is not None:
                saved: Turn | None = decision.turn
                if not decision.unsaved:
                    saved = await self._save(decision, turn if not certain else None)
                if saved is None:
                    continue
                self._remember(saved)
                answered(saved.journal, decision.progress)
                return saved, await self._say(decision)
            if certain:
                if decision.refused is not None:
                    refuse(decision.refused, event)
                return decision.turn, await self._say(decision)
            # Another replica may have moved on: an event is only ignored on the word of the store.
        raise RuntimeError(f"turn {event.request_id} is contended")

    async def _save(self, decision: Decision, before: Turn | None) -> Turn | None:
        """None when somebody else was faster. `before` was in memory: it may know a result that nobody has
        saved, and that came without the bus; so it stays there when the store does not answer."""
        assert decision.turn is not None
        try:
            return await self._store.save(decision.turn, decision.changes, decision.progress)
        except TurnDeleted:
            raise
        except Exception:
            if before is not None:
                self._remember(before)
            raise

    async def _read(self, event: Happening) -> tuple[Turn | None, Happening, bool]:
        """The turn of an event as the store knows it, the event with its session, and whether it begins."""
        if isinstance(event, ChatArrived):
            if event.request.choice_id is None:
                turn, is_new = await self._store.begin(event)
                return await self._completed(turn), event, is_new
            session, known = await self._store.open(event.request.session_id, event.request_id)
            event = replace(event, session=session)
        else:
            known = await self._store.load(event.request_id)
        if known is not None:
            known = await self._completed(known)
            call = unseen(known, event)
            if call is not None:
                result = await self._result(known, call.call_id)
                if result is None:
                    raise ResultMissing(call.task)
                known = advance(known, result, self._now(), self._limits).turn
        return known, event, False

    async def _completed(self, turn: Turn) -> Turn:
        """With what its searches have found, of which only the stream of events keeps the texts."""
        retrieved = dict(turn.retrieved)
        for index, step in enumerate(turn.steps):
            if step.findings is not None and index not in retrieved:
                result = await self._result(turn, f"{step.findings.round}/{index}/{step.findings.call}")
                if result is not None:
                    retrieved[index] = result.outcome
        return turn.model_copy(update={"retrieved": retrieved}) if retrieved != turn.retrieved else turn

    async def _result(self, turn: Turn, call_id: str) -> ToolResult | None:
        """What a tool has said to a call of this turn, from the stream of events."""
        read = 0
        async for subject, body in self._voice.stored(subjects.tool_result("*", turn.request_id)):
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

    async def _untold(self, pages: tuple[SealedEvent, ...]) -> tuple[SealedEvent, ...]:
        """Of what is told once more, what the log does not have: NATS knows ids of messages for a while."""
        if not pages or self._now() - min(page.at for page in pages) < IDS_KNOWN:
            return pages
        told: set[int] = set()
        async for _, body in self._voice.stored(subjects.turn_event(pages[0].request_id)):
            told.update(entry.n for entry in TurnEvent.from_json(body).entries())
        return tuple(page for page in pages if not told.issuperset(entry.n for entry in page.entries()))

    async def _say(self, decision: Decision) -> tuple[Command, ...]:
        """Returns the commands that are too large to be said."""
        # The turn is saved: who waits need not wait until its log is stored, too.
        for subject, reply in decision.replies:
            await self._voice.send(subject, reply)
        for stopped in decision.stopped:
            await self._voice.send(subjects.WORK_CANCELLED, stopped)
        seed = decision.turn.seed if decision.turn is not None else ""
        unsaid: tuple[Command, ...] = ()
        commands, progress = decision.commands, decision.progress
        if decision.changed:
            # What is said once more may have been lost with a process: that is stored. What is not saved may
            # be in no stream either, and others would look there for it.
            beyond = decision.unsaved
            commands = tuple(
                c for c in commands if is_read_again(c) or not self._voice.hand_over(c, beyond_room=beyond)
            )
        else:
            progress = await self._untold(progress)
        try:
            await self._voice.publish(*commands, *progress)
        except MessageTooLarge:
            unsaid = tuple(c for c in commands if not self._voice.fits(c))
            bare = (e if self._voice.fits(e) else sealed(seed, without_details(e)) for e in progress)
            await self._voice.publish(*(c for c in commands if c not in unsaid), *bare)
        for timer, moment in decision.wakes:
            await self._voice.redeliver(timer, self._until(moment))
        for timer in decision.timers:
            await self._voice.acknowledge(timer)
        return unsaid

    def _until(self, moment: datetime) -> float:
        return max(MIN_DELAY_S, (moment - self._now()).total_seconds())

    def _remember(self, turn: Turn) -> None:
        if any(r.state is TurnState.RUNNING for r in turn.rounds):
            self._cache[turn.request_id] = turn
            if len(self._cache) > MAX_CACHED_TURNS:
                self._cache.popitem(last=False)
