"""HTTP itself: what is refused and how, what is logged, who may call, and what the operators see."""

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

import httpx
import nats
import pytest
from contracts import subjects
from contracts.tools import ToolDescriptor

from .edge_harness import Orchestrator, RunningEdge, inside, problem, staged

JSON = {"Content-Type": "application/json"}


@pytest.fixture
async def stage(nats_url: str, redis_url: str) -> AsyncIterator[tuple[RunningEdge, Orchestrator]]:
    async with staged(nats_url, redis_url) as both:
        yield both


async def post(edge: RunningEdge, body: Any, method: str = "POST") -> httpx.Response:
    return await edge.http.request(method, "/api/chat", content=body, headers=JSON)


async def test_what_is_wrong_with_a_request_is_named_field_by_field(
    stage: tuple[RunningEdge, Orchestrator],
) -> None:
    edge, orchestrator = stage
    message = {"userMessage": "hallo"}
    session = {"sessionId": "s"}
    cases: list[tuple[Any, dict[str, str]]] = [
        (message, {"#/sessionId": "fehlt"}),
        ({**message, "sessionId": "s" * 129}, {"#/sessionId": "128"}),
        ({**message, "sessionId": " "}, {"#/sessionId": "sichtbares"}),
        ({**message, "sessionId": 7}, {"#/sessionId": "Text"}),
        ({**message, "sessionId": "a\nb"}, {"#/sessionId": "Steuerzeichen"}),
        ({**session, "userMessage": "ü" * 4001}, {"#/userMessage": "4000"}),
        ({**session, "userMessage": " "}, {"#/userMessage": "choiceId"}),
        (session, {"#/userMessage": "choiceId"}),
        ({**session, "choiceId": ""}, {"#/choiceId": "1"}),
        ({**session, "choiceId": "c" * 129}, {"#/choiceId": "128"}),
        ({**session, **message, "a/b~ü": 1}, {"#/a~1b~0%C3%BC": "gibt es nicht"}),
        ({"sessionId": None, "userMessage": 5}, {"#/sessionId": "Text", "#/userMessage": "Text"}),
        ([], {"#": "JSON-Objekt"}),
    ]
    for body, expected in cases:
        answered = await edge.http.post("/api/chat", json=body)
        told = problem(answered)
        assert (answered.status_code, told["code"]) == (422, "invalid_request"), body
        found = {each["pointer"]: each["detail"] for each in told["errors"]}
        assert found.keys() == expected.keys(), body
        assert all(part in found[pointer] for pointer, part in expected.items()), found
    assert orchestrator.requests == []


async def test_what_is_just_small_enough_is_taken(stage: tuple[RunningEdge, Orchestrator]) -> None:
    edge, orchestrator = stage
    answered = await edge.say("𝄞" * 4000, session="ü" * 128)
    assert answered.status_code == 200
    assert orchestrator.requests[0].session_id == inside("ü" * 128)


async def test_what_is_no_json_is_refused(stage: tuple[RunningEdge, Orchestrator]) -> None:
    edge, _ = stage
    for body in (b"", b"{", b"\xff\xfe", b'{"sessionId": "\\ud800"}', b"[" * 5000, b"sessionId=s"):
        for method in ("POST", "DELETE"):
            answered = await post(edge, body, method)
            assert (answered.status_code, problem(answered)["code"]) == (400, "malformed_json"), body


async def test_only_json_is_taken(stage: tuple[RunningEdge, Orchestrator]) -> None:
    edge, _ = stage
    body = b'{"sessionId": "s", "userMessage": "hallo"}'
    for media_type in ("application/x-www-form-urlencoded", "text/json", ""):
        answered = await edge.http.post("/api/chat", content=body, headers={"Content-Type": media_type})
        assert (answered.status_code, problem(answered)["code"]) == (415, "unsupported_media_type")
    without = await edge.http.post("/api/chat", content=body)
    assert without.status_code == 415
    for media_type in ("application/json", "Application/JSON; charset=utf-8"):
        answered = await edge.http.post("/api/chat", content=body, headers={"Content-Type": media_type})
        assert answered.status_code == 200


async def test_a_body_may_have_64_kib(stage: tuple[RunningEdge, Orchestrator]) -> None:
    edge, _ = stage
    body = b'{"sessionId": "s", "userMessage": "hallo"}'

    async def in_chunks(size: int) -> AsyncIterator[bytes]:
        padded = body + b" " * (size - len(body))
        for start in range(0, size, 1000):
            yield padded[start : start + 1000]

    assert (await post(edge, body + b" " * (65_536 - len(body)))).status_code == 200
    assert (await post(edge, in_chunks(65_536))).status_code == 200
    for too_large in (body + b" " * (65_537 - len(body)), in_chunks(65_537)):
        answered = await post(edge, too_large)
        assert (answered.status_code, problem(answered)["code"]) == (413, "body_too_large")
    assert (await edge.say("weiter")).status_code == 200


async def test_an_endless_body_is_cut_off_while_it_is_read(stage: tuple[RunningEdge, Orchestrator]) -> None:
    edge, _ = stage
    reader, writer = await asyncio.open_connection("127.0.0.1", edge.port)
    writer.write(
        b"POST /api/chat HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Transfer-Encoding: chunked\r\n\r\n"
    )
    for _ in range(7):
        writer.write(b"2710\r\n" + b" " * 10_000 + b"\r\n")
    async with asyncio.timeout(30):
        head = await reader.readuntil(b"\r\n\r\n")
    writer.close()
    assert head.startswith(b"HTTP/1.1 413 ")
    assert b"connection: close" in head.lower()


async def test_unknown_addresses_and_methods_are_problems_too(
    stage: tuple[RunningEdge, Orchestrator],
) -> None:
    edge, _ = stage
    for path in ("/nope", "/api/chat/", "/api/chat/a/b", "/api/Chat"):
        answered = await edge.http.get(path)
        assert (answered.status_code, problem(answered)["code"]) == (404, "not_found")
    for method, path, allowed in (
        ("PUT", "/api/chat", "DELETE, POST"),
        ("GET", "/chat", "DELETE, POST"),
        ("POST", "/api/tools", "GET, HEAD"),
        ("GET", "/api/chat/stream", "POST"),
        ("TRACE", "/healthz", "GET, HEAD"),
        ("PUT", "/api/chat/req-0123456789abcdef", "DELETE, GET, HEAD"),
        ("GET", "/api/ag-ui/map", "POST"),
    ):
        answered = await edge.http.request(method, path)
        assert (answered.status_code, problem(answered)["code"]) == (405, "method_not_allowed")
        assert answered.headers["allow"] == allowed


async def test_the_tools_that_are_alive_are_listed_by_name(
    stage: tuple[RunningEdge, Orchestrator], nats_url: str
) -> None:
    edge, _ = stage
    assert (await edge.http.get("/api/tools")).json() == {"tools": [], "examples": [], "models": []}
    tools = [
        ToolDescriptor(
            capability=capability,
            service="tools-geo",
            description="Findet etwas.",
            parameters={"type": "object"},
            result_types=("address",),
        )
        for capability in ("layers.search", "geolocation.geocode")
    ]
    async with await nats.connect(nats_url) as connection:
        bucket = await connection.jetstream().key_value(subjects.TOOLS_BUCKET)
        for tool in tools:
            await bucket.put(tool.capability, tool.to_json())
        async with asyncio.timeout(30):
            while len(listed := (await edge.http.get("/api/tools")).json()["tools"]) < 2:
                await asyncio.sleep(0.02)
    assert [ToolDescriptor.model_validate(each) for each in listed] == [tools[1], tools[0]]


async def test_the_front_page_names_the_api(stage: tuple[RunningEdge, Orchestrator]) -> None:
    edge, _ = stage
    named = (await edge.http.get("/")).json()
    assert named["docs"] == "/docs"
    assert (await edge.http.get(named["docs"])).status_code == 200
    assert (await edge.http.get("/openapi.json")).json()["info"]["title"] == "ask.sogis"


async def test_health_readiness_and_metrics_are_served(stage: tuple[RunningEdge, Orchestrator]) -> None:
    edge, _ = stage
    await edge.say("hallo")
    await edge.http.request("PROPFIND", "/api/chat")
    ready = await edge.http.get("/readyz")
    metrics = (await edge.http.get("/metrics")).text
    assert (await edge.http.get("/healthz")).status_code == 200
    assert (ready.status_code, ready.json()["failures"]) == (200, {})
    assert 'ask_http_requests_total{method="POST",route="/api/chat",status="200"}' in metrics
    assert 'ask_http_requests_total{method="other",route="/api/chat",status="405"}' in metrics
    assert "ask_turns_waiting 0.0" in metrics


async def test_every_request_is_one_log_line_without_its_message(
    stage: tuple[RunningEdge, Orchestrator], caplog: pytest.LogCaptureFixture
) -> None:
    edge, _ = stage
    with caplog.at_level(logging.INFO):
        answered = await edge.say("Streng geheim", session="s-9")
        await edge.http.get("/nope")
        await edge.http.get("/healthz")
    lines = [vars(record) for record in caplog.records if record.name == "edge.http"]
    assert [(line["method"], line["path"], line["status"]) for line in lines] == [
        ("POST", "/api/chat", 200),
        ("GET", "/nope", 404),
    ]
    assert (lines[0]["request_id"], lines[0]["session_id"]) == (answered.json()["requestId"], inside("s-9"))
    assert lines[0]["ms"] > 0
    assert not [record for record in caplog.records if "geheim" in str(vars(record))]


async def test_other_origins_are_not_let_in_by_default(stage: tuple[RunningEdge, Orchestrator]) -> None:
    edge, _ = stage
    answered = await edge.say("hallo", headers={"Origin": "https://map.example"})
    assert "access-control-allow-origin" not in answered.headers


async def test_allowed_origins_can_read_answers_and_problems(nats_url: str, redis_url: str) -> None:
    origin = {"Origin": "https://map.example"}
    async with staged(nats_url, redis_url, allowed_origins="https://map.example, https://b.example") as (
        edge,
        _,
    ):
        answered = await edge.say("hallo", headers=origin)
        refused = await edge.say("", headers=origin)
        stranger = await edge.say("hallo", headers={"Origin": "https://evil.example"})
        asks = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "idempotency-key"}
        preflight = await edge.http.options("/api/chat", headers={**origin, **asks})
    assert (answered.status_code, refused.status_code, preflight.status_code) == (200, 422, 200)
    for each in (answered, refused, preflight):
        assert each.headers["access-control-allow-origin"] == "https://map.example"
    assert "Ask-Request-Id" in answered.headers["access-control-expose-headers"]
    assert "access-control-allow-origin" not in stranger.headers
