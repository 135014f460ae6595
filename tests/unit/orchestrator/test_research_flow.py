"""Questions about documents, one behaviour a test."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from contracts.chat import Step
from contracts.messages import AnswerReady, AnswerRequested, Outcome, ToolCalled
from contracts.plan import PlanStep
from contracts.research import ErrorInfo, ErrorType, Research, Source
from contracts.session import HistoryEntry, Session
from contracts.status import Status
from contracts.turns import TurnEvent, TurnEventKind
from world import (
    GOTO,
    NOW,
    SEARCH,
    World,
    answer,
    asked,
    called,
    document,
    judgement,
    plan,
    proposal,
    step,
)

from orchestrator.frame import MAX_HISTORY
from orchestrator.research import CHECK, MAX_DOCUMENTS
from orchestrator.turn import ChatArrived

QUERY = "Schutz des Grundwassers"


def searching(*judged: Outcome, found: Outcome | None = None, **values: Any) -> World:
    """A search that finds as many documents as are judged."""
    world = World(plan(SEARCH), **values)
    if judged:
        by_id = {f"d{n}": outcome for n, outcome in enumerate(judged, start=1)}
        items = tuple(document(n) for n in range(1, len(judged) + 1))
        world.tools["documents.retrieve"] = lambda args: Outcome(items=items)
        world.tools["documents.check"] = lambda args: by_id[args["document"]["id"]]
    if found is not None:
        world.tools["documents.retrieve"] = lambda args: found
    return world


def research_of(made: Step) -> Research:
    assert made.research is not None
    return made.research


def error_of(made: Step) -> ErrorInfo:
    error = research_of(made).error_info
    assert error is not None
    return error


def told(world: World, kind: TurnEventKind) -> list[TurnEvent]:
    return [event for event in world.log.values() if event.kind is kind]


def checks_of(world: World) -> list[ToolCalled]:
    return [c for c in called(world, ToolCalled) if c.capability == CHECK]


class TestChecks:
    def test_every_document_is_checked_at_the_same_time(self) -> None:
        world = searching()
        world.ask()
        batches = [[c for c in d.commands if isinstance(c, ToolCalled)] for d in world.decisions]
        (checks,) = [batch for batch in batches if batch and batch[0].capability == CHECK]
        assert [check.call for check in checks] == [1, 2, 3]
        assert checks[0].args == {
            "query": QUERY,
            "document": {
                "id": "d1",
                "name": "Bericht 1",
                "passages": [{"text": "Absatz aus Bericht 1.", "heading": "Grundwasser"}],
            },
        }

    @pytest.mark.parametrize(
        ("outcome", "reason"),
        [
            (
                Outcome(status=Status.ERROR, error_type=ErrorType.TIMEOUT),
                "Zeitüberschreitung bei der Relevanzprüfung, Dokument wird beibehalten.",
            ),
            (Outcome(status=Status.ERROR), "Prüfung fehlgeschlagen, Dokument wird beibehalten."),
            (Outcome(), "Prüfung nicht eindeutig."),
            (Outcome(items=(document(1),)), "Prüfung nicht eindeutig."),
            (judgement("d2", is_relevant=False), "Prüfung nicht eindeutig."),
            (
                Outcome(items=judgement("d1", False).items + judgement("d1", True).items),
                "Prüfung nicht eindeutig.",
            ),
        ],
    )
    def test_a_check_that_fails_keeps_its_document(self, outcome: Outcome, reason: str) -> None:
        (made,) = searching(outcome).ask().steps
        (kept,) = research_of(made).tracked_documents
        assert (kept.is_checked, kept.is_relevant, kept.relevance_reason) == (True, True, reason)
        assert made.status is Status.OK

    def test_without_a_check_all_documents_are_kept(self) -> None:
        world = searching()
        world.take(ChatArrived(asked(), Session()))
        ready = answer(world.queue.pop(0), world.plan, world.tools)
        known = tuple(t for t in getattr(ready, "tools", ()) if t.capability != CHECK)
        world.take(ready.model_copy(update={"tools": known}))
        world.work()
        assert checks_of(world) == []
        response = world.replies[-1].response
        assert response is not None and response.overall_status is Status.OK
        kept = research_of(response.steps[0]).tracked_documents
        assert {(d.is_checked, d.is_relevant, d.relevance_reason) for d in kept} == {
            (True, True, "Prüfung nicht verfügbar, Dokument wird beibehalten.")
        }

    def test_a_document_that_is_found_twice_is_checked_once(self) -> None:
        world = searching(found=Outcome(items=(document(1), document(2), document(1))))
        world.ask()
        assert [c.args["document"]["id"] for c in checks_of(world)] == ["d1", "d2"]

    def test_no_more_documents_are_checked_than_a_turn_can_hold(self) -> None:
        world = searching(found=Outcome(items=tuple(document(n) for n in range(50))))
        (made,) = world.ask().steps
        assert len(checks_of(world)) == len(research_of(made).tracked_documents) == MAX_DOCUMENTS

    def test_the_answer_of_a_check_that_comes_twice_counts_once(self) -> None:
        world = searching(judgement("d1"), judgement("d2"))
        world.take(ChatArrived(asked(), Session()))
        while not checks_of(world):
            world.take(answer(world.queue.pop(0), world.plan, world.tools))
        first = answer(world.queue[0], world.plan, world.tools)
        world.take(first)
        again = world.take(first)
        assert not again.changed
        assert [e.detail["checked"] for e in told(world, TurnEventKind.DOCUMENT_CHECKED)] == [1]


class TestLateChecks:
    def stuck(self, answers: int = 0) -> World:
        """A search of which only some checks are ever answered."""
        world = searching()
        world.take(ChatArrived(asked(), Session(), timer="timer-x0"))
        while not checks_of(world):
            world.take(answer(world.queue.pop(0), world.plan, world.tools))
        for _ in range(answers):
            world.take(answer(world.queue.pop(0), world.plan, world.tools))
        world.queue.clear()
        return world

    def wake(self, world: World, seconds: float) -> Any:
        world.now = NOW + timedelta(seconds=seconds)
        return world.take(ChatArrived(asked(), Session(), timer="timer-x0"))

    def test_the_timer_of_the_turn_is_due_when_the_checks_are(self) -> None:
        world = self.stuck()
        assert world.decisions[-1].wakes == (("timer-x0", NOW + timedelta(seconds=12)),)
        assert {c.deadline for c in checks_of(world)} == {NOW + timedelta(seconds=12)}

    def test_documents_that_nobody_judges_in_time_are_kept(self) -> None:
        world = self.stuck(answers=1)
        self.wake(world, 12)
        world.work()
        response = world.replies[-1].response
        assert response is not None
        reasons = [d.relevance_reason for d in research_of(response.steps[0]).tracked_documents]
        assert reasons[0] == "Passt zur Frage."
        assert set(reasons[1:]) == {"Zeitüberschreitung bei der Relevanzprüfung, Dokument wird beibehalten."}
        assert response.overall_status is Status.OK

    def test_before_that_the_checks_stay_open(self) -> None:
        world = self.stuck()
        again = self.wake(world, 11.9)
        assert not again.changed
        assert {c.capability for c in again.commands} == {CHECK}

    def test_a_judgement_that_comes_after_that_changes_nothing(self) -> None:
        world = self.stuck()
        late = answer(checks_of(world)[0], world.plan, world.tools)
        self.wake(world, 12)
        assert not world.take(late).changed

    def test_a_repeated_event_repeats_when_the_timer_is_due(self) -> None:
        world = self.stuck()
        assert self.wake(world, 1).wakes == (("timer-x0", NOW + timedelta(seconds=12)),)

    def test_when_all_checks_are_answered_the_timer_is_due_at_the_deadline_again(self) -> None:
        world = self.stuck()
        for check in checks_of(world):
            world.take(answer(check, world.plan, world.tools))
        assert world.decisions[-1].wakes == (("timer-x0", NOW + timedelta(seconds=30)),)

    def test_the_checks_of_a_search_that_took_longer_are_waited_for_too(self) -> None:
        world = World(plan(SEARCH, SEARCH))
        world.take(ChatArrived(asked(), Session(), timer="timer-x0"))
        world.take(answer(world.queue.pop(0), world.plan, world.tools))
        first, second = world.queue
        world.queue.clear()
        world.take(answer(first, world.plan, world.tools))
        world.now = NOW + timedelta(seconds=5)
        world.take(answer(second, world.plan, world.tools))
        assert world.decisions[-1].wakes == (("timer-x0", NOW + timedelta(seconds=17)),)
        assert not self.wake(world, 12).changed
        world.queue.clear()
        self.wake(world, 17)
        world.work()
        response = world.replies[-1].response
        assert response is not None and response.overall_status is Status.OK

    def test_checks_never_outlast_their_turn(self) -> None:
        world = searching()
        world.now = NOW + timedelta(seconds=25)
        world.ask()
        assert {c.deadline for c in checks_of(world)} == {NOW + timedelta(seconds=30)}

    def test_without_documents_a_timer_is_never_moved(self) -> None:
        world = World(plan(GOTO))
        world.ask()
        assert [d.wakes for d in world.decisions if d.wakes] == []


class TestAnswer:
    def test_it_is_written_from_the_relevant_documents_in_their_order_and_from_their_proposals(self) -> None:
        world = searching()
        world.tools["documents.check"] = lambda args: judgement(
            args["document"]["id"], is_relevant=args["document"]["id"] != "d2"
        )
        world.tools["documents.retrieve"] = lambda args: Outcome(
            items=(
                document(3),
                document(2),
                document(1),
                proposal(1, "d2"),
                proposal(2, "d2", "d1"),
                proposal(3),
            )
        )
        (made,) = world.ask(asked("Und wie?")).steps
        (request,) = called(world, AnswerRequested)
        assert request.documents == (document(3), document(1))
        assert [p.id for p in request.proposals] == ["p2"]
        assert request.question == QUERY
        assert made.message == "Zu «Schutz des Grundwassers»:\n- Bericht 3 [1]\n- Bericht 1 [2]"
        known = research_of(made)
        assert (known.user_query, known.initial_question) == (QUERY, "Und wie?")
        assert [(d.id, d.is_relevant) for d in known.tracked_documents] == [
            ("d3", True),
            ("d2", False),
            ("d1", True),
        ]
        assert [p.identifier for p in known.tracked_proposals] == ["A 2/2026"]
        assert [(s.n, s.id) for s in known.sources] == [(1, "d3"), (2, "d1")]
        assert known.error_info is None

    def test_what_was_said_last_goes_along_and_ends_with_the_message(self) -> None:
        said = tuple(HistoryEntry(role="user", text=f"Frage {n}") for n in range(9))
        world = searching(session=Session(history=said))
        world.ask(asked("Und die Kosten?"))
        (request,) = called(world, AnswerRequested)
        assert [entry.text for entry in request.history] == [
            *(f"Frage {n}" for n in range(5, 9)),
            "Und die Kosten?",
        ]
        assert len(request.history) == MAX_HISTORY

    def test_a_source_that_is_no_relevant_document_is_dropped_and_counted(self) -> None:
        world = searching(judgement("d1"), judgement("d2", is_relevant=False))
        world.take(ChatArrived(asked(), Session()))
        while not called(world, AnswerRequested):
            world.take(answer(world.queue.pop(0), world.plan, world.tools))
        ready = answer(world.queue.pop(0), world.plan, world.tools)
        assert isinstance(ready, AnswerReady)
        invented = tuple(Source(n=n, id=i, name=i, url="x") for n, i in ((2, "d2"), (3, "d9")))
        world.take(ready.model_copy(update={"sources": ready.sources + invented, "dropped_citations": 1}))
        (made,) = world.replies[-1].response.steps  # type: ignore[union-attr]
        assert [source.id for source in research_of(made).sources] == ["d1"]
        (finished,) = told(world, TurnEventKind.STEP_FINISHED)
        assert finished.detail == {"author": "template", "droppedCitations": 3}

    def test_passages_leave_the_turn_when_the_answer_is_asked_for(self) -> None:
        world = searching()
        world.take(ChatArrived(asked(), Session()))
        while not called(world, AnswerRequested):
            world.take(answer(world.queue.pop(0), world.plan, world.tools))
        assert world.turn is not None
        without_outbox = world.turn.model_copy(update={"outstanding": ()})
        assert b"Absatz" in world.turn.to_json()
        assert b"Absatz" not in without_outbox.to_json()
        world.work()
        assert b"Absatz" not in world.turn.to_json()

    @pytest.mark.parametrize("error_type", [ErrorType.TIMEOUT, ErrorType.CONTENT_POLICY_VIOLATION, None])
    def test_an_answer_that_could_not_be_written_is_an_error_with_what_was_found(
        self, error_type: ErrorType | None
    ) -> None:
        world = searching()
        world.take(ChatArrived(asked(), Session()))
        while not called(world, AnswerRequested):
            world.take(answer(world.queue.pop(0), world.plan, world.tools))
        ready = answer(world.queue.pop(0), world.plan, world.tools)
        world.take(ready.model_copy(update={"text": " ", "sources": (), "error_type": error_type}))
        (made,) = world.replies[-1].response.steps  # type: ignore[union-attr]
        assert made.status is Status.ERROR
        assert error_of(made).error_type is (error_type or ErrorType.SERVER_ERROR)
        assert len(research_of(made).tracked_documents) == 3


class TestNoAnswer:
    @pytest.mark.parametrize(
        ("world", "error_type", "status"),
        [
            (lambda: searching(found=Outcome()), ErrorType.NO_DOCUMENTS_FOUND, Status.NEEDS_CLARIFICATION),
            (
                lambda: searching(found=Outcome(items=(proposal(1, "d1"),))),
                ErrorType.NO_DOCUMENTS_FOUND,
                Status.NEEDS_CLARIFICATION,
            ),
            (
                lambda: searching(judgement("d1", False), judgement("d2", False)),
                ErrorType.NO_RELEVANT_DOCUMENTS,
                Status.NEEDS_CLARIFICATION,
            ),
            (lambda: searching(found=Outcome(status=Status.ERROR)), ErrorType.SERVER_ERROR, Status.ERROR),
            (
                lambda: searching(found=Outcome(status=Status.ERROR, error_type=ErrorType.TIMEOUT)),
                ErrorType.TIMEOUT,
                Status.ERROR,
            ),
            (
                lambda: World(plan(step("search_documents"))),
                ErrorType.NO_TOOL_CALL,
                Status.NEEDS_CLARIFICATION,
            ),
            (
                lambda: World(
                    plan(PlanStep(intent="search_documents", error_type=ErrorType.CONTENT_POLICY_VIOLATION))
                ),
                ErrorType.CONTENT_POLICY_VIOLATION,
                Status.ERROR,
            ),
        ],
    )
    def test_the_reason_is_told_with_other_questions_and_nothing_is_written(
        self, world: Callable[[], World], error_type: ErrorType, status: Status
    ) -> None:
        asking = world()
        (made,) = asking.ask(asked("Was gilt für das Grundwasser?")).steps
        error = error_of(made)
        assert (error.error_type, made.status) == (error_type, status)
        assert made.message == error.message == MESSAGES[error_type]
        assert 2 <= len(error.suggestions) <= 3
        assert called(asking, AnswerRequested) == []
        assert research_of(made).initial_question == "Was gilt für das Grundwasser?"

    def test_rejected_documents_are_listed_with_their_reasons_and_their_proposals_go_with_them(self) -> None:
        world = searching()
        world.tools["documents.check"] = lambda args: judgement(args["document"]["id"], False, "Verkehr.")
        (made,) = world.ask().steps
        assert error_of(made).details == {
            "total_checked": 3,
            "reasons": [{"name": f"Bericht {n}", "reason": "Verkehr."} for n in (1, 2, 3)],
        }
        assert research_of(made).tracked_proposals == ()

    def test_the_suggestions_of_the_search_come_first(self) -> None:
        offered = ("Wo liegen Schutzzonen?", "Wer überwacht Quellen?")
        world = searching(found=Outcome(suggestions=offered))
        suggestions = error_of(world.ask().steps[0]).suggestions
        assert suggestions[:2] == offered
        assert len(suggestions) == 3

    def test_they_come_first_also_when_it_turns_out_later_that_nothing_is_relevant(self) -> None:
        world = searching()
        found = Outcome(items=(document(1),), suggestions=("Wo liegen Schutzzonen?",))
        world.tools["documents.retrieve"] = lambda args: found
        world.tools["documents.check"] = lambda args: judgement("d1", False)
        assert error_of(world.ask().steps[0]).suggestions[0] == "Wo liegen Schutzzonen?"

    def test_a_search_without_its_tool_is_an_error(self) -> None:
        world = searching()
        world.take(ChatArrived(asked(), Session()))
        ready = answer(world.queue.pop(0), world.plan, world.tools)
        world.take(ready.model_copy(update={"tools": ()}))
        (made,) = world.replies[-1].response.steps  # type: ignore[union-attr]
        assert error_of(made).error_type is ErrorType.SERVER_ERROR

    @pytest.mark.parametrize("cut", range(8))
    def test_at_the_deadline_everything_found_so_far_is_told(self, cut: int) -> None:
        world = searching()
        world.take(ChatArrived(asked(agent="riskiagent"), Session()))
        for _ in range(cut):
            if len(world.queue) > (cut == 7):
                world.take(answer(world.queue.pop(0), world.plan, world.tools))
        found = bool(told(world, TurnEventKind.DOCUMENTS_FOUND))
        checked = len(told(world, TurnEventKind.DOCUMENT_CHECKED))
        done = bool(world.replies)
        world.now = NOW + timedelta(seconds=30)
        world.take(ChatArrived(asked(agent="riskiagent"), Session()))
        (made,) = world.replies[-1].response.steps  # type: ignore[union-attr]
        if not done:
            assert (made.intent, made.status) == ("search_documents", Status.ERROR)
            assert error_of(made).error_type is ErrorType.TIMEOUT
        tracked = research_of(made).tracked_documents
        assert len(tracked) == (3 if found else 0)
        assert sum(d.is_checked for d in tracked) == checked
        assert len(told(world, TurnEventKind.FINISHED)) == 1


MESSAGES = {
    ErrorType.NO_TOOL_CALL: "Das Modell hat kein Werkzeug aufgerufen. "
    "Bitte versuchen Sie es mit einer konkreteren Frage.",
    ErrorType.NO_DOCUMENTS_FOUND: "Es wurden leider keine Dokumente zu Ihrer Anfrage gefunden. "
    "Versuchen Sie es mit anderen Suchbegriffen.",
    ErrorType.NO_RELEVANT_DOCUMENTS: "Es wurden Dokumente gefunden, aber keines davon war für Ihre Anfrage "
    "relevant. Versuchen Sie es mit einer präziseren Frage.",
    ErrorType.TIMEOUT: "Die Anfrage hat zu lange gedauert. Bitte versuchen Sie es in Kürze erneut.",
    ErrorType.CONTENT_POLICY_VIOLATION: "Ihre Anfrage konnte aufgrund der Inhaltsrichtlinien nicht "
    "verarbeitet werden. Bitte stellen Sie eine andere Frage.",
    ErrorType.SERVER_ERROR: "Ein interner Fehler ist aufgetreten.",
}
