"""What an MCP client is asked when more than one thing is found, on any replica of the edge."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from ask_sogis.access import Access
from contracts.chat import choice_id
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import ElicitResult, ErrorData
from servicekit.tasks import end

from ask import mcpbridge
from ask.mcpbridge import Bridge

from .edge_harness import inside, running, staged
from .mcp_harness import (
    TWO,
    Answers,
    Stage,
    address,
    announce,
    client,
    finds,
    said,
    staged_with_tools,
    structured,
    tool,
)


@pytest.fixture
async def stage(nats_url: str, redis_url: str) -> AsyncIterator[Stage]:
    async with staged_with_tools(nats_url, redis_url) as started:
        yield started


async def test_of_several_items_the_user_chooses_one(stage: Stage) -> None:
    edge, orchestrator = stage
    orchestrator.behaviour = finds(*TWO, message="Mehrere Treffer.")
    async with client(edge, picks=[address(2).label]) as connected:
        found = structured(await connected.call_tool("geolocation_geocode", {"q": "Hauptgasse"}))
    assert found["status"] == "ok"
    assert [item["label"] for item in found["items"]] == [address(2).label]
    # Asking again does not mean searching again.
    assert len(orchestrator.requests) == 1


@pytest.mark.parametrize(
    ("picks", "mode"), [([None], "auto"), (["something else"], "auto"), (None, "auto"), (None, "legacy")]
)
async def test_without_a_choice_all_items_come_back(stage: Stage, picks: Answers | None, mode: str) -> None:
    edge, orchestrator = stage
    orchestrator.behaviour = finds(*TWO)
    async with client(edge, picks=picks, mode=mode) as connected:
        found = structured(await connected.call_tool("geolocation_geocode", {"q": "Hauptgasse"}))
    assert found["status"] == "needs_user_choice"
    assert [item["label"] for item in found["items"]] == [item.label for item in TWO]


async def test_nobody_is_asked_where_all_items_are_wanted_or_too_many(stage: Stage) -> None:
    edge, orchestrator = stage
    await announce(orchestrator, tool("trees.find", selects=False))
    async with client(edge, picks=[]) as connected:
        orchestrator.behaviour = finds(*TWO)
        async with asyncio.timeout(30):
            while len((await connected.list_tools()).tools) < 3:
                await asyncio.sleep(0.01)
        assert structured(await connected.call_tool("trees_find", {"q": "a"}))["status"] == "ok"
        orchestrator.behaviour = finds(*map(address, range(26)))
        found = structured(await connected.call_tool("geolocation_geocode", {"q": "a"}))
    assert len(found["items"]) == 26


async def test_the_choice_of_a_turn_is_asked_for_and_its_other_steps_stay(stage: Stage) -> None:
    edge, orchestrator = stage
    orchestrator.behaviour = finds(*TWO)
    async with client(edge, picks=[address(2).label]) as connected:
        answered = structured(await connected.call_tool("ask", {"message": "Hauptgasse"}))
    assert answered["overallStatus"] == "ok"
    assert [step["message"] for step in answered["steps"]] == [address(2).label, "Geladen."]
    asked, chosen = orchestrator.requests
    assert chosen.choice_id == choice_id(asked.request_id, 0, 1)
    assert chosen.session_id == asked.session_id == inside(answered["sessionId"])


@pytest.mark.parametrize("picks", [None, [None]])
async def test_a_choice_that_is_not_made_stays_open_and_is_told_in_words(
    stage: Stage, picks: Answers | None
) -> None:
    edge, orchestrator = stage
    orchestrator.behaviour = finds(*TWO)
    async with client(edge, picks=picks) as connected:
        result = await connected.call_tool("ask", {"message": "Hauptgasse"})
    answered = structured(result)
    assert answered["overallStatus"] == "needs_user_choice"
    assert len(answered["steps"][0]["choices"]) == 2
    lines = said(result).splitlines()
    assert lines[:3] == ["Welche Adresse?", f"1. {address(1).label}", f"2. {address(2).label}"]
    assert answered["sessionId"] in lines[3]
    assert len(orchestrator.requests) == 1


SPOILED: list[Any] = [
    {},
    None,
    "x",
    [],
    {"choice": None},
    {"choice": "x"},
    {"choice": {"code": -32603, "message": "the window was closed"}},
    {"choice": {"action": "sulk"}},
    {"choice": {"action": "accept"}},
    {"choice": {"action": "accept", "content": {"choice": 5}}},
    {"choice": {"action": "accept", "content": {"choice": {"a": [None]}}}},
    {"choice": {"action": "accept", "content": {"choice": "not.0.0"}}},
    {"other": {"action": "accept", "content": {"choice": "0"}}},
]


@pytest.mark.parametrize("answer", SPOILED, ids=str)
async def test_an_answer_that_is_none_leaves_the_options_in_words(stage: Stage, answer: Any) -> None:
    edge, orchestrator = stage
    orchestrator.behaviour = finds(*TWO)
    label = address(1).label
    async with client(edge, picks=[label, label], spoils=lambda given: answer) as connected:
        found = structured(await connected.call_tool("geolocation_geocode", {"q": "Hauptgasse"}))
        result = await connected.call_tool("ask", {"message": "Hauptgasse"})
    assert found["status"] == "needs_user_choice"
    assert [item["label"] for item in found["items"]] == [item.label for item in TWO]
    assert structured(result)["overallStatus"] == "needs_user_choice"
    assert said(result).splitlines()[1:3] == [f"1. {address(1).label}", f"2. {address(2).label}"]


async def test_an_option_that_nobody_offered_is_not_taken(stage: Stage) -> None:
    edge, orchestrator = stage
    orchestrator.behaviour = finds(*TWO)

    def beyond(given: Any) -> Any:
        given["choice"]["content"]["choice"] = given["choice"]["content"]["choice"].rsplit(".", 1)[0] + ".7"
        return given

    async with client(edge, picks=[address(1).label], spoils=beyond) as connected:
        answered = structured(await connected.call_tool("ask", {"message": "Hauptgasse"}))
    assert answered["overallStatus"] == "needs_user_choice"
    assert len(orchestrator.requests) == 1


async def _no_window(context: object, params: object) -> ErrorData:
    return ErrorData(code=-32603, message="no window")


async def _breaks(context: object, params: object) -> ElicitResult:
    raise RuntimeError("broken client")


async def _waits(context: object, params: object) -> ElicitResult:
    await asyncio.sleep(60)
    raise AssertionError


@pytest.mark.parametrize("callback", [_no_window, _breaks, _waits])
async def test_a_question_that_fails_at_an_older_client_leaves_the_options_in_words(
    stage: Stage, callback: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    edge, orchestrator = stage
    orchestrator.behaviour = finds(*TWO)
    if callback is _waits:
        monkeypatch.setattr(mcpbridge, "_ANSWER_S", 0.2)
    url = f"http://127.0.0.1:{edge.port}"
    bridge = Bridge(url, Access(url, None))
    following = asyncio.create_task(bridge.follow())
    try:
        async with Client(bridge.server, mode="legacy", elicitation_callback=callback) as connected:
            found = structured(await connected.call_tool("geolocation_geocode", {"q": "Hauptgasse"}))
            result = await connected.call_tool("ask", {"message": "Hauptgasse"})
    finally:
        await end(following)
    assert found["status"] == "needs_user_choice"
    assert structured(result)["overallStatus"] == "needs_user_choice"
    assert f"2. {address(2).label}" in said(result)


KEY = "k" * 32


async def test_two_replicas_answer_in_turn(nats_url: str, redis_url: str) -> None:
    async with (
        staged(nats_url, redis_url, edge_secret=KEY) as (one, orchestrator),
        running(nats_url, redis_url, edge_secret=KEY) as two,
    ):
        await announce(orchestrator, tool())
        orchestrator.behaviour = finds(*TWO)
        async with client(one, two, picks=[address(2).label, address(1).label]) as connected:
            async with asyncio.timeout(30):
                while any([len((await connected.list_tools()).tools) < 2 for _ in (1, 2)]):
                    await asyncio.sleep(0.01)
            found = structured(await connected.call_tool("geolocation_geocode", {"q": "a"}))
            assert [item["label"] for item in found["items"]] == [address(2).label]
            answered = structured(await connected.call_tool("ask", {"message": "Hauptgasse"}))
            assert [step["message"] for step in answered["steps"]] == [address(1).label, "Geladen."]
    # One has asked, the other has taken the choice.
    assert len({request.reply_to for request in orchestrator.requests[1:]}) == 2


async def test_without_a_shared_secret_only_the_replica_that_asked_takes_the_answer(
    nats_url: str, redis_url: str
) -> None:
    async with (
        staged(nats_url, redis_url, edge_secret=KEY) as (one, orchestrator),
        running(nats_url, redis_url, edge_secret="o" * 32) as two,
    ):
        await announce(orchestrator, tool())
        orchestrator.behaviour = finds(*TWO)
        async with client(one, two, picks=[address(2).label]) as connected:
            with pytest.raises(MCPError, match="requestState"):
                await connected.call_tool("ask", {"message": "Hauptgasse"})
