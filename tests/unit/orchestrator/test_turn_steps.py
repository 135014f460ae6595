"""Which step waits for which, and when one of several items has to be chosen."""

from datetime import timedelta
from typing import Any

import pytest
from contracts.actions import AddLayer, MapLayer
from contracts.chat import Choice, Step
from contracts.items import Item
from contracts.messages import ActionPlanRequested, Outcome
from contracts.plan import Plan, PlanStep
from contracts.session import LoadedLayer, Session
from contracts.status import Status
from world import (
    GOTO,
    LOAD,
    OEREB_HERE,
    TOOLS,
    World,
    answer,
    asked,
    called,
    calls_of,
    clicked,
    layer,
    parcel,
    plan,
    rendered,
    step,
    two_parcels,
)

from orchestrator.arrivals import ChatArrived

NUMBER_7 = ("parcels.by_number", {"number": "7", "municipality": "Messen"})
MESSEN = step("show_parcel", NUMBER_7)
EXTRACT = step("oereb_extract", "oereb.extract_by_id")


def where(world: World) -> dict[str, Any]:
    """The place at which the parcel of an extract was looked for."""
    return next(args for name, args in calls_of(world) if name == "oereb.egrid_by_xy")


class TestProvider:
    def test_the_nearest_earlier_step_gives_what_is_missing(self) -> None:
        world = World(plan(MESSEN, GOTO, OEREB_HERE))
        world.ask()
        assert where(world) == {"x": 2605899, "y": 1229278}
        world = World(plan(GOTO, MESSEN, OEREB_HERE))
        world.ask()
        assert where(world) == {"x": 2600520, "y": 1215519}

    @pytest.mark.parametrize("others", [1, 2, 3])
    def test_it_is_found_behind_steps_that_cannot(self, others: int) -> None:
        world = World(plan(GOTO, *[LOAD] * others, OEREB_HERE))
        world.ask()
        assert where(world) == {"x": 2605899, "y": 1229278}

    def test_a_nearer_one_that_finds_nothing_is_not_passed_over(self) -> None:
        world = World(plan(MESSEN, GOTO, OEREB_HERE))
        world.tools["geolocation.geocode"] = lambda args: Outcome()
        assert [s.status for s in world.ask().steps] == [
            Status.OK,
            Status.NEEDS_CLARIFICATION,
            Status.NEEDS_CLARIFICATION,
        ]
        assert "oereb.egrid_by_xy" not in dict(calls_of(world))

    def test_what_the_last_call_of_a_step_finds_counts(self) -> None:
        layers_there = step("load_layer", NUMBER_7, ("layers.search", {"query": "Wald"}))
        world = World(plan(GOTO, layers_there, OEREB_HERE))
        world.ask()
        assert where(world) == {"x": 2605899, "y": 1229278}

    def test_one_that_shows_several_gives_none_of_them(self, monkeypatch: pytest.MonkeyPatch) -> None:
        shown = TOOLS["parcels.by_number"].model_copy(update={"selects": False})
        monkeypatch.setitem(TOOLS, "parcels.by_number", shown)
        world = World(plan(MESSEN, EXTRACT))
        world.tools["parcels.by_number"] = two_parcels
        assert [s.status for s in world.ask().steps] == [Status.OK, Status.NEEDS_CLARIFICATION]

    def test_a_later_step_gives_nothing(self) -> None:
        response = World(plan(EXTRACT, MESSEN)).ask()
        assert [s.status for s in response.steps] == [Status.NEEDS_CLARIFICATION, Status.OK]

    def test_a_step_that_lacks_nothing_waits_for_none(self) -> None:
        world = World(plan(GOTO, MESSEN))
        world.tools["geolocation.geocode"] = lambda args: Outcome(status=Status.ERROR)
        assert [s.status for s in world.ask().steps] == [Status.ERROR, Status.OK]

    def test_without_a_step_that_can_the_session_gives_it(self) -> None:
        world = World(plan(LOAD, EXTRACT), session=Session(selections=(parcel(3),)))
        world.tools["layers.search"] = lambda args: Outcome()
        assert [s.status for s in world.ask().steps] == [Status.NEEDS_CLARIFICATION, Status.OK]
        assert ("oereb.extract_by_id", {"egrid": parcel(3).egrid}) in calls_of(world)

    def test_a_step_without_calls_or_with_an_unknown_tool_is_none(self) -> None:
        world = World(plan(GOTO, step("clear_map"), step("dance", "ballroom.dance"), OEREB_HERE))
        world.ask()
        assert where(world) == {"x": 2605899, "y": 1229278}


class TestLoading:
    """What is done to a layer waits until it is loaded: `Schutzwald inkl. Legende`."""

    FOREST = LoadedLayer(id="wald", label="Wald")

    @pytest.fixture(autouse=True)
    def layers_come_onto_the_map(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def shown(request: ActionPlanRequested) -> tuple[Step, tuple[Item, ...]]:
            made, options = rendered(request)
            layers = () if options else request.outcome.items
            added = (MapLayer(id=each.id, type="wms", source={}, label=each.label) for each in layers)
            actions = tuple(AddLayer(payload=each) for each in added)
            return made.model_copy(update={"map_actions": actions}), options

        monkeypatch.setattr("world.rendered", shown)

    def loaded(self, world: World) -> list[tuple[str, ...]]:
        """The layers that were there for each change of a layer."""
        changes = [each for each in called(world, ActionPlanRequested) if each.intent != "load_layer"]
        return [tuple(layer.label for layer in each.layers) for each in changes]

    def test_a_layer_can_be_changed_that_an_earlier_step_loads(self) -> None:
        legend = step("show_legend", name="Gewässerschutz")
        world = World(plan(legend, LOAD, legend), session=Session(layers=(self.FOREST,)))
        assert [s.status for s in world.ask().steps] == [Status.OK] * 3
        assert self.loaded(world) == [("Wald",), ("Wald", "Gewässerschutz")]

    def test_others_can_be_changed_whatever_came_of_it(self) -> None:
        world = World(plan(LOAD, step("show_legend", name="Wald")), session=Session(layers=(self.FOREST,)))
        world.tools["layers.search"] = lambda args: Outcome()
        assert [s.status for s in world.ask().steps] == [Status.NEEDS_CLARIFICATION, Status.OK]
        assert self.loaded(world) == [("Wald",)]

    @pytest.mark.parametrize("intent", ["remove_layer", "hide_layer", "show_layer"])
    def test_what_takes_layers_away_is_about_those_of_before(self, intent: str) -> None:
        world = World(plan(LOAD, step(intent, name="*")), session=Session(layers=(self.FOREST,)))
        assert [s.status for s in world.ask().steps] == [Status.OK, Status.OK]
        assert self.loaded(world) == [("Wald",)]

    def test_the_step_that_loads_it_is_waited_for(self) -> None:
        other = step("load_layer", ("layers.search", {"query": "Zonen"}))
        world = World(plan(LOAD, other, step("show_legend", name="gewässerschutz")))
        world.take(ChatArrived(asked(), world.session, "timer", "5eed"))
        world.take(answer(world.queue.pop(0), world.plan, world.tools))
        world.queue.reverse()
        world.work()
        assert self.loaded(world) == [("Gewässerschutz", "Zonen")]

    def test_at_the_deadline_it_ends_with_what_it_waits_for(self) -> None:
        world = World(plan(LOAD, step("show_legend", name="Gewässerschutz")))
        world.take(ChatArrived(asked(), world.session, "timer", "5eed"))
        world.take(answer(world.queue.pop(0), world.plan, world.tools))
        world.now += timedelta(seconds=31)
        world.take(ChatArrived(asked(), world.session, "timer", "5eed"))
        response = world.replies[-1].response
        assert response is not None
        assert [s.status for s in response.steps] == [Status.ERROR, Status.ERROR]

    def test_while_one_is_to_be_chosen_only_what_is_about_it_waits(self) -> None:
        about = step("show_legend", name="Gewässerschutz"), step("move_layer", to="top")
        other = step("set_layer_opacity", name="Wald", opacity=0.5)
        world = World(plan(LOAD, *about, other), session=Session(layers=(self.FOREST,)))
        world.tools["layers.search"] = lambda args: Outcome(items=(layer("Zonen"), layer("Areale")))
        response = world.ask()
        assert [s.intent for s in response.steps] == ["load_layer", "set_layer_opacity"]
        response = world.ask(clicked(response.steps[0].choices[1].id))
        assert [s.intent for s in response.steps] == ["load_layer", "show_legend", "move_layer"]
        assert self.loaded(world) == [("Wald",), ("Wald", "Areale"), ("Wald", "Areale")]


class TestChoosing:
    """What a tool finds is chosen from, or shown as a whole."""

    def status(self, found: Outcome, *, selects: bool, last: bool, monkeypatch: pytest.MonkeyPatch) -> Status:
        tool = TOOLS["parcels.by_number"].model_copy(update={"selects": selects})
        monkeypatch.setitem(TOOLS, "parcels.by_number", tool)
        more = () if last else ("oereb.extract_by_id",)
        world = World(plan(step("oereb_extract", NUMBER_7, *more)))
        world.tools["parcels.by_number"] = lambda args: found
        [step_of_it] = world.ask().steps
        requests = called(world, ActionPlanRequested)
        assert requests[0].choose is (step_of_it.status is Status.NEEDS_USER_CHOICE)
        return step_of_it.status

    @pytest.mark.parametrize(
        ("items", "confirm", "selects", "last", "status"),
        [
            (2, False, True, True, Status.NEEDS_USER_CHOICE),
            (2, False, True, False, Status.NEEDS_USER_CHOICE),
            (2, False, False, True, Status.OK),
            (2, False, False, False, Status.NEEDS_USER_CHOICE),
            (2, True, False, True, Status.NEEDS_USER_CHOICE),
            (1, False, True, True, Status.OK),
            (1, False, True, False, Status.OK),
            (1, False, False, True, Status.OK),
            (1, True, True, True, Status.NEEDS_USER_CHOICE),
            (1, True, False, True, Status.NEEDS_USER_CHOICE),
            (1, True, True, False, Status.NEEDS_USER_CHOICE),
        ],
    )
    def test_one_of_several_where_one_is_needed_and_the_one_that_is_only_near(
        self,
        items: int,
        confirm: bool,
        selects: bool,
        last: bool,
        status: Status,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        found: tuple[Item, ...] = tuple(parcel(n + 1) for n in range(items))
        outcome = Outcome(items=found, confirm=confirm)
        assert self.status(outcome, selects=selects, last=last, monkeypatch=monkeypatch) is status

    def test_what_was_chosen_last_is_rendered_and_not_looked_for_again(self) -> None:
        """Not even where the same call may find more: that is offered beside one item only."""
        world = World(plan(MESSEN))
        world.tools["parcels.by_number"] = lambda args: Outcome(items=(parcel(1), parcel(2)), again=True)
        world.ask()
        world.ask(clicked("req-1.0.1"))
        assert calls_of(world) == [NUMBER_7]
        requests = called(world, ActionPlanRequested)
        assert [(r.choose, r.outcome.items) for r in requests] == [
            (True, (parcel(1), parcel(2))),
            (False, (parcel(2),)),
        ]

    def test_a_choice_that_only_the_action_planner_sees_is_rendered_too(self) -> None:
        world = World(plan(MESSEN))
        world.take(ChatArrived(asked(), Session()))
        for _ in range(2):
            world.take(answer(world.queue.pop(0), world.plan, world.tools))
        [rendering] = world.queue
        world.queue.clear()
        made = answer(rendering, world.plan, world.tools)
        choices = (Choice(id="req-1.0.0", label="A"), Choice(id="req-1.0.1", label="B"))
        offered = Step(intent="show_parcel", status=Status.NEEDS_USER_CHOICE, message="?", choices=choices)
        world.take(made.model_copy(update={"answer": offered, "options": (parcel(1), parcel(2))}))
        assert world.ask(clicked("req-1.0.0")).overall_status is Status.OK
        assert calls_of(world) == [NUMBER_7]

    def test_a_step_without_calls_leaves_nothing_to_choose(self) -> None:
        world = World(plan(step("clear_map")))
        world.ask()
        [request] = called(world, ActionPlanRequested)
        assert (request.choose, request.outcome) == (False, Outcome(items=()))


class TestTooManySteps:
    def test_ten_are_done(self) -> None:
        response = World(plan(*[LOAD] * 10)).ask()
        assert [s.status for s in response.steps] == [Status.OK] * 10

    def test_eleven_are_not_begun_and_the_limit_is_told(self) -> None:
        world = World(plan(*[LOAD] * 11))
        [only] = world.ask().steps
        assert only.status is Status.NEEDS_CLARIFICATION
        assert "10" in only.message
        assert calls_of(world) == []

    def test_none_is_not_understood(self) -> None:
        [only] = World(plan()).ask().steps
        assert only.status is Status.NEEDS_CLARIFICATION
        assert "10" not in only.message


class TestSuggestions:
    def test_what_a_tool_suggests_where_it_finds_nothing_is_told(self) -> None:
        world = World(plan(GOTO))
        tried = (
            "Gehe nach Olten",
            "Gehe nach Messen",
            "Gehe nach Olten",
            "Gehe nach Balm",
            "Gehe nach Lommiswil",
        )
        world.tools["geolocation.geocode"] = lambda args: Outcome(message="Nichts.", suggestions=tried)
        assert world.ask().steps[0].suggestions == ("Gehe nach Olten", "Gehe nach Messen", "Gehe nach Balm")

    def test_what_the_planner_suggests_beside_a_question_is_told(self) -> None:
        asks = PlanStep(
            intent="clarify",
            status=Status.NEEDS_CLARIFICATION,
            message="Welcher Layer?",
            suggestions=("Wald",),
        )
        assert World(Plan(steps=(asks,))).ask().steps[0].suggestions == ("Wald",)

    def test_nobody_is_told_to_say_the_same_again(self) -> None:
        world = World(plan(GOTO))
        world.tools["geolocation.geocode"] = lambda args: Outcome(suggestions=("Gehe nach Olten",))
        assert world.ask(asked("Gehe nach Olten")).steps[0].suggestions is None
