"""Whatever the log and wherever it ends: a run is accepted by every client, and ends once."""

import json
from dataclasses import dataclass
from typing import Any

import pytest
from contracts.actions import AddMarker, Marker
from contracts.agents import Agent
from contracts.chat import ChatResponse, Step
from contracts.messages import Outcome
from contracts.status import Status
from contracts.turns import AnswerDelta, TurnEvent, TurnEventKind
from hypothesis import given
from hypothesis import strategies as st
from recording import Entry, Recording, recording
from told import REQUEST, check, documents, names, resume, run_input, tell, texts
from world import GOTO, LOAD, NOW, OEREB_XY, RESPOND, SEARCH, asked, clicked, judgement, two_parcels

from edge import errors
from edge.agui.encoding import RunEncoder
from edge.agui.run import Run

AGENTS: tuple[Agent, ...] = ("map", "riskiagent")
agents = st.sampled_from(AGENTS)


@dataclass(frozen=True)
class Recorded:
    """A turn with a choice in the middle."""

    message: tuple[Entry, ...]
    click: tuple[Entry, ...]


def recorded(world: Recording, agent: Agent) -> Recorded:
    message = tuple(world.say(asked("Frage", REQUEST, agent=agent)))
    answers = [e.answer for e in message if isinstance(e, TurnEvent) and e.answer is not None]
    choice = next((answer.choices[0].id for answer in answers if answer.choices), None)
    return Recorded(message, tuple(world.say(clicked(choice))) if choice else ())


def all_recorded() -> list[Recorded]:
    def rejecting(args: dict[str, Any]) -> Outcome:
        return judgement(args["document"]["id"], is_relevant=args["document"]["id"] == "d3")

    return [
        recorded(world, agent)
        for agent in AGENTS
        for world in (
            recording(SEARCH, RESPOND, torn=True),
            recording(SEARCH, SEARCH, documents_check=rejecting),
            recording(OEREB_XY, GOTO, LOAD, RESPOND, oereb_egrid_by_xy=two_parcels),
            recording(OEREB_XY, SEARCH, OEREB_XY, oereb_egrid_by_xy=two_parcels, torn=True),
            recording(SEARCH, documents_retrieve=lambda args: Outcome()),
        )
    ]


TURNS = all_recorded()


@given(st.sampled_from(TURNS), agents, st.data())
def test_a_log_may_end_anywhere(turn: Recorded, agent: Agent, data: st.DataObject) -> None:
    whole = [*turn.message, *turn.click]
    check(tell(whole[: data.draw(st.integers(0, len(whole)))], agent))


@given(st.sampled_from(TURNS), agents, st.data())
def test_a_run_may_begin_anywhere(turn: Recorded, agent: Agent, data: st.DataObject) -> None:
    whole = [*turn.message, *turn.click]
    start = data.draw(st.integers(0, len(whole)))
    check(tell(whole[start:], agent, run=resume((f"{REQUEST}.0", f"{REQUEST}.0.0")), before=whole[:start]))


@given(st.sampled_from(TURNS), agents, st.data())
def test_a_log_may_hold_everything_twice_and_steps_in_any_order(
    turn: Recorded, agent: Agent, data: st.DataObject
) -> None:
    mixed = data.draw(st.permutations([*turn.message, *turn.click[:3]]))
    check(tell([*mixed, *mixed], agent))


@given(st.sampled_from(TURNS), agents, st.data())
def test_a_failure_ends_a_run_at_any_point(turn: Recorded, agent: Agent, data: st.DataObject) -> None:
    run = Run(run_input(), agent, "Frage")
    events = run.begin(REQUEST)
    for entry in turn.message[: data.draw(st.integers(0, len(turn.message)))]:
        events += run.take(entry)
    events += run.fail(errors.TurnTimeout(request_id=REQUEST))
    check(events)
    assert documents(events)[-1] == {
        "type": "RUN_ERROR",
        "message": "Das dauert länger als üblich. Deine Anfrage läuft weiter; frag gleich nach.",
        "code": "turn_timeout",
    }
    assert run.end() == run.take(turn.message[-1]) == []


def test_a_replica_that_stops_does_not_look_like_a_success() -> None:
    run = Run(run_input(), "map")
    events = run.begin(REQUEST) + run.stop(REQUEST)
    assert [e["type"] for e in documents(events)] == ["RUN_STARTED", "RUN_ERROR"]
    assert documents(events)[1]["code"] == "shutting_down"


@pytest.mark.parametrize("agent", AGENTS)
def test_an_answer_that_is_in_no_log_is_told_too(agent: Agent) -> None:
    marker = AddMarker(payload=Marker(id="a", coord=(1, 2)))
    step = Step(intent="x", status=Status.ERROR, message="Keine Auswahl.", map_actions=(marker,))
    run = Run(run_input(), agent)
    events = run.begin(REQUEST) + run.answer(ChatResponse.of(REQUEST, (step,))) + run.end()
    check(events)
    assert list(texts(events).values()) == ["Keine Auswahl."]
    assert "CUSTOM(map_actions)" in names(events)
    assert documents(events)[-1]["result"] == {"requestId": REQUEST, "overallStatus": "error"}


def test_a_message_that_answers_a_choice_goes_on_in_the_log_of_the_choice() -> None:
    world = recording(OEREB_XY, oereb_egrid_by_xy=two_parcels)
    message = world.say(asked("Frage", REQUEST))
    click = world.say(clicked(f"{REQUEST}.0.1"))
    other = "req-fedcba9876543210"
    where = {"request_id": other, "session_id": "s", "round": 0, "at": NOW}
    forward = [
        TurnEvent(**where, n=0, kind=TurnEventKind.STARTED, detail={"message": "die zweite"}),
        TurnEvent(**where, n=1, kind=TurnEventKind.FINISHED, detail={"forwardedTo": f"{REQUEST}.0.1"}),
    ]
    run = Run(run_input("die zweite"), "map", "die zweite")
    events = run.begin(other)
    events += [event for entry in forward for event in run.take(entry)]
    events += run.begin(REQUEST)
    assert [event for entry in message for event in run.take(entry, is_new=False)] == []
    events += [event for entry in click for event in run.take(entry)]
    events += run.end()
    check(events)
    assert list(texts(events).values()) == ["CH000000000002"]
    assert documents(events)[-1]["outcome"] == {"type": "success"}


def test_the_same_run_once_more_does_not_append_to_what_the_client_has() -> None:
    entries = recording(SEARCH).say(asked("Frage", REQUEST))
    first = tell(entries, "riskiagent")
    told = documents(first)
    (message_id,) = {e["messageId"] for e in told if e["type"] == "TEXT_MESSAGE_CONTENT"}
    (call_id,) = {e["toolCallId"] for e in told if e["type"] == "TOOL_CALL_START"}
    call = {"id": call_id, "type": "function", "function": {"name": "x", "arguments": "{}"}}
    history = [
        {"id": "u1", "role": "user", "content": "Frage"},
        {"id": call_id, "role": "assistant", "toolCalls": [call]},
        {"id": message_id, "role": "assistant", "content": "Zu «Sch"},
    ]
    again = tell(entries, "riskiagent", run=run_input(messages=history))
    check(again)
    assert list(texts(again).values()) == list(texts(first).values())
    assert not texts(again).keys() & texts(first).keys()
    withdrawn = [e["value"] for e in documents(again) if e["type"] == "CUSTOM"]
    assert withdrawn == [{"messageId": message_id}]
    assert call_id not in {e["toolCallId"] for e in documents(again) if e["type"] == "TOOL_CALL_START"}


def test_a_run_reports_what_it_has_spent_itself() -> None:
    where: dict[str, Any] = {"request_id": REQUEST, "session_id": "s", "at": NOW}
    response = ChatResponse.of(REQUEST, (Step(intent="x", status=Status.OK, message="m"),))

    def finished(n: int, calls: int, tokens: int) -> TurnEvent:
        usage = {"calls": calls, "inputTokens": tokens, "outputTokens": tokens // 10}
        return TurnEvent(
            **where, n=n, round=n, kind=TurnEventKind.FINISHED, response=response, detail={"usage": usage}
        )

    run = resume((f"{REQUEST}.0", f"{REQUEST}.0.0"))
    events = tell([finished(1, 3, 350)], run=run, before=[finished(0, 1, 100)])
    assert documents(events)[-1]["usage"] == [{"inputTokens": 250, "outputTokens": 25, "totalTokens": 275}]
    none = tell([finished(1, 1, 100)], run=run, before=[finished(0, 1, 100)])
    assert "usage" not in documents(none)[-1]


def test_frames_are_what_the_client_library_reads() -> None:
    entries = recording(SEARCH, RESPOND).say(asked("Zeile 1\r\nZeile 2", REQUEST))
    encoder = RunEncoder(Run(run_input(parentRunId="r0"), "riskiagent", "x"))
    raw = encoder.begin(REQUEST) or b""
    for position, entry in enumerate(entries, start=7):
        raw += encoder.take(position, entry) or b""
    raw += encoder.end() or b""
    assert b"\r" not in raw and b"null" not in raw and raw.endswith(b"\n\n")
    frames = raw.decode().removesuffix("\n\n").split("\n\n")
    heads, data = zip(*(frame.split("\n") for frame in frames), strict=True)
    positions = [int(head.removeprefix("id: ")) for head in heads]
    assert positions == sorted(positions)
    assert (positions[0], positions[1], positions[-1]) == (0, 7, 6 + len(entries))
    started = json.loads(data[0].removeprefix("data: "))
    assert started == {
        "type": "RUN_STARTED",
        "threadId": "s",
        "runId": "r1",
        "parentRunId": "r0",
        "protocolVersion": "1.0",
    }


def test_an_entry_that_says_nothing_is_no_frame() -> None:
    encoder = RunEncoder(Run(run_input(), "riskiagent", "x"))
    encoder.begin(REQUEST)
    entries = recording(SEARCH, torn=True).say(asked("Frage", REQUEST))
    late = [e for e in entries if isinstance(e, AnswerDelta)]
    for position, entry in enumerate(entries):
        encoder.take(position, entry)
    assert encoder.take(99, late[0]) is None
    assert encoder.take(100, entries[0]) is None


@pytest.mark.parametrize("agent", AGENTS)
def test_a_language_in_the_state_stays_there(agent: Agent) -> None:
    run = run_input(state={"language": "fr", "layers": [], "other": 1})
    events = tell(recorded(recording(SEARCH), agent).message, agent, run=run)
    snapshots = [e["snapshot"] for e in documents(events) if e["type"] == "STATE_SNAPSHOT"]
    assert snapshots and all(each["language"] == "fr" and "other" not in each for each in snapshots)


def test_what_goes_wrong_is_told_in_the_language_of_the_run() -> None:
    run = Run(run_input(), "map", language="it")
    (failed,) = documents(run.begin(REQUEST) + run.fail(errors.TurnTimeout()))[1:]
    assert failed["message"].startswith("Ci vuole più tempo")
