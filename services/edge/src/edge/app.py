"""Wires the edge and runs it."""

import asyncio
from dataclasses import dataclass

from contracts import subjects
from servicekit.catalogue import ToolCatalogue
from servicekit.service import Service

from edge import handlers, ids, readiness
from edge.api import routes
from edge.chat import Chat
from edge.exchanges import Exchanges
from edge.serving import ApiServer, run
from edge.settings import EdgeSettings
from edge.turns import Turns, connect
from edge.watch import Watch
from edge.web import application


@dataclass(frozen=True)
class Edge:
    service: Service
    server: ApiServer


def build(settings: EdgeSettings) -> Edge:
    """An edge that is ready to run."""
    service = Service("edge", settings)
    redis = connect(settings.redis_url, settings.redis_timeout_s)
    turns = Turns(redis)
    exchanges = Exchanges(settings.max_waiting_turns)
    watch = Watch(exchanges, turns, settings.look_period_s)
    inbox = subjects.reply(ids.new_edge_id())
    submit = handlers.submitter(service.bus, settings.publish_timeout_s)
    chat = Chat(exchanges, turns, submit, handlers.eraser(service.bus), inbox, settings)
    # Before the catalogue: after a reconnect, those who wait come first.
    handlers.register(service.bus, inbox, exchanges, watch)
    catalogue = ToolCatalogue(service.bus)
    readiness.register(service, turns)
    web = application(routes(chat, turns, catalogue.tools, service.health), settings)
    server = ApiServer(web, settings.http_host, settings.port)

    async def stop() -> None:
        await asyncio.gather(server.stop(), watch.drain(settings.drain_timeout_s))
        await asyncio.gather(watch.stop(), catalogue.stop(), redis.aclose())

    service.on_start(watch.start)
    # After the catalogue is complete, just before the inbox is open.
    service.bus.before_start(server.start)
    service.on_drain(stop)
    return Edge(service, server)


def main() -> None:
    run(build(EdgeSettings()).service)


if __name__ == "__main__":
    main()
