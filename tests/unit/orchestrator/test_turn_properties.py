"""Whatever the order, the duplicates and the crashes: the same response, exactly once."""

from typing import Any

from contracts.chat import ChatResponse
from contracts.messages import ActionPlanRequested, ChatRequested, Command, Event, Outcome, PlanRequested
from contracts.plan import Plan, PlanStep
from contracts.session import Session
from contracts.status import Status
from contracts.turns import TurnEvent, TurnEventKind
from hypothesis import given, settings
from hypothesis import strategies as st
from world import (
    DEFAULT_TOOLS,
    NOW,
    Tool,
    World,
    address,
    answer,
    asked,
    clicked,
    extract,
    layer,
    parcel,
    step,
)

from orchestrator.state import Turn
from orchestrator.turn import ChatArrived, advance

ARGUMENTS: dict[str, dict[str, Any]] = {
    "geolocation.geocode": {"q": "Rötistrasse 4"},
    "layers.search": {"query": "Wald"},
    "parcels.by_number": {"number": "1", "municipality": "Messen"},
    "oereb.egrid_by_xy": {"x": 2600513.0, "y": 1215519.0},
    "oereb.extract_by_id": {"egrid": "CH000000000001"},
}
ITEMS: dict[str, Any] = {
    "geolocation.geocode": lambda n: address(f"Rötistrasse {n}", id=str(n)),
    "layers.search": lambda n: layer(f"Wald{n}"),
    "parcels.by_number": parcel,
    "oereb.egrid_by_xy": parcel,
    "oereb.extract_by_id": lambda n: extract(f"CH{n:012d}"),
}

calls = st.sampled_from(sorted(ARGUMENTS)).flatmap(
    lambda name: st.tuples(st.just(name), st.sampled_from([{}, ARGUMENTS[name]]))
)
steps = st.lists(calls, min_size=0, max_size=3).map(lambda made: step("some_intent", *made))
answered = st.sampled_from(list(Status)).map(
    lambda status: PlanStep(
        intent="answer", message="Grüezi", status=status if status != "needs_user_choice" else None
    )
)
plans = st.lists(st.one_of(steps, answered), max_size=5).map(lambda made: Plan(steps=tuple(made)))


@st.composite
def tool_sets(draw: st.DrawFn) -> dict[str, Tool]:
    made: dict[str, Tool] = {}
    for name in DEFAULT_TOOLS:
        status = draw(
            st.sampled_from([Status.OK, Status.OK, Status.OK, Status.NEEDS_CLARIFICATION, Status.ERROR])
        )
        count = draw(st.sampled_from([0, 1, 1, 1, 2, 3]))
        items = tuple(ITEMS[name](n) for n in range(count)) if status is Status.OK else ()
        made[name] = always(Outcome(status=status, items=items))
    return made


def always(outcome: Outcome) -> Tool:
    return lambda args: outcome


class Crash(Exception):
    """The process dies here."""


class Bus:
    """At least once, in any order, with crashes between any two effects, as the random source decides."""

    def __init__(self, plan: Plan, tools: dict[str, Tool], random: st.DataObject) -> None:
        self.plan, self.tools, self._random = plan, tools, random
        self.saved: Turn | None = None
        self.seen: set[str] = set()
        self.log: dict[str, TurnEvent] = {}
        self.replies: dict[str, list[ChatResponse]] = {}
        self.pending: list[ChatRequested | Event] = []
        self.trouble = 40

    def _happens(self, one_in: int) -> bool:
        if self.trouble <= 0:
            return False
        happened = self._random.draw(st.integers(0, one_in - 1)) == 0
        self.trouble -= happened
        return happened

    def _crash_maybe(self) -> None:
        if self._happens(6):
            raise Crash

    def run(self, request: ChatRequested) -> None:
        self.pending.append(request)
        while self.pending:
            message = self.pending.pop(self._random.draw(st.integers(0, len(self.pending) - 1)))
            if self._happens(5):
                self.pending.append(message)
            try:
                self._handle(message)
            except Crash:
                self.pending.append(message)

    def _handle(self, message: ChatRequested | Event) -> None:
        event = ChatArrived(message, Session(), "t") if isinstance(message, ChatRequested) else message
        self._crash_maybe()
        decision = advance(self.saved, event, NOW)
        if decision.changed:
            self.saved = decision.turn
        self._crash_maybe()
        for command in decision.commands:
            self._deliver(command)
            self._crash_maybe()
        for entry in decision.progress:
            known = self.log.setdefault(entry.message_id, entry)
            assert known == entry, "one id, two contents"
            self._crash_maybe()
        for _, reply in decision.replies:
            assert reply.response is not None
            self.replies.setdefault(reply.exchange, []).append(reply.response)
            self._crash_maybe()

    def _deliver(self, command: Command) -> None:
        if command.message_id not in self.seen:
            self.seen.add(command.message_id)
            self.pending.append(answer(command, self.plan, self.tools))
        elif self._happens(4):
            # The server has forgotten the id, e.g. after a restart: the worker does it again.
            self.pending.append(answer(command, self.plan, self.tools))


def finished(log: dict[str, TurnEvent], n: int) -> list[ChatResponse | None]:
    return [e.response for e in log.values() if e.kind is TurnEventKind.FINISHED and e.round == n]


@settings(max_examples=300, deadline=None)
@given(plan=plans, tools=tool_sets(), random=st.data())
def test_the_response_does_not_depend_on_order_duplicates_or_crashes(
    plan: Plan, tools: dict[str, Tool], random: st.DataObject
) -> None:
    calm = World(plan, tools)
    expected = calm.ask()
    bus = Bus(plan, tools, random)
    bus.run(asked())
    assert finished(bus.log, 0) == [expected]
    assert set(map(repr, bus.replies.get("x0", []))) <= {repr(expected)}

    open_choices = [c.id for s in expected.steps for c in s.choices]
    for n, choice in enumerate(open_choices[:2], start=1):
        after = calm.ask(clicked(choice, exchange=f"x{n}"))
        bus.run(clicked(choice, exchange=f"x{n}"))
        assert finished(bus.log, n) == [after]
    assert bus.saved is not None
    assert bus.saved.outstanding == ()
    assert [e.n for e in bus.saved.journal] == list(range(len(bus.log)))


@settings(max_examples=200, deadline=None)
@given(plan=plans, tools=tool_sets())
def test_every_response_keeps_the_promises_of_the_contract(plan: Plan, tools: dict[str, Tool]) -> None:
    world = World(plan, tools)
    response = world.ask()
    assert response.steps
    for made in response.steps:
        assert (made.status is Status.NEEDS_USER_CHOICE) == bool(made.choices)
        if made.status in (Status.ERROR, Status.NEEDS_CLARIFICATION):
            assert made.map_actions == ()
    commands = [c for d in world.decisions for c in d.commands]
    assert len({c.message_id for c in commands}) == len(commands)
    assert sum(isinstance(c, PlanRequested) for c in commands) == 1


@settings(max_examples=200, deadline=None)
@given(plan=plans, tools=tool_sets(), cut=st.integers(0, 12))
def test_at_the_deadline_a_turn_ends_whatever_is_missing(
    plan: Plan, tools: dict[str, Tool], cut: int
) -> None:
    world = World(plan, tools)
    world.take(ChatArrived(asked(), Session()))
    for _ in range(cut):
        if world.queue:
            world.take(answer(world.queue.pop(0), world.plan, world.tools))
    world.now = asked().deadline
    world.take(ChatArrived(asked(), Session()))
    assert world.turn is not None
    assert len(finished(world.log, 0)) == 1
    left = [c for c in world.turn.outstanding if not isinstance(c, ActionPlanRequested) or c.round == 0]
    assert left == []


@settings(max_examples=100, deadline=None)
@given(plan=plans, tools=tool_sets())
def test_a_saved_turn_reads_back_as_it_was(plan: Plan, tools: dict[str, Tool]) -> None:
    world = World(plan, tools)
    world.ask()
    assert world.turn is not None
    assert Turn.from_json(world.turn.to_json()) == world.turn
