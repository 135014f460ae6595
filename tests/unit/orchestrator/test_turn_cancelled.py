"""A turn that nobody wants any more ends at once, and says so once."""

import pytest
from contracts.messages import ChatCancelled, WorkCancelled
from contracts.plan import PlanStep, ToolCall
from contracts.status import Status
from contracts.turns import TurnEventKind, TurnState
from world import NOW, World, answer, asked, clicked, plan

from orchestrator.arrivals import ChatArrived

GEOCODE = PlanStep(
    intent="goto_address", calls=(ToolCall(capability="geolocation.geocode", args={"q": "a"}),)
)
LAYERS = PlanStep(intent="load_layer", calls=(ToolCall(capability="layers.search", args={"query": "b"}),))


def cancelled(exchange: str = "c0") -> ChatCancelled:
    return ChatCancelled(request_id="req-1", session_id="s", deadline=NOW, exchange=exchange)


def begun(*steps: PlanStep) -> World:
    """A turn that waits for its plan."""
    world = World(plan(*steps))
    world.take(ChatArrived(asked(), world.session, timer="timer-x0"))
    return world


def step_on(world: World) -> None:
    """Let the oldest command be answered."""
    world.take(answer(world.queue.pop(0), world.plan, world.tools))


def test_before_the_plan_a_turn_ends_with_one_step_that_says_so() -> None:
    world = begun(GEOCODE)
    decision = world.take(cancelled())
    ((_, reply),) = decision.replies
    assert reply.response is not None
    assert [(s.status, s.message) for s in reply.response.steps] == [(Status.ERROR, "Abgebrochen.")]
    assert decision.stopped == (WorkCancelled(request_id="req-1", round=0),)
    assert decision.timers == ("timer-x0",)


def test_what_is_done_stays_and_the_rest_is_given_up() -> None:
    world = begun(GEOCODE, LAYERS)
    step_on(world)
    step_on(world)
    # The first step has been found and waits for its map actions; end it.
    rendering = next(c for c in world.queue if c.kind == "actionplan.requested")
    world.queue.remove(rendering)
    world.take(answer(rendering, world.plan, world.tools))
    world.take(cancelled())
    response = world.replies[-1].response
    assert response is not None
    assert [s.status for s in response.steps] == [Status.OK, Status.ERROR]


def test_late_answers_change_nothing_and_there_is_one_terminal_event() -> None:
    world = begun(GEOCODE)
    step_on(world)
    world.take(cancelled())
    said = dict(world.log)
    world.work()
    assert world.log == said
    ends = [e for e in world.log.values() if e.kind is TurnEventKind.FINISHED]
    assert [e.detail for e in ends] == [{"cancelled": True}]
    assert world.turn is not None and world.turn.view().state is TurnState.CANCELLED


@pytest.mark.parametrize("waits", [PlanStep(intent="show_legend"), PlanStep(intent="answer", respond=True)])
def test_what_waits_for_a_step_that_is_given_up_is_not_begun(waits: PlanStep) -> None:
    world = begun(LAYERS, waits)
    step_on(world)
    world.take(cancelled())
    response = world.replies[-1].response
    assert response is not None
    assert [s.message for s in response.steps] == ["Abgebrochen."] * 2
    assert world.turn is not None and world.turn.view().state is TurnState.CANCELLED


def test_cancelling_twice_says_only_once_more_that_workers_can_stop() -> None:
    world = begun(GEOCODE)
    first = world.take(cancelled())
    second = world.take(cancelled("c1"))
    assert not second.changed and not second.progress and not second.replies
    assert second.stopped == first.stopped


def test_a_finished_turn_is_not_cancelled() -> None:
    world = World(plan(GEOCODE))
    world.ask()
    decision = world.take(cancelled())
    assert not decision.changed and decision.stopped == ()


def test_an_open_choice_survives_and_can_still_be_made() -> None:
    world = World(plan(LAYERS, GEOCODE))
    world.tools["layers.search"] = lambda args: world_of_two(world)
    world.ask()
    world.take(cancelled())
    chosen = world.ask(clicked("req-1.0.0"))
    assert chosen.overall_status is Status.OK


def test_only_the_running_round_of_a_choice_is_cancelled() -> None:
    world = World(plan(LAYERS))
    world.tools["layers.search"] = lambda args: world_of_two(world)
    world.ask()
    world.take(ChatArrived(clicked("req-1.0.0"), world.session, timer="timer-x1"))
    decision = world.take(cancelled())
    assert decision.stopped == (WorkCancelled(request_id="req-1", round=1),)
    assert world.turn is not None
    assert [r.state for r in world.turn.rounds] == [TurnState.FINISHED, TurnState.CANCELLED]


def world_of_two(world: World):  # type: ignore[no-untyped-def]
    """Two hits of whatever the stand-in finds."""
    from world import DEFAULT_TOOLS

    outcome = DEFAULT_TOOLS["layers.search"]({"query": "b"})
    (item,) = outcome.items
    other = item.model_copy(update={"id": "other", "label": "other"})
    return outcome.model_copy(update={"items": (item, other)})


def left(exchange: str) -> ChatCancelled:
    return cancelled().model_copy(update={"left": exchange})


def test_a_client_that_leaves_ends_only_what_nobody_else_waits_for() -> None:
    world = begun(GEOCODE)
    world.take(ChatArrived(asked(exchange="x1"), world.session))
    assert not world.take(left("x0")).changed
    assert not world.take(left("x1")).changed
    alone = begun(GEOCODE)
    assert alone.take(left("x0")).stopped == (WorkCancelled(request_id="req-1", round=0),)
