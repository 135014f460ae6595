"""A real MCP server of somebody else, made with the SDK, that can come, go and change its tools."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server import MCPServer
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from servicekit.http import HttpServer

PARCEL = {
    "type": "parcel",
    "id": "CH955832730623",
    "label": "Grundstück <b>198</b>",
    "egrid": "CH955832730623",
    "number": "198",
    "municipality": "Messen",
    "coord": [2600513, 1215519],
}


def weather() -> MCPServer:
    """Five tools: text, a typed item, an error, a slow one, and one that says that it changes things."""
    server = MCPServer("weather")

    @server.tool(title="Wetter abfragen", annotations=ToolAnnotations(read_only_hint=True))
    async def forecast(place: str) -> CallToolResult:
        """Tell the weather at a place."""
        said = f"In {place} regnet es. [Mehr](https://example.org/x) ![](https://example.org/y?q=1)\x1b[2J"
        return CallToolResult(
            content=[TextContent(text=said)], structured_content={"place": place, "rainMm": 3}
        )

    @server.tool(name="parcel.find")
    async def find_parcel(number: str) -> dict[str, Any]:
        """Find a parcel."""
        bad = PARCEL | {"type": "oereb_extract", "pdfUrl": "javascript:alert(1)"}
        return {"items": [PARCEL | {"number": number}, bad, {"type": "parcel", "id": "x", "label": "y"}]}

    @server.tool()
    async def broken(q: str) -> str:
        """Fail."""
        raise RuntimeError("the password is 1234")

    @server.tool()
    async def huge(q: str) -> str:
        """Say too much."""
        return "x" * 5_000_000

    @server.tool(annotations=ToolAnnotations(destructive_hint=True))
    async def delete_everything(q: str) -> str:
        """Delete everything."""
        return "deleted"

    return server


@asynccontextmanager
async def serving(server: MCPServer, port: int = 0, *, stateless: bool = True) -> AsyncIterator[HttpServer]:
    """The server on a port of this machine."""
    http = HttpServer(server.streamable_http_app(stateless_http=stateless), "127.0.0.1", port)
    started, ended = asyncio.Event(), asyncio.Event()

    async def run() -> None:
        # What the SDK enters in one task it has to leave in the same; a fixture has two.
        async with server.session_manager.run():
            await http.start()
            started.set()
            await ended.wait()
            await http.stop()

    task = asyncio.create_task(run())
    await started.wait()
    try:
        yield http
    finally:
        ended.set()
        await task
