"""Whatever the order, the duplicates and the crashes: the same response, exactly once."""

from collections.abc import Callable, Set
from datetime import datetime

from contracts.chat import ChatResponse
from contracts.messages import (
    ActionPlanRequested,
    ChatRequested,
    Command,
    Event,
    Outcome,
    PlanRequested,
    ToolCalled,
    ToolResult,
)
from contracts.plan import Plan
from contracts.research import ErrorType
from contracts.session import LoadedLayer, MapView, Session
from contracts.status import Status
from contracts.turns import TurnEvent, TurnEventKind, TurnState
from hypothesis import given
from hypothesis import strategies as st
from volume import examples
from world import NOW, Tool, World, answer, asked, clicked, restored, told

from orchestrator.arrivals import ChatArrived
from orchestrator.decision import Decision, due
from orchestrator.memory import MapSeen
from orchestrator.state import Turn
from orchestrator.turn import advance, unseen

from .turn_strategies import (
    MAX_FOUND,
    judged,
    layers,
    plans,
    plans_of_one_step,
    plans_with_search,
    tool_sets,
    views,
)


def nothing(command: Command) -> bool:
    return False


class Crash(Exception):
    """The process dies here."""


class Bus:
    """At least once, in any order, with crashes between any two effects, as the random source decides.

    What `lost` says is never answered. When nobody has anything to do any more, the timer of the turn rings.
    """

    def __init__(
        self,
        plan: Plan,
        tools: dict[str, Tool],
        random: st.DataObject,
        lost: Callable[[Command], bool] = nothing,
    ) -> None:
        self.plan, self.tools, self._random, self._lost = plan, tools, random, lost
        self.now = NOW
        self.rings_at: datetime = NOW
        self.saved: Turn | None = None
        self.in_memory: Turn | None = None
        self.events: list[Event] = []
        """What the stream of events keeps."""
        self.messages: dict[str, TurnEvent] = {}
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
        self._deliver_all()
        while self._is_running(request):
            self.now = max(self.now, self.rings_at)
            self.pending.append(request)
            self._deliver_all()

    def _is_running(self, request: ChatRequested) -> bool:
        assert self.saved is not None
        found = self.saved.round_of(request.exchange)
        return found is not None and found.state is TurnState.RUNNING

    def _deliver_all(self) -> None:
        while self.pending:
            message = self.pending.pop(self._random.draw(st.integers(0, len(self.pending) - 1)))
            if self._happens(5):
                self.pending.append(message)
            try:
                self._handle(message)
            except Crash:
                self.in_memory = None
                self.pending.append(message)

    def _handle(self, message: ChatRequested | Event) -> None:
        event = ChatArrived(message, Session(), "t") if isinstance(message, ChatRequested) else message
        self._crash_maybe()
        decision = self._decided(event)
        self._crash_maybe()
        for command in decision.commands:
            self._deliver(command)
            self._crash_maybe()
        for page in decision.progress:
            assert self.messages.setdefault(page.message_id, page) == page, "one id, two contents"
            for entry in told(page):
                assert self.log.setdefault(entry.message_id, entry) == entry, "one number, two contents"
            self._crash_maybe()
        for _, reply in decision.replies:
            assert reply.response is not None
            self.replies.setdefault(reply.exchange, []).append(reply.response)
            self._crash_maybe()
        for timer, moment in decision.wakes:
            assert timer == "t"
            self.rings_at = moment
            self._crash_maybe()
        if isinstance(message, ChatRequested) and self._is_running(message):
            assert self.saved is not None
            self.rings_at = min(due(self.saved, r) for r in self.saved.rounds if r.state is TurnState.RUNNING)

    def _decided(self, event: ChatArrived | Event) -> Decision:
        """By the process that has the turn in memory, or by another one, which reads it."""
        if self.in_memory is not None and not self._happens(3):
            decision = advance(self.in_memory, event, self.now)
            if decision.changed and self._keep(decision, self.in_memory):
                return decision
        turn = self.saved
        if turn is not None and turn.pages:
            turn = restored(turn)
            results = {e.call_id: e for e in self.events if isinstance(e, ToolResult)}
            found = {n: step.findings for n, step in enumerate(turn.steps) if step.findings is not None}
            kept = {n: results[f"{each.round}/{n}/{each.call}"].outcome for n, each in found.items()}
            turn = turn.model_copy(update={"retrieved": kept})
            call = unseen(turn, event)
            if call is not None:
                turn = advance(turn, results[call.call_id], self.now).turn
        decision = advance(turn, event, self.now)
        if decision.changed:
            assert self._keep(decision, turn)
        return decision

    def _keep(self, decision: Decision, before: Turn | None) -> bool:
        """Whether nobody has saved the turn meanwhile."""
        assert decision.turn is not None
        if self.saved is not None and before is not None and self.saved.version != before.version:
            return False
        if decision.unsaved:
            self.in_memory = decision.turn
        else:
            update = {"version": decision.turn.version + 1}
            self.saved = self.in_memory = decision.turn.model_copy(update=update)
        return True

    def _deliver(self, command: Command) -> None:
        if self._lost(command):
            return
        if command.message_id not in self.seen or self._happens(4):
            # The second time the server has forgotten the id, e.g. after a restart: it is worked on again.
            self.seen.add(command.message_id)
            self.events.append(answer(command, self.plan, self.tools))
            self.pending.append(self.events[-1])


def finished(log: dict[str, TurnEvent], n: int) -> list[ChatResponse | None]:
    return [e.response for e in log.values() if e.kind is TurnEventKind.FINISHED and e.round == n]


@examples(300)
@given(plan=plans | plans_of_one_step, tools=tool_sets(), random=st.data())
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


def without_judge(tools: dict[str, Tool], late: Set[str]) -> dict[str, Tool]:
    """The same tools, but the check of some documents says that it has run out of time."""
    check = tools["documents.check"]

    def checked(args: dict[str, object]) -> Outcome:
        document = args["document"]
        assert isinstance(document, dict)
        return judged(document["id"], "timeout") if document["id"] in late else check(args)

    return tools | {"documents.check": checked}


@examples(200)
@given(
    plan=plans_with_search,
    tools=tool_sets(),
    late=st.frozensets(st.sampled_from([f"d{n}" for n in range(MAX_FOUND)])),
    random=st.data(),
)
def test_checks_that_nobody_answers_keep_their_documents_in_any_order(
    plan: Plan, tools: dict[str, Tool], late: frozenset[str], random: st.DataObject
) -> None:
    def is_late(command: Command) -> bool:
        is_check = isinstance(command, ToolCalled) and command.capability == "documents.check"
        return is_check and command.args["document"]["id"] in late  # type: ignore[union-attr]

    expected = World(plan, without_judge(tools, late)).ask()
    bus = Bus(plan, tools, random, lost=is_late)
    bus.run(asked())
    assert finished(bus.log, 0) == [expected]
    assert bus.now < asked().deadline
    assert bus.saved is not None
    assert bus.saved.outstanding == ()
    checked = [e for e in bus.log.values() if e.kind is TurnEventKind.DOCUMENT_CHECKED]
    found = [e for e in bus.log.values() if e.kind is TurnEventKind.DOCUMENTS_FOUND]
    assert sorted((e.step, e.detail["id"]) for e in checked) == sorted(
        (e.step, d["id"]) for e in found for d in e.detail["documents"]
    )


@examples(200)
@given(plan=plans_with_search, tools=tool_sets(), keep=st.integers(0, 2**12 - 1), random=st.data())
def test_whatever_gets_lost_the_turn_ends_once_and_knows_its_documents(
    plan: Plan, tools: dict[str, Tool], keep: int, random: st.DataObject
) -> None:
    numbers: dict[str, int] = {}

    def is_lost(command: Command) -> bool:
        n = numbers.setdefault(command.message_id, len(numbers))
        return not keep >> n & 1 and n > 0

    bus = Bus(plan, tools, random, lost=is_lost)
    bus.run(asked())
    (response,) = finished(bus.log, 0)
    assert response is not None
    for made in response.steps:
        if made.research is None:
            continue
        error = made.research.error_info
        assert (error is None) == (made.status is Status.OK) == bool(made.research.sources)
        if error is None or error.error_type is not ErrorType.TIMEOUT:
            assert all(d.is_checked and d.relevance_reason for d in made.research.tracked_documents)


@examples(200)
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


@examples(200)
@given(
    plan=plans,
    tools=tool_sets(),
    remembered=layers,
    told=st.none() | layers,
    view=st.none() | views,
    later=views,
)
def test_what_is_done_for_a_message_is_done_for_the_map_beside_it(
    plan: Plan,
    tools: dict[str, Tool],
    remembered: tuple[LoadedLayer, ...],
    told: tuple[LoadedLayer, ...] | None,
    view: MapView | None,
    later: MapView,
) -> None:
    world = World(plan, tools, session=Session(layers=remembered))
    response = world.ask(asked().model_copy(update={"map_layers": told, "view": view}))
    for n, choice in enumerate([c.id for s in response.steps for c in s.choices][:2], start=1):
        world.ask(clicked(choice, exchange=f"x{n}").model_copy(update={"map_layers": (), "view": later}))
    shown = remembered if told is None else told
    for command in (c for d in world.decisions for c in d.commands):
        if isinstance(command, PlanRequested):
            assert (command.session.layers, command.session.view) == (shown, view)
        if isinstance(command, ActionPlanRequested):
            assert (command.layers, command.view) == (shown, view)
    seen = [c for d in world.decisions for c in d.changes if isinstance(c, MapSeen)]
    assert seen == ([] if told is None else [MapSeen(told)])
    assert world.turn is not None
    assert restored(world.turn) == world.turn


@examples(200)
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


@given(plan=plans, tools=tool_sets())
def test_a_saved_turn_reads_back_as_it_was(plan: Plan, tools: dict[str, Tool]) -> None:
    world = World(plan, tools)
    world.ask()
    assert world.turn is not None
    assert restored(world.turn) == world.turn
