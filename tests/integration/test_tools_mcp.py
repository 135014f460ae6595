"""The tools of a foreign MCP server as capabilities: real servers on both sides."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from contracts import subjects
from contracts.items import Parcel
from contracts.messages import Outcome, ToolCalled, ToolResult
from contracts.research import ErrorType
from contracts.status import Status
from contracts.tools import ToolDescriptor
from foreign_mcp import serving, weather
from mcp.server import MCPServer
from servicekit.bus import Bus
from servicekit.catalogue import ToolCatalogue
from servicekit.settings import ServiceSettings
from servicekit.tasks import end

from tools_mcp.handlers import register
from tools_mcp.servers import RemoteServer
from tools_mcp.settings import Settings

OFFERED = {f"mcp.weather.{name}" for name in ("forecast", "parcel_find", "broken", "huge")}


class Bench:
    """Somebody who calls tools, and sees which there are."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._results: asyncio.Queue[ToolResult] = asyncio.Queue()
        self.catalogue = ToolCatalogue(bus)
        self._calls = 0

        @bus.subscriber(subjects.TOOL_RESULT)
        async def on_result(result: ToolResult) -> None:
            await self._results.put(result)

    async def call(self, capability: str, seconds: float = 30, **args: Any) -> Outcome:
        self._calls += 1
        deadline = datetime.now(UTC) + timedelta(seconds=seconds)
        await self._bus.publish(
            ToolCalled(
                request_id=f"r{self._calls}",
                session_id="s",
                deadline=deadline,
                step=0,
                capability=capability,
                args=args,
            )
        )
        return (await asyncio.wait_for(self._results.get(), 30)).outcome

    def offered(self) -> dict[str, ToolDescriptor]:
        return {tool.capability: tool for tool in self.catalogue.tools()}

    async def offers(self, capabilities: set[str]) -> None:
        """Until these are the tools, and no others."""
        async with asyncio.timeout(20):
            while self.offered().keys() != capabilities:
                await asyncio.sleep(0.01)


@asynccontextmanager
async def bridging(nats_url: str, servers: dict[str, str], **values: Any) -> AsyncIterator[Bench]:
    """The service as its `app` wires it, and a bench."""
    # A result that comes twice would be taken for that of the next call.
    of_bus: dict[str, Any] = {"nats_url": nats_url, "ack_wait_s": 30}
    settings = Settings(mcp_servers=servers, mcp_refresh_s=0.1, **of_bus, **values)
    remote = [RemoteServer(name, url, settings) for name, url in settings.mcp_servers.items()]
    bus, other = (Bus(name, ServiceSettings(**of_bus)) for name in ("tools-mcp", "orchestrator"))
    toolbox, changed = register(bus, remote)
    bench = Bench(other)
    async with AsyncExitStack() as stack:
        for each in (bus, other):
            await each.connect()
            await each.prepare()
            await each.broker.start()
            stack.push_async_callback(each.broker.stop)
        stack.push_async_callback(bench.catalogue.stop)
        stack.push_async_callback(toolbox.stop)
        tasks = [asyncio.create_task(server.run(changed)) for server in remote]
        try:
            yield bench
        finally:
            await end(*tasks)


@pytest.fixture
async def bench(nats_url: str) -> AsyncIterator[Bench]:
    async with (
        serving(weather()) as http,
        bridging(nats_url, {"weather": f"http://127.0.0.1:{http.port}/mcp"}) as started,
    ):
        await started.offers(OFFERED)
        yield started


async def test_its_tools_are_offered_with_their_schema_and_phrases(bench: Bench) -> None:
    forecast = bench.offered()["mcp.weather.forecast"]
    assert forecast.service == "tools-mcp"
    assert forecast.description == "Wetter abfragen. Tell the weather at a place."
    assert forecast.parameters["required"] == ["place"]
    assert forecast.phrases[:2] == ("wetter abfragen", "forecast")


async def test_text_becomes_the_message_and_whatever_else_there_is_one_item(bench: Bench) -> None:
    outcome = await bench.call("mcp.weather.forecast", place="Bern")
    assert outcome.status is Status.OK
    assert outcome.message == "In Bern regnet es. Mehr [2J"
    (item,) = outcome.items
    assert (item.type, item.id) == ("mcp_weather", "forecast")
    assert item.model_dump()["data"] == {"place": "Bern", "rainMm": 3}


async def test_items_of_known_types_are_taken_and_dangerous_ones_are_not(bench: Bench) -> None:
    outcome = await bench.call("mcp.weather.parcel_find", number="198")
    (parcel,) = outcome.items
    assert isinstance(parcel, Parcel)
    assert (parcel.number, parcel.label, parcel.coord) == ("198", "Grundstück 198", (2600513, 1215519))


@pytest.mark.parametrize("tool", ["broken", "huge"])
async def test_a_tool_that_fails_is_an_error_and_its_server_goes_on(bench: Bench, tool: str) -> None:
    outcome = await bench.call(f"mcp.weather.{tool}", q="x")
    assert outcome.status is Status.ERROR and outcome.message
    assert "1234" not in outcome.message
    await bench.offers(OFFERED)
    assert (await bench.call("mcp.weather.forecast", place="Bern")).status is Status.OK


async def test_arguments_that_the_server_refuses_are_an_error(bench: Bench) -> None:
    assert (await bench.call("mcp.weather.forecast", town="Bern")).status is Status.ERROR


@pytest.mark.parametrize("stateless", [True, False])
async def test_tools_come_and_go_with_their_server(nats_url: str, stateless: bool) -> None:
    server = MCPServer("weather")

    async def tide(place: str) -> str:
        """Tell the tide."""
        return f"Ebbe in {place}"

    async def moon(place: str) -> str:
        """Tell the phase of the moon."""
        return "Vollmond"

    server.add_tool(tide)
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(serving(server, stateless=stateless))
        url = f"http://127.0.0.1:{http.port}/mcp"
        async with bridging(nats_url, {"sea": url, "gone": "http://127.0.0.1:9/mcp"}) as bench:
            await bench.offers({"mcp.sea.tide"})
            server.add_tool(moon)
            await bench.offers({"mcp.sea.tide", "mcp.sea.moon"})
            server.remove_tool("tide")
            await bench.offers({"mcp.sea.moon"})
            await stack.aclose()
            await bench.offers(set())
            refused = await bench.call("mcp.sea.moon", place="Basel")
            assert (refused.status, refused.error_type) == (Status.ERROR, ErrorType.SERVER_ERROR)

            again = MCPServer("weather")
            again.add_tool(tide)
            async with serving(again, http.port, stateless=stateless):
                await bench.offers({"mcp.sea.tide"})
                assert (await bench.call("mcp.sea.tide", place="Basel")).message == "Ebbe in Basel"


async def test_a_server_that_hangs_costs_no_more_than_its_time(nats_url: str) -> None:
    server = MCPServer("slow")

    @server.tool()
    async def wait(q: str) -> str:
        """Never answer."""
        await asyncio.sleep(3_600)
        return "done"

    async with (
        serving(server) as http,
        bridging(nats_url, {"slow": f"http://127.0.0.1:{http.port}/mcp"}, mcp_call_timeout_s=3) as bench,
    ):
        await bench.offers({"mcp.slow.wait"})
        outcome = await bench.call("mcp.slow.wait", q="x")
        assert (outcome.status, outcome.error_type) == (Status.ERROR, ErrorType.TIMEOUT)
        assert "«slow»" in outcome.message
