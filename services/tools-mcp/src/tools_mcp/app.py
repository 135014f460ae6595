"""Entry point: settings, wiring, run."""

import asyncio
import logging
from typing import TYPE_CHECKING

from servicekit.service import Service
from servicekit.tasks import end

from tools_mcp import SERVICE
from tools_mcp.handlers import register
from tools_mcp.settings import Settings

if TYPE_CHECKING:
    from tools_mcp.servers import RemoteServer


def servers_of(settings: Settings) -> "list[RemoteServer]":
    if not settings.mcp_servers:
        return []
    # Imported here: the SDK costs 25 MB that nobody pays who has no use for it.
    from tools_mcp.servers import RemoteServer

    return [RemoteServer(name, url, settings) for name, url in settings.mcp_servers.items()]


def build() -> Service:
    settings = Settings()
    service = Service(SERVICE, settings)
    servers = servers_of(settings)
    toolbox, changed = register(service.bus, servers)
    running: list[asyncio.Task[None]] = []

    async def start() -> None:
        if not servers:
            logging.getLogger("ask.tools_mcp").warning("MCP_SERVERS names no server: nothing to offer")
        running.extend(asyncio.create_task(server.run(changed)) for server in servers)

    async def stop() -> None:
        await end(*running)

    # After the toolbox has started: it takes calls by then.
    service.bus.before_start(start)
    service.on_stop(toolbox.stop)
    service.on_stop(stop)
    return service


def main() -> None:
    build().run()


if __name__ == "__main__":
    main()
