"""Entry point: settings, wiring, run."""

import asyncio
from dataclasses import dataclass

from servicekit.objects import open_store
from servicekit.service import Service

from edge.agui.routes import agui_routes
from edge.api import routes
from edge.api_operations import operation_routes
from edge.api_prints import print_routes
from edge.api_streams import stream_routes
from edge.core import core_of
from edge.mcp.door import McpDoor
from edge.page import page_routes
from edge.serving import ApiServer, run
from edge.settings import EdgeSettings
from edge.web import application


@dataclass(frozen=True)
class Edge:
    service: Service
    server: ApiServer


def build(settings: EdgeSettings) -> Edge:
    """An edge that is ready to run."""
    service = Service("edge", settings)
    core = core_of(service, settings)
    mcp = McpDoor(core)
    doors = (  # the more special paths first
        stream_routes(core.streams, core.admission.askers, settings.send_timeout_s),
        agui_routes(core.streams, core.admission.askers, settings),
        mcp.routes(),
        print_routes(open_store(settings)),
        routes(core.chat, core.turns, core.admission.askers, core.catalogue.tools),
        operation_routes(service.health),
        page_routes(settings),
    )
    server = ApiServer(application(doors, settings), settings)

    async def stop() -> None:
        mcp.close()
        await asyncio.gather(server.stop(), core.drain())
        await mcp.stop()
        await core.stop()

    service.on_start(core.start)
    # After the catalogue is complete, just before the inbox is open.
    service.bus.before_start(server.start)
    service.on_drain(stop)
    return Edge(service, server)


def main() -> None:
    run(build(EdgeSettings()).service)


if __name__ == "__main__":
    main()
