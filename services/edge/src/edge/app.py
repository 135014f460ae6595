"""Entry point: settings, wiring, run."""

import asyncio
from dataclasses import dataclass

from servicekit.service import Service

from edge.auth.identities import Identities
from edge.core import core_of
from edge.description import Application
from edge.mcp.endpoint import McpEndpoint
from edge.routers import routers_of
from edge.serving import ApiServer, run
from edge.settings import EdgeSettings
from edge.web import application


@dataclass(frozen=True)
class Edge:
    service: Service
    server: ApiServer
    web: Application


def build(settings: EdgeSettings | None = None) -> Edge:
    """An edge that is ready to run."""
    settings = settings or EdgeSettings()
    service = Service("edge", settings)
    core = core_of(service, settings)
    mcp = McpEndpoint(core)
    identities = Identities(settings)
    routers = routers_of(core, identities, mcp, service.health)
    web = application(routers, settings, identities, service.tracing)
    server = ApiServer(web, settings)

    async def stop() -> None:
        mcp.close()
        await asyncio.gather(server.stop(), core.drain())
        await mcp.stop()
        await asyncio.gather(core.stop(), identities.close())

    service.on_start(core.start)
    # After the catalogue is complete, just before the inbox is open.
    service.bus.before_start(server.start)
    service.on_drain(stop)
    return Edge(service, server, web)


def main() -> None:
    run(lambda: build().service)


if __name__ == "__main__":
    main()
