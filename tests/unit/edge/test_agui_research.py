"""The order of events of the agent for documents, for every way in which a question can end."""

from datetime import timedelta
from typing import Any

import pytest
from ag_ui.core import BaseEvent
from contracts.messages import Outcome
from contracts.plan import PlanStep
from contracts.research import ErrorType
from contracts.session import Session
from contracts.status import Status
from recording import Recording, recording
from told import REQUEST, check, documents, names, run_input, state_after, tell, texts
from world import NOW, SEARCH, asked, document, judgement, proposal, step

from orchestrator.arrivals import ChatArrived

START = ["RUN_STARTED", "STATE_SNAPSHOT", "STEP_STARTED(model)"]
CALL = ["TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "STEP_FINISHED(model)", "STEP_STARTED(tools)"]
FOUND = ["TOOL_CALL_RESULT", "STATE_SNAPSHOT", "STEP_FINISHED(tools)"]
GUARD = ["STEP_STARTED(guard)", "STEP_FINISHED(guard)"]
COLLECT = ["STEP_STARTED(collect_results)", "STATE_DELTA", "STEP_FINISHED(collect_results)"]
PASSED = ["STEP_STARTED(collect_results)", "STEP_FINISHED(collect_results)"]
TEXT = ["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"]
CHECKED = ["STATE_DELTA"]
END = ["RUN_FINISHED"]

CAPABILITIES = PlanStep(intent="answer", args={"about": "capabilities"}, message="Ich kann Dokumente suchen.")


def ask(world: Recording, message: str = "Was gilt für das Grundwasser?") -> list[BaseEvent]:
    entries = world.say(asked(message, REQUEST, agent="riskiagent"))
    events = tell(entries, "riskiagent", run=run_input(message))
    check(events)
    return events


def found(outcome: Outcome, **more: Any) -> Recording:
    return recording(SEARCH, documents_retrieve=lambda args: outcome, **more)


def rejecting(args: dict[str, Any]) -> Outcome:
    return judgement(args["document"]["id"], is_relevant=False)


def test_an_answer() -> None:
    events = ask(recording(SEARCH))
    assert names(events) == [
        *START,
        *CALL,
        *FOUND,
        *GUARD,
        *CHECKED * 3,
        *COLLECT,
        "STEP_STARTED(model)",
        *TEXT,
        "STEP_FINISHED(model)",
        "STATE_SNAPSHOT",
        *END,
    ]
    told = documents(events)
    assert [e["toolCallName"] for e in told if e["type"] == "TOOL_CALL_START"] == ["retrieve_documents"]
    assert told[-1]["outcome"] == {"type": "success"}
    assert told[-1]["usage"] == [{"inputTokens": 100, "outputTokens": 10, "totalTokens": 110}]
    assert told[-1]["result"] == {"requestId": REQUEST, "overallStatus": "ok"}


def test_the_state_is_lean_and_in_the_words_of_its_clients() -> None:
    events = ask(recording(SEARCH), "Und im Winter?")
    snapshots = [e["snapshot"] for e in documents(events) if e["type"] == "STATE_SNAPSHOT"]
    assert snapshots[0] == {
        "user_query": "Und im Winter?",
        "initial_question": "Und im Winter?",
        "tracked_documents": [],
        "tracked_proposals": [],
        "sources": [],
    }
    assert snapshots[1]["user_query"] == "Schutz des Grundwassers"
    assert snapshots[1]["tracked_documents"][0] == {
        "id": "d1",
        "name": "Bericht 1",
        "url": "https://example.org/1.pdf",
        "size_bytes": 1000,
        "is_checked": False,
        "is_relevant": False,
        "relevance_reason": "",
    }
    final = state_after(events)
    assert final["tracked_documents"][2]["relevance_reason"] == "Passt zur Frage."
    assert final["sources"][2] == {
        "n": 3,
        "id": "d3",
        "name": "Bericht 3",
        "url": "https://example.org/3.pdf",
    }
    assert "Absatz aus Bericht" not in str(documents(events))
    assert "error_info" not in final


def test_checks_are_small_changes_and_the_proposals_of_irrelevant_documents_go() -> None:
    world = recording(
        SEARCH, documents_check=lambda args: judgement(args["document"]["id"], args["document"]["id"] == "d1")
    )
    events = ask(world)
    deltas = [e["delta"] for e in documents(events) if e["type"] == "STATE_DELTA"]
    assert deltas[1] == [
        {"op": "replace", "path": "/tracked_documents/1/is_checked", "value": True},
        {"op": "replace", "path": "/tracked_documents/1/is_relevant", "value": False},
        {
            "op": "replace",
            "path": "/tracked_documents/1/relevance_reason",
            "value": "Handelt von etwas anderem.",
        },
    ]
    assert [p["identifier"] for p in state_after(events)["tracked_proposals"]] == ["A 1/2026"]


def test_a_question_about_the_agent_itself() -> None:
    events = ask(recording(CAPABILITIES))
    assert names(events) == [
        *START,
        *TEXT,
        "STEP_FINISHED(model)",
        "STATE_SNAPSHOT",
        *END,
    ]
    assert list(texts(events).values()) == ["Ich kann Dokumente suchen."]


FAILURES: list[tuple[ErrorType, Recording, list[str]]] = [
    (
        ErrorType.NO_TOOL_CALL,
        recording(PlanStep(intent="answer", message="Das Grundwasser ist geschützt.")),
        [*START, "STEP_FINISHED(model)", *GUARD, "STATE_SNAPSHOT", *PASSED, *END],
    ),
    (
        ErrorType.NO_DOCUMENTS_FOUND,
        found(Outcome(suggestions=("Welche Zonen gibt es?",))),
        [*START, *CALL, *FOUND[::2], *GUARD, "STATE_SNAPSHOT", *PASSED, *END],
    ),
    (
        ErrorType.NO_RELEVANT_DOCUMENTS,
        recording(SEARCH, documents_check=rejecting),
        [*START, *CALL, *FOUND, *GUARD, *CHECKED * 3, *COLLECT, "STATE_SNAPSHOT", *END],
    ),
    (
        ErrorType.TIMEOUT,
        found(Outcome(status=Status.ERROR, error_type=ErrorType.TIMEOUT)),
        [*START, *CALL, *FOUND[::2], "STATE_SNAPSHOT", *END],
    ),
    (
        ErrorType.CONTENT_POLICY_VIOLATION,
        recording(PlanStep(intent="search_documents", error_type=ErrorType.CONTENT_POLICY_VIOLATION)),
        [*START, "STEP_FINISHED(model)", "STATE_SNAPSHOT", *END],
    ),
]


@pytest.mark.parametrize(("error", "world", "expected"), FAILURES, ids=[f[0] for f in FAILURES])
def test_a_question_without_an_answer_ends_with_the_reason_in_the_state(
    error: ErrorType, world: Recording, expected: list[str]
) -> None:
    events = ask(world)
    assert names(events) == expected
    info = state_after(events)["error_info"]
    assert info["error_type"] == error and info["message"]
    assert texts(events) == {}
    assert documents(events)[-1]["outcome"] == {"type": "success"}


def test_why_all_documents_were_rejected_is_in_the_details() -> None:
    info = state_after(ask(recording(SEARCH, documents_check=rejecting)))["error_info"]
    assert info["details"]["total_checked"] == 3
    assert info["details"]["reasons"][0] == {"name": "Bericht 1", "reason": "Handelt von etwas anderem."}
    assert 2 <= len(info["suggestions"]) <= 3


def test_a_planner_that_takes_too_long_is_a_reason_too() -> None:
    world = recording(SEARCH)
    request = asked("Frage", REQUEST, agent="riskiagent")
    world.take(ChatArrived(request, Session()))
    world.now = NOW + timedelta(seconds=31)
    world.take(ChatArrived(request, Session()))
    events = tell(world.entries, "riskiagent")
    check(events)
    assert names(events) == [*START, "STEP_FINISHED(model)", "STATE_SNAPSHOT", *END]
    assert state_after(events)["error_info"]["error_type"] == "timeout"


def test_an_answer_that_cannot_be_written_withdraws_what_was_said() -> None:
    search = step("search_documents", ("documents.retrieve", {"query": "Bombe"}))
    events = ask(recording(search))
    assert names(events) == [
        *START,
        *CALL,
        *FOUND,
        *GUARD,
        *CHECKED * 3,
        *COLLECT,
        "STEP_STARTED(model)",
        *TEXT,
        "CUSTOM(text_withdrawn)",
        "STEP_FINISHED(model)",
        "STATE_SNAPSHOT",
        *END,
    ]
    assert texts(events) == {}
    assert state_after(events)["error_info"]["error_type"] == "server_error"


def test_a_search_that_breaks_is_our_fault() -> None:
    events = ask(found(Outcome(status=Status.ERROR, message="kaputt")))
    assert names(events) == [*START, *CALL, *FOUND[::2], "RUN_ERROR"]
    last = documents(events)[-1]
    assert last["code"] == "server_error"
    assert last["message"] == "Ein interner Fehler ist aufgetreten."


def test_a_search_that_breaks_is_not_in_the_way_of_another_answer() -> None:
    other = step("search_documents", ("documents.retrieve", {"query": "kaputt"}))

    def retrieve(args: dict[str, Any]) -> Outcome:
        return Outcome(status=Status.ERROR) if args["query"] == "kaputt" else Outcome(items=(document(1),))

    events = ask(recording(other, SEARCH, documents_retrieve=retrieve))
    assert documents(events)[-1]["outcome"] == {"type": "success"}
    assert len(texts(events)) == 1


def test_an_answer_that_begins_anew_is_another_message() -> None:
    events = ask(recording(SEARCH, torn=True))
    starts = [e["messageId"] for e in documents(events) if e["type"] == "TEXT_MESSAGE_START"]
    assert len(set(starts)) == 2
    withdrawn = [e["value"] for e in documents(events) if e["type"] == "CUSTOM"]
    assert withdrawn == [{"messageId": starts[0]}]
    (text,) = texts(events).values()
    assert text.startswith("Zu «Schutz des Grundwassers»:") and "Bericht 3 [3]" in text


def test_two_questions_have_steps_of_their_own_and_share_the_state() -> None:
    other = step("search_documents", ("documents.retrieve", {"query": "Abwasser"}))

    def retrieve(args: dict[str, Any]) -> Outcome:
        first = 1 if args["query"] != "Abwasser" else 4
        return Outcome(items=(document(first), document(first + 1), proposal(first, f"d{first}")))

    events = ask(recording(SEARCH, other, documents_retrieve=retrieve))
    assert {"STEP_STARTED(tools)", "STEP_STARTED(tools:2)", "STEP_STARTED(model:2)"} <= set(names(events))
    state = state_after(events)
    assert [d["id"] for d in state["tracked_documents"]] == ["d1", "d2", "d4", "d5"]
    assert all(d["is_relevant"] for d in state["tracked_documents"])
    assert len(texts(events)) == 2


def test_one_answer_is_better_news_than_another_failure() -> None:
    other = step("search_documents", ("documents.retrieve", {"query": "nichts"}))

    def retrieve(args: dict[str, Any]) -> Outcome:
        return Outcome(items=() if args["query"] == "nichts" else (document(1),))

    events = ask(recording(other, SEARCH, documents_retrieve=retrieve))
    assert "error_info" not in state_after(events)
    assert len(texts(events)) == 1
