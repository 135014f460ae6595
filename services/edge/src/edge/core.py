"""What all doors of the edge share, wired once."""

import asyncio
from dataclasses import dataclass

from contracts import subjects
from redis.asyncio import Redis
from servicekit.catalogue import ToolCatalogue
from servicekit.service import Service
from servicekit.turnlog import TurnLog

from edge import handlers, ids, readiness
from edge.auth.derivation import derivation_of
from edge.chat import Chat
from edge.exchanges import Exchanges
from edge.sessions import Sessions
from edge.settings import EdgeSettings
from edge.streams import Streams
from edge.turns import Turns, connect
from edge.watch import Watch


@dataclass(frozen=True)
class Core:
    chat: Chat
    turns: Turns
    streams: Streams
    sessions: Sessions
    catalogue: ToolCatalogue
    watch: Watch
    redis: Redis
    settings: EdgeSettings

    async def drain(self) -> None:
        """No new turns; who waits gets what comes in time, streams go on elsewhere."""
        self.streams.close()
        await self.watch.drain(self.settings.drain_timeout_s)

    async def stop(self) -> None:
        await asyncio.gather(self.watch.stop(), self.catalogue.stop(), self.redis.aclose())


def core_of(service: Service, settings: EdgeSettings) -> Core:
    """Registers what the edge hears on the bus, and what it needs to be ready."""
    redis = connect(settings.redis_url, settings.redis_timeout_s)
    turns = Turns(redis)
    exchanges = Exchanges(settings.max_waiting_turns)
    watch = Watch(exchanges, turns, settings.look_period_s)
    edge_id = ids.new_edge_id()
    inbox = subjects.reply(edge_id)
    submit = handlers.submitter(service.bus, settings.publish_timeout_s)
    erase = handlers.eraser(service.bus, edge_id, settings.publish_timeout_s)
    chat = Chat(exchanges, turns, submit, erase, inbox, settings)
    # Before the catalogue: after a reconnect, those who wait come first.
    handlers.register(service.bus, inbox, exchanges, watch)
    catalogue = ToolCatalogue(service.bus)
    streams = Streams(chat, turns, TurnLog(service.bus), settings)
    readiness.register(service, turns)
    sessions = Sessions(derivation_of(settings).key("sessions"))
    return Core(chat, turns, streams, sessions, catalogue, watch, redis, settings)
