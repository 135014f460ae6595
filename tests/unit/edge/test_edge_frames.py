"""What a client sees of a turn depends on its log alone."""

import json
from datetime import UTC, datetime
from typing import Any

from contracts.actions import AddMarker, Marker
from contracts.chat import ChatResponse, Step
from contracts.status import Status
from contracts.turns import AnswerDelta, TurnEvent, TurnEventKind
from hypothesis import given
from hypothesis import strategies as st

from edge.frames import TurnEncoder

NOW = datetime(2026, 11, 20, tzinfo=UTC)


def event(
    n: int, kind: TurnEventKind, *, step: int | None = None, round: int = 0, **values: Any
) -> TurnEvent:
    return TurnEvent(
        request_id="req-1", session_id="s", n=n, round=round, kind=kind, at=NOW, step=step, **values
    )


def marked(name: str, status: Status = Status.OK) -> Step:
    action = AddMarker(payload=Marker(id=name, coord=(2_600_000, 1_200_000)))
    return Step(intent="goto_address", status=status, message=name, map_actions=(action,))


def planned(steps: int) -> TurnEvent:
    return event(0, TurnEventKind.PLAN_READY, detail={"steps": [{}] * steps})


def done(n: int, step: int, **values: Any) -> TurnEvent:
    return event(n, TurnEventKind.STEP_FINISHED, step=step, answer=marked(f"step {step}"), **values)


def delta(k: int, text: str, *, attempt: int = 1, restart: bool = False) -> AnswerDelta:
    where = {"request_id": "req-1", "session_id": "s", "round": 0, "step": 0, "call": 1}
    return AnswerDelta(**where, attempt=attempt, k=k, text=text, restart=restart)


def parsed(frame: bytes | None) -> tuple[str, str, dict[str, Any]]:
    """(id, event, data) of one frame, which must be framed as the standard says."""
    assert frame is not None and frame.endswith(b"\n\n") and b"\r" not in frame
    head, name, data = frame.decode().removesuffix("\n\n").split("\n")
    return (
        head.removeprefix("id: "),
        name.removeprefix("event: "),
        json.loads(data.removeprefix("data: ")),
    )


def applied(frame: bytes | None) -> list[int]:
    """The steps whose map actions a frame brings."""
    return [part["step"] for part in parsed(frame)[2].get("apply", [])]


def test_an_event_is_one_frame_with_its_position() -> None:
    started = event(0, TurnEventKind.STARTED, detail={"message": "eins\nzwei\r\n"})
    position, name, data = parsed(TurnEncoder().take(17, started))
    assert (position, name) == ("17", "turn.started")
    assert data["detail"] == {"message": "eins\nzwei\r\n"}
    assert data["requestId"] == "req-1" and "sessionId" not in data


def test_map_actions_come_in_the_order_of_the_plan() -> None:
    encoder = TurnEncoder()
    encoder.take(1, planned(3))
    assert applied(encoder.take(2, done(1, 2))) == []
    assert applied(encoder.take(3, done(2, 0))) == [0]
    assert applied(encoder.take(4, done(3, 1))) == [1, 2]


def test_a_step_that_waits_for_a_choice_does_not_hold_up_those_behind_it() -> None:
    encoder = TurnEncoder()
    encoder.take(1, planned(2))
    pending = Step(intent="load_layer", status=Status.NEEDS_USER_CHOICE, message="Welche?")
    encoder.take(2, event(1, TurnEventKind.CHOICE_PENDING, step=0, answer=pending))
    assert applied(encoder.take(3, done(2, 1))) == [1]


def test_what_is_still_held_comes_at_the_end_of_the_round() -> None:
    encoder = TurnEncoder()
    encoder.take(1, planned(2))
    assert applied(encoder.take(2, done(1, 1))) == []
    end = event(2, TurnEventKind.FINISHED, response=ChatResponse.of("req-1", (marked("x"),)))
    assert applied(encoder.take(3, end)) == [1]
    assert applied(encoder.take(4, done(3, 0, round=1))) == []
    assert applied(encoder.take(5, event(4, TurnEventKind.FINISHED, round=1))) == [0]


def test_the_answer_of_a_step_does_not_repeat_its_map_actions() -> None:
    encoder = TurnEncoder()
    encoder.take(1, planned(1))
    data = parsed(encoder.take(2, done(1, 0)))[2]
    assert "mapActions" not in data["answer"]
    assert data["apply"][0]["mapActions"][0]["type"] == "addMarker"


def test_an_event_that_was_stored_twice_is_shown_once() -> None:
    encoder = TurnEncoder()
    assert encoder.take(1, planned(1)) is not None
    assert encoder.take(2, done(1, 0)) is not None
    assert encoder.take(3, done(1, 0)) is None


def test_a_new_attempt_withdraws_the_text_and_the_old_one_is_silent_from_then_on() -> None:
    encoder = TurnEncoder()
    assert "restart" not in parsed(encoder.take(1, delta(0, "alt")))[2]
    assert parsed(encoder.take(2, delta(0, "neu", attempt=2)))[2]["restart"] is True
    assert encoder.take(3, delta(1, "alt", attempt=1)) is None
    assert "restart" not in parsed(encoder.take(4, delta(1, " weiter", attempt=2)))[2]


@given(st.permutations(range(5)), st.integers(1, 5))
def test_every_map_action_comes_once_and_in_order(finishing: list[int], steps: int) -> None:
    encoder = TurnEncoder()
    encoder.take(1, planned(steps))
    order = [step for step in finishing if step < steps]
    seen = [n for k, step in enumerate(order) for n in applied(encoder.take(2 + k, done(1 + k, step)))]
    assert seen == list(range(steps))
