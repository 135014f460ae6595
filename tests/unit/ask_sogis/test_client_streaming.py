"""A stream from its question to its answer, whatever breaks in between."""

import json

from ask_sogis.errors import NotUnderstood, Refused, Unreachable
from ask_sogis.events import Delta, Finished, Progress
from ask_sogis.exchange import Call, Flow, Heard, Lost, Pause, Read, Reply
from hypothesis import given
from hypothesis import strategies as st

from .playing import (
    ANSWER,
    DONE,
    GIVEN,
    NOWHERE,
    RUNNING,
    STREAM,
    Played,
    asking,
    finished,
    frame,
    play,
    refusal,
)

BEGUN = frame("turn.started", 1, n=0, at="2026-01-01T00:00:00Z", detail={"message": "Hallo"})
END = b""


def stream(*heard: Heard, patience_s: float = 10.0) -> Played:
    return play(asking(patience_s).stream("Hallo", None, GIVEN), *heard)


def test_events_are_typed_and_end_with_the_answer() -> None:
    step = {"intent": "i", "status": "ok", "message": "Fertig.", "choices": []}
    view = {"type": "setView", "payload": {"center": [2600000, 1200000], "zoom": 5}}
    ready = frame("step.finished", 3, step=0, answer=step, apply=[{"step": 0, "mapActions": [view]}])
    played = stream(
        STREAM, BEGUN + frame("answer.delta", 2, step=0, text="Fer", restart=True), ready + finished(), END
    )
    begun, delta, settled, end = played.events
    assert isinstance(begun, Progress) and begun.detail == {"message": "Hallo"}
    assert isinstance(delta, Delta) and (delta.text, delta.restart, delta.step) == ("Fer", True, 0)
    assert (
        isinstance(settled, Progress) and settled.answer is not None and settled.answer.message == "Fertig."
    )
    assert [action.type for action in settled.map_actions] == ["setView"]
    assert isinstance(end, Finished) and end.response == DONE
    assert played.lines == ["POST /api/chat/stream"]
    assert played.calls[0].streams and played.headers(0)["Idempotency-Key"] == "k"


def test_an_event_keeps_what_the_server_has_said_of_it() -> None:
    (event, _) = stream(STREAM, frame("answer.delta", 2, step=0, text="a", news=1) + finished(), END).events
    said = {"requestId": "req-1", "step": 0, "text": "a", "news": 1, "kind": "answer.delta", "id": "2"}
    assert json.loads(event.document) == said


def test_the_answer_in_an_event_is_as_the_server_has_said_it_too() -> None:
    said = json.loads(DONE.to_json()) | {"news": 1}
    (event,) = stream(STREAM, frame("turn.finished", 1, response=said), END).events
    assert isinstance(event, Finished) and json.loads(event.response.document) == said


def test_events_of_unknown_kinds_are_passed_over() -> None:
    played = stream(STREAM, BEGUN + frame("weather.changed", 2) + b": ping\n\n" + finished(), END)
    assert played.positions == ["1", "99"]
    other = b"event: weather.changed\ndata: [1]\n\n"
    assert stream(STREAM, BEGUN + other + finished(), END).positions == ["1", "99"]


def test_a_lost_connection_is_resumed_behind_the_last_event() -> None:
    played = stream(STREAM, BEGUN + frame("answer.delta", 2, text="ha")[:20], Lost(), STREAM, finished(), END)
    assert played.positions == ["1", "99"]
    assert played.lines == ["POST /api/chat/stream", "GET /api/chat/req-1/stream"]
    assert (played.headers(1)["Last-Event-ID"], played.calls[1].streams) == ("1", True)
    assert "Idempotency-Key" not in played.headers(1)


def test_a_stream_that_just_ends_is_not_over() -> None:
    played = stream(
        STREAM, BEGUN, END, NOWHERE, refusal(503, "bus_unavailable", after_s=2), STREAM, finished(), END
    )
    assert played.positions == ["1", "99"]
    assert played.pauses == [0.1, 0.2, 2.0]


def test_a_connection_that_breaks_behind_the_answer_is_not_made_anew() -> None:
    assert len(stream(STREAM, finished(), Lost()).calls) == 1


def test_before_the_first_event_the_question_is_sent_again() -> None:
    played = stream(Lost(), STREAM, b": ping\n\n", Lost(), STREAM, BEGUN + finished(), END)
    assert played.positions == ["1", "99"]
    assert played.calls[0] == played.calls[1] == played.calls[2]


def test_a_message_that_was_a_choice_goes_on_in_the_log_of_that() -> None:
    forwarded = frame("turn.finished", 5, detail={"forwardedTo": "req-0.0.1"})
    other = frame("choice.made", 6).replace(b"req-1", b"req-0")
    cut = stream(STREAM, BEGUN + forwarded, Lost(), STREAM, finished(), END)
    assert cut.lines[1] == "GET /api/chat/req-1/stream"
    assert [type(event) for event in cut.events] == [Progress, Progress, Finished]
    later = stream(STREAM, BEGUN + forwarded + other, Lost(), STREAM, finished(), END)
    assert later.lines[1] == "GET /api/chat/req-0/stream"


def test_patience_begins_anew_with_each_event() -> None:
    pieces: list[Heard] = []
    for n in range(20):
        pieces += [STREAM, frame("answer.delta", n + 1, text="x"), Lost()]
    played = stream(*pieces, STREAM, finished(), END, patience_s=0.2)
    assert len(played.events) == 21
    assert set(played.pauses) == {0.1}


def test_patience_ends_where_nothing_comes_any_more() -> None:
    played = stream(STREAM, BEGUN, Lost(), STREAM, END, STREAM, END, patience_s=0.5)
    assert isinstance(played.error, Unreachable)
    assert played.positions == ["1"]


def test_the_time_until_a_stream_was_lost_counts() -> None:
    played = stream(STREAM, BEGUN, Lost(after_s=9.95))
    assert isinstance(played.error, Unreachable) and played.pauses == []


def test_a_turn_that_is_late_before_its_first_event_is_asked_for() -> None:
    view = {"type": "clearMap", "payload": {}}
    step = {"intent": "i", "status": "ok", "message": "", "mapActions": [view]}
    response = {"requestId": "req-1", "overallStatus": "ok", "steps": [step]}
    late = frame("error", **json.loads(refusal(504, "turn_timeout", request_id="req-1").content))
    played = stream(STREAM, late, END, RUNNING, Reply(200, content=json.dumps(response).encode()))
    assert played.lines == ["POST /api/chat/stream", *["GET /api/chat/req-1"] * 2]
    assert [action.type for action in played.events[0].map_actions] == ["clearMap"]


def test_whoever_has_everything_but_the_answer_asks_for_it() -> None:
    played = stream(STREAM, BEGUN, Lost(), Reply(204), RUNNING, ANSWER)
    assert isinstance(played.events[-1], Finished) and played.events[-1].response == DONE
    assert played.lines[-2:] == ["GET /api/chat/req-1"] * 2


def test_an_answer_that_is_in_no_log_has_its_map_actions_to_apply() -> None:
    view = {"type": "clearMap", "payload": {}}
    step = {"intent": "i", "status": "ok", "message": "", "mapActions": [view]}
    response = {"requestId": "req-7", "overallStatus": "ok", "steps": [step]}
    alone = f"event: turn.finished\ndata: {json.dumps({'response': response})}\n\n".encode()
    (event,) = stream(STREAM, alone, END).events
    assert event.request_id == "req-7" and [action.type for action in event.map_actions] == ["clearMap"]
    # Behind other events it was told before.
    assert [event.map_actions for event in stream(STREAM, BEGUN + alone, END).events] == [(), ()]


def test_an_error_in_the_stream_is_raised() -> None:
    problem = json.loads(refusal(500, "internal_error").content)
    played = stream(STREAM, BEGUN + frame("error", **problem))
    assert isinstance(played.error, Refused) and played.error.code == "internal_error"
    assert played.positions == ["1"]


def test_an_error_that_passes_is_waited_for() -> None:
    problem = json.loads(refusal(504, "turn_timeout").content)
    failed = BEGUN + frame("error", **problem)
    assert stream(STREAM, failed, END, STREAM, finished(), END).positions == ["1", "99"]
    played = stream(STREAM, failed, END, patience_s=0.05)
    assert isinstance(played.error, Refused) and played.error.code == "turn_timeout"


def test_a_stream_goes_on_elsewhere_when_its_edge_is_stopping() -> None:
    stopping = refusal(503, "shutting_down", request_id="req-1", after_s=1)
    assert stream(stopping, STREAM, BEGUN, Lost(), stopping, STREAM, finished(), END).positions == ["1", "99"]


def test_a_refused_stream_is_refused() -> None:
    assert isinstance(stream(refusal(403, "forbidden")).error, Refused)
    resumed = stream(STREAM, BEGUN, Lost(), refusal(404, "turn_not_found"))
    assert isinstance(resumed.error, Refused)


def test_what_is_no_stream_is_not_understood() -> None:
    assert isinstance(stream(Reply(200, {"content-type": "text/html"}, b"<html>")).error, NotUnderstood)
    for data in ("[]", "{", '"x"', "{}"):
        played = stream(STREAM, f"event: turn.started\ndata: {data}\n\n".encode())
        assert isinstance(played.error, NotUnderstood), data


class Edge:
    """Sends a log as an edge does, and hangs up where a test says."""

    def __init__(self, log: list[bytes], cuts: list[int]) -> None:
        self.log = log
        self.cuts = cuts

    def answers(self, flow: Flow[None]) -> list[str]:
        """The positions of the events that are told."""
        positions: list[str] = []
        pieces: list[Heard] = []
        said: Heard = None
        while True:
            try:
                do = flow.send(said)
            except StopIteration:
                return positions
            said = None
            if isinstance(do, Call):
                rest = b"".join(self.log[int(do.headers.get("Last-Event-ID", "0")) :])
                cut = self.cuts.pop(0) if self.cuts else len(rest)
                pieces = [rest[n : min(n + 7, cut)] for n in range(0, min(cut, len(rest)), 7)]
                pieces.append(b"" if cut >= len(rest) else Lost())
                said = STREAM
            elif isinstance(do, Read):
                said = pieces.pop(0)
            elif not isinstance(do, Pause):
                positions.append(do.id)


@given(st.lists(st.integers(min_value=0, max_value=600), max_size=6), st.integers(min_value=0, max_value=5))
def test_wherever_a_stream_is_cut_nothing_is_missing_and_nothing_told_twice(
    cuts: list[int], deltas: int
) -> None:
    log = [BEGUN, *(frame("answer.delta", n + 2, text="ü\n") for n in range(deltas))]
    log.append(finished(len(log) + 1))
    flow = asking(patience_s=1e9).stream("Hallo", None, GIVEN)
    assert Edge(log, cuts).answers(flow) == [str(n + 1) for n in range(len(log))]
