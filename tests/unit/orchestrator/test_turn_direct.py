"""A tool that is called by its name: no plan, no words, and what it finds is the answer as it is."""

from datetime import timedelta
from typing import Any

import pytest
from contracts.messages import (
    ActionPlanRequested,
    ChatCancelled,
    ChatRequested,
    Outcome,
    PlanRequested,
    ToolCalled,
)
from contracts.plan import ToolCall
from contracts.status import Status
from contracts.turns import TurnEventKind, TurnState
from world import NOW, World, address, answer, asked, called, calls_of, document, parcel, plan, two_parcels

from orchestrator import memory
from orchestrator.arrivals import ChatArrived

XY = {"x": 2600513.0, "y": 1215519.0}


def direct(capability: str, **args: Any) -> ChatRequested:
    request = asked()
    return request.model_copy(
        update={"user_message": None, "call": ToolCall(capability=capability, args=args)}
    )


def outcome_of(world: World) -> Outcome | None:
    assert world.turn is not None
    return world.turn.view().rounds[0].outcome


def test_the_tool_is_called_as_it_was_asked_and_nothing_else_happens() -> None:
    world = World(plan())
    world.tools["oereb.egrid_by_xy"] = two_parcels
    response = world.ask(direct("oereb.egrid_by_xy", **XY))
    assert calls_of(world) == [("oereb.egrid_by_xy", XY)]
    assert called(world, PlanRequested) == [] and called(world, ActionPlanRequested) == []
    assert [c.task for c in called(world, ToolCalled)] == ["tool/0/0/0"]
    started = next(iter(world.log.values()))
    assert (started.round, started.detail) == (0, {"call": "oereb.egrid_by_xy"})
    assert outcome_of(world) == Outcome(items=(parcel(1), parcel(2)))
    assert response.overall_status is Status.OK


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome(message="Keine Adresse gefunden.", status=Status.NEEDS_CLARIFICATION),
        Outcome(message="Kaputt.", status=Status.ERROR),
        Outcome(),
        Outcome(items=(document(1), document(2)), message="Zwei."),
    ],
)
def test_whatever_it_says_is_kept_unchanged(outcome: Outcome) -> None:
    world = World(plan())
    world.tools["documents.retrieve"] = lambda args: outcome
    world.ask(direct("documents.retrieve", query="Wasser"))
    assert outcome_of(world) == outcome
    assert calls_of(world) == [("documents.retrieve", {"query": "Wasser"})]


def test_arguments_are_not_filled_from_what_a_session_remembers() -> None:
    world = World(plan())
    world.session = world.session.model_copy(update={"selections": (address(),)})
    world.ask(direct("oereb.egrid_by_xy"))
    assert calls_of(world) == [("oereb.egrid_by_xy", {})]


def test_there_is_one_log_of_it_and_no_conversation() -> None:
    world = World(plan())
    world.ask(direct("geolocation.geocode", q="a"))
    kinds = [event.kind for event in world.log.values()]
    assert kinds == [
        TurnEventKind.STARTED,
        TurnEventKind.TOOL_CALLED,
        TurnEventKind.TOOL_RESULT,
        TurnEventKind.STEP_FINISHED,
        TurnEventKind.FINISHED,
    ]
    changes = [change for decision in world.decisions for change in decision.changes]
    assert changes == [memory.TurnBegan("req-1")]


def test_without_an_answer_it_ends_at_its_deadline_and_has_found_nothing() -> None:
    world = World(plan())
    request = direct("documents.retrieve", query="Wasser")
    world.take(ChatArrived(request, world.session))
    late = answer(world.queue.pop(), world.plan, world.tools)
    world.now = NOW + timedelta(seconds=31)
    world.take(ChatArrived(request, world.session))
    (reply,) = world.replies
    assert reply.response is not None and reply.response.overall_status is Status.ERROR
    assert not world.take(late).changed
    assert outcome_of(world) is None


def test_it_can_be_cancelled() -> None:
    world = World(plan())
    world.take(ChatArrived(direct("geolocation.geocode", q="a"), world.session))
    world.take(ChatCancelled(request_id="req-1", session_id="s", deadline=NOW, exchange="c"))
    assert world.turn is not None
    assert world.turn.rounds[0].state is TurnState.CANCELLED
    assert len(world.replies) == 1
