"""MCP clients and the real system: over HTTP, over standard input and output, and the other way round."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from contracts.subjects import TOOLS_BUCKET
from contracts.tools import ToolDescriptor
from foreign_mcp import serving, weather
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, ElicitRequestFormParams, ElicitResult, ToolListChangedNotification

from .running import System, running, until

pytestmark = pytest.mark.asyncio(loop_scope="session")

OEREB = "Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519"


async def second(context: object, params: Any) -> ElicitResult:
    """The user always takes the second one."""
    assert isinstance(params, ElicitRequestFormParams)
    options = params.requested_schema["properties"]["choice"]["oneOf"]
    return ElicitResult(action="accept", content={"choice": options[1]["const"]})


def bridge(system: System) -> StdioServerParameters:
    """What a desktop client starts."""
    ask = Path(sys.executable).with_name("ask")
    return StdioServerParameters(command=str(ask), args=["mcp", "--stdio", "--url", system.stack.url])


def endpoint(system: System) -> str:
    return f"{system.stack.url}/mcp"


def structured(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


@asynccontextmanager
async def connected(system: System, way: str, mode: str, **values: Any) -> AsyncIterator[Client]:
    server = endpoint(system) if way == "http" else bridge(system)
    async with Client(server, mode=mode, **values) as client:
        yield client


ways = pytest.mark.parametrize(
    ("way", "mode"), [("http", "auto"), ("http", "legacy"), ("stdio", "auto"), ("stdio", "legacy")]
)


@ways
async def test_the_tools_are_those_of_the_system_and_find_the_same(
    system: System, way: str, mode: str
) -> None:
    async with connected(system, way, mode) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        capabilities = await system.capabilities() - {"documents.check"}
        assert names == {"ask"} | {capability.replace(".", "_") for capability in capabilities}
        found = structured(
            await client.call_tool("geolocation_geocode", {"q": "Langendorfstrasse 19b, Solothurn"})
        )
    (address,) = found["items"]
    assert address["label"] == "Langendorfstrasse 19b, 4500 Solothurn"
    assert found["status"] == "ok"


@pytest.mark.parametrize(("way", "mode"), [("http", "auto"), ("stdio", "auto"), ("stdio", "legacy")])
async def test_the_user_is_asked_which_parcel(system: System, way: str, mode: str) -> None:
    async with connected(system, way, mode, elicitation_callback=second) as client:
        answer = structured(await client.call_tool("ask", {"message": OEREB}))
        assert answer["overallStatus"] == "ok"
        (step,) = answer["steps"]
        assert step["mapActions"][-1]["type"] == "showOerebExtract"
        assert step["mapActions"][-1]["payload"]["egrid"] == "CH710620327442"
        parcels = structured(await client.call_tool("oereb_egrid_by_xy", {"x": 2600513, "y": 1215519}))
        assert [parcel["egrid"] for parcel in parcels["items"]] == ["CH710620327442"]


@ways
async def test_a_user_who_cannot_be_asked_goes_on_in_words(system: System, way: str, mode: str) -> None:
    async with connected(system, way, mode) as client:
        answer = structured(await client.call_tool("ask", {"message": OEREB}))
        assert answer["overallStatus"] == "needs_user_choice"
        again = {"message": "die zweite", "sessionId": answer["sessionId"]}
        chosen = structured(await client.call_tool("ask", again))
    assert chosen["overallStatus"] == "ok"
    assert chosen["requestId"] == answer["requestId"]


async def test_an_extract_comes_as_a_value_and_in_words(system: System) -> None:
    async with Client(endpoint(system)) as client:
        (tool,) = [t for t in (await client.list_tools()).tools if t.name == "oereb_extract_by_id"]
        result = await client.call_tool(tool.name, {"egrid": "CH990000009902"})
    # The client has compared it with the schema, which knows all of it.
    assert tool.output_schema is not None and "Restriction" in tool.output_schema["$defs"]
    (extract,) = structured(result)["items"]
    planned = [each["text"] for each in extract["content"]["restrictions"] if each["lawStatus"] != "inForce"]
    words = getattr(result.content[0], "text", "")
    assert planned and all(text in words for text in planned)
    assert extract["provenance"]["sample"] is True
    assert "data:image" not in result.model_dump_json()


async def test_a_call_is_in_the_log_like_any_other_turn(system: System) -> None:
    async with Client(endpoint(system)) as client:
        await client.call_tool("terrain_height_by_xy", {"x": 2607000, "y": 1228500})
    kinds = []
    subject = "turn.event.*"
    info = await system.js.stream_info("TURNS", subjects_filter=subject)
    for name in info.state.subjects or {}:
        events = await system.events(name.removeprefix("turn.event."))
        if events[0].detail.get("call") == "terrain.height_by_xy":
            kinds = [str(event.kind) for event in events]
    assert kinds == ["turn.started", "tool.called", "tool.result", "step.finished", "turn.finished"]


async def test_a_bridge_outlives_the_edge(system: System) -> None:
    async with Client(bridge(system)) as client:
        await client.list_tools()
        system.stack.kill("edge")

        async def answers() -> bool:
            try:
                return bool((await client.list_tools()).tools)
            except MCPError as error:
                assert "nicht erreichbar" in str(error)
                return False

        await until(answers, 60)
        await system.stack.wait_ready("edge")
        assert structured(await client.call_tool("layers_search", {"query": "Gewässerschutz"}))["items"]


async def test_a_desktop_client_is_told_that_the_tools_have_changed(system: System) -> None:
    heard = asyncio.Event()

    async def listen(message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            heard.set()

    foreign = ToolDescriptor(
        capability="trees.find", service="s", description="d", parameters={"type": "object"}, result_types=()
    )
    bucket = await system.js.key_value(TOOLS_BUCKET)
    async with Client(bridge(system), mode="legacy", message_handler=listen) as client:
        await client.list_tools()
        await bucket.put(foreign.capability, foreign.to_json())
        async with asyncio.timeout(60):
            while "trees_find" not in {tool.name for tool in (await client.list_tools()).tools}:
                await heard.wait()
                heard.clear()
    await bucket.delete(foreign.capability)


# -- the other way round --------------------------------------------------------------------------


@pytest_asyncio.fixture(loop_scope="session")
async def bridged(tmp_path: Path) -> AsyncIterator[System]:
    """A system that offers the tools of somebody else."""
    async with (
        serving(weather()) as http,
        running(tmp_path, MCP_SERVERS=f"weather=http://127.0.0.1:{http.port}/mcp") as system,
    ):
        yield system


async def test_tools_of_another_server_are_used_like_own_ones(bridged: System) -> None:
    async def offered() -> bool:
        return "mcp.weather.forecast" in await bridged.capabilities()

    await until(offered)
    answer = await bridged.conversation().say("Wetter abfragen in Messen")
    assert answer["overallStatus"] == "ok"
    (step,) = answer["steps"]
    assert step["intent"] == "mcp_weather_forecast"
    assert step["message"].startswith("In Messen regnet es.")
    async with Client(endpoint(bridged)) as client:
        found = structured(await client.call_tool("mcp_weather_forecast", {"place": "Bern"}))
    assert found["items"][0]["data"] == {"place": "Bern", "rainMm": 3}
