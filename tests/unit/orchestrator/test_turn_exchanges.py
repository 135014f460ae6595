"""Who waits for the answers of a turn: retries, second clicks, timers, and those who belong to no turn."""

from datetime import timedelta

import pytest
from contracts.chat import ChatResponse, Step
from contracts.messages import ChatCancelled, PlanRequested, TurnReply, Usage
from contracts.plan import Plan
from contracts.session import OpenChoice, Session
from contracts.status import Status
from contracts.turns import TurnEventKind, TurnState
from world import (
    GOTO,
    LOAD,
    NOW,
    OEREB_HERE,
    OEREB_XY,
    SEED,
    World,
    answer,
    asked,
    called,
    clicked,
    plan,
    step,
    two_parcels,
)

from orchestrator import memory
from orchestrator.arrivals import ChatArrived, not_begun
from orchestrator.decision import Decision
from orchestrator.texts import text

EDGE = "edge.reply.1"


def waiting(*exchanges: str) -> World:
    """A turn for which several wait, each with a timer."""
    world = World(plan(GOTO))
    for exchange in exchanges:
        world.take(ChatArrived(asked(exchange=exchange), Session(), f"timer-{exchange}", SEED))
    return world


def one_step(message: str, intent: str = "clarify", status: Status = Status.ERROR) -> ChatResponse:
    return ChatResponse.of("req-1", (Step(intent=intent, status=status, message=message),))


class TestRetries:
    def test_all_who_wait_get_the_response_and_need_their_timers_no_more(self) -> None:
        world = waiting("x0", "x1")
        world.work()
        last = world.decisions[-1]
        assert [(place, reply.exchange) for place, reply in last.replies] == [(EDGE, "x0"), (EDGE, "x1")]
        assert last.replies[0][1].response == last.replies[1][1].response is not None
        assert last.timers == ("timer-x0", "timer-x1")

    def test_a_retry_of_what_still_runs_is_noted_and_told_nothing(self) -> None:
        world = waiting("x0", "x1")
        decision = world.decisions[-1]
        assert decision == Decision(turn=world.turn, changed=True, progress=decision.progress)
        assert [entry.kind for entry in decision.progress] == [TurnEventKind.STARTED]
        assert world.turn is not None
        assert [e.id for e in world.turn.rounds[0].exchanges] == ["x0", "x1"]

    def test_a_retry_of_what_is_finished_gets_its_response_alone(self) -> None:
        world = waiting("x0")
        world.work()
        reply = world.replies[-1]
        decision = world.take(ChatArrived(asked(exchange="x1"), Session(), "timer-x1"))
        mine = TurnReply(request_id="req-1", exchange="x1", response=reply.response)
        assert decision == Decision(turn=world.turn, changed=True, replies=((EDGE, mine),))

    def test_fifty_are_noted_and_the_others_answered_all_the_same(self) -> None:
        world = waiting("x0")
        world.work()
        for n in range(1, 50):
            assert world.take(ChatArrived(asked(exchange=f"x{n}"), Session())).changed
        assert world.turn is not None
        assert len(world.turn.rounds[0].exchanges) == 50
        decision = world.take(ChatArrived(asked(exchange="x50"), Session()))
        mine = TurnReply(request_id="req-1", exchange="x50", response=world.replies[0].response)
        assert decision == Decision(turn=world.turn, changed=False, replies=((EDGE, mine),))

    def test_while_it_runs_any_number_is_noted(self) -> None:
        world = waiting(*(f"x{n}" for n in range(52)))
        assert world.turn is not None
        assert len(world.turn.rounds[0].exchanges) == 52

    def test_a_redelivery_repeats_all_that_its_round_has_said(self) -> None:
        world = World(plan(OEREB_XY))
        world.tools["oereb.egrid_by_xy"] = two_parcels
        world.ask()
        world.ask(clicked("req-1.0.0"))
        first, second = (d for d in world.decisions if d.replies)
        for request, finished in ((asked(), first), (clicked("req-1.0.0"), second)):
            n = finished.progress[-1].round
            again = world.take(ChatArrived(request, Session()))
            told = (page for decision in world.decisions for page in decision.progress if page.round == n)
            assert again == Decision(
                turn=world.turn,
                changed=False,
                progress=tuple({page.message_id: page for page in told}.values()),
                replies=finished.replies,
                timers=finished.timers,
            )

    def test_a_redelivery_of_what_runs_repeats_what_is_outstanding(self) -> None:
        world = waiting("x0")
        again = world.take(ChatArrived(asked(), Session(), "timer-x0"))
        assert again == Decision(
            turn=world.turn,
            changed=False,
            commands=world.decisions[0].commands,
            progress=world.decisions[0].progress,
        )

    def test_a_late_answer_of_the_planner_repeats_the_first_round(self) -> None:
        world = World(plan(OEREB_XY))
        world.tools["oereb.egrid_by_xy"] = two_parcels
        world.take(ChatArrived(asked(), Session(), seed=SEED))
        late = answer(world.queue[0], world.plan, world.tools)
        world.work()
        world.ask(clicked("req-1.0.0"))
        assert {entry.round for entry in world.take(late).progress} == {0}

    def test_who_comes_at_the_deadline_is_answered_with_the_others(self) -> None:
        world = waiting("x0")
        world.now = NOW + timedelta(seconds=30)
        decision = world.take(ChatArrived(asked(exchange="late"), Session(), "timer-late"))
        assert [reply.exchange for _, reply in decision.replies] == ["x0", "late"]
        assert decision.timers == ("timer-x0", "timer-late")

    def test_before_the_deadline_nothing_ends(self) -> None:
        world = waiting("x0")
        world.now = NOW + timedelta(seconds=29.9)
        assert world.take(ChatArrived(asked(), Session())).replies == ()

    def test_another_session_gets_nothing_of_the_turn(self) -> None:
        world = waiting("x0")
        world.work()
        decision = world.take(ChatArrived(asked(session_id="other"), Session()))
        said = one_step("Das habe ich nicht verstanden. Bitte formuliere deine Frage anders.")
        mine = TurnReply(request_id="req-1", exchange="x0", response=said)
        assert decision == Decision(turn=None, changed=False, replies=((EDGE, mine),))


class TestNotBegun:
    def test_a_turn_that_was_cancelled_before_says_so_in_the_language_of_its_user(self) -> None:
        reply = TurnReply(request_id="req-1", exchange="x0", response=one_step(text("cancelled", "fr")))
        assert not_begun(asked(language="fr")) == Decision(turn=None, changed=False, replies=((EDGE, reply),))

    def test_where_nobody_waits_nothing_is_said(self) -> None:
        assert not_begun(asked(reply_to=None)) == Decision(turn=None, changed=False)

    def test_an_event_of_an_unknown_turn_counts_for_nothing(self) -> None:
        event = answer(waiting("x0").queue[0], plan(GOTO), {})
        assert World(plan()).take(event) == Decision(turn=None, changed=False)

    def test_a_message_of_no_words_is_an_empty_one(self) -> None:
        world = World(plan())
        world.ask(asked().model_copy(update={"user_message": None}))
        assert called(world, PlanRequested)[0].user_message == ""


class TestForwarded:
    def test_the_edge_is_told_the_choice_that_the_message_answers(self) -> None:
        world = World(Plan(choice_id="req-0.0.1"))
        world.take(ChatArrived(asked(), Session(), "timer-x0", SEED))
        planned = answer(world.queue.pop(0), world.plan, world.tools)
        decision = world.take(planned.model_copy(update={"usage": Usage(calls=1, input_tokens=7)}))
        reply = TurnReply(request_id="req-1", exchange="x0", choice_id="req-0.0.1")
        assert (decision.replies, decision.timers) == (((EDGE, reply),), ("timer-x0",))
        assert decision.turn is not None
        [only] = decision.turn.rounds
        assert (only.state, only.forwarded_to) == (TurnState.FORWARDED, "req-0.0.1")
        [end] = decision.progress
        usage = {"calls": 1, "inputTokens": 7, "outputTokens": 0}
        assert (end.kind, end.round) == (TurnEventKind.FINISHED, 0)
        assert end.detail == {"forwardedTo": "req-0.0.1", "usage": usage}


class TestClicks:
    def ambiguous(self, **request: str) -> World:
        world = World(plan(OEREB_XY, LOAD))
        world.tools["oereb.egrid_by_xy"] = two_parcels
        world.ask(asked(**request))
        return world

    @pytest.mark.parametrize(
        ("choice", "intent", "message"),
        [
            ("req-1.0.2", "oereb_extract", "Die gewählte Option konnte nicht gefunden werden."),
            ("req-1.1.0", "load_layer", "Die gewählte Option konnte nicht gefunden werden."),
            ("req-1.2.0", "clarify", "Die gewählte Option konnte nicht gefunden werden."),
        ],
    )
    def test_a_wrong_one_is_answered_in_a_round_of_its_own(
        self, choice: str, intent: str, message: str
    ) -> None:
        world = self.ambiguous()
        assert world.ask(clicked(choice)) == one_step(message, intent)
        assert world.turn is not None
        assert [(r.n, r.state, r.choice_id) for r in world.turn.rounds] == [
            (0, TurnState.FINISHED, None),
            (1, TurnState.FINISHED, choice),
        ]

    def test_the_one_that_was_taken_resumes_the_step_only(self) -> None:
        world = self.ambiguous()
        world.ask(clicked("req-1.0.1"))
        assert world.turn is not None
        assert [s.round for s in world.turn.steps] == [1, 0]
        assert world.turn.rounds[1].choice_id == "req-1.0.1"

    def test_what_could_be_chosen_is_kept_no_longer_than_it_can(self) -> None:
        world = self.ambiguous()
        world.take(ChatArrived(clicked("req-1.0.1"), Session()))
        assert world.turn is not None
        chosen = world.turn.steps[0]
        assert (chosen.options, chosen.expires_at, chosen.answer) == ((), None, None)

    def test_one_that_is_made_twice_is_made_once(self) -> None:
        world = self.ambiguous()
        world.take(ChatArrived(clicked("req-1.0.1"), Session()))
        second = world.take(ChatArrived(clicked("req-1.0.1", exchange="x2"), Session()))
        assert second == Decision(turn=world.turn, changed=True)
        assert world.turn is not None
        assert [e.id for e in world.turn.rounds[1].exchanges] == ["x1", "x2"]

    def test_after_a_refused_one_the_same_is_looked_at_anew(self) -> None:
        world = self.ambiguous()
        world.ask(clicked("req-1.0.9"))
        world.ask(clicked("req-1.0.9", exchange="x2"))
        assert world.turn is not None
        assert len(world.turn.rounds) == 3

    def test_a_refused_one_that_is_delivered_again_is_not_refused_again(self) -> None:
        world = self.ambiguous()
        world.ask(clicked("req-1.0.9"))
        refused = world.decisions[-1]
        again = world.take(ChatArrived(clicked("req-1.0.9"), Session()))
        assert (again.changed, again.replies) == (False, refused.replies)
        assert world.turn is not None
        assert len(world.turn.rounds) == 2

    def test_the_other_one_was_taken_already(self) -> None:
        world = self.ambiguous()
        world.ask(clicked("req-1.0.1"))
        said = world.ask(clicked("req-1.0.0", exchange="x2"))
        assert said == one_step("Diese Auswahl wurde bereits getroffen.", "oereb_extract")

    def test_steps_that_wait_for_another_one_stay_where_they_are(self) -> None:
        there = step("oereb_extract", ("oereb.egrid_by_xy", {"x": 1.0, "y": 2.0}))
        world = World(plan(there, OEREB_HERE, there, OEREB_HERE))
        world.tools["oereb.egrid_by_xy"] = two_parcels
        world.ask()
        world.take(ChatArrived(clicked("req-1.2.0"), Session()))
        assert world.turn is not None
        assert [s.round for s in world.turn.steps] == [0, 0, 1, 1]

    def test_fifty_rounds_are_kept_and_the_other_clicks_answered_all_the_same(self) -> None:
        world = self.ambiguous()
        answers = [world.ask(clicked("req-1.0.9", exchange=f"wrong{n}")) for n in range(60)]
        assert {each.overall_status for each in answers} == {Status.ERROR}
        assert world.turn is not None
        assert len(world.turn.rounds) == 50

    def test_an_expired_one_is_forgotten(self) -> None:
        world = self.ambiguous()
        opened = [c for d in world.decisions for c in d.changes if isinstance(c, memory.ChoiceOpened)]
        world.now = NOW + timedelta(hours=1)
        world.ask(clicked("req-1.0.1", deadline=world.now + timedelta(seconds=30)))
        assert world.decisions[-1].changes == (memory.ChoiceClosed(opened[0].choice),)

    @pytest.mark.parametrize(("seconds", "status"), [(899.9, Status.OK), (900, Status.ERROR)])
    def test_it_can_be_made_until_it_expires(self, seconds: float, status: Status) -> None:
        world = self.ambiguous()
        world.now = NOW + timedelta(seconds=seconds)
        response = world.ask(clicked("req-1.0.1", deadline=world.now + timedelta(seconds=30)))
        assert response.steps[0].status is status

    def test_one_of_another_session_or_turn_belongs_to_no_turn(self) -> None:
        world = self.ambiguous()
        unknown = one_step("Die gewählte Option konnte nicht gefunden werden.")
        none = one_step("Es liegt keine offene Auswahl für diese Sitzung vor.")
        open_elsewhere = Session(
            choices=(OpenChoice(request_id="req-9", step=0, options=(), expires_at=NOW),)
        )
        for session, said in ((Session(), none), (open_elsewhere, unknown)):
            arrived = ChatArrived(clicked("req-1.0.1", session_id="other"), session)
            mine = TurnReply(request_id="req-1", exchange="x1", response=said)
            assert world.take(arrived) == Decision(turn=None, changed=False, replies=((EDGE, mine),))
        stray = clicked("req-1.0.1").model_copy(update={"choice_id": "req-2.0.1"})
        [(_, reply)] = world.take(ChatArrived(stray, Session())).replies
        assert reply.response == none

    def test_it_is_answered_in_the_language_of_the_click(self) -> None:
        world = self.ambiguous(language="fr")
        world.ask(clicked("req-1.0.1", language="it"))
        assert world.turn is not None and world.turn.language == "it"


def test_of_two_rounds_that_run_only_the_one_that_was_left_gives_up_its_work() -> None:
    world = World(plan(OEREB_XY, LOAD))
    world.tools["oereb.egrid_by_xy"] = two_parcels
    world.take(ChatArrived(asked(), Session(), seed=SEED))
    late = None
    while world.queue:
        command = world.queue.pop(0)
        if command.task == "tool/0/1/0":
            late = answer(command, world.plan, world.tools)
            continue
        world.take(answer(command, world.plan, world.tools))
    world.take(ChatArrived(clicked("req-1.0.0"), Session()))
    cancel = ChatCancelled(request_id="req-1", session_id="s", deadline=NOW, exchange="c", left="x1")
    world.take(cancel)
    assert world.turn is not None
    assert [c.task for c in world.turn.outstanding] == ["tool/0/1/0"]
    assert [r.state for r in world.turn.rounds] == [TurnState.RUNNING, TurnState.CANCELLED]
    world.queue.clear()
    assert late is not None and world.take(late).changed


def test_cancelling_again_stops_again_and_says_nothing() -> None:
    world = waiting("x0")
    cancel = ChatCancelled(request_id="req-1", session_id="s", deadline=NOW, exchange="c")
    first = world.take(cancel)
    assert world.take(cancel) == Decision(turn=world.turn, changed=False, stopped=first.stopped)
    [end] = [e for e in world.log.values() if e.kind is TurnEventKind.FINISHED]
    assert end.response == one_step("Abgebrochen.")
