"""The MCP door of a running edge, with the real client of the SDK."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from contracts import subjects
from contracts.chat import ChatResponse, Choice, Step, choice_id
from contracts.items import Address, Item
from contracts.messages import ChatRequested, Outcome
from contracts.plan import ToolCall
from contracts.status import Status
from contracts.tools import ToolDescriptor
from contracts.turns import Round, TurnState
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ToolsListChanged
from mcp_types import CallToolResult, ElicitRequestFormParams, ElicitResult

from .conftest import ServerProcess
from .edge_harness import Orchestrator, RunningEdge, problem, running, staged

Answers = list[str | None]
"""What the user picks, question by question, by its label; None declines."""


def tool(capability: str = "geolocation.geocode", **values: Any) -> ToolDescriptor:
    described: dict[str, Any] = {
        "service": "tools-test",
        "description": "Finds an address.",
        "parameters": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
        "result_types": ("address",),
    }
    return ToolDescriptor(capability=capability, **(described | values))


def address(number: int) -> Address:
    label = f"Hauptgasse {number}, 4500 Solothurn"
    return Address(id=str(number), label=label, street="Hauptgasse", postal_code="4500", locality="Solothurn")


def finds(*items: Item, **values: Any) -> Any:
    """An orchestrator whose tools find that, and that offers a choice for every message."""

    async def behave(orchestrator: Orchestrator, request: ChatRequested) -> None:
        if request.call is not None:
            outcome = Outcome(items=items, **values)
            step = Step(intent=request.call.capability, status=outcome.status, message=outcome.message)
            await end(orchestrator, request, step, outcome=outcome)
        elif request.choice_id is not None:
            chosen = items[int(request.choice_id.rsplit(".", 1)[1])]
            await end(orchestrator, request, Step(intent="goto", status=Status.OK, message=chosen.label))
        else:
            await end(orchestrator, request, *offered(request.request_id, items))

    return behave


def offered(request_id: str, items: tuple[Item, ...]) -> tuple[Step, ...]:
    """A step that waits for its user, and one that does not."""
    choices = tuple(Choice(id=choice_id(request_id, 0, n), label=item.label) for n, item in enumerate(items))
    status = Status.NEEDS_USER_CHOICE
    return (
        Step(intent="goto", status=status, message="Welche Adresse?", choices=choices),
        Step(intent="load_layer", status=Status.OK, message="Geladen."),
    )


async def end(
    orchestrator: Orchestrator, request: ChatRequested, *steps: Step, outcome: Outcome | None = None
) -> None:
    response = ChatResponse.of(request.request_id, steps)
    state, exchanges = TurnState.FINISHED, (request.exchange,)
    ended = Round(state=state, exchanges=exchanges, response=response, outcome=outcome)
    await orchestrator.keep_round(request, ended)
    await orchestrator.reply(request, response=response)


async def announce(orchestrator: Orchestrator, *tools: ToolDescriptor) -> None:
    bucket = await orchestrator.connection.jetstream().key_value(subjects.TOOLS_BUCKET)
    for each in tools:
        await bucket.put(each.capability, each.to_json())


async def withdraw(orchestrator: Orchestrator, capability: str) -> None:
    bucket = await orchestrator.connection.jetstream().key_value(subjects.TOOLS_BUCKET)
    await bucket.delete(capability)


@asynccontextmanager
async def client(
    *edges: RunningEdge, picks: Answers | None = None, mode: str = "auto"
) -> AsyncIterator[Client]:
    """A client whose requests go to the edges in turn; with `picks` it can ask its user."""
    urls = [f"http://127.0.0.1:{edge.port}/mcp" for edge in edges]
    left = list(picks or [])

    async def choose(context: object, params: Any) -> ElicitResult:
        assert isinstance(params, ElicitRequestFormParams)
        wanted = left.pop(0)
        options = params.requested_schema["properties"]["choice"]["oneOf"]
        values = [option["const"] for option in options if option["title"] == wanted]
        if not values:
            return ElicitResult(action="decline")
        return ElicitResult(action="accept", content={"choice": values[0]})

    async with httpx2.AsyncClient(transport=Alternating(urls), timeout=20) as http:
        transport = streamable_http_client(urls[0], http_client=http)
        callback = None if picks is None else choose
        async with Client(transport, mode=mode, elicitation_callback=callback, cache=None) as connected:
            yield connected
            assert left == []


class Alternating(httpx2.AsyncHTTPTransport):
    """A load balancer without any affinity."""

    def __init__(self, urls: list[str]) -> None:
        super().__init__()
        self._urls = urls
        self._n = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.url = httpx2.URL(self._urls[self._n % len(self._urls)])
        self._n += 1
        return await super().handle_async_request(request)


@pytest.fixture
async def stage(nats_url: str, redis_url: str) -> AsyncIterator[tuple[RunningEdge, Orchestrator]]:
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        await announce(orchestrator, tool(), tool("documents.check"))
        async with asyncio.timeout(5):
            while len((await edge.http.get("/api/tools")).json()["tools"]) < 2:
                await asyncio.sleep(0.01)
        yield edge, orchestrator


Stage = tuple[RunningEdge, Orchestrator]
both = pytest.mark.parametrize("mode", ["auto", "legacy"])


def structured(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def said(result: CallToolResult) -> str:
    """What is made for people."""
    return str(getattr(result.content[0], "text", ""))


# -- the list -------------------------------------------------------------------------------------


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


async def test_tools_come_and_go_and_whoever_listens_is_told(stage: Stage) -> None:
    edge, orchestrator = stage

    async def names(connected: Client) -> list[str]:
        return [each.name for each in (await connected.list_tools()).tools]

    async with client(edge) as connected, connected.listen(tools_list_changed=True) as events:
        changes = aiter(events)
        await announce(orchestrator, tool("trees.find"))
        async with asyncio.timeout(10):
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
    assert await asyncio.wait_for(task, 10) == 0


# -- capabilities ---------------------------------------------------------------------------------


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


# -- choices --------------------------------------------------------------------------------------

TWO = (address(1), address(2))


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
        async with asyncio.timeout(5):
            while len((await connected.list_tools()).tools) < 3:
                await asyncio.sleep(0.01)
        assert structured(await connected.call_tool("trees_find", {"q": "a"}))["status"] == "ok"
        orchestrator.behaviour = finds(*map(address, range(26)))
        found = structured(await connected.call_tool("geolocation_geocode", {"q": "a"}))
    assert len(found["items"]) == 26


KEY = "k" * 32


async def test_two_replicas_answer_in_turn(nats_url: str, redis_url: str) -> None:
    async with (
        staged(nats_url, redis_url, mcp_state_key=KEY) as (one, orchestrator),
        running(nats_url, redis_url, mcp_state_key=KEY) as two,
    ):
        await announce(orchestrator, tool())
        orchestrator.behaviour = finds(*TWO)
        async with client(one, two, picks=[address(2).label, address(1).label]) as connected:
            async with asyncio.timeout(5):
                while any([len((await connected.list_tools()).tools) < 2 for _ in (1, 2)]):
                    await asyncio.sleep(0.01)
            found = structured(await connected.call_tool("geolocation_geocode", {"q": "a"}))
            assert [item["label"] for item in found["items"]] == [address(2).label]
            answered = structured(await connected.call_tool("ask", {"message": "Hauptgasse"}))
            assert [step["message"] for step in answered["steps"]] == [address(1).label, "Geladen."]
    # One has asked, the other has taken the choice.
    assert len({request.reply_to for request in orchestrator.requests[1:]}) == 2


async def test_without_a_shared_key_only_the_replica_that_asked_takes_the_answer(
    nats_url: str, redis_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with (
        staged(nats_url, redis_url) as (one, orchestrator),
        running(nats_url, redis_url) as two,
    ):
        await announce(orchestrator, tool())
        orchestrator.behaviour = finds(*TWO)
        with caplog.at_level(logging.WARNING, "edge.mcp"):
            async with client(one, two, picks=[address(2).label]) as connected:
                with pytest.raises(MCPError, match="requestState"):
                    await connected.call_tool("ask", {"message": "Hauptgasse"})
    assert [record.message for record in caplog.records if "MCP_STATE_KEY" in record.message]


# -- whole turns ----------------------------------------------------------------------------------


@both
async def test_ask_runs_a_whole_turn(stage: Stage, mode: str) -> None:
    edge, orchestrator = stage
    async with client(edge, mode=mode) as connected:
        result = await connected.call_tool("ask", {"message": "Hallo", "sessionId": "mine"})
    (request,) = orchestrator.requests
    assert (request.user_message, request.session_id, request.call) == ("Hallo", "mine", None)
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
    assert sessions == [first["sessionId"], second["sessionId"]]
    assert sessions[0] != sessions[1]


async def test_the_choice_of_a_turn_is_asked_for_and_its_other_steps_stay(stage: Stage) -> None:
    edge, orchestrator = stage
    orchestrator.behaviour = finds(*TWO)
    async with client(edge, picks=[address(2).label]) as connected:
        answered = structured(await connected.call_tool("ask", {"message": "Hauptgasse"}))
    assert answered["overallStatus"] == "ok"
    assert [step["message"] for step in answered["steps"]] == [address(2).label, "Geladen."]
    asked, chosen = orchestrator.requests
    assert chosen.choice_id == choice_id(asked.request_id, 0, 1)
    assert chosen.session_id == asked.session_id == answered["sessionId"]


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


# -- what goes wrong ------------------------------------------------------------------------------


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
        orchestrator.behaviour = _ignore
        async with client(edge) as connected:
            result = await connected.call_tool("ask", {"message": "x"})
    assert result.is_error and "länger" in said(result)


async def _ignore(orchestrator: Orchestrator, request: ChatRequested) -> None:
    return


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
        "mcp_allowed_hosts": "127.0.0.1,localhost,ask.example",
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
