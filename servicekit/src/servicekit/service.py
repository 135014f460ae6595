"""The life of a service process: start, readiness, graceful stop."""

import asyncio
import gc
import logging
from collections.abc import Awaitable, Callable
from typing import Any

import uvloop
from contracts.markdown import allow_hosts
from faststream import FastStream
from servicekit import streams
from servicekit.bus import Bus
from servicekit.health import Check, Health
from servicekit.http import HttpServer
from servicekit.neighbours import Neighbours
from servicekit.probes import Prober
from servicekit.settings import ServiceSettings
from servicekit.telemetry import configure_logging
from servicekit.tracing import Tracing

log = logging.getLogger("ask.service")

Hook = Callable[[], Awaitable[None]]

_GC_THRESHOLDS = (20_000, 20, 20)
"""Messages make many short-lived objects and hardly any cycles: collect rarely."""


class Service:
    """What one service does. Handlers are registered on `bus`; `run` blocks until SIGINT or SIGTERM.

    Order: health server, NATS (waited for), streams (waited for), `on_start` hooks, handlers; at the end
    `on_drain` hooks, handlers, NATS, `on_stop` hooks, health server.
    """

    def __init__(self, name: str, settings: ServiceSettings) -> None:
        self.name = name
        self.settings = settings
        allow_hosts(settings.link_hosts)
        self.tracing = Tracing(name, enabled=settings.otel_enabled, sample_ratio=settings.otel_sample_ratio)
        self.bus = Bus(name, settings, self.tracing)
        self.health = Health(name)
        self._on_start: list[Hook] = []
        self._on_drain: list[Hook] = []
        self._on_stop: list[Hook] = []
        self._started = False
        self.health.ready_when("started", self._start_problem)
        self.health.ready_when("nats", self.bus.problem)

    def on_start(self, hook: Hook) -> None:
        """Run when NATS is connected, before the first message is taken."""
        self._on_start.append(hook)

    def on_drain(self, hook: Hook) -> None:
        """Run at shutdown while NATS still works: take no new work, finish what runs."""
        self._on_drain.append(hook)

    def on_stop(self, hook: Hook) -> None:
        """Run when the last message is finished, newest hook first."""
        self._on_stop.append(hook)

    def ready_when(self, name: str, check: Check) -> None:
        self.health.ready_when(name, check)

    def watch(self, prober: Prober) -> None:
        """Look for what is configured at the sources as long as it runs; `/readyz` has what is missing."""
        self.on_start(prober.start)
        self.on_stop(prober.stop)
        self.health.show("sources", prober.details)

    def run(self) -> None:
        run(self.name, self)

    async def start(self) -> None:
        """Up to where messages can be taken; that is the broker's to begin."""
        await self.bus.connect()
        await self._await_streams()
        for hook in self._on_start:
            await hook()
        await self.bus.prepare()

    async def _await_streams(self) -> None:
        for attempt in range(10_000):
            try:
                if await streams.exist(self.bus.connection, self.name):
                    return
                reason = "not declared"
            except Exception as error:
                reason = repr(error)
            if attempt % 20 == 0:
                log.warning("waiting for streams", extra={"reason": reason})
            await asyncio.sleep(0.25)

    async def _start_problem(self) -> str | None:
        return None if self._started else "starting or stopping"

    def has_started(self) -> None:
        """Messages are taken."""
        self._started = True

    async def is_stopping(self) -> None:
        """While messages are still taken."""
        self._started = False
        await self.bus.leave()
        for hook in self._on_drain:
            await hook()

    async def stop(self) -> None:
        """After the last message."""
        for hook in reversed(self._on_stop):
            await hook()
        self.tracing.stop()


def run(name: str, *services: Service) -> None:
    """One process of one service, or of several that say to each other directly what need not be stored."""
    configure_logging(name, services[0].settings.log_level)
    uvloop.run(_run(name, services))


async def _run(name: str, services: tuple[Service, ...]) -> None:
    settings = services[0].settings
    health = services[0].health if len(services) == 1 else Health.of(name, [s.health for s in services])
    health_server = HttpServer(health, settings.health_host, settings.health_port)
    if len(services) > 1:
        neighbours = Neighbours()
        for service in services:
            service.bus.beside(neighbours)

    async def start() -> None:
        await health_server.start()
        for service in services:
            await service.start()

    async def has_started() -> None:
        # What is loaded now stays: the collector need not look at it again with every generation.
        gc.collect()
        gc.freeze()
        gc.set_threshold(*_GC_THRESHOLDS)
        for service in services:
            service.has_started()
        log.info("ready", extra={"health_port": health_server.port})

    async def is_stopping() -> None:
        for service in services:
            await service.is_stopping()

    async def stop() -> None:
        for service in services:
            await service.stop()
        await health_server.stop()
        log.info("stopped")

    app: Any = FastStream(
        *(service.bus.broker for service in services),
        logger=None,
        on_startup=[start],
        after_startup=[has_started],
        on_shutdown=[is_stopping],
        after_shutdown=[stop],
    )
    await app.run()
