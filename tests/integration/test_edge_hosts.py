"""Requests for names that are not ours, on a real server."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from .edge_harness import RunningEdge, problem, running

PATHS = [
    "/",
    "/docs",
    "/openapi.json",
    "/config.json",
    "/healthz",
    "/readyz",
    "/metrics",
    "/api/tools",
    "/nix",
]


@pytest_asyncio.fixture
async def edge(nats_url: str, redis_url: str) -> AsyncIterator[RunningEdge]:
    hosts = "127.0.0.1,localhost,[::1],ask.example,*.karten.example"
    async with running(nats_url, redis_url, allowed_hosts=hosts) as started:
        yield started


async def sent(edge: RunningEdge, *lines: str) -> str:
    """What a server says to a request, of which it gets these lines."""
    reader, writer = await asyncio.open_connection("127.0.0.1", edge.port)
    writer.write("\r\n".join((*lines, "Connection: close", "", "")).encode())
    answered = await asyncio.wait_for(reader.read(), 30)
    writer.close()
    return answered.decode()


async def test_no_route_answers_to_another_name(edge: RunningEdge) -> None:
    for path in PATHS:
        for method in ("GET", "HEAD", "POST", "DELETE", "OPTIONS"):
            answered = await edge.http.request(method, path, headers={"Host": "evil.example"})
            assert answered.status_code == 421, (method, path)
    assert problem(await edge.http.get("/", headers={"Host": "evil"}))["code"] == "misdirected_request"
    for path in ("/mcp", "/api/chat", "/api/ag-ui/map"):
        answered = await edge.http.post(
            path, json={}, headers={"Host": f"127.0.0.1.evil.example:{edge.port}"}
        )
        assert answered.status_code == 421, path


@pytest.mark.parametrize("host", ["localhost", "ASK.example:8443", "a.b.karten.example", "[::1]:1"])
async def test_our_names_are_answered(edge: RunningEdge, host: str) -> None:
    assert (await edge.http.get("/api/tools", headers={"Host": host})).status_code == 200


async def test_one_host_is_needed(edge: RunningEdge) -> None:
    for hosts in (
        [],
        ["Host:"],
        ["Host: localhost", "Host: localhost"],
        ["Host: localhost", "Host: evil.example"],
        ["Host: localhost, evil.example"],
        ["Host: evil.example@localhost"],
    ):
        answered = await sent(edge, "GET /api/tools HTTP/1.1", *hosts)
        assert answered.startswith("HTTP/1.1 400 "), (hosts, answered)


async def test_an_address_in_the_request_line_does_not_stand_in_for_the_host(edge: RunningEdge) -> None:
    line = "GET http://localhost/api/tools HTTP/1.1"
    assert (await sent(edge, line, "Host: evil.example")).startswith("HTTP/1.1 421 ")
    assert (await sent(edge, line)).startswith("HTTP/1.1 400 ")
    forwarded = ["X-Forwarded-Host: localhost", "Forwarded: host=localhost"]
    assert (await sent(edge, line, "Host: evil.example", *forwarded)).startswith("HTTP/1.1 421 ")


async def test_only_loopback_is_ours_unless_said_otherwise(nats_url: str, redis_url: str) -> None:
    async with running(nats_url, redis_url) as edge:
        for host, status in {"localhost": 200, "127.0.0.1": 200, "[::1]": 200, "ask.example": 421}.items():
            assert (await edge.http.get("/healthz", headers={"Host": host})).status_code == status


async def test_no_answer_is_kept_or_taken_for_something_else(edge: RunningEdge) -> None:
    for method, path in (("GET", "/api/tools"), ("GET", "/nix"), ("POST", "/mcp"), ("GET", "/metrics")):
        answered = await edge.http.request(method, path)
        assert answered.headers["cache-control"] == "no-store", path
        assert answered.headers["x-content-type-options"] == "nosniff", path
    for path in ("/docs", "/openapi.json", "/docs/swagger-ui.css"):
        answered = await edge.http.get(path)
        assert (answered.status_code, answered.headers["cache-control"]) == (200, "no-cache")
        has_it = await edge.http.get(path, headers={"If-None-Match": answered.headers["etag"]})
        assert (has_it.status_code, has_it.content) == (304, b"")
    assert (await edge.http.get("/docs/nix.js")).status_code == 404


async def test_where_there_is_something_to_get_there_is_its_head(edge: RunningEdge) -> None:
    for path in ("/", "/docs", "/openapi.json", "/api/tools", "/healthz", "/readyz", "/metrics"):
        got, head = await edge.http.get(path), await edge.http.head(path)
        assert (head.status_code, head.content) == (got.status_code, b"")
        assert head.headers["content-type"] == got.headers["content-type"]
    allowed = {"/docs": "GET, HEAD", "/api/chat/stream": "POST", "/api/tools": "GET, HEAD"}
    for path, methods in allowed.items():
        for method in ("TRACE", "PUT", "PATCH", "OPTIONS"):
            answered = await edge.http.request(method, path)
            assert (answered.status_code, answered.headers["allow"]) == (405, methods), (method, path)
