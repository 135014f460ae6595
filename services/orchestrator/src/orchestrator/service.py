"""The thin shell around the core: load, advance, save, say."""

import asyncio
import logging
import secrets
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from weakref import WeakValueDictionary

from contracts.messages import ChatCancelled, ChatRequested, Command, Event
from contracts.turns import TurnState
from servicekit import clock, tracing

from orchestrator.arrivals import ChatArrived, not_begun
from orchestrator.decision import Decision, due, together
from orchestrator.metrics import REFUSED, answered
from orchestrator.publisher import Publisher, TurnBus
from orchestrator.sizes import in_place_of
from orchestrator.state import Turn
from orchestrator.store import TurnDeleted, TurnStore
from orchestrator.transition import Limits
from orchestrator.turn import advance, unseen

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 20
MAX_CACHED_TURNS = 4_096

Happening = ChatArrived | ChatCancelled | Event


class ResultMissing(Exception):
    """The stream of events does not have, or not yet have, what a tool has found; later it may."""


@dataclass(eq=False, slots=True)
class Waiting:
    """Something that has happened to a turn which is being worked on."""

    event: Happening
    taken: Turn | None = None
    """The turn after it, if it was taken together with what came before it."""


@dataclass(eq=False)
class Queue:
    """Before one turn."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    waiting: list[Waiting] = field(default_factory=list)


def refuse(reason: str, event: Happening | ChatRequested) -> None:
    """Note a message that counts for nothing: somebody says what is not theirs to say."""
    REFUSED.labels(reason).inc()
    log.warning("event refused", extra={"request_id": event.request_id, "reason": reason})


class TurnService:
    """Applies events to turns. Any number of such services may work on the same turn.

    A turn is saved before anything is said about it, unless its one command says it all: then the answer to
    that saves it. Who loses the race to save reads again and decides anew. What arrives while a turn is being
    saved is taken together then: ten results at once are not ten times saved and told.
    """

    def __init__(
        self,
        store: TurnStore,
        bus: TurnBus,
        limits: Limits = Limits(),  # noqa: B008 - an immutable value
        now: Callable[[], datetime] = clock.now,
    ) -> None:
        self._store = store
        self._publisher = Publisher(bus, now)
        self._limits = limits
        self._now = now
        self._cache: OrderedDict[str, Turn] = OrderedDict()
        self._queues: WeakValueDictionary[str, Queue] = WeakValueDictionary()

    async def chat(self, request: ChatRequested, timer: str) -> float | None:
        """Take a message or a choice. Seconds until it has to come back, or None when it is answered."""
        seed, trace = secrets.token_hex(16), tracing.traceparent()
        arrived = ChatArrived(request, timer=timer, seed=seed, at=self._now(), trace=trace)
        turn = await self._take(arrived)
        if turn is None and request.choice_id is None:
            await self._publisher.publish(not_begun(request))
        found = turn.round_of(request.exchange) if turn is not None else None
        if turn is None or found is None:
            return None
        # A choice is made whenever its user likes: its trace is another one than that of the round before.
        tracing.link(before.trace for before in turn.rounds[max(0, found.n - 1) : found.n])
        return self._publisher.until(due(turn, found)) if found.state is TurnState.RUNNING else None

    async def event(self, event: Event) -> None:
        """Take the answer of a planner, a tool, the action planner or the responder."""
        turn = await self._take(event)
        if turn is None and await self._store.was_deleted(event.request_id):
            # Somebody was still at work; what they have stored since is to go, too.
            await self._publisher.erase(event.request_id)

    async def cancel(self, request: ChatCancelled) -> bool:
        """End what runs of a turn. False when nobody has begun it yet.

        When its client has left, nobody will.
        """
        if await self._take(request) is not None:
            return True
        return request.left is not None and await self._store.forbid(request.request_id)

    async def erase(self, session_id: str) -> None:
        """Delete the turns of a session, and what the bus keeps of them. Raises `BusUnavailable`."""
        for request_id in await self._store.delete_turns(session_id):
            # Whoever is about to say something about it here, does so before.
            async with self._queues.setdefault(request_id, Queue()).lock:
                self._cache.pop(request_id, None)
            await self._publisher.erase(request_id)

    async def _take(self, event: Happening) -> Turn | None:
        """The turn after an event, and after what is answered for commands that are too large to be said."""
        queue, mine = self._queues.setdefault(event.request_id, Queue()), Waiting(event)
        queue.waiting.append(mine)
        try:
            async with queue.lock:
                if mine.taken is not None:
                    return mine.taken
                turn, unsaid = await self._apply(event, queue.waiting)
        except TurnDeleted:
            await self._publisher.erase(event.request_id)
            return None
        finally:
            queue.waiting.remove(mine)
        for command in unsaid:
            # Sooner or later there is none: an answer that is made up here is small.
            log.warning("command too large", extra={"request_id": event.request_id, "kind": command.kind})
            turn = await self._take(in_place_of(turn, command)) if turn is not None else None
        return turn

    async def _apply(
        self, event: Happening, waiting: list[Waiting]
    ) -> tuple[Turn | None, tuple[Command, ...]]:
        """The turn after an event, and what of it cannot be said."""
        for _ in range(MAX_ATTEMPTS):
            cached = turn = self._cache.pop(event.request_id, None)
            if cached is None:
                turn, event, is_new = await self._read(event)
                if turn is not None and is_new:
                    self._remember(turn)
                    begun = Decision(turn, changed=True, commands=turn.outstanding)
                    return turn, await self._publisher.publish(begun)
            decision = advance(turn, event, self._now(), self._limits)
            if decision.changed and decision.turn is not None:
                others: list[Waiting] = []
                # To a turn that was read anew, each answer may need a result that others have seen.
                if cached is not None and not isinstance(event, ChatArrived | ChatCancelled):
                    decision, others = self._together(cached, event, decision, waiting)
                saved = decision.turn if decision.unsaved else await self._save(decision, cached)
                if saved is None:
                    continue
                self._remember(saved)
                answered(saved.journal, decision.progress)
                unsaid = await self._publisher.publish(decision)
                for other in others:
                    other.taken = saved
                return saved, unsaid
            if cached is None:
                if decision.refused is not None:
                    refuse(decision.refused, event)
                return decision.turn, await self._publisher.publish(decision)
            # Another replica may have moved on: an event is only ignored on the word of the store.
        raise RuntimeError(f"turn {event.request_id} is contended")

    def _together(
        self, before: Turn, event: Event, decision: Decision, waiting: list[Waiting]
    ) -> tuple[Decision, list[Waiting]]:
        """The decision with what follows from the answers of its round that wait, and which these are."""
        decisions, taken = [decision], []
        for other in waiting:
            if other.event is event or other.taken is not None:
                continue
            if isinstance(other.event, ChatArrived | ChatCancelled):
                continue
            if other.event.round != event.round:
                continue
            try:
                next_one = advance(decisions[-1].turn, other.event, self._now(), self._limits)
            except Exception:
                # It fails once more when it is taken alone, and is told then.
                continue
            if next_one.changed:
                decisions.append(next_one)
                taken.append(other)
        return together(before, decisions), taken

    async def _read(self, event: Happening) -> tuple[Turn | None, Happening, bool]:
        """The turn of an event as the store knows it, the event with its session, and whether it begins."""
        if isinstance(event, ChatArrived):
            if event.request.choice_id is None:
                turn, is_new = await self._store.begin(event)
                return turn if is_new else await self._publisher.completed(turn), event, is_new
            session, known = await self._store.open(event.request.session_id, event.request_id)
            event = replace(event, session=session)
        else:
            known = await self._store.load(event.request_id)
        if known is not None:
            known = await self._publisher.completed(known)
            call = unseen(known, event)
            if call is not None:
                result = await self._publisher.result(known, call.call_id)
                if result is None:
                    raise ResultMissing(call.task)
                known = advance(known, result, self._now(), self._limits).turn
        return known, event, False

    async def _save(self, decision: Decision, cached: Turn | None) -> Turn | None:
        """None when somebody else was faster. The turn that was in memory may know a result that nobody has
        saved, and that came without the bus; so it stays there when the store does not answer."""
        assert decision.turn is not None
        try:
            return await self._store.save(decision.turn, decision.changes, decision.progress)
        except TurnDeleted:
            raise
        except Exception:
            if cached is not None:
                self._remember(cached)
            raise

    def _remember(self, turn: Turn) -> None:
        if any(found.state is TurnState.RUNNING for found in turn.rounds):
            self._cache[turn.request_id] = turn
            if len(self._cache) > MAX_CACHED_TURNS:
                self._cache.popitem(last=False)
