"""Answers that are written from what the steps before have come to."""

from datetime import timedelta

import pytest
from contracts.messages import AnswerRequested, Outcome, ToolCalled
from contracts.plan import PlanStep
from contracts.session import HistoryEntry, Session
from contracts.status import Status
from contracts.turns import TurnEventKind
from world import (
    GOTO,
    LOAD,
    NOW,
    OEREB_XY,
    RESPOND,
    SEARCH,
    World,
    answer,
    asked,
    called,
    clicked,
    plan,
    two_parcels,
)

from orchestrator.arrivals import ChatArrived


def test_it_is_written_when_all_steps_before_are_done() -> None:
    world = World(plan(GOTO, LOAD, RESPOND))
    response = world.ask(asked("Zeig mir alles"))
    (request,) = called(world, AnswerRequested)
    assert [(r.intent, r.ok) for r in request.results] == [("goto_address", True), ("load_layer", True)]
    assert request.question == "Zeig mir alles"
    assert [s.intent for s in response.steps] == ["goto_address", "load_layer", "answer"]
    assert response.steps[2].message.startswith("Zu «Zeig mir alles»:\n- ✓ goto_address: ")


def test_it_does_not_wait_for_the_steps_after_it() -> None:
    world = World(plan(RESPOND, GOTO))
    world.ask()
    asked_for = [type(c) for d in world.decisions for c in d.commands]
    assert asked_for.index(AnswerRequested) < asked_for.index(ToolCalled) + 2
    assert called(world, AnswerRequested)[0].results == ()


def test_a_plain_question_is_answered_from_what_was_said_last() -> None:
    said = tuple(HistoryEntry(role="user", text=f"Frage {n}") for n in range(7))
    world = World(plan(RESPOND), session=Session(history=said))
    assert world.ask(asked("Warum?")).overall_status is Status.OK
    (request,) = called(world, AnswerRequested)
    assert (request.results, request.documents) == ((), ())
    assert [e.text for e in request.history] == ["Frage 3", "Frage 4", "Frage 5", "Frage 6", "Warum?"]


def test_steps_that_fail_are_told_and_prevent_nothing() -> None:
    world = World(plan(GOTO, LOAD, RESPOND))
    world.tools["geolocation.geocode"] = lambda args: Outcome(status=Status.ERROR, message="kaputt")
    world.tools["layers.search"] = lambda args: Outcome()
    response = world.ask()
    assert [s.status for s in response.steps] == [Status.ERROR, Status.NEEDS_CLARIFICATION, Status.OK]
    assert [(r.ok, r.text) for r in called(world, AnswerRequested)[0].results] == [
        (False, "kaputt"),
        (False, "Es wurde nichts gefunden. Bitte präzisiere deine Angabe."),
    ]


def test_only_the_last_results_go_along() -> None:
    world = World(plan(*[LOAD] * 6, GOTO, RESPOND))
    world.ask()
    assert [r.intent for r in called(world, AnswerRequested)[0].results] == [
        *["load_layer"] * 4,
        "goto_address",
    ]


@pytest.mark.parametrize(("chars", "written"), [(None, True), (0, True), (50, True), (51, False)])
def test_a_message_that_suffices_is_used_as_it_is(chars: int | None, written: bool) -> None:
    message = None if chars is None else "x" * chars
    world = World(plan(GOTO, RESPOND.model_copy(update={"message": message})))
    response = world.ask()
    assert bool(called(world, AnswerRequested)) is written
    assert (response.steps[1].message == message) is not written
    assert response.overall_status is Status.OK


def test_an_answer_that_could_not_be_written_apologises_itself() -> None:
    response = World(plan(GOTO, RESPOND)).ask(asked("Bombe"))
    assert [(s.status, s.message) for s in response.steps[1:]] == [(Status.ERROR, "Entschuldigung.")]
    assert response.steps[0].status is Status.OK


def test_an_empty_answer_is_none() -> None:
    world = World(plan(RESPOND))
    world.take(ChatArrived(asked(), Session()))
    while not called(world, AnswerRequested):
        world.take(answer(world.queue.pop(0), world.plan, world.tools))
    ready = answer(world.queue.pop(0), world.plan, world.tools)
    world.take(ready.model_copy(update={"text": " \n"}))
    response = world.replies[-1].response
    assert response is not None
    assert (response.overall_status, bool(response.steps[0].message)) == (Status.ERROR, True)


def test_with_an_open_choice_it_comes_with_the_answer_to_the_choice() -> None:
    world = World(plan(OEREB_XY, GOTO, RESPOND))
    world.tools["oereb.egrid_by_xy"] = two_parcels
    first = world.ask()
    assert [s.intent for s in first.steps] == ["oereb_extract", "goto_address"]
    assert called(world, AnswerRequested) == []
    second = world.ask(clicked("req-1.0.0"))
    assert [s.intent for s in second.steps] == ["oereb_extract", "answer"]
    assert [r.ok for r in called(world, AnswerRequested)[0].results] == [True, True]


def test_with_two_open_choices_it_comes_with_the_last_one() -> None:
    world = World(plan(OEREB_XY, OEREB_XY, RESPOND))
    world.tools["oereb.egrid_by_xy"] = two_parcels
    world.ask()
    assert [s.intent for s in world.ask(clicked("req-1.1.0")).steps] == ["oereb_extract"]
    last = world.ask(clicked("req-1.0.1", exchange="x2"))
    assert [s.intent for s in last.steps] == ["oereb_extract", "answer"]


@pytest.mark.parametrize("steps", [(OEREB_XY, GOTO), (GOTO, OEREB_XY), (OEREB_XY, OEREB_XY)])
def test_it_does_not_wait_for_an_offer_to_try_again(steps: tuple[PlanStep, ...]) -> None:
    world = World(plan(*steps, RESPOND))
    whole = world.tools["oereb.extract_by_id"]
    world.tools["oereb.extract_by_id"] = lambda args: whole(args).model_copy(update={"again": True})
    first = world.ask()
    assert [s.intent for s in first.steps] == [*(s.intent for s in steps), "answer"]
    offered = next(c.id for s in first.steps for c in s.choices)
    assert [s.intent for s in world.ask(clicked(offered)).steps] == ["oereb_extract"]
    (request,) = called(world, AnswerRequested)
    assert len(request.results) == 2


def test_two_of_them_come_one_after_the_other() -> None:
    world = World(plan(GOTO, RESPOND, RESPOND))
    response = world.ask()
    first, second = called(world, AnswerRequested)
    assert (len(first.results), len(second.results)) == (1, 2)
    assert second.results[1].text == response.steps[1].message


def test_a_document_answer_can_be_summed_up_with_the_rest() -> None:
    world = World(plan(SEARCH, RESPOND))
    response = world.ask()
    of_documents, of_results = called(world, AnswerRequested)
    assert of_documents.documents and not of_documents.results
    assert of_results.results[0].text == response.steps[0].message


@pytest.mark.parametrize("stuck", ["geolocation.geocode", "answer"])
def test_at_the_deadline_nothing_is_asked_for_any_more(stuck: str) -> None:
    world = World(plan(GOTO, RESPOND))
    world.take(ChatArrived(asked(), Session()))
    while world.queue:
        command = world.queue.pop(0)
        if stuck not in (getattr(command, "capability", ""), command.kind.partition(".")[0]):
            world.take(answer(command, world.plan, world.tools))
    world.now = NOW + timedelta(seconds=30)
    decision = world.take(ChatArrived(asked(), Session()))
    assert decision.commands == ()
    response = world.replies[-1].response
    assert response is not None
    assert response.steps[1].status is Status.ERROR
    assert "nicht rechtzeitig" in response.steps[1].message


def test_the_journal_names_the_author() -> None:
    world = World(plan(RESPOND))
    world.ask()
    (finished,) = [e for e in world.log.values() if e.kind is TurnEventKind.STEP_FINISHED]
    assert finished.detail == {"author": "template"}


def test_a_step_that_calls_tools_is_answered_by_them() -> None:
    world = World(plan(PlanStep(intent="answer", calls=GOTO.calls, respond=True)))
    assert world.ask().overall_status is Status.OK
    assert called(world, AnswerRequested) == []
