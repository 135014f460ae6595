"""What is counted of answers."""

from datetime import UTC, datetime, timedelta

import pytest
from contracts.chat import ChatResponse, Step
from contracts.status import Status
from contracts.turns import TurnEvent, TurnEventKind
from prometheus_client import REGISTRY

from orchestrator.metrics import answered

NOW = datetime(2026, 11, 25, tzinfo=UTC)


def event(n: int, kind: TurnEventKind, seconds: float, round_: int = 0, *steps: Step) -> TurnEvent:
    response = ChatResponse.of("req-1", steps) if steps else None
    at = NOW + timedelta(seconds=seconds)
    return TurnEvent(
        request_id="req-1", session_id="s", n=n, round=round_, kind=kind, at=at, response=response
    )


def step(intent: str, status: Status = Status.OK) -> Step:
    return Step(intent=intent, status=status, message="m")


def counted(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def test_each_round_is_counted_with_its_own_time() -> None:
    first = [
        event(0, TurnEventKind.STARTED, 0),
        event(1, TurnEventKind.FINISHED, 2, 0, step("height_query", Status.NEEDS_USER_CHOICE)),
    ]
    second = [
        event(2, TurnEventKind.CHOICE_MADE, 60, 1),
        event(3, TurnEventKind.FINISHED, 60.5, 1, step("height_query"), step("set_background", Status.ERROR)),
    ]
    answered(first, [TurnEvent.bundled(first)])
    assert counted("ask_steps_total", intent="height_query", status="needs_user_choice") == 1
    answered([*first, *second], [TurnEvent.bundled(second)])
    assert counted("ask_steps_total", intent="height_query", status="ok") == 1
    assert counted("ask_steps_total", intent="set_background", status="error") == 1
    assert counted("ask_step_seconds_sum", intent="height_query") == pytest.approx(2.5)
    assert counted("ask_step_seconds_sum", intent="set_background") == pytest.approx(0.5)


def test_what_does_not_end_a_round_is_not_counted() -> None:
    before = counted("ask_step_seconds_count", intent="clear_map")
    told = [event(0, TurnEventKind.STARTED, 0), event(1, TurnEventKind.FINISHED, 1)]
    answered(told, [TurnEvent.bundled(told)])
    assert counted("ask_step_seconds_count", intent="clear_map") == before


@pytest.mark.parametrize(
    ("intent", "label"), [("terrain.height_by_xy", "call"), ("whatever a model makes up", "other")]
)
def test_there_are_no_more_labels_than_intents(intent: str, label: str) -> None:
    before = counted("ask_steps_total", intent=label, status="ok")
    told = [event(0, TurnEventKind.STARTED, 0), event(1, TurnEventKind.FINISHED, 1, 0, step(intent))]
    answered(told, [TurnEvent.bundled(told)])
    assert counted("ask_steps_total", intent=label, status="ok") == before + 1
    assert counted("ask_steps_total", intent=intent, status="ok") == 0
