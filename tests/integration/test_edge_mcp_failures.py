"""What the MCP endpoint refuses, and what it says when something is down."""

from collections.abc import AsyncIterator

import pytest
from contracts.chat import ChatResponse, Step
from contracts.messages import ChatRequested
from contracts.status import Status
from mcp.shared.exceptions import MCPError

from .conftest import ServerProcess
from .edge_harness import Orchestrator, ignore, problem, running, staged
from .mcp_harness import Stage, address, both, client, finds, said, staged_with_tools, structured


@pytest.fixture
async def stage(nats_url: str, redis_url: str) -> AsyncIterator[Stage]:
    async with staged_with_tools(nats_url, redis_url) as started:
        yield started


@both
async def test_what_is_down_is_told_without_internals(
    stage: Stage, redis_server: ServerProcess, mode: str
) -> None:
    edge, orchestrator = stage
    orchestrator.behaviour = finds(address(1))
    async with client(edge, mode=mode) as connected:
        assert structured(await connected.call_tool("geolocation_geocode", {"q": "a"}))
        orchestrator.behaviour = _reply_only
        redis_server.kill()
        result = await connected.call_tool("geolocation_geocode", {"q": "a"})
    assert result.is_error
    assert said(result) == "Der Speicher antwortet gerade nicht. Bitte versuche es gleich noch einmal."


async def _reply_only(orchestrator: Orchestrator, request: ChatRequested) -> None:
    step = Step(intent="x", status=Status.OK, message="")
    await orchestrator.reply(request, response=ChatResponse.of(request.request_id, (step,)))


@both
async def test_a_bug_is_masked(stage: Stage, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    edge, _ = stage

    async def broken(*_: object) -> None:
        raise RuntimeError("the password is 1234")

    async with client(edge, mode=mode) as connected:
        await connected.list_tools()
        monkeypatch.setattr("edge.chat.Chat.answer", broken)
        with pytest.raises(MCPError) as refused:
            await connected.call_tool("ask", {"message": "x"})
    assert "1234" not in str(refused.value) and refused.value.error.code == -32603


async def test_a_turn_that_takes_too_long_says_so(nats_url: str, redis_url: str) -> None:
    async with staged(nats_url, redis_url, wait_timeout_s=0.2) as (edge, orchestrator):
        orchestrator.behaviour = ignore
        async with client(edge) as connected:
            result = await connected.call_tool("ask", {"message": "x"})
    assert result.is_error and "länger" in said(result)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "http://localhost:3000"}, 200),
        ({"host": "ask.example"}, 200),
        ({"host": "ask.example:8443", "origin": "https://ask.example:8443"}, 200),
        ({"origin": "https://page.example"}, 200),
    ],
)
async def test_only_known_hosts_and_origins_are_served(
    nats_url: str, redis_url: str, headers: dict[str, str], status: int
) -> None:
    allowed = {
        "allowed_hosts": "127.0.0.1,localhost,ask.example",
        "allowed_origins": "https://page.example",
    }
    async with running(nats_url, redis_url, **allowed) as edge:
        body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        accept = {"accept": "application/json, text/event-stream"}
        answered = await edge.http.post("/mcp", json=body, headers=accept | headers)
    assert answered.status_code == status


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
async def test_there_is_nothing_but_posting(stage: Stage, method: str) -> None:
    answered = await stage[0].http.request(method, "/mcp")
    assert answered.status_code == 405
    assert answered.headers["allow"] == "POST"
    assert problem(answered)["code"] == "method_not_allowed"


async def test_a_body_that_is_too_large_is_refused(stage: Stage) -> None:
    answered = await stage[0].http.post("/mcp", content=b"x" * 70_000)
    assert answered.status_code == 413
    assert problem(answered)["code"] == "body_too_large"
