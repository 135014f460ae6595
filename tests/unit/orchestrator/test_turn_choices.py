"""Choices: offered, taken once, refused without harm."""

from datetime import timedelta
from typing import Any

import pytest
from contracts.messages import Outcome
from contracts.oereb import ExtractContent
from contracts.plan import Plan, PlanStep
from contracts.session import OpenChoice, Option, Session
from contracts.status import Status
from contracts.turns import TurnState
from world import (
    LOAD,
    NOW,
    NUMBER,
    OEREB_HERE,
    OEREB_XY,
    TOOLS,
    World,
    asked,
    calls_of,
    clicked,
    descriptor,
    extract,
    parcel,
    plan,
    step,
    two_parcels,
)

from orchestrator import memory
from orchestrator.arrivals import ChatArrived
from orchestrator.state import Phase


class TestConfirming:
    """The one item is only near to what was asked for."""

    def near(self, capability: str) -> World:
        world = World(plan(OEREB_XY))
        one = parcel(1) if capability == "oereb.egrid_by_xy" else extract(parcel(1).egrid)
        world.tools[capability] = lambda args: Outcome(items=(one,), confirm=True)
        return world

    @pytest.mark.parametrize("capability", ["oereb.egrid_by_xy", "oereb.extract_by_id"])
    def test_nothing_happens_before_it_is_confirmed(self, capability: str) -> None:
        world = self.near(capability)
        (step,) = world.ask().steps
        assert (step.status, step.map_actions) == (Status.NEEDS_USER_CHOICE, ())
        assert calls_of(world)[-1][0] == capability
        (choice,) = step.choices
        world.tools["oereb.extract_by_id"] = lambda args: Outcome(items=(extract(args["egrid"]),))
        (confirmed,) = world.ask(clicked(choice.id)).steps
        assert confirmed.status is Status.OK
        assert confirmed.map_actions


class TestOnceMore:
    """A source failed on the way: what there is is shown, and the same call can be made again."""

    def incomplete(self, *more: PlanStep) -> World:
        world = World(plan(OEREB_XY, *more))
        whole = world.tools["oereb.extract_by_id"]
        world.tools["oereb.extract_by_id"] = lambda args: whole(args).model_copy(update={"again": True})
        return world

    def test_what_there_is_is_shown_beside_the_offer(self) -> None:
        (step,) = self.incomplete().ask().steps
        assert step.status is Status.NEEDS_USER_CHOICE
        assert step.map_actions
        assert [c.id for c in step.choices] == ["req-1.0.0"]

    def test_the_same_call_is_made_again(self) -> None:
        world = self.incomplete()
        world.ask()
        world.tools["oereb.extract_by_id"] = lambda args: Outcome(items=(extract(args["egrid"]),))
        assert world.ask(clicked("req-1.0.0")).overall_status is Status.OK
        assert (
            calls_of(world)[-1] == calls_of(world)[-2] == ("oereb.extract_by_id", {"egrid": parcel(1).egrid})
        )

    def test_it_can_fail_again_and_be_tried_as_often(self) -> None:
        world = self.incomplete()
        offered = [world.ask().steps[0].choices[0].id]
        for n in range(3):
            offered.append(world.ask(clicked(offered[-1], exchange=f"again-{n}")).steps[0].choices[0].id)
        assert len(set(offered)) == len(offered)
        late = world.ask(clicked(offered[0], exchange="late"))
        assert late.steps[0].choices[0].id == offered[1]

    def test_steps_that_need_what_there_is_do_not_wait(self) -> None:
        more = step("oereb_extract", "oereb.extract_by_id")
        world = self.incomplete(more)
        assert [s.intent for s in world.ask().steps] == ["oereb_extract", "oereb_extract"]

    def test_a_step_for_which_it_is_not_enough_waits_for_the_next_try(self) -> None:
        world = World(plan(OEREB_XY, OEREB_HERE))
        whole = extract(parcel(1).egrid)
        unread = whole.model_copy(update={"coord": None})
        world.tools["oereb.extract_by_id"] = lambda args: Outcome(items=(unread,), again=True)
        assert [s.status for s in world.ask().steps] == [Status.NEEDS_USER_CHOICE]
        assert [s.status for s in world.ask(clicked("req-1.0.0")).steps] == [Status.NEEDS_USER_CHOICE]
        world.tools["oereb.extract_by_id"] = lambda args: Outcome(items=(whole,))
        last = world.ask(clicked("req-1.0.1", exchange="x2"))
        assert [s.status for s in last.steps] == [Status.OK, Status.OK]

    def test_of_several_that_need_it_those_go_on_for_which_it_is_enough(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        height = descriptor("terrain.height_by_xy", ("height",), x=NUMBER, y=NUMBER)
        monkeypatch.setitem(TOOLS, height.capability, height)
        here = step("height_query", height.capability)
        world = World(plan(OEREB_XY, here, step("oereb_extract", "oereb.extract_by_id")))
        unread = extract(parcel(1).egrid).model_copy(update={"coord": None})
        world.tools["oereb.extract_by_id"] = lambda args: Outcome(items=(unread,), again=True)
        assert [s.status for s in world.ask().steps] == [Status.NEEDS_USER_CHOICE] * 2
        assert world.turn is not None
        assert [s.phase for s in world.turn.steps] == [Phase.CHOOSING, Phase.WAITING, Phase.CHOOSING]

    def test_it_is_not_offered_for_ever(self) -> None:
        world = self.incomplete()
        response, tries = world.ask(), 0
        while response.steps[0].choices and tries < 60:
            tries += 1
            response = world.ask(clicked(response.steps[0].choices[0].id, exchange=f"again-{tries}"))
        assert tries == 49
        assert response.overall_status is Status.OK
        assert response.steps[0].map_actions

    def test_what_there_is_is_remembered_without_what_the_extract_says(self) -> None:
        world = self.incomplete()
        whole = world.tools["oereb.extract_by_id"]

        def with_content(args: dict[str, Any]) -> Outcome:
            outcome = whole(args)
            read = outcome.items[0].model_copy(update={"content": ExtractContent()})
            return outcome.model_copy(update={"items": (read,)})

        world.tools["oereb.extract_by_id"] = with_content
        world.ask()
        changes = [change for decision in world.decisions for change in decision.changes]
        assert memory.Selected(extract(parcel(1).egrid)) in changes


class TestChoice:
    def ambiguous(self, *more: PlanStep) -> World:
        world = World(plan(OEREB_XY, *more))
        world.tools["oereb.egrid_by_xy"] = two_parcels
        return world

    def test_several_items_are_offered_and_nothing_further_is_called(self) -> None:
        world = self.ambiguous()
        response = world.ask()
        assert response.overall_status is Status.NEEDS_USER_CHOICE
        assert [c.id for c in response.steps[0].choices] == ["req-1.0.0", "req-1.0.1"]
        assert [name for name, _ in calls_of(world)] == ["oereb.egrid_by_xy"]

    def test_the_chosen_item_resumes_the_step_under_the_same_request_id(self) -> None:
        world = self.ambiguous()
        world.ask()
        response = world.ask(clicked("req-1.0.1"))
        assert response.request_id == "req-1"
        assert [s.intent for s in response.steps] == ["oereb_extract"]
        assert calls_of(world)[-1] == ("oereb.extract_by_id", {"egrid": parcel(2).egrid})

    def test_steps_that_waited_for_the_choice_go_on_after_it(self) -> None:
        found = step("show_parcel", ("oereb.egrid_by_xy", {"x": 2600513.0, "y": 1215519.0}))
        world = World(plan(found, step("oereb_extract", "oereb.extract_by_id"), LOAD))
        world.tools["oereb.egrid_by_xy"] = two_parcels
        first = world.ask()
        assert [(s.intent, s.status) for s in first.steps] == [
            ("show_parcel", Status.NEEDS_USER_CHOICE),
            ("load_layer", Status.OK),
        ]
        second = world.ask(clicked("req-1.0.0"))
        assert [(s.intent, s.status) for s in second.steps] == [
            ("show_parcel", Status.OK),
            ("oereb_extract", Status.OK),
        ]
        assert calls_of(world)[-1] == ("oereb.extract_by_id", {"egrid": parcel(1).egrid})

    def test_a_choice_at_the_last_call_is_rendered_without_another_call(self) -> None:
        world = World(plan(LOAD))
        world.tools["layers.search"] = lambda args: Outcome(items=(parcel(1), parcel(2)))
        assert world.ask().overall_status is Status.NEEDS_USER_CHOICE
        response = world.ask(clicked("req-1.0.1"))
        assert response.overall_status is Status.OK
        assert parcel(2).label in response.steps[0].message
        assert len(calls_of(world)) == 1

    @pytest.mark.parametrize("wrong", ["req-1.0.9", "req-1.7.0"])
    def test_a_wrong_choice_leaves_the_choice_open(self, wrong: str) -> None:
        world = self.ambiguous()
        world.ask()
        refused = world.ask(clicked(wrong))
        assert refused.overall_status is Status.ERROR
        assert refused.steps[0].map_actions == ()
        assert world.ask(clicked("req-1.0.0", exchange="x2")).overall_status is Status.OK

    def test_without_an_open_choice_the_answer_says_so(self) -> None:
        world = World(plan(LOAD))
        response = world.ask(clicked("req-9.0.0"))
        assert response.steps[0].message == "Es liegt keine offene Auswahl für diese Sitzung vor."
        assert world.turn is None

    def test_an_unknown_choice_is_told_apart_from_none_at_all(self) -> None:
        other = OpenChoice(
            request_id="req-2", step=0, options=(Option(id="req-2.0.0", label="A"),), expires_at=NOW
        )
        response = World(plan(LOAD), session=Session(choices=(other,))).ask(clicked("req-9.0.0"))
        assert response.steps[0].message == "Die gewählte Option konnte nicht gefunden werden."

    def test_another_session_cannot_take_the_choice(self) -> None:
        world = self.ambiguous()
        world.ask()
        stolen = world.ask(clicked("req-1.0.0", session_id="thief"))
        assert stolen.overall_status is Status.ERROR
        assert world.turn is not None
        assert world.turn.steps[0].phase is Phase.CHOOSING

    def test_an_expired_choice_is_refused(self) -> None:
        world = self.ambiguous()
        world.ask()
        world.now += timedelta(minutes=16)
        response = world.ask(clicked("req-1.0.0", deadline=world.now + timedelta(seconds=30)))
        assert "abgelaufen" in response.steps[0].message
        assert memory.ChoiceClosed in {type(c) for c in world.decisions[-1].changes}

    def test_a_double_click_resumes_once_and_answers_both(self) -> None:
        world = self.ambiguous()
        world.ask()
        world.take(ChatArrived(clicked("req-1.0.0", exchange="a"), Session()))
        world.take(ChatArrived(clicked("req-1.0.0", exchange="b"), Session()))
        world.work()
        late = world.ask(clicked("req-1.0.0", exchange="c"))
        answers = {r.exchange: r.response for r in world.replies}
        assert answers["a"] == answers["b"] == late
        assert [name for name, _ in calls_of(world)].count("oereb.extract_by_id") == 1

    def test_the_other_option_cannot_be_taken_afterwards(self) -> None:
        world = self.ambiguous()
        world.ask()
        world.ask(clicked("req-1.0.0"))
        response = world.ask(clicked("req-1.0.1", exchange="x2"))
        assert response.steps[0].message == "Diese Auswahl wurde bereits getroffen."

    def test_a_second_choice_of_a_step_has_other_ids(self) -> None:
        world = self.ambiguous()
        world.tools["oereb.extract_by_id"] = lambda args: Outcome(items=(parcel(3), parcel(4)))
        world.ask()
        second = world.ask(clicked("req-1.0.0"))
        assert [c.id for c in second.steps[0].choices] == ["req-1.0.2", "req-1.0.3"]
        refused = world.ask(clicked("req-1.0.1", exchange="x2"))
        assert refused.steps[0].message == "Diese Auswahl wurde bereits getroffen."
        third = world.ask(clicked("req-1.0.3", exchange="x3"))
        assert parcel(4).label in third.steps[0].message

    def test_two_choices_of_one_message_are_independent(self) -> None:
        world = self.ambiguous(OEREB_XY)
        first = world.ask()
        assert [len(s.choices) for s in first.steps] == [2, 2]
        assert len(world.ask(clicked("req-1.1.0")).steps) == 1
        assert world.ask(clicked("req-1.0.1", exchange="x2")).overall_status is Status.OK

    def test_the_session_learns_of_the_choice_and_forgets_it(self) -> None:
        world = self.ambiguous()
        world.ask()
        opened = [c for d in world.decisions for c in d.changes if isinstance(c, memory.ChoiceOpened)]
        world.ask(clicked("req-1.0.0"))
        closed = [c for d in world.decisions for c in d.changes if isinstance(c, memory.ChoiceClosed)]
        assert [c.choice for c in opened] == [c.choice for c in closed]

    def test_a_message_that_answers_an_open_choice_is_forwarded(self) -> None:
        world = World(Plan(choice_id="req-0.0.1"))
        world.take(ChatArrived(asked(), Session()))
        world.work()
        assert world.replies[-1].choice_id == "req-0.0.1"
        assert world.turn is not None
        assert world.turn.view().state is TurnState.FORWARDED

    def test_endless_wrong_clicks_do_not_grow_the_turn(self) -> None:
        world = self.ambiguous()
        world.ask()
        for n in range(60):
            assert world.ask(clicked("req-1.0.9", exchange=f"wrong{n}")).overall_status is Status.ERROR
        assert world.turn is not None
        size = len(world.turn.to_json())
        for n in range(60):
            world.ask(clicked("req-1.0.9", exchange=f"again{n}"))
        assert len(world.turn.to_json()) == size
        assert world.ask(clicked("req-1.0.0", exchange="right")).overall_status is Status.OK
