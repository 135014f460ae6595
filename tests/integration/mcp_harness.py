"""MCP clients of running edges, and an orchestrator that finds what it is told."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from contracts import subjects
from contracts.chat import ChatResponse, Choice, Step, choice_id
from contracts.items import Address, Item
from contracts.messages import ChatRequested, Outcome
from contracts.status import Status
from contracts.tools import ToolDescriptor
from contracts.turns import Round, TurnState
from contracts.vocabulary import Vocabulary
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, ElicitRequestFormParams, ElicitResult

from .edge_harness import Orchestrator, RunningEdge, staged

Answers = list[str | None]
"""What the user picks, question by question, by its label; None declines."""
Spoil = Callable[[Any], Any]
Stage = tuple[RunningEdge, Orchestrator]
both = pytest.mark.parametrize("mode", ["auto", "legacy"])


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


TWO = (address(1), address(2))


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


async def know(orchestrator: Orchestrator, vocabulary: Vocabulary) -> None:
    """Announces what a service knows by name."""
    bucket = await orchestrator.connection.jetstream().key_value(subjects.TOOLS_BUCKET)
    await bucket.put(subjects.vocabulary_key("tools-test"), vocabulary.to_json())


async def withdraw(orchestrator: Orchestrator, capability: str) -> None:
    bucket = await orchestrator.connection.jetstream().key_value(subjects.TOOLS_BUCKET)
    await bucket.delete(capability)


@asynccontextmanager
async def staged_with_tools(nats_url: str, redis_url: str) -> AsyncIterator[Stage]:
    """One tool that clients see, and one that they do not."""
    async with staged(nats_url, redis_url) as (edge, orchestrator):
        await announce(orchestrator, tool(), tool("documents.check").model_copy(update={"internal": True}))
        async with asyncio.timeout(30):
            while len((await edge.http.get("/api/tools")).json()["tools"]) < 2:
                await asyncio.sleep(0.01)
        yield edge, orchestrator


@asynccontextmanager
async def client(
    *edges: RunningEdge, picks: Answers | None = None, mode: str = "auto", spoils: Spoil | None = None
) -> AsyncIterator[Client]:
    """A client whose requests go to the edges in turn; with `picks` it can ask its user.

    `spoils` is what it sends in the place of its answers.
    """
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

    async with httpx2.AsyncClient(transport=Alternating(urls, spoils), timeout=20) as http:
        transport = streamable_http_client(urls[0], http_client=http)
        callback = None if picks is None else choose
        async with Client(transport, mode=mode, elicitation_callback=callback, cache=None) as connected:
            yield connected
            assert left == []


class Alternating(httpx2.AsyncHTTPTransport):
    """A load balancer without any affinity."""

    def __init__(self, urls: list[str], spoils: Spoil | None) -> None:
        super().__init__()
        self._urls = urls
        self._spoils = spoils
        self._n = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        request.url = httpx2.URL(self._urls[self._n % len(self._urls)])
        self._n += 1
        if self._spoils is not None and b'"inputResponses"' in request.content:
            sent = json.loads(request.content)
            sent["params"]["inputResponses"] = self._spoils(sent["params"]["inputResponses"])
            headers = {k: v for k, v in request.headers.items() if k.lower() != "content-length"}
            request = httpx2.Request(request.method, request.url, headers=headers, content=json.dumps(sent))
        return await super().handle_async_request(request)


def structured(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def said(result: CallToolResult) -> str:
    """What is made for people."""
    return str(getattr(result.content[0], "text", ""))
