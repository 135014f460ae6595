"""The edge as a process: its settings, its log, its port, its end."""

import asyncio
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest
from contracts.messages import ChatRequested
from edge_process import edge_process

from .edge_harness import ignore, inside, orchestrating, problem


async def test_the_log_is_json_with_the_ids_of_each_request(
    nats_url: str, redis_url: str, tmp_path: Path
) -> None:
    async with (
        orchestrating(nats_url, redis_url),
        edge_process(nats_url, redis_url, tmp_path / "log") as edge,
        httpx.AsyncClient(base_url=edge.url, timeout=20) as http,
    ):
        answered = await http.post("/api/chat", json={"sessionId": "s-ü", "userMessage": "hallo"})
        assert await edge.end() == 0
        (line,) = [line for line in edge.lines() if line["event"] == "request"]
    assert line["service"] == "edge"
    assert (line["method"], line["path"], line["status"]) == ("POST", "/api/chat", 200)
    assert (line["request_id"], line["session_id"]) == (answered.json()["requestId"], inside("s-ü"))
    assert isinstance(line["ms"], float)


async def test_a_stopping_edge_still_answers_the_turns_that_end(
    nats_url: str, redis_url: str, tmp_path: Path
) -> None:
    async with (
        orchestrating(nats_url, redis_url) as orchestrator,
        edge_process(nats_url, redis_url, tmp_path / "log", LOOK_PERIOD_S="60", DRAIN_TIMEOUT_S="30") as edge,
        httpx.AsyncClient(base_url=edge.url, timeout=20) as http,
    ):
        orchestrator.behaviour = ignore
        body = {"sessionId": "s", "userMessage": "hallo"}
        waiting = asyncio.create_task(http.post("/api/chat", json=body))
        await orchestrator.heard(1)
        ending = asyncio.create_task(edge.end())
        await asyncio.sleep(0.5)
        await orchestrator.finish(orchestrator.requests[0])
        answered = await waiting
        assert await ending == 0
    assert (answered.status_code, answered.json()["overallStatus"]) == (200, "ok")


async def test_a_stopping_edge_says_where_the_other_turns_will_be(
    nats_url: str, redis_url: str, tmp_path: Path
) -> None:
    async with (
        orchestrating(nats_url, redis_url) as orchestrator,
        edge_process(nats_url, redis_url, tmp_path / "log", DRAIN_TIMEOUT_S="0.3") as edge,
        httpx.AsyncClient(base_url=edge.url, timeout=20) as http,
    ):
        orchestrator.behaviour = ignore
        body = {"sessionId": "s", "userMessage": "hallo"}
        waiting = asyncio.create_task(http.post("/api/chat", json=body))
        await orchestrator.heard(1)
        assert await edge.end() == 0
        told = await waiting
        request: ChatRequested = orchestrator.requests[0]
    assert (told.status_code, problem(told)["code"]) == (503, "shutting_down")
    assert told.headers["location"] == f"/api/chat/{request.request_id}"


async def test_the_answer_survives_the_edge_that_took_the_request(
    nats_url: str, redis_url: str, tmp_path: Path
) -> None:
    async with orchestrating(nats_url, redis_url) as orchestrator:
        orchestrator.behaviour = ignore
        body = {"sessionId": "s", "userMessage": "hallo"}
        key = {"Idempotency-Key": "k"}
        async with (
            edge_process(nats_url, redis_url, tmp_path / "log-1") as edge,
            httpx.AsyncClient(base_url=edge.url, timeout=20) as http,
        ):
            waiting = asyncio.create_task(http.post("/api/chat", json=body, headers=key))
            await orchestrator.heard(1)
            edge.process.kill()
            with pytest.raises(httpx.TransportError):
                await waiting
        async with (
            edge_process(nats_url, redis_url, tmp_path / "log-2") as edge,
            httpx.AsyncClient(base_url=edge.url, timeout=20) as http,
        ):
            again = asyncio.create_task(http.post("/api/chat", json=body, headers=key))
            await orchestrator.heard(2)
            await orchestrator.finish(orchestrator.requests[1])
            answered = await again
    first, second = orchestrator.requests
    assert first.request_id == second.request_id == answered.json()["requestId"]


async def test_a_taken_port_is_one_clear_line(nats_url: str, redis_url: str, tmp_path: Path) -> None:
    with socket.socket() as occupant:
        occupant.bind(("127.0.0.1", 0))
        occupant.listen()
        port = str(occupant.getsockname()[1])
        async with edge_process(nats_url, redis_url, tmp_path / "log", PORT=port) as edge:
            assert edge.process.returncode == 1
            last = edge.log.read_text().splitlines()[-1]
    assert last.startswith(f"edge: cannot listen on port {port} ")
    assert last.endswith("set PORT")
    assert "Traceback" not in edge.log.read_text()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"HTTP_HOST": "0.0.0.0"}, "edge: HTTP_HOST=0.0.0.0 lets others in"),
        ({"AUTH": "anonymous"}, "edge: AUTH=anonymous needs EDGE_SECRET"),
        ({"AUTH": "open"}, "edge: AUTH: "),
    ],
)
async def test_an_edge_that_would_let_everybody_in_says_in_one_line_what_to_set(
    nats_url: str, redis_url: str, tmp_path: Path, settings: dict[str, Any], said: str
) -> None:
    async with edge_process(nats_url, redis_url, tmp_path / "log", **settings) as edge:
        assert await edge.process.wait() == 1
        (line,) = edge.log.read_text().splitlines()
    assert line.startswith(said)
