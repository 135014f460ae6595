"""What a client asks, and what is wrong with what it sends."""

from typing import Any

import pytest
from pydantic import ValidationError
from told import REQUEST, resume, run_input

from edge.agui.inputs import RunInput, Unanswerable, asked
from edge.errors import InvalidRequest
from edge.problems import findings_of, invalid
from edge.texts import text

OPEN = f"{REQUEST}.0"


def user(content: Any, id: str = "u") -> dict[str, Any]:
    return {"id": id, "role": "user", "content": content}


def test_the_last_message_of_the_user_is_the_question() -> None:
    history = [user("eins"), {"id": "a", "role": "assistant", "content": "Antwort"}, user("  zwei ", "u2")]
    wanted = asked(run_input(messages=history), "riskiagent")
    (request,) = wanted.requests
    assert (request.session_id, request.user_message, request.agent) == ("s", "zwei", "riskiagent")
    assert wanted.question == "zwei"


def test_of_parts_the_texts_are_read() -> None:
    picture = {"type": "image", "source": {"type": "url", "value": "https://example.org/x.png"}}
    parts = [{"type": "text", "text": "Was ist"}, picture, {"type": "text", "text": "das?"}]
    assert asked(run_input(messages=[user(parts)]), "map").question == "Was ist\ndas?"


def test_a_choice_counts_more_than_a_message() -> None:
    wanted = asked(resume((OPEN, f"{OPEN}.1"), messages=[user("die zweite")]), "map")
    assert [request.choice_id for request in wanted.requests] == [f"{OPEN}.1"]
    assert [request.user_message for request in wanted.requests] == [None]


def test_several_choices_are_several_requests() -> None:
    wanted = asked(
        resume((OPEN, f"{OPEN}.1"), (f"{REQUEST}.2", f"{REQUEST}.2.0"), (f"{REQUEST}.3", None)), "map"
    )
    assert [request.choice_id for request in wanted.requests] == [f"{OPEN}.1", f"{REQUEST}.2.0"]
    assert wanted.given_up == (f"{REQUEST}.3",)


def test_a_fresh_question_gives_up_a_choice() -> None:
    history = [user("eins"), {"id": "a", "role": "assistant", "content": "Welche?"}, user("zwei", "u2")]
    wanted = asked(resume((OPEN, None), messages=history), "map")
    assert [request.user_message for request in wanted.requests] == ["zwei"]


ASKED_BACK = {"id": "a", "role": "assistant", "content": "Welche?"}


@pytest.mark.parametrize("history", [[], [user("eins"), ASKED_BACK]])
def test_giving_up_alone_asks_nothing(history: list[dict[str, Any]]) -> None:
    wanted = asked(resume((OPEN, None), messages=history), "map")
    assert (wanted.requests, wanted.given_up) == ((), (OPEN,))


@pytest.mark.parametrize(
    ("run", "pointer"),
    [
        (run_input(" "), "#/messages"),
        (run_input(messages=[user("x"), user([{"type": "text", "text": ""}], "u2")]), "#/messages"),
        (run_input("x" * 4001), "#/messages/0/content"),
        (resume((OPEN, "")), "#/resume/0/payload/choiceId"),
        (resume((OPEN, f"{REQUEST}.1.0")), "#/resume/0/payload/choiceId"),
        (resume((OPEN, OPEN)), "#/resume/0/payload/choiceId"),
        (resume(("quatsch", "quatsch.0")), "#/resume/0/payload/choiceId"),
    ],
)
def test_what_cannot_be_answered_is_told_by_the_run(run: RunInput, pointer: str) -> None:
    with pytest.raises(Unanswerable) as caught:
        asked(run, "map")
    (problem,) = caught.value.errors
    assert problem.pointer == pointer
    assert text.knows(problem.key)


@pytest.mark.parametrize(
    ("run", "pointer"),
    [
        (run_input(None), "#/messages"),
        (resume((OPEN, f"{OPEN}.0"), (OPEN, f"{OPEN}.{'1' * 129}")), "#/resume/1/payload/choiceId"),
        (
            run_input(None, resume=[{"interruptId": OPEN, "status": "resolved", "payload": [1]}]),
            "#/resume/0/payload/choiceId",
        ),
        (
            run_input(None, resume=[{"interruptId": OPEN, "status": "resolved"}]),
            "#/resume/0/payload/choiceId",
        ),
    ],
)
def test_what_is_wrong_is_named(run: RunInput, pointer: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        asked(run, "map")
    assert not isinstance(caught.value, Unanswerable)
    (problem,) = caught.value.errors
    assert problem.pointer == pointer
    assert text.knows(problem.key)


IDS = {"threadId": "s", "runId": "r"}


@pytest.mark.parametrize(
    ("document", "pointers"),
    [
        ({"threadId": "s", "messages": []}, ["#/runId"]),
        (IDS | {"threadId": 1, "messages": [user(7)]}, ["#/threadId", "#/messages/0/content"]),
        (IDS | {"messages": [{"id": "1", "role": "user"}]}, ["#/messages/0/content"]),
        (IDS | {"messages": [{"id": "1", "role": "x"}]}, ["#/messages/0"]),
        (
            IDS | {"messages": [user(["x"])]},
            ["#/messages/0/content", "#/messages/0/content/0"],
        ),
        (IDS | {"threadId": "s" * 129, "messages": []}, ["#/threadId"]),
        (IDS | {"threadId": "a\nb", "messages": []}, ["#/threadId"]),
        (IDS | {"runId": "r" * 129, "messages": []}, ["#/runId"]),
        (IDS | {"messages": [], "resume": [{"interruptId": OPEN, "status": "cancelled"}] * 11}, ["#/resume"]),
        ([], ["#"]),
    ],
)
def test_places_are_those_of_the_document(document: Any, pointers: list[str]) -> None:
    with pytest.raises(ValidationError) as caught:
        RunInput.model_validate(document)
    assert [each.pointer for each in invalid(findings_of(caught.value), document).errors] == pointers


LAYERS = [{"id": str(n)} for n in range(51)]


def test_a_map_has_no_more_layers_than_a_session_keeps() -> None:
    with pytest.raises(InvalidRequest) as caught:
        asked(run_input("hallo", state={"layers": LAYERS}), "map")
    assert [each.pointer for each in caught.value.errors] == ["#/state/layers"]


def test_as_many_layers_as_a_session_keeps_are_taken() -> None:
    assert asked(run_input("hallo", state={"layers": LAYERS[:50]}), "map").question == "hallo"
    assert asked(run_input("hallo", state={"layers": LAYERS}), "riskiagent").question == "hallo"


MAP = {"center": [2600500, 1215500], "extent": [2600000, 1215000, 2601000, 1216000], "scale": 5_000}


def test_the_map_of_the_state_goes_along_with_the_message_and_not_with_a_choice() -> None:
    layers = [{"id": "a", "label": "A", "opacity": 0.5}]
    run = run_input("hallo", state={"map": MAP | {"point": [2600513, 1215519], "layers": layers}})
    (request,) = asked(run, "map").requests
    assert request.map is not None and request.loaded_layers is not None
    assert request.map.view.point == (2600513, 1215519)
    assert [(layer.id, layer.opacity) for layer in request.loaded_layers] == [("a", 0.5)]
    (of_documents,) = asked(run, "riskiagent").requests
    assert of_documents.map is None
    (choice,) = asked(resume((OPEN, f"{OPEN}.0"), state={"map": MAP}), "map").requests
    assert choice.map is None


@pytest.mark.parametrize(
    ("wrong", "pointer"),
    [
        (7, "#/state/map"),
        (MAP | {"scale": 0}, "#/state/map/scale"),
        (MAP | {"center": [1]}, "#/state/map/center/1"),
        (MAP | {"layers": [{"id": "a"}]}, "#/state/map/layers/0/label"),
        (MAP | {"layers": [{"id": "a", "label": "A"}] * 51}, "#/state/map/layers"),
    ],
)
def test_a_map_that_is_none_is_told_by_the_run(wrong: object, pointer: str) -> None:
    run = run_input("hallo", state={"map": wrong})
    with pytest.raises(Unanswerable) as caught:
        asked(run, "map")
    assert [each.pointer for each in caught.value.errors] == [pointer]
    assert asked(run, "riskiagent").question == "hallo"
