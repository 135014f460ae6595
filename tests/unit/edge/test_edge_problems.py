"""Errors and what clients are told about them."""

import json

import pytest
from contracts.chat import ChatRequest
from contracts.problems import Problem
from fastapi.exceptions import RequestValidationError
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from edge import bodies, errors, problems, shapes
from edge.texts import text

KINDS = sorted(errors.EdgeError.__subclasses__(), key=lambda kind: kind.code)
VALUES = {"max_chars": 128, "max_body_bytes": 65_536}


def refused(document: bytes) -> errors.EdgeError:
    """What is wrong with a message, as the application tells it."""
    with pytest.raises((errors.EdgeError, RequestValidationError)) as found:
        bodies.parsed(bytearray(document), ChatRequest, shapes.CHAT)
    raised = found.value
    if isinstance(raised, RequestValidationError):
        return problems.invalid(raised.errors(), raised.body)
    assert isinstance(raised, errors.EdgeError)
    return raised


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)
def test_every_error_has_all_that_a_client_relies_on(kind: type[errors.EdgeError]) -> None:
    response = problems.response_of(kind(request_id="req-1", **VALUES))  # type: ignore[arg-type]
    body = Problem.from_json(bytes(response.body))
    assert response.media_type == "application/problem+json"
    assert 400 <= body.status == response.status_code == kind.status
    assert (body.type, body.code) == (f"urn:ask-sogis:problem:{kind.code}", kind.code)
    assert body.title == kind.__doc__
    assert "{" not in body.detail and "ß" not in body.detail
    assert body.request_id == response.headers["ask-request-id"] == "req-1"


def test_a_problem_is_told_in_the_language_that_is_wanted() -> None:
    told = problems.response_of(problems.refused("#/state", "too_long", max_length=64), "fr")
    assert told.headers["content-language"] == "fr"
    body = Problem.from_json(bytes(told.body))
    assert body.detail == text("invalid_request", "fr")
    assert [each.detail for each in body.errors or ()] == ["Au plus 64 entrées sont possibles."]


def test_codes_are_unique() -> None:
    assert len({kind.code for kind in KINDS}) == len(KINDS) > 10


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.code)
def test_what_can_pass_says_when_to_try_again(kind: type[errors.EdgeError]) -> None:
    headers = problems.response_of(kind(**VALUES)).headers  # type: ignore[arg-type]
    assert ("retry-after" in headers) == (kind.status in (429, 503))


def test_a_turn_that_goes_on_has_an_address() -> None:
    goes_on = {kind.code for kind in KINDS if kind.pollable}
    assert goes_on == {"turn_timeout", "shutting_down"}
    headers = problems.response_of(errors.TurnTimeout(request_id="req-1")).headers
    assert headers["location"] == "/api/chat/req-1"
    assert "location" not in problems.response_of(errors.SessionDeleted(request_id="req-1")).headers


def test_without_a_turn_there_is_no_request_id() -> None:
    response = problems.response_of(errors.NotFound())
    assert json.loads(bytes(response.body)).keys() == {"type", "title", "status", "detail", "code"}
    assert "ask-request-id" not in response.headers


@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_any_other_body_is_a_problem(document: bytes) -> None:
    error = refused(document)
    assert error.code in ("malformed_json", "invalid_request")
    assert problems.response_of(error).status_code == error.status


@given(
    st.dictionaries(
        st.sampled_from(["sessionId", "userMessage", "choiceId", "extra"]),
        st.none()
        | st.integers()
        | st.lists(st.integers(), max_size=2)
        | st.sampled_from(["", " ", "x" * 4001, "\n"]),
    )
)
def test_every_finding_points_somewhere_and_says_something(body: dict[str, object]) -> None:
    try:
        ChatRequest.model_validate(body)
    except ValidationError:
        error = refused(json.dumps(body).encode())
        assert isinstance(error, errors.InvalidRequest)
        assert error.errors
        for field in problems.problem_of(error).errors or ():
            assert field.pointer == "#" or field.pointer.removeprefix("#/") in {
                *body,
                "sessionId",
                "userMessage",
            }
            assert field.detail and "{" not in field.detail


VIEW = {"center": [2600000, 1215000], "extent": [1, 2, 3, 4], "scale": 5_000}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-1e9, 1e9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(["id", "label"]), inner),
    max_leaves=8,
)


def problem_with(map_: object) -> list[tuple[str, str]]:
    document = {"sessionId": "s", "userMessage": "m", "map": map_}
    try:
        ChatRequest.model_validate(document)
    except ValidationError:
        error = refused(json.dumps(document).encode())
        return [(field.pointer, field.detail) for field in problems.problem_of(error).errors or ()]
    return []


@pytest.mark.parametrize(
    ("wrong", "pointer", "detail"),
    [
        ({"scale": 0}, "#/map/scale", "Hier wird eine Zahl erwartet, die grösser ist als 0."),
        ({"center": [1]}, "#/map/center/1", "Diese Angabe fehlt."),
        ({"center": [1, "x"]}, "#/map/center/1", "Hier wird eine Zahl erwartet."),
        ({"point": [1, 10**400]}, "#/map/point/1", "Hier wird eine Zahl erwartet."),
        ({"extent": [1, 2, 3, 4, 5]}, "#/map/extent", "Höchstens 4 Einträge sind möglich."),
        (
            {"layers": [{"id": "a", "label": "A", "opacity": 7}]},
            "#/map/layers/0/opacity",
            "Hier wird eine Zahl bis 1 erwartet.",
        ),
        (
            {"layers": [{"id": "a", "label": "A"}] * 51},
            "#/map/layers",
            "Höchstens 50 Einträge sind möglich.",
        ),
    ],
)
def test_what_is_wrong_with_a_map_is_named(wrong: dict[str, object], pointer: str, detail: str) -> None:
    assert problem_with(VIEW | wrong) == [(pointer, detail)]


@given(st.fixed_dictionaries({}, optional=dict.fromkeys((*VIEW, "point", "crs", "layers"), JSON)) | JSON)
def test_any_map_is_one_or_is_told_where_it_is_none(map_: object) -> None:
    for pointer, detail in problem_with(VIEW | map_ if isinstance(map_, dict) else map_):
        assert pointer.startswith("#/map")
        assert detail and "{" not in detail


def test_what_the_client_sent_is_not_repeated() -> None:
    error = refused(json.dumps({"sessionId": 4711, "userMessage": "geheim" * 1000}).encode())
    body = bytes(problems.response_of(error).body)
    assert b"geheim" not in body and b"4711" not in body


def test_many_findings_are_cut_off() -> None:
    error = refused(json.dumps({f"{n}-{'x' * 1000}": n for n in range(50)}).encode())
    assert len(bytes(problems.response_of(error).body)) < 5_000
    assert len(error.errors) == 10


def test_a_finding_of_an_unknown_kind_still_has_a_text() -> None:
    unknown = ValidationError.from_exception_data(
        "ChatRequest", [{"type": "string_unicode", "loc": ("userMessage",), "input": b"\xff"}]
    )
    (field,) = problems.invalid(problems.findings_of(unknown)).errors
    assert field.key == "field_other"
    assert not text.knows("field_string_unicode")


def test_documented_errors_with_the_same_status_share_an_entry() -> None:
    documented = problems.documented(errors.TooManyTurns, errors.QueueFull, errors.TurnTimeout)
    assert documented.keys() == {429, 504, "default"}
    content = documented[429]["content"]["application/problem+json"]
    assert content["examples"].keys() == {"too_many_turns", "queue_full"}
    assert documented[429]["headers"].keys() == {"Retry-After"}
    assert documented[504]["headers"].keys() == {"Location"}
