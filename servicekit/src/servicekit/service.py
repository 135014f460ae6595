"""The life of a service process: start, readiness, graceful stop."""

import asyncio
import gc
import logging
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count
from typing import Any

import nats.errors
import uvloop
from contracts.markdown import allow_hosts
from faststream import FastStream
from servicekit import clock, streams
from servicekit.admittance import pause_s
from servicekit.bus import Bus
from servicekit.errors import Refused
from servicekit.health import Check, Health
from servicekit.http import HttpServer
from servicekit.neighbours import Neighbours
from servicekit.probes import Prober
from servicekit.settings import ServiceSettings
from servicekit.tasks import end
from servicekit.telemetry import configure_logging
from servicekit.tracing import Tracing

log = logging.getLogger("ask.service")

Hook = Callable[[], Awaitable[None]]

_CLOCK_PERIOD_S = 60.0
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
        self.bus = Bus(name, settings, self.tracing, self.give_up)
        self.health = Health(name)
        self._on_start: list[Hook] = []
        self._on_drain: list[Hook] = []
        self._on_stop: list[Hook] = []
        self._clock: asyncio.Task[None] | None = None
        self._started = False
        self._stopping = False
        self.given_up: str | None = None
        """Why it cannot go on."""
        self.end: Callable[[], None] = lambda: None
        """Ends the process, when there is one."""
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

    @property
    def is_ending(self) -> bool:
        return self._stopping or self.given_up is not None

    def give_up(self, reason: str) -> None:
        """End the process with exit code 1 and a line that says why: for what time does not cure."""
        if not self.is_ending:
            self.given_up = reason
            self.end()

    async def start(self) -> None:
        """Up to where messages can be taken; that is the broker's to begin."""
        await self.bus.connect()
        await self._await_streams()
        await self._set_clock()
        self._clock = asyncio.create_task(self._keep_time())
        self.bus.on_reconnect(self._set_clock)
        for hook in self._on_start:
            await hook()
        await self.bus.prepare()

    async def _await_streams(self) -> None:
        """However long it takes: `ask bus apply` may run later."""
        for attempt in count(1):
            try:
                if await streams.exist(self.bus.connection, self.name):
                    return
                reason = "not declared"
            except nats.errors.Error as error:
                reason = repr(error)
            if attempt.bit_count() == 1:
                log.warning("waiting for streams", extra={"reason": reason, "attempt": attempt})
            await asyncio.sleep(pause_s(attempt))

    async def _set_clock(self) -> None:
        asked = datetime.now(UTC)
        with suppress(TimeoutError, nats.errors.Error):
            clock.set_by(await streams.server_time(self.bus.connection, self.name), asked)

    async def _keep_time(self) -> None:
        while True:
            await asyncio.sleep(_CLOCK_PERIOD_S)
            await self._set_clock()

    async def _start_problem(self) -> str | None:
        return None if self._started else "starting or stopping"

    def has_started(self) -> None:
        """Messages are taken."""
        self._started = True

    async def is_stopping(self) -> None:
        """While messages are still taken."""
        self._started, self._stopping = False, True
        await self.bus.leave()
        for hook in self._on_drain:
            await hook()

    async def stop(self) -> None:
        """After the last message."""
        await end(self._clock)
        for hook in reversed(self._on_stop):
            await hook()
        self.tracing.stop()


def run(name: str, *services: Service) -> None:
    """One process of one service, or of several that say to each other directly what need not be stored."""
    configure_logging(name, services[0].settings.log_level)
    try:
        uvloop.run(_run(name, services))
    except Refused as error:
        log.critical("given up", extra={"reason": str(error)})
        sys.exit(1)


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

    has_begun = False

    async def has_started() -> None:
        nonlocal has_begun
        has_begun = True
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
    for service in services:
        service.end = app.exit
    try:
        await app.run()
    except Exception as error:
        # Who ends while it starts: the start goes on meanwhile, without a connection.
        is_ending = any(service.is_ending for service in services)
        if has_begun or not is_ending or isinstance(error, Refused):
            raise
        log.info("ended while it started", extra={"reason": repr(error)})
    reason = next((service.given_up for service in services if service.given_up is not None), None)
    if reason is not None:
        raise Refused(reason)
