"""Several replicas with caches of their own work on the same turn."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from contracts import subjects
from contracts.base import Contract
from contracts.chat import ChatResponse
from contracts.messages import ChatRequested, Command, Event, Outcome, ToolResult, TurnReply
from contracts.plan import Plan
from contracts.session import Session
from contracts.turns import TurnEvent, TurnEventKind
from hypothesis import given
from hypothesis import strategies as st
from servicekit.bus import Publishable
from servicekit.errors import BusUnavailable
from volume import examples
from world import (
    DEFAULT_TOOLS,
    GOTO,
    NOW,
    OEREB_XY,
    TOOLS,
    Tool,
    World,
    answer,
    asked,
    clicked,
    descriptor,
    parcel,
    plan,
    restored,
    step,
    told,
    two_parcels,
)

from orchestrator.arrivals import ChatArrived, begun
from orchestrator.memory import Change
from orchestrator.service import ResultMissing, TurnService
from orchestrator.state import Turn

from .turn_strategies import plans, plans_of_one_step, tool_sets

FIND = ("parcels.by_number", {"number": "1", "municipality": "Messen"})


class Store:
    """Redis in a dictionary: a version check, and other work between reading and writing."""

    def __init__(self) -> None:
        self.turns: dict[str, Turn] = {}
        self.conflicts = self.saves = 0
        self.is_away = False

    async def load(self, request_id: str) -> Turn | None:
        await asyncio.sleep(0)
        return self.turns.get(request_id)

    async def open(self, session_id: str, request_id: str) -> tuple[Session, Turn | None]:
        return Session(), await self.load(request_id)

    async def begin(self, arrived: ChatArrived) -> tuple[Turn, bool]:
        await asyncio.sleep(0)
        is_new = arrived.request_id not in self.turns
        return self.turns.setdefault(arrived.request_id, begun(arrived)), is_new

    async def was_deleted(self, request_id: str) -> bool:
        return False

    async def delete_turns(self, session_id: str) -> tuple[str, ...]:
        raise NotImplementedError

    async def forbid(self, request_id: str) -> bool:
        return request_id not in self.turns

    async def save(
        self, turn: Turn, changes: tuple[Change, ...], told: tuple[TurnEvent, ...] = ()
    ) -> Turn | None:
        await asyncio.sleep(0)
        if self.is_away:
            raise OSError("away")
        current = self.turns.get(turn.request_id)
        if (current.version if current else 0) != turn.version:
            self.conflicts += 1
            return None
        self.saves += 1
        saved = turn.model_copy(update={"version": turn.version + 1})
        # What was retrieved is not kept here, but by the stream of events.
        self.turns[turn.request_id] = restored(saved.model_copy(update={"retrieved": {}}))
        return saved


class Everybody:
    """The bus as the replicas see it; workers answer at once, deliveries wait to be drawn."""

    def __init__(self, plan: Plan, tools: dict[str, Tool]) -> None:
        self.plan, self.tools = plan, tools
        self.pending: list[ChatRequested | Event] = []
        self.events: list[Event] = []
        self.seen: set[str] = set()
        self.log: dict[str, TurnEvent] = {}
        self.messages: list[TurnEvent] = []
        self.replies: dict[str, set[str]] = {}
        self.responses: dict[str, ChatResponse | None] = {}

    def hand_over(self, message: Publishable, held: Iterable[str], *, beyond_room: bool = False) -> bool:
        return False

    async def publish(self, *messages: Publishable) -> None:
        for message in messages:
            await asyncio.sleep(0)
            if isinstance(message, TurnEvent):
                self.messages.append(message)
                for entry in told(message):
                    assert self.log.setdefault(entry.message_id, entry) == entry
            elif message.message_id not in self.seen:
                self.seen.add(message.message_id)
                self._work(message)

    def _work(self, command: Command | Publishable) -> None:
        event = answer(command, self.plan, self.tools)  # type: ignore[arg-type]
        self.events.append(event)
        self.pending.append(event)

    async def stored(self, subject: str) -> AsyncIterator[tuple[str, bytes]]:
        for event in list(self.events):
            await asyncio.sleep(0)
            if subjects.matches(subject, event.subject):
                yield event.subject, event.to_json()

    async def send(self, subject: str, message: Contract) -> None:
        assert isinstance(message, TurnReply)
        self.replies.setdefault(message.exchange, set()).add(repr(message.response))
        self.responses[message.exchange] = message.response

    async def acknowledge(self, ack_subject: str) -> None:
        """The timer of a deadline; there are none here."""

    async def redeliver(self, ack_subject: str, delay_s: float) -> None:
        """The same."""

    async def erase(self, request_id: str) -> None:
        raise NotImplementedError

    def fits(self, message: Publishable) -> bool:
        return True


async def run(bus: Everybody, replicas: list[TurnService], data: st.DataObject) -> None:
    def draw(below: int) -> int:
        return data.draw(st.integers(0, below - 1))

    async def deliver(message: ChatRequested | Event) -> None:
        turns = replicas[draw(len(replicas))]
        if isinstance(message, ChatRequested):
            await turns.chat(message, "timer")
        else:
            await turns.event(message)

    while bus.pending:
        batch = [bus.pending.pop(draw(len(bus.pending))) for _ in range(min(len(bus.pending), 1 + draw(8)))]
        batch += [message for message in batch if draw(6) == 0]
        await asyncio.gather(*(deliver(message) for message in batch))


@examples(150)
@given(plan=plans | plans_of_one_step, tools=tool_sets(), data=st.data())
def test_replicas_with_stale_caches_come_to_the_same_response_once(
    plan: Plan, tools: dict[str, Tool], data: st.DataObject
) -> None:
    calm = World(plan, tools)
    expected = calm.ask()
    store, bus = Store(), Everybody(plan, tools)
    replicas = [TurnService(store, bus, now=lambda: NOW) for _ in range(data.draw(st.integers(1, 3)))]

    async def scenario() -> None:
        bus.pending.append(asked())
        await run(bus, replicas, data)
        for n, choice in enumerate([c.id for s in expected.steps for c in s.choices][:1], start=1):
            bus.pending += [clicked(choice, exchange=f"x{n}"), clicked(choice, exchange=f"y{n}")]
            await run(bus, replicas, data)

    asyncio.run(scenario())
    assert bus.replies["x0"] == {repr(expected)}
    finished = [e for e in bus.log.values() if e.kind is TurnEventKind.FINISHED]
    assert len(finished) == len({e.round for e in finished}) == len(store.turns["req-1"].rounds)
    if "x1" in bus.replies:
        assert bus.replies["x1"] == bus.replies["y1"] == {repr(calm.ask(clicked(finished_choice(expected))))}


class TestTogether:
    """What arrives while its turn is being saved."""

    MANY = 10

    def asked_for_many(self, store: Store, bus: Everybody, before: Callable[[], None] = lambda: None) -> int:
        """How many deliveries failed."""
        turns, failed = TurnService(store, bus, now=lambda: NOW), 0

        async def scenario() -> None:
            nonlocal failed
            await turns.chat(asked(), "timer")
            while bus.pending:
                arrived, bus.pending = bus.pending, []
                before()
                done = await asyncio.gather(*map(turns.event, arrived), return_exceptions=True)  # type: ignore[arg-type]
                again = [event for event, error in zip(arrived, done, strict=True) if error]
                bus.pending += again
                failed += len(again)

        asyncio.run(scenario())
        return failed

    def test_is_saved_and_told_with_it(self) -> None:
        store, bus = Store(), Everybody(plan(*[GOTO] * self.MANY), dict(DEFAULT_TOOLS))
        self.asked_for_many(store, bus)
        calm = World(bus.plan)
        assert bus.responses["x0"] == calm.ask()
        assert len(bus.log) == len(calm.log)
        # The plan; a result, and those that came meanwhile; an action plan, and those that came meanwhile.
        assert store.saves == 5

    def test_is_saved_when_there_is_nothing_to_tell(self) -> None:
        """What is said of an item of a map is no entry of the log."""
        tool = descriptor("parcels.rate", ("parcel",), parcel={"type": "object"})
        with pytest.MonkeyPatch.context() as patched:
            patched.setitem(TOOLS, tool.capability, tool.model_copy(update={"for_each": "parcel"}))
            found = Outcome(items=tuple(parcel(n) for n in range(1, self.MANY + 1)))
            rated = {"parcels.by_number": lambda args: found, "parcels.rate": lambda args: Outcome()}
            store, bus = Store(), Everybody(plan(step("find_parcels", FIND)), rated)
            failed = self.asked_for_many(store, bus)
            assert bus.responses["x0"] == World(bus.plan, rated).ask()
        assert failed == 0
        assert store.saves < self.MANY

    def test_is_not_lost_while_the_store_is_away(self) -> None:
        store, bus = Store(), Everybody(plan(*[GOTO] * self.MANY), dict(DEFAULT_TOOLS))
        times = count()

        def away_now_and_then() -> None:
            store.is_away = next(times) % 2 == 1

        self.asked_for_many(store, bus, away_now_and_then)
        assert bus.responses["x0"] == World(bus.plan).ask()

    def test_is_taken_alone_in_another_round(self) -> None:
        """The answers of one round may be as large as a message of the log."""
        tools = DEFAULT_TOOLS | {"oereb.egrid_by_xy": two_parcels}
        store, bus = Store(), Everybody(plan(OEREB_XY, OEREB_XY), tools)
        turns = TurnService(store, bus, now=lambda: NOW)

        async def scenario() -> None:
            await turns.chat(asked(), "timer")
            while bus.pending:
                await turns.event(bus.pending.pop(0))  # type: ignore[arg-type]
            response = bus.responses["x0"]
            assert response is not None
            one, _, other, _ = (choice.id for answer in response.steps for choice in answer.choices)
            clicks = clicked(one, exchange="x1"), clicked(other, exchange="x2")
            await asyncio.gather(*(turns.chat(click, click.exchange) for click in clicks))
            while bus.pending:
                arrived, bus.pending = bus.pending, []
                # Whoever clicks once more has the turn while the others arrive.
                click = clicked(one, exchange=f"x{len(bus.events)}")
                await asyncio.gather(turns.chat(click, "timer"), *map(turns.event, arrived))  # type: ignore[arg-type]

        asyncio.run(scenario())
        assert all({entry.round for entry in told(page)} <= {page.round} for page in bus.messages)
        assert {page.round for page in bus.messages} == {0, 1, 2}

    def test_is_not_taken_along_by_what_fails(self) -> None:
        store, bus = Store(), Everybody(plan(GOTO, GOTO), dict(DEFAULT_TOOLS))
        turns = TurnService(store, bus, now=lambda: NOW)

        async def scenario() -> None:
            await turns.chat(asked(), "timer")
            await turns.event(bus.events[0])
            one, other = bus.events[1:3]
            broken = other.model_copy(update={"outcome": None})
            done = await asyncio.gather(*map(turns.event, (one, broken)), return_exceptions=True)
            assert [type(each) for each in done] == [type(None), AttributeError]
            for event in (other, *bus.events[3:4]):
                await turns.event(event)
            await turns.event(bus.events[4])

        asyncio.run(scenario())
        assert bus.responses["x0"] == World(bus.plan).ask()


def finished_choice(response: ChatResponse) -> str:
    return next(c.id for s in response.steps for c in s.choices)


class TestTakingOver:
    """An answer comes to a process that has not seen the result it is about."""

    def answered(self, stored: Callable[[Event], list[Event]]) -> ChatResponse | None:
        store, bus = Store(), Everybody(plan(GOTO), dict(DEFAULT_TOOLS))
        one, other = (TurnService(store, bus, now=lambda: NOW) for _ in range(2))

        async def scenario() -> None:
            await one.chat(asked(), "timer")
            await one.event(bus.events[0])
            result = bus.events[1]
            await one.event(result)
            assert store.turns["req-1"].version == 2
            last = bus.events[2]
            bus.events[:] = stored(result)
            await other.event(last)

        asyncio.run(scenario())
        return bus.responses.get("x0")

    def test_it_reads_the_result_first(self) -> None:
        response = self.answered(lambda result: [result])
        assert response == World(plan(GOTO)).ask()

    def test_of_what_is_stored_it_takes_what_the_asked_tool_has_said(self) -> None:
        def forged(result: Event) -> list[Event]:
            assert isinstance(result, ToolResult)
            nothing = result.model_copy(update={"outcome": Outcome()})
            return [
                nothing.model_copy(update={"ticket": "0" * 32}),
                nothing.model_copy(update={"step": 1}),
                result,
            ]

        assert self.answered(forged) == World(plan(GOTO)).ask()

    def test_a_forged_answer_does_not_make_it_wait_for_a_result(self) -> None:
        store, bus = Store(), Everybody(plan(GOTO), dict(DEFAULT_TOOLS))
        one, other = (TurnService(store, bus, now=lambda: NOW) for _ in range(2))

        async def scenario() -> None:
            await one.chat(asked(), "timer")
            await one.event(bus.events[0])
            await one.event(bus.events[1])
            (result, ready), before = bus.events[1:3], store.turns["req-1"]
            del bus.events[:]
            await other.event(ready.model_copy(update={"ticket": ""}))
            assert store.turns["req-1"] == before and bus.responses == {}
            bus.events.append(result)
            await other.event(ready)

        asyncio.run(scenario())
        assert bus.responses.get("x0") == World(plan(GOTO)).ask()

    def test_who_has_the_result_in_memory_keeps_it_while_the_store_is_away(self) -> None:
        store, bus = Store(), Everybody(plan(GOTO), dict(DEFAULT_TOOLS))
        turns = TurnService(store, bus, now=lambda: NOW)

        async def scenario() -> None:
            await turns.chat(asked(), "timer")
            await turns.event(bus.events[0])
            await turns.event(bus.events[1])
            ready = bus.events[2]
            # As in one process, where the result was handed over and is in no stream.
            del bus.events[:]
            store.is_away = True
            for _ in range(2):
                with pytest.raises(OSError, match="away"):
                    await turns.event(ready)
            assert bus.responses == {}
            store.is_away = False
            await turns.event(ready)

        asyncio.run(scenario())
        assert bus.responses.get("x0") == World(plan(GOTO)).ask()

    def test_without_the_result_it_tries_again_later(self) -> None:
        with pytest.raises(ResultMissing):
            self.answered(lambda result: [])


class TestProcessesOfSeveralServices:
    """What is handed over dies with its process; so does what the round began with, and others get that."""

    class Beside(Everybody):
        """As one process sees it: of the others it knows the bus only."""

        def __init__(self, bus: Everybody, *held: str) -> None:
            self.bus, self.held = bus, set(held)
            self.given: list[Publishable] = []

        def __getattr__(self, name: str) -> Any:
            return getattr(self.bus, name)

        def hand_over(self, message: Publishable, held: Iterable[str], *, beyond_room: bool = False) -> bool:
            if self.held.isdisjoint(held):
                return False
            self.given.append(message)
            return True

    @pytest.mark.parametrize(("held", "times"), [(("timer",), 1), (("timer of another",), 0), ((), 0)])
    async def test_who_has_the_message_of_a_round_hands_over(self, held: tuple[str, ...], times: int) -> None:
        store, bus = Store(), Everybody(plan(GOTO), dict(DEFAULT_TOOLS))
        beside = self.Beside(bus, *held)
        await TurnService(store, bus, now=lambda: NOW).chat(asked(), "timer")
        await TurnService(store, beside, now=lambda: NOW).event(bus.events[0])
        assert (len(beside.given), len(bus.events)) == (times, 2 - times)

    async def test_of_a_choice_that_is_its_own(self) -> None:
        tools = DEFAULT_TOOLS | {"oereb.egrid_by_xy": two_parcels}
        store, bus = Store(), Everybody(plan(OEREB_XY), tools)
        turns = TurnService(store, bus, now=lambda: NOW)
        await turns.chat(asked(), "timer")
        for n in range(3):
            await turns.event(bus.events[n])
        response = bus.responses["x0"]
        assert response is not None
        for held, times in (("timer", 0), ("timer of the choice", 1)):
            beside, known = self.Beside(bus, held), dict(store.turns)
            chosen = clicked(finished_choice(response))
            await TurnService(store, beside, now=lambda: NOW).chat(chosen, "timer of the choice")
            assert len(beside.given) == times
            store.turns = known

    @pytest.mark.parametrize("lost", range(3))
    async def test_what_it_has_saved_and_not_told_is_told_when_its_time_is_over(self, lost: int) -> None:
        class Killed(Everybody):
            """With it dies a message of the log, and what else was to be said."""

            is_over = False

            async def publish(self, *messages: Publishable) -> None:
                is_told = any(isinstance(each, TurnEvent) for each in messages)
                if is_told and not self.is_over and len(self.messages) == lost:
                    self.is_over = True
                    raise BusUnavailable
                await super().publish(*messages)

        store, bus = Store(), Killed(plan(GOTO, GOTO), dict(DEFAULT_TOOLS))
        turns = TurnService(store, bus, now=lambda: NOW)
        await turns.chat(asked(), "timer")
        with pytest.raises(BusUnavailable):
            while bus.pending:
                await turns.event(bus.pending.pop(0))  # type: ignore[arg-type]
        later = NOW + timedelta(hours=1)
        await TurnService(store, bus, now=lambda: later).chat(asked(), "timer")
        assert bus.responses["x0"] is not None
        assert sorted(entry.n for entry in bus.log.values()) == [e.n for e in store.turns["req-1"].journal]


async def test_a_choice_that_was_told_in_vain_is_in_the_log_when_its_round_is_finished() -> None:
    class WithoutLog(Everybody):
        is_lost = True

        async def publish(self, *messages: Publishable) -> None:
            told_now = [entry for page in messages if isinstance(page, TurnEvent) for entry in told(page)]
            if self.is_lost and any(entry.kind is TurnEventKind.CHOICE_MADE for entry in told_now):
                self.is_lost = False
                await super().publish(*(each for each in messages if not isinstance(each, TurnEvent)))
                raise BusUnavailable
            await super().publish(*messages)

    tools = DEFAULT_TOOLS | {"oereb.egrid_by_xy": two_parcels}
    store, bus = Store(), WithoutLog(plan(OEREB_XY), tools)
    turns = TurnService(store, bus, now=lambda: NOW)
    await turns.chat(asked(), "timer")
    while bus.pending:
        await turns.event(bus.pending.pop(0))  # type: ignore[arg-type]
    response = bus.responses["x0"]
    assert response is not None
    with pytest.raises(BusUnavailable):
        await turns.chat(clicked(finished_choice(response)), "timer of the choice")
    while bus.pending:
        await turns.event(bus.pending.pop(0))  # type: ignore[arg-type]
    assert bus.responses["x1"] is not None
    assert sorted(entry.n for entry in bus.log.values()) == [e.n for e in store.turns["req-1"].journal]


class Diary(Everybody):
    """Keeps every page of the log as often as it is told, and shows them."""

    def __init__(self, plan: Plan, tools: dict[str, Tool]) -> None:
        super().__init__(plan, tools)
        self.pages: list[TurnEvent] = []

    async def publish(self, *messages: Publishable) -> None:
        self.pages += [message for message in messages if isinstance(message, TurnEvent)]
        await super().publish(*messages)

    async def stored(self, subject: str) -> AsyncIterator[tuple[str, bytes]]:
        async for found in super().stored(subject):
            yield found
        for page in list(self.pages):
            if subjects.matches(subject, page.subject):
                yield page.subject, page.to_json()


@pytest.mark.parametrize(("later", "lost", "times"), [(1, 0, 2), (600, 0, 1), (600, 1, 1)])
async def test_long_afterwards_only_what_the_log_does_not_have_is_told_once_more(
    later: int, lost: int, times: int
) -> None:
    now = NOW
    store, bus = Store(), Diary(plan(GOTO), dict(DEFAULT_TOOLS))
    turns = TurnService(store, bus, now=lambda: now)
    await turns.chat(asked(), "timer")
    for n in range(3):
        await turns.event(bus.events[n])
    # Of some the publication never came.
    del bus.pages[:lost]
    now = NOW + timedelta(seconds=later)
    await turns.event(bus.events[0])
    entries = Counter(entry.n for page in bus.pages for entry in page.entries())
    assert set(entries) == set(range(len(entries)))
    assert set(entries.values()) == {times}
