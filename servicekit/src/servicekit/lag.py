"""How much waits for each consumer of the bus, asked now and then: two small requests."""

import asyncio
import logging

from contracts import subjects
from prometheus_client import Gauge
from servicekit.bus import Bus
from servicekit.tasks import end

PENDING = Gauge("ask_consumer_pending", "Messages that wait for a consumer.", ["stream", "consumer"])
UNACKNOWLEDGED = Gauge(
    "ask_consumer_unacknowledged", "Messages that a consumer has in its hands.", ["stream", "consumer"]
)
_STREAMS = (subjects.COMMANDS.name, subjects.EVENTS.name)
_PERIOD_S = 5.0
_AGAIN_S = 15.0
"""After a failure; a NATS that does not permit it writes a line each time."""

log = logging.getLogger(__name__)


class Lag:
    """Measures as long as the service runs. One service does it for all: who is down cannot do it himself."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._measuring: asyncio.Task[None] | None = None
        bus.before_start(self._start)
        bus.before_stop(self._stop)

    async def _start(self) -> None:
        self._measuring = asyncio.create_task(self._keep_measuring())

    async def _stop(self) -> None:
        await end(self._measuring)

    async def _keep_measuring(self) -> None:
        while True:
            pause_s = _PERIOD_S
            try:
                await self.measure()
            except Exception as error:
                pause_s = _AGAIN_S
                log.warning("lag not measured", extra={"reason": repr(error)})
            await asyncio.sleep(pause_s)

    async def measure(self) -> None:
        """Now. Raises what JetStream says; then nobody knows, and the figures of before are forgotten."""
        found = []
        try:
            found = [(name, await self._bus.jetstream.consumers_info(name)) for name in _STREAMS]
        finally:
            for gauge in (PENDING, UNACKNOWLEDGED):
                gauge.clear()
        for stream, consumers in found:
            for consumer in consumers:
                PENDING.labels(stream, consumer.name).set(consumer.num_pending or 0)
                UNACKNOWLEDGED.labels(stream, consumer.name).set(consumer.num_ack_pending or 0)
