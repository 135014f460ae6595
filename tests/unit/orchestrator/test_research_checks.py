"""The checks of documents, one behaviour a test."""

from datetime import timedelta
from typing import Any

import pytest
from contracts.messages import Outcome, ToolCalled
from contracts.research import ErrorType
from contracts.session import Session
from contracts.status import Status
from contracts.turns import TurnEventKind
from research_world import QUERY, research_of, searching, told
from world import GOTO, NOW, SEARCH, World, answer, asked, called, document, judgement, plan

from orchestrator.arrivals import ChatArrived
from orchestrator.fanout import MAX_ITEMS


def checks_of(world: World) -> list[ToolCalled]:
    return [c for c in called(world, ToolCalled) if c.capability == "documents.check"]


class TestChecks:
    def test_every_document_is_checked_at_the_same_time(self) -> None:
        world = searching()
        world.ask()
        batches = [[c for c in d.commands if isinstance(c, ToolCalled)] for d in world.decisions]
        (checks,) = [batch for batch in batches if batch and batch[0].capability == "documents.check"]
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
        known = tuple(t for t in getattr(ready, "tools", ()) if t.capability != "documents.check")
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
        assert len(checks_of(world)) == len(research_of(made).tracked_documents) == MAX_ITEMS

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

    def test_of_several_who_wait_one_has_the_timer_of_all(self) -> None:
        world = searching()
        for exchange in ("x0", "x1"):
            world.take(ChatArrived(asked(exchange=exchange), Session(), timer=f"timer-{exchange}"))
        while not checks_of(world):
            world.take(answer(world.queue.pop(0), world.plan, world.tools))
        assert world.decisions[-1].wakes == (("timer-x0", NOW + timedelta(seconds=12)),)

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
        assert {c.capability for c in again.commands} == {"documents.check"}

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
