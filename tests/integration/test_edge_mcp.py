"""The MCP endpoint of a running edge, with the real client of the SDK: its tools."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from contracts.plan import ToolCall
from contracts.status import Status
from contracts.vocabulary import Example, Vocabulary
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ToolsListChanged

from .edge_harness import inside, running
from .mcp_harness import (
    Stage,
    address,
    announce,
    both,
    client,
    finds,
    know,
    said,
    staged_with_tools,
    structured,
    tool,
    withdraw,
)


@pytest.fixture
async def stage(nats_url: str, redis_url: str) -> AsyncIterator[Stage]:
    async with staged_with_tools(nats_url, redis_url) as started:
        yield started


@both
async def test_every_live_capability_is_a_tool_and_so_is_ask(stage: Stage, mode: str) -> None:
    async with client(stage[0], mode=mode) as connected:
        ask, geocode = (await connected.list_tools()).tools
    assert ask.name == "ask"
    assert (geocode.name, geocode.title) == ("geolocation_geocode", "geolocation.geocode")
    assert geocode.description == "Finds an address."
    assert geocode.input_schema == tool().parameters
    assert geocode.output_schema is not None and geocode.annotations is not None
    assert geocode.output_schema["required"] == ["status", "message", "items"]
    assert geocode.annotations.read_only_hint and geocode.annotations.idempotent_hint


async def test_no_endpoint_suggests_what_needs_a_tool_that_is_gone(stage: Stage) -> None:
    edge, orchestrator = stage
    works = Example(intent="goto_address", subject="Hauptgasse 1")
    needs_more = Example(intent="oereb_extract", text="nach Nummer", needs=("parcels.by_number",))
    await know(orchestrator, Vocabulary(examples=(needs_more, works)))

    async def suggested() -> list[list[str]]:
        page, listed = [(await edge.http.get(path)).json() for path in ("/config.json", "/api/tools")]
        async with client(edge) as connected:
            ask = (await connected.list_tools()).tools[0]
        told = [
            [example["text"] for example in examples]
            for examples in (page["examples"]["de"], listed["examples"])
        ]
        return [*told, ask.input_schema["properties"]["message"].get("examples", [])]

    async with asyncio.timeout(30):
        while not all(texts := await suggested()):
            await asyncio.sleep(0.01)
    assert texts == [[works.sentence()]] * 3
    await announce(orchestrator, tool("parcels.by_number"))
    async with asyncio.timeout(30):
        while await suggested() != [[needs_more.text, works.sentence()]] * 3:
            await asyncio.sleep(0.01)


async def test_tools_come_and_go_and_whoever_listens_is_told(stage: Stage) -> None:
    edge, orchestrator = stage

    async def names(connected: Client) -> list[str]:
        return [each.name for each in (await connected.list_tools()).tools]

    async with client(edge) as connected, connected.listen(tools_list_changed=True) as events:
        changes = aiter(events)
        await announce(orchestrator, tool("trees.find"))
        async with asyncio.timeout(30):
            assert await anext(changes) == ToolsListChanged()
            assert await names(connected) == ["ask", "geolocation_geocode", "trees_find"]
            await withdraw(orchestrator, "geolocation.geocode")
            assert await anext(changes) == ToolsListChanged()
            assert await names(connected) == ["ask", "trees_find"]
        with pytest.raises(MCPError):
            await connected.call_tool("geolocation_geocode", {"q": "x"})


async def test_an_edge_that_stops_says_goodbye_to_those_who_listen(nats_url: str, redis_url: str) -> None:
    async with running(nats_url, redis_url) as edge:
        listening = asyncio.Event()

        async def listen() -> int:
            async with client(edge) as connected, connected.listen(tools_list_changed=True) as events:
                listening.set()
                return len([event async for event in events])

        task = asyncio.create_task(listen())
        await listening.wait()
    assert await asyncio.wait_for(task, 30) == 0


@both
async def test_a_call_goes_to_the_orchestrator_and_its_items_come_back(stage: Stage, mode: str) -> None:
    edge, orchestrator = stage
    orchestrator.behaviour = finds(address(1), message="1 Treffer.")
    async with client(edge, mode=mode) as connected:
        result = await connected.call_tool("geolocation_geocode", {"q": "Hauptgasse 1"})
    (request,) = orchestrator.requests
    assert request.call == ToolCall(capability="geolocation.geocode", args={"q": "Hauptgasse 1"})
    assert request.user_message is None and request.choice_id is None
    assert result.meta is not None and result.meta["ask.sogis/requestId"] == request.request_id
    found = structured(result)
    assert (found["status"], found["message"]) == ("ok", "1 Treffer.")
    assert [(item["type"], item["street"]) for item in found["items"]] == [("address", "Hauptgasse")]
    assert said(result) == "1 Treffer.\nHauptgasse 1, 4500 Solothurn"


async def test_a_capability_can_be_called_by_its_own_name(stage: Stage) -> None:
    edge, orchestrator = stage
    orchestrator.behaviour = finds(address(1))
    async with client(edge) as connected:
        assert structured(await connected.call_tool("geolocation.geocode", {"q": "a"}))["items"]


async def test_nothing_found_is_no_error_and_says_so(stage: Stage) -> None:
    edge, orchestrator = stage
    orchestrator.behaviour = finds(status=Status.NEEDS_CLARIFICATION, message="Welche Gemeinde?")
    async with client(edge) as connected:
        result = await connected.call_tool("geolocation_geocode", {"q": "a"})
    assert structured(result) == {"status": "needs_clarification", "message": "Welche Gemeinde?", "items": []}


async def test_a_tool_that_fails_is_an_error_in_its_own_words(stage: Stage) -> None:
    edge, orchestrator = stage
    orchestrator.behaviour = finds(status=Status.ERROR, message="Die Quelle schweigt.")
    async with client(edge) as connected:
        result = await connected.call_tool("geolocation_geocode", {"q": "a"})
    assert (result.is_error, said(result)) == (True, "Die Quelle schweigt.")


@pytest.mark.parametrize("name", ["documents_check", "documents.check", "nonsense", "ask "])
async def test_other_tools_do_not_exist(stage: Stage, name: str) -> None:
    edge, orchestrator = stage
    async with client(edge) as connected:
        with pytest.raises(MCPError) as refused:
            await connected.call_tool(name, {"q": "a"})
    assert refused.value.error.code == -32602
    assert orchestrator.requests == []


@both
async def test_ask_runs_a_whole_turn(stage: Stage, mode: str) -> None:
    edge, orchestrator = stage
    async with client(edge, mode=mode) as connected:
        result = await connected.call_tool("ask", {"message": "Hallo", "sessionId": "mine"})
    (request,) = orchestrator.requests
    assert (request.user_message, request.session_id, request.call) == ("Hallo", inside("mine"), None)
    answered = structured(result)
    assert (answered["sessionId"], answered["overallStatus"]) == ("mine", "ok")
    assert answered["requestId"] == request.request_id
    assert said(result) == "Verstanden: Hallo"


async def test_without_a_session_a_new_one_begins_and_is_named(stage: Stage) -> None:
    edge, orchestrator = stage
    async with client(edge) as connected:
        first = structured(await connected.call_tool("ask", {"message": "Hallo"}))
        second = structured(await connected.call_tool("ask", {"message": "Hallo"}))
    sessions = [request.session_id for request in orchestrator.requests]
    assert sessions == [inside(first["sessionId"]), inside(second["sessionId"])]
    assert sessions[0] != sessions[1]


@pytest.mark.parametrize(
    ("arguments", "pointer"),
    [
        ({}, "#/message"),
        ({"message": ""}, "#/message"),
        ({"message": "x" * 4_001}, "#/message"),
        ({"message": "x", "sessionId": "a\nb"}, "#/sessionId"),
        ({"message": "x", "choiceId": "c"}, "#/choiceId"),
    ],
)
async def test_wrong_arguments_are_named(stage: Stage, arguments: dict[str, Any], pointer: str) -> None:
    edge, orchestrator = stage
    async with client(edge) as connected:
        result = await connected.call_tool("ask", arguments)
    assert result.is_error and pointer in said(result)
    assert orchestrator.requests == []
