"""Answers to questions about documents, and why there is none, one behaviour a test."""

from collections.abc import Callable
from datetime import timedelta
from typing import Literal, TypeVar

import pytest
from contracts.chat import Step
from contracts.items import Document, ItemBase, Provenance
from contracts.messages import AnswerReady, AnswerRequested, Outcome
from contracts.plan import PlanStep
from contracts.research import ErrorInfo, ErrorType, Source
from contracts.session import HistoryEntry, Session
from contracts.status import Status
from contracts.turns import TurnEventKind
from research_world import QUERY, research_of, searching, told
from world import NOW, World, answer, asked, called, document, judgement, plan, proposal, step

from orchestrator.arrivals import ChatArrived
from orchestrator.transition import MAX_HISTORY

_I = TypeVar("_I", bound=ItemBase)


NOTE = "Durchsucht wurden Beispieldokumente."


def sample() -> Provenance:
    return Provenance(source="Beispiel", license="MIT", retrieved_at=NOW, sample=True)


def of_sample(item: _I) -> _I:
    return item.model_copy(update={"provenance": sample()})


def error_of(made: Step) -> ErrorInfo:
    error = research_of(made).error_info
    assert error is not None
    return error


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

    def test_that_they_are_a_sample_is_told_with_each_of_them_and_by_who_answers(self) -> None:
        world = searching()
        real = document(2).model_copy(update={"provenance": sample().model_copy(update={"sample": False})})
        items = (of_sample(document(1)), real, of_sample(proposal(1, "d1")), proposal(2, "d2"))
        world.tools["documents.retrieve"] = lambda args: Outcome(items=items, note=NOTE)
        (made,) = world.ask().steps
        (request,) = called(world, AnswerRequested)
        assert request.note == NOTE
        known = research_of(made)
        assert [each.sample for each in known.tracked_documents] == [True, None]
        assert [each.sample for each in known.tracked_proposals] == [True, None]
        (found,) = told(world, TurnEventKind.DOCUMENTS_FOUND)
        assert [each.get("sample") for each in found.detail["documents"]] == [True, None]
        assert [each.get("sample") for each in found.detail["proposals"]] == [True, None]

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

    def test_that_a_model_has_failed_is_noted_and_its_quotations_are_an_answer(self) -> None:
        world = searching()
        world.take(ChatArrived(asked(), Session()))
        while not called(world, AnswerRequested):
            world.take(answer(world.queue.pop(0), world.plan, world.tools))
        ready = answer(world.queue.pop(0), world.plan, world.tools)
        assert isinstance(ready, AnswerReady)
        world.take(ready.model_copy(update={"author": "extract", "model_error": ErrorType.TIMEOUT}))
        (made,) = world.replies[-1].response.steps  # type: ignore[union-attr]
        assert (made.status, made.message) == (Status.OK, ready.text)
        assert research_of(made).error_info is None
        (finished,) = told(world, TurnEventKind.STEP_FINISHED)
        assert finished.detail == {"author": "extract", "modelError": "timeout", "droppedCitations": 0}

    @pytest.mark.parametrize("cut", [True, None])
    def test_an_answer_that_ends_before_its_end_is_told_as_one(self, cut: Literal[True] | None) -> None:
        world = searching()
        world.take(ChatArrived(asked(), Session()))
        while not called(world, AnswerRequested):
            world.take(answer(world.queue.pop(0), world.plan, world.tools))
        ready = answer(world.queue.pop(0), world.plan, world.tools)
        world.take(ready.model_copy(update={"cut": cut}))
        (made,) = world.replies[-1].response.steps  # type: ignore[union-attr]
        assert (made.status, made.cut) == (Status.OK, cut)

    def test_what_documents_say_is_not_kept_with_the_turn(self) -> None:
        world = searching()
        world.take(ChatArrived(asked(), Session()))
        while world.queue:
            assert world.turn is not None
            kept = world.turn.kept(*world.turn.log())
            assert not [part for part in (kept.state, kept.view, *kept.journal) if b"Absatz" in part]
            world.take(answer(world.queue.pop(0), world.plan, world.tools))
        (asked_for,) = called(world, AnswerRequested)
        assert all("Absatz" in document.passages[0].text for document in asked_for.documents)
        assert world.turn is not None
        assert (world.turn.retrieved, world.turn.steps[0].findings) == ({}, None)

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

    @pytest.mark.parametrize("items", [(), (document(1),)], ids=["nothing found", "nothing relevant"])
    def test_what_was_searched_is_said_with_the_reason(self, items: tuple[Document, ...]) -> None:
        world = searching()
        world.tools["documents.retrieve"] = lambda args: Outcome(items=items, note=NOTE)
        world.tools["documents.check"] = lambda args: judgement("d1", False)
        (made,) = world.ask().steps
        error = error_of(made)
        assert made.message == error.message == f"{MESSAGES[error.error_type]} {NOTE}"

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
        assert error_of(made).details == {"missing": "documents.retrieve"}

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
    ErrorType.NO_TOOL_CALL: "In dieser Nachricht habe ich keine Frage an die Dokumente gefunden. "
    "Versuchen Sie es mit einer konkreteren Frage.",
    ErrorType.NO_DOCUMENTS_FOUND: "Es wurden leider keine Dokumente dazu gefunden. "
    "Versuchen Sie es mit anderen Suchbegriffen.",
    ErrorType.NO_RELEVANT_DOCUMENTS: "Es wurden Dokumente gefunden, aber keines davon war für die Frage "
    "relevant. Versuchen Sie es mit einer präziseren Fragestellung.",
    ErrorType.TIMEOUT: "Die Anfrage hat zu lange gedauert. Bitte versuche es in Kürze noch einmal.",
    ErrorType.CONTENT_POLICY_VIOLATION: "Deine Anfrage konnte aufgrund der Inhaltsrichtlinien nicht "
    "verarbeitet werden. Bitte stelle eine andere Frage.",
    ErrorType.SERVER_ERROR: "Ein interner Fehler ist aufgetreten.",
}
