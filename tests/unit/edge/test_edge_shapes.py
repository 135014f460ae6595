"""What a body may cost, whatever is in it."""

import json
import tracemalloc
from typing import Any

import pytest
from contracts.chat import ChatRequest
from fastapi.exceptions import RequestValidationError
from hostile_bodies import CHAT, PLACES, RUN, bodies, keys, repeated
from hypothesis import given
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails
from starlette.requests import Request
from starlette.types import Message

from edge import bodies as edge_bodies
from edge import errors, problems, shapes
from edge.agui.inputs import RunInput
from edge.texts import text

MB = 1_000_000


async def read(document: bytes, model: type[BaseModel], shape: shapes.Shape) -> BaseModel:
    """As a route does it."""

    async def receive() -> Message:
        return {"type": "http.request", "body": document, "more_body": False}

    headers = [(b"content-type", b"application/json")]
    return await edge_bodies.read(Request({"type": "http", "headers": headers}, receive), model, shape)


async def cost_of(document: bytes, model: type[BaseModel], shape: shapes.Shape) -> tuple[int, str]:
    """Bytes at the peak, beside the document itself, and what became of it."""
    tracemalloc.start()
    try:
        await read(document, model, shape)
        outcome = "taken"
    except (errors.EdgeError, RequestValidationError) as raised:
        refused = (
            problems.invalid(raised.errors(), raised.body)
            if isinstance(raised, RequestValidationError)
            else raised
        )
        assert len(refused.errors) <= 10
        assert len(bytes(problems.response_of(refused).body)) < 10_000
        outcome = refused.code
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return peak, outcome


@pytest.fixture
def findings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How much a model has found wrong, each time that it was asked."""
    counts: list[int] = []
    findings_of = problems.findings_of

    def counted(error: ValidationError) -> list[ErrorDetails]:
        counts.append(error.error_count())
        return findings_of(error)

    monkeypatch.setattr(problems, "findings_of", counted)
    return counts


@given(document=bodies(524_288))
async def test_no_run_costs_much(document: bytes) -> None:
    peak, _ = await cost_of(document, RunInput, shapes.RUN)
    assert peak < 30 * MB


@given(document=bodies(65_536))
async def test_no_message_costs_much(document: bytes) -> None:
    peak, _ = await cost_of(document, ChatRequest, shapes.CHAT)
    assert peak < 30 * MB


@pytest.mark.parametrize("place", PLACES)
async def test_of_a_list_of_nothings_few_findings_are_made(
    place: tuple[str, str], findings: list[int]
) -> None:
    for most in (None, 20_000, 1_000, 64):
        document = repeated("{}", place, 524_288, most)
        for model, shape in ((RunInput, shapes.RUN), (ChatRequest, shapes.CHAT)):
            await cost_of(document, model, shape)
    # A list may have 1,000 entries, and an entry several members that are missing.
    assert max(findings) <= 4_000


async def test_the_bodies_that_once_stopped_the_edge_are_refused_unread(findings: list[int]) -> None:
    messages = repeated("{}", (f'{RUN},"messages":[', "]}"), 2_070_000)
    layers = repeated("{}", (f'{CHAT},"mapLayers":[', "]}"), 65_480)
    for document, model, shape, most in (
        (messages, RunInput, shapes.RUN, 3 * MB),
        (layers, ChatRequest, shapes.CHAT, MB),
    ):
        peak, outcome = await cost_of(document, model, shape)
        assert (peak < most, outcome) == (True, "invalid_request")
    assert findings == []


async def test_of_unknown_keys_few_are_told(findings: list[int]) -> None:
    few, many = (keys(size, (f"{CHAT},", "}")) for size in (600, 60_000))
    assert (await cost_of(few, ChatRequest, shapes.CHAT))[1] == "invalid_request"
    assert (await cost_of(many, ChatRequest, shapes.CHAT))[1] == "invalid_request"
    assert len(findings) == 1 and findings[0] < 60


@pytest.mark.parametrize(
    ("document", "pointer"),
    [
        ({"mapLayers": [0] * 65}, "#/mapLayers"),
        ({"map": {"layers": [0] * 65}}, "#/map/layers"),
        ({"map": {"extent": [0.0, float("inf")]}}, "#/map/extent/1"),
        ({"a/b": [[], {"c": list(range(65))}]}, "#/a~1b/1/c"),
        ({str(n): 0 for n in range(65)}, "#"),
        ([[[[0] * 65]]], "#/0/0/0"),
        ([{"a": [1.0, float("inf")]}], "#/0/a/1"),
    ],
)
def test_the_place_of_what_is_too_much_is_named(document: Any, pointer: str) -> None:
    sent = json.dumps(document).replace("Infinity", "1e999").encode()
    with pytest.raises(errors.InvalidRequest) as refused:
        shapes.parse(sent, shapes.CHAT)
    (finding,) = refused.value.errors
    assert finding.pointer == pointer
    assert text.knows(finding.key)


def test_a_state_may_have_long_lists_and_a_conversation_may_not() -> None:
    line = [[2_600_000.5, 1_200_000.25]] * 3_000
    assert shapes.parse(json.dumps({"state": {"geometry": line}}).encode(), shapes.RUN)
    assert shapes.parse(json.dumps({"forwardedProps": line}).encode(), shapes.RUN)
    for elsewhere in ({"messages": line}, {"messages": [{"state": line}]}, {"more": {"state": line}}):
        with pytest.raises(errors.InvalidRequest):
            shapes.parse(json.dumps(elsewhere).encode(), shapes.RUN)


@pytest.mark.parametrize("brackets", ["[]", '{"a":}'])
def test_depth_has_an_end_also_in_a_state(brackets: str) -> None:
    opening, closing = brackets[:-1], brackets[-1]

    def tower(depth: int) -> bytes:
        return f'{{"state":{opening * depth}0{closing * depth}}}'.encode()

    assert shapes.parse(tower(31), shapes.RUN)
    for depth in (32, 100):
        with pytest.raises(errors.InvalidRequest) as refused:
            shapes.parse(tower(depth), shapes.RUN)
        assert refused.value.errors[0].key == "field_too_deep"
    with pytest.raises(errors.MalformedJson):
        shapes.parse(tower(4_000), shapes.RUN)


@pytest.mark.parametrize("sign", [",", "[", "{"])
def test_a_message_of_signs_is_no_list(sign: str) -> None:
    message = json.dumps({"sessionId": "s", "userMessage": sign * 4000}).encode()
    assert shapes.parse(message, shapes.CHAT)["userMessage"] == sign * 4000


@pytest.mark.parametrize(
    "broken", [b"", b"{", b"\xff\xfe", b'"\\ud800"', b"NaN", b"[-Infinity]", b"1" * 5000, b"[1]x", b"'a'"]
)
def test_what_other_parsers_might_take_is_broken(broken: bytes) -> None:
    with pytest.raises(errors.MalformedJson):
        shapes.parse(broken, shapes.CHAT)


async def test_what_an_application_reads_itself_is_examined_and_handed_on() -> None:
    sent = [b'{"a":', b"[1,2]}"]

    async def receive() -> Message:
        if sent:
            return {"type": "http.request", "body": sent.pop(0), "more_body": bool(sent)}
        return {"type": "http.disconnect"}

    again = await edge_bodies.examined({"type": "http", "headers": []}, receive, shapes.CALL)
    assert await again() == {"type": "http.request", "body": b'{"a":[1,2]}', "more_body": False}
    assert await again() == {"type": "http.disconnect"}


@pytest.mark.parametrize("size", [1_000, 60_000])
async def test_what_an_application_reads_itself_has_the_same_limits(size: int) -> None:
    async def receive() -> Message:
        body = ("[" * 40 + "]" * 40).ljust(size).encode()
        return {"type": "http.request", "body": body, "more_body": False}

    with pytest.raises(errors.InvalidRequest):
        await edge_bodies.examined({"type": "http", "headers": []}, receive, shapes.CALL)
