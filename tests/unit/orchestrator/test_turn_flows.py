"""The rules of a turn, one behaviour a test."""

from datetime import timedelta

import pytest
from contracts.items import Address
from contracts.messages import ActionPlanRequested, Outcome, PlanRequested, ToolCalled
from contracts.plan import Plan, PlanStep
from contracts.session import LoadedLayer, MapView, Session
from contracts.status import Status
from contracts.turns import TurnEventKind
from world import (
    GOTO,
    LOAD,
    NOW,
    OEREB_HERE,
    OEREB_XY,
    World,
    address,
    answer,
    asked,
    called,
    calls_of,
    clicked,
    parcel,
    plan,
    step,
    two_parcels,
)

from orchestrator import memory
from orchestrator.arrivals import ChatArrived

VIEW = MapView(
    center=(2600500, 1215500),
    extent=(2600000, 1215000, 2601000, 1216000),
    scale=5_000,
    point=(2600513, 1215519),
)


def test_a_single_step_is_answered() -> None:
    response = World(plan(GOTO)).ask()
    assert [s.intent for s in response.steps] == ["goto_address"]
    assert response.overall_status is Status.OK


def test_independent_steps_run_in_parallel_and_are_answered_in_the_order_of_the_plan() -> None:
    world = World(plan(GOTO, LOAD))
    world.take(ChatArrived(asked(), Session()))
    decision = world.take(answer(world.queue.pop(0), world.plan, world.tools))
    assert {c.capability for c in decision.commands if isinstance(c, ToolCalled)} == {
        "geolocation.geocode",
        "layers.search",
    }
    world.queue.reverse()
    world.work()
    response = world.replies[-1].response
    assert response is not None
    assert [s.intent for s in response.steps] == ["goto_address", "load_layer"]


def test_a_step_takes_what_it_lacks_from_the_step_before() -> None:
    world = World(plan(GOTO, OEREB_HERE))
    assert world.ask().overall_status is Status.OK
    assert ("oereb.egrid_by_xy", {"x": 2605899.0, "y": 1229278.0}) in calls_of(world)
    assert ("oereb.extract_by_id", {"egrid": parcel(1).egrid}) in calls_of(world)


def test_a_layer_between_does_not_hide_the_place() -> None:
    world = World(plan(GOTO, LOAD, OEREB_HERE))
    assert world.ask().overall_status is Status.OK
    assert ("oereb.egrid_by_xy", {"x": 2605899.0, "y": 1229278.0}) in calls_of(world)


def test_given_arguments_are_never_replaced_by_a_selection() -> None:
    world = World(plan(OEREB_XY), session=Session(selections=(address(),)))
    world.ask()
    assert calls_of(world)[0] == ("oereb.egrid_by_xy", {"x": 2600513.0, "y": 1215519.0})


def test_the_selection_of_the_session_fills_what_is_missing() -> None:
    world = World(plan(OEREB_HERE), session=Session(selections=(address(),)))
    assert world.ask().overall_status is Status.OK
    assert calls_of(world)[0] == ("oereb.egrid_by_xy", {"x": 2605899.0, "y": 1229278.0})


def test_an_address_id_is_no_egrid() -> None:
    odd = address(id="CH123456789012")
    world = World(plan(step("oereb_extract", "oereb.extract_by_id")), session=Session(selections=(odd,)))
    response = world.ask()
    assert response.overall_status is Status.NEEDS_CLARIFICATION
    assert calls_of(world) == []


def test_the_place_of_the_message_beats_the_remembered_one_even_when_it_is_not_found() -> None:
    world = World(plan(GOTO, OEREB_HERE), session=Session(selections=(parcel(7),)))
    world.tools["geolocation.geocode"] = lambda args: Outcome(message="Keine Treffer gefunden.")
    response = world.ask()
    assert [s.status for s in response.steps] == [Status.NEEDS_CLARIFICATION, Status.NEEDS_CLARIFICATION]
    assert [name for name, _ in calls_of(world)] == ["geolocation.geocode"]


def test_without_any_place_the_user_is_asked_for_one() -> None:
    response = World(plan(OEREB_HERE)).ask()
    assert response.overall_status is Status.NEEDS_CLARIFICATION
    assert "Adresse" in response.steps[0].message


def test_a_failed_step_skips_its_dependants_and_no_others() -> None:
    world = World(plan(GOTO, OEREB_HERE, LOAD))
    world.tools["geolocation.geocode"] = lambda args: Outcome(status=Status.ERROR, message="kaputt")
    response = world.ask()
    assert [s.status for s in response.steps] == [Status.ERROR, Status.ERROR, Status.OK]
    assert response.steps[0].message == "kaputt"
    assert response.steps[1].message.startswith("Übersprungen")
    assert response.overall_status is Status.ERROR


def test_nothing_found_is_a_question_and_not_an_error() -> None:
    world = World(plan(LOAD))
    world.tools["layers.search"] = lambda args: Outcome()
    assert world.ask().overall_status is Status.NEEDS_CLARIFICATION


def test_an_unknown_capability_fails_its_step_only() -> None:
    response = World(plan(step("dance", ("ballroom.dance", {})), LOAD)).ask()
    assert [s.status for s in response.steps] == [Status.ERROR, Status.OK]
    assert "ballroom.dance" in response.steps[0].message


def test_what_the_planner_already_answers_needs_no_tool() -> None:
    said = PlanStep(intent="answer", message="Grüezi!")
    unsure = PlanStep(intent="clarify", message="Was meinst du?", status=Status.NEEDS_CLARIFICATION)
    response = World(Plan(steps=(said, unsure))).ask()
    assert [(s.status, s.message) for s in response.steps] == [
        (Status.OK, "Grüezi!"),
        (Status.NEEDS_CLARIFICATION, "Was meinst du?"),
    ]


def test_a_step_without_tools_goes_to_the_action_planner_with_its_arguments_and_the_loaded_layers() -> None:
    loaded = (LoadedLayer(id="gws", label="Gewässerschutz"),)
    world = World(plan(step("remove_layer", name="Gewässerschutz")), session=Session(layers=loaded))
    assert world.ask().overall_status is Status.OK
    requested = world.decisions[1].commands[0]
    assert requested.kind == "actionplan.requested"
    assert requested.args == {"name": "Gewässerschutz"}
    assert requested.layers == loaded


@pytest.mark.parametrize("seen", [(), (LoadedLayer(id="wald", label="Wald"),)], ids=["empty", "another"])
def test_what_the_client_sees_on_its_map_beats_what_was_loaded(seen: tuple[LoadedLayer, ...]) -> None:
    remembered = Session(layers=(LoadedLayer(id="gws", label="Gewässerschutz"),))
    world = World(plan(step("remove_layer", name="Wald")), session=remembered)
    world.ask(asked().model_copy(update={"map_layers": seen}))
    assert called(world, PlanRequested)[0].session.layers == seen
    assert called(world, ActionPlanRequested)[0].layers == seen
    assert memory.MapSeen(seen) in world.decisions[0].changes


def test_where_the_map_is_goes_along_and_is_not_remembered() -> None:
    world = World(plan(OEREB_XY))
    world.tools["oereb.egrid_by_xy"] = two_parcels
    world.ask(asked().model_copy(update={"view": VIEW}))
    world.ask(clicked("req-1.0.0"))
    assert called(world, PlanRequested)[0].session.view == VIEW
    assert {command.view for command in called(world, ActionPlanRequested)} == {VIEW}
    assert not any(isinstance(c, memory.MapSeen) for d in world.decisions for c in d.changes)


@pytest.mark.parametrize("steps", [0, 11])
def test_an_empty_or_endless_plan_is_a_question(steps: int) -> None:
    response = World(plan(*[LOAD] * steps)).ask()
    assert response.overall_status is Status.NEEDS_CLARIFICATION
    assert len(response.steps) == 1


class TestDeadline:
    def late(self, world: World, request_exchange: str = "x0") -> None:
        world.now = NOW + timedelta(seconds=30)
        world.take(ChatArrived(asked(exchange=request_exchange), Session(), timer="again"))

    def test_a_turn_without_a_plan_ends_with_an_error(self) -> None:
        world = World(plan(GOTO))
        world.take(ChatArrived(asked(), Session()))
        self.late(world)
        assert world.replies[-1].response is not None
        assert world.replies[-1].response.overall_status is Status.ERROR

    def test_what_is_done_is_reported_and_the_rest_is_an_error(self) -> None:
        world = World(plan(GOTO, LOAD, step("oereb_extract", "oereb.egrid_by_xy", "oereb.extract_by_id")))
        world.take(ChatArrived(asked(), Session()))
        while world.queue:
            command = world.queue.pop(0)
            if isinstance(command, ToolCalled) and command.capability == "geolocation.geocode":
                continue
            world.take(answer(command, world.plan, world.tools))
        self.late(world)
        response = world.replies[-1].response
        assert response is not None
        assert [s.status for s in response.steps] == [Status.ERROR, Status.OK, Status.ERROR]

    def test_late_answers_change_nothing(self) -> None:
        world = World(plan(GOTO))
        world.take(ChatArrived(asked(), Session()))
        late = answer(world.queue.pop(0), world.plan, world.tools)
        self.late(world)
        before = world.turn
        decision = world.take(late)
        assert not decision.changed
        assert world.turn == before

    def test_a_finished_turn_lets_its_timer_go(self) -> None:
        world = World(plan(GOTO))
        world.ask()
        assert world.decisions[-1].timers == ("timer-x0",)

    def test_before_the_deadline_a_redelivery_repeats_what_is_outstanding(self) -> None:
        world = World(plan(GOTO))
        world.take(ChatArrived(asked(), Session()))
        again = world.take(ChatArrived(asked(), Session()))
        assert not again.changed
        assert [c.message_id for c in again.commands] == ["req-1/plan/"]


class TestMemory:
    def test_a_finished_turn_teaches_the_session_what_was_said_selected_and_loaded(self) -> None:
        world = World(plan(GOTO, LOAD))
        world.ask()
        changes = [c for d in world.decisions for c in d.changes]
        assert [c.entry.role for c in changes if isinstance(c, memory.Said)] == ["user", "assistant"]
        assert {c.item.family for c in changes if isinstance(c, memory.Selected)} == {"place", "layer"}

    def test_a_failed_step_selects_nothing(self) -> None:
        world = World(
            plan(step("oereb_extract", ("oereb.egrid_by_xy", {"x": 1.0, "y": 2.0}), "oereb.extract_by_id"))
        )
        world.tools["oereb.extract_by_id"] = lambda args: Outcome(status=Status.ERROR)
        world.ask()
        assert not [c for d in world.decisions for c in d.changes if isinstance(c, memory.Selected)]


def test_the_journal_tells_the_whole_story_in_order() -> None:
    world = World(plan(OEREB_XY))
    world.tools["oereb.egrid_by_xy"] = two_parcels
    world.ask()
    world.ask(clicked("req-1.0.0"))
    kinds = [e.kind for e in world.log.values()]
    assert kinds == [
        TurnEventKind.STARTED,
        TurnEventKind.PLAN_READY,
        TurnEventKind.STEP_STARTED,
        TurnEventKind.TOOL_CALLED,
        TurnEventKind.TOOL_RESULT,
        TurnEventKind.CHOICE_PENDING,
        TurnEventKind.FINISHED,
        TurnEventKind.CHOICE_MADE,
        TurnEventKind.STEP_STARTED,
        TurnEventKind.TOOL_CALLED,
        TurnEventKind.TOOL_RESULT,
        TurnEventKind.STEP_FINISHED,
        TurnEventKind.FINISHED,
    ]
    assert [e.n for e in world.log.values()] == list(range(len(kinds)))


def test_a_repeated_event_repeats_what_its_own_round_has_said() -> None:
    world = World(plan(OEREB_XY))
    world.tools["oereb.egrid_by_xy"] = two_parcels
    world.ask()
    world.take(ChatArrived(clicked("req-1.0.0"), Session()))
    late = answer(world.queue[0], world.plan, world.tools)
    world.work()
    again = world.take(late)
    assert not again.changed
    assert {entry.round for entry in again.progress} == {1}
    assert again.progress[-1].kind is TurnEventKind.FINISHED


def test_a_second_exchange_of_the_same_request_gets_the_same_response() -> None:
    world = World(plan(GOTO))
    first = world.ask()
    assert world.ask(asked(exchange="retry")) == first
    assert len(calls_of(world)) == 1


def test_endless_retries_get_their_response_and_do_not_grow_the_turn() -> None:
    world = World(plan(GOTO))
    first = world.ask()
    responses = [world.ask(asked(exchange=f"retry{n}")) for n in range(120)]
    assert all(response == first for response in responses)
    assert world.turn is not None
    assert len(world.turn.rounds[0].exchanges) <= 51


def test_an_item_without_coordinates_binds_nothing() -> None:
    nowhere = Address(id="1", label="x", street="x", postal_code="1", locality="x")
    response = World(plan(OEREB_HERE), session=Session(selections=(nowhere,))).ask()
    assert response.overall_status is Status.NEEDS_CLARIFICATION
