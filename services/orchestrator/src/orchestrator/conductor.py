"""The thin shell around the core: load, advance, save, say."""

import asyncio
import logging
import secrets
from collections import OrderedDict
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Protocol
from weakref import WeakValueDictionary

from contracts import subjects
from contracts.base import Contract
from contracts.messages import ChatCancelled, ChatRequested, Command, Event
from contracts.turns import TurnState
from servicekit.bus import Publishable
from servicekit.errors import MessageTooLarge

from orchestrator.frame import Limits
from orchestrator.metrics import REFUSED
from orchestrator.sizes import in_place_of
from orchestrator.state import Turn
from orchestrator.store import TurnDeleted, TurnStore
from orchestrator.tickets import sealed
from orchestrator.turn import ChatArrived, Decision, advance, due, not_begun

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 20
MAX_CACHED_TURNS = 4_096
MIN_DELAY_S = 0.05
"""A timer that is due at once must not come back before this delivery is over."""


class Voice(Protocol):
    """What the conductor needs of the bus."""

    async def publish(self, *messages: Publishable) -> None: ...
    async def send(self, subject: str, message: Contract) -> None: ...
    async def acknowledge(self, ack_subject: str) -> None: ...
    async def redeliver(self, ack_subject: str, delay_s: float) -> None: ...
    async def erase(self, request_id: str) -> None: ...
    def fits(self, message: Publishable) -> bool: ...


def _now() -> datetime:
    return datetime.now(UTC)


def refuse(reason: str, event: ChatArrived | ChatRequested | ChatCancelled | Event) -> None:
    """Note a message that counts for nothing: somebody says what is not theirs to say."""
    REFUSED.labels(reason).inc()
    log.warning("event refused", extra={"request_id": event.request_id, "reason": reason})


class Conductor:
    """Applies events to turns. Any number of conductors may work on the same turn.

    A turn is saved before anything is said about it. Who loses the race to save reads again and decides anew.
    """

    def __init__(
        self,
        store: TurnStore,
        voice: Voice,
        choice_ttl: timedelta = Limits.choice_ttl,
        check_timeout: timedelta = Limits.check_timeout,
        now: Callable[[], datetime] = _now,
    ) -> None:
        self._store = store
        self._voice = voice
        self._limits = Limits(choice_ttl, check_timeout)
        self._now = now
        self._cache: OrderedDict[str, Turn] = OrderedDict()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def chat(self, request: ChatRequested, timer: str) -> float | None:
        """Take a message or a choice. Seconds until it has to come back, or None when it is answered."""
        session, known = await self._store.open(request.session_id, request.request_id)
        turn = await self._apply(ChatArrived(request, session, timer, secrets.token_hex(16)), known)
        if turn is None and request.choice_id is None:
            await self._say(not_begun(request))
        found = turn.round_of(request.exchange) if turn is not None else None
        if turn is None or found is None or found.state is not TurnState.RUNNING:
            return None
        return self._until(due(turn, found))

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

    async def _apply(
        self, event: ChatArrived | ChatCancelled | Event, known: Turn | None = None
    ) -> Turn | None:
        turn, unsaid = await self._transition(event, known)
        for command in unsaid:
            # Sooner or later there is none: an answer that is made up here is small.
            log.warning("command too large", extra={"request_id": event.request_id, "kind": command.kind})
            turn = await self._apply(in_place_of(turn, command)) if turn is not None else None
        return turn

    async def _transition(
        self, event: ChatArrived | ChatCancelled | Event, known: Turn | None
    ) -> tuple[Turn | None, tuple[Command, ...]]:
        """The turn after an event, and what of it cannot be said."""
        async with self._lock(event.request_id):
            for attempt in range(MAX_ATTEMPTS):
                turn = self._cache.pop(event.request_id, None) or known
                certain = turn is None and (attempt > 0 or not isinstance(event, ChatArrived))
                if certain:
                    turn = await self._store.load(event.request_id)
                known = None
                decision = advance(turn, event, self._now(), self._limits)
                if decision.changed and decision.turn is not None:
                    try:
                        saved = await self._store.save(decision.turn, decision.changes)
                    except TurnDeleted:
                        await self._voice.erase(event.request_id)
                        return None, ()
                    if saved is None:
                        continue
                    self._remember(saved)
                    return saved, await self._say(decision)
                if certain:
                    if decision.refused is not None:
                        refuse(decision.refused, event)
                    return decision.turn, await self._say(decision)
                # Another replica may have moved on: an event is only ignored on the word of the store.
        raise RuntimeError(f"turn {event.request_id} is contended")

    async def _say(self, decision: Decision) -> tuple[Command, ...]:
        """Returns the commands that are too large to be said."""
        # The turn is saved: who waits need not wait until its log is stored, too.
        for subject, reply in decision.replies:
            await self._voice.send(subject, reply)
        for stopped in decision.stopped:
            await self._voice.send(subjects.WORK_CANCELLED, stopped)
        seed = decision.turn.seed if decision.turn is not None else ""
        unsaid: tuple[Command, ...] = ()
        entries = tuple(sealed(seed, entry) for entry in decision.progress)
        try:
            await self._voice.publish(*decision.commands, *entries)
        except MessageTooLarge:
            unsaid = tuple(c for c in decision.commands if not self._voice.fits(c))
            bare = (e if self._voice.fits(e) else e.model_copy(update={"detail": {}}) for e in entries)
            await self._voice.publish(*(c for c in decision.commands if c not in unsaid), *bare)
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
