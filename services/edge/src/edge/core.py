"""What all endpoints of the edge share, wired once."""

import asyncio
from dataclasses import dataclass

from contracts import subjects
from redis.asyncio import Redis
from servicekit import rediswatch
from servicekit.catalogue import ToolCatalogue
from servicekit.service import Service
from servicekit.streams import fullness
from servicekit.turnlog import TurnLog

from edge import handlers, ids, readiness
from edge.admission import Admission
from edge.askers import Askers
from edge.auth.derivation import derivation_of
from edge.chat import Chat
from edge.exchanges import Exchanges
from edge.ledger import Ledger
from edge.sessions import Sessions
from edge.settings import EdgeSettings
from edge.stores import Stores
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
    admission: Admission
    settings: EdgeSettings
    suggest: handlers.Suggest

    async def start(self) -> None:
        await self.admission.stores.start()
        await self.watch.start()

    async def drain(self) -> None:
        """No new turns; who waits gets what comes in time, streams go on elsewhere."""
        self.streams.close()
        await self.watch.drain(self.settings.drain_timeout_s)

    async def stop(self) -> None:
        await self.chat.stop()
        await self.admission.ledger.settled()
        await asyncio.gather(self.watch.stop(), self.catalogue.stop(), self.admission.stores.stop())
        await self.turns.aclose()
        await self.redis.aclose()


def core_of(service: Service, settings: EdgeSettings) -> Core:
    """Registers what the edge hears on the bus, and what it needs to be ready."""
    redis_watch = rediswatch.RedisWatch(rediswatch.client(settings.redis_url), service.give_up)
    redis = connect(settings.redis_url, settings.redis_timeout_s, redis_watch)
    turns = Turns(redis, settings.redis_timeout_s)
    exchanges = Exchanges()
    admission = Admission(
        settings,
        settings.max_waiting_turns,
        Ledger(redis, settings.turn_timeout_s + settings.publish_timeout_s),
        Stores(
            redis_watch,
            lambda: fullness(service.bus.connection, subjects.COMMANDS),
            handlers.storer(service.bus),
        ),
        Askers(settings.trusted_proxies, settings.max_body_bytes),
    )
    watch = Watch(exchanges, turns, settings.look_period_s)
    edge_id = ids.new_edge_id()
    inbox = subjects.reply(edge_id)
    submit = handlers.submitter(service.bus, settings.publish_timeout_s, admission.stores.check_bus)
    erase = handlers.eraser(service.bus, edge_id, settings.publish_timeout_s)
    suggest = handlers.suggester(service.bus, edge_id)
    chat = Chat(exchanges, turns, submit, erase, inbox, settings, admission)
    # Before the catalogue: after a reconnect, those who wait come first.
    handlers.register(service.bus, inbox, exchanges, watch)
    catalogue = ToolCatalogue(service.bus)
    streams = Streams(chat, turns, TurnLog(service.bus), settings, admission)
    readiness.register(service, redis_watch, admission.stores)
    sessions = Sessions(derivation_of(settings).key("sessions"))
    return Core(chat, turns, streams, sessions, catalogue, watch, redis, admission, settings, suggest)
