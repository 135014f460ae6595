"""A subscriber for FastStream that keeps one long-lived pull request open.

FastStream's own fetches in a loop; with `max_workers` it queues messages in the client, where they age and
are delivered twice. Here the server may push at most as many messages as there are permits, every message
gets a task of its own, and its permit returns when it is acknowledged. A heartbeat keeps long work alive.

A message goes straight to `Receive`, past FastStream's middlewares: they cost more than all of our own work
on it. Registration, connection, start and graceful stop are FastStream's.
"""

import asyncio
import contextlib
import json
import logging
from collections.abc import Awaitable, Callable, Coroutine
from itertools import count
from time import monotonic
from typing import Any

import nats.errors
from faststream._internal.endpoint.subscriber.call_item import CallsCollection
from faststream._internal.endpoint.subscriber.mixins import TasksMixin
from faststream.nats import JStream
from faststream.nats.subscriber.config import NatsSubscriberConfig
from faststream.nats.subscriber.specification import NatsSubscriberSpecification
from faststream.nats.subscriber.usecases.stream_basic import StreamSubscriber
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription
from nats.js.api import ConsumerConfig, ConsumerInfo
from nats.js.errors import APIError, NotFoundError, ServiceUnavailableError
from servicekit.errors import Refused
from servicekit.streams import consumer_info, differences
from servicekit.telemetry import IN_FLIGHT

Receive = Callable[[Msg], Awaitable[None]]
"""Handles one message and acknowledges it, one way or the other. Does not raise."""

_PULL_EXPIRES_S = 60.0
_IDLE_HEARTBEAT_S = 5.0
_BIND_AGAIN_S = 0.5
_SECOND = 1_000_000_000

log = logging.getLogger(__name__)


class Flow:
    """The permits of one subscriber, and the messages that hold them."""

    def __init__(
        self, consumer: ConsumerConfig, receive: Receive, permits: int, max_handling_s: float
    ) -> None:
        self.consumer = consumer
        self.receive = receive
        self.permits = permits
        self.max_handling_s = max_handling_s
        self.requested = 0
        self.held: dict[int, tuple[Msg, float]] = {}
        self.heard_at = monotonic()
        self.inbox: Subscription | None = None
        self.handed_over = 0
        """What neighbours have given, beside the permits."""
        self.holds: dict[str, tuple[Msg, asyncio.TimerHandle]] = {}
        """What is begun and goes on elsewhere in this process, by where it is acknowledged."""
        IN_FLIGHT.labels(str(consumer.durable_name)).set_function(lambda: len(self.held) + self.handed_over)

    @property
    def free(self) -> int:
        return self.permits - self.requested - len(self.held)


class CreditSubscriber(TasksMixin, StreamSubscriber):
    """One durable consumer of a stream; see `Broker.consume`."""

    def __init__(
        self,
        config: NatsSubscriberConfig,
        specification: NatsSubscriberSpecification,
        calls: CallsCollection[Msg],
        *,
        stream: JStream,
        flow: Flow,
    ) -> None:
        super().__init__(config, specification, calls, stream=stream, queue="")
        self.flow = flow
        self._handlers: set[asyncio.Task[Any]] = set()

    async def _create_subscription(self) -> None:
        if self.flow.inbox is not None:
            return
        await self._bind()
        await self._open()
        self.add_task(self._keep_alive)

    async def _bind(self) -> None:
        """Wait for the durable consumer; make it, or bring it to our configuration, where that is allowed."""
        name, config = self.stream.name, self.flow.consumer
        for attempt in count(1):
            found = None
            try:
                found = await self._found()
                if found is None or differences(config, found.config):
                    await self.jetstream.add_consumer(name, config)
                return
            except (TimeoutError, ServiceUnavailableError, NotFoundError):
                # So a server refuses what is not permitted.
                facts = {"stream": name, "consumer": config.durable_name}
                if found is not None:
                    log.warning("the consumer differs from the settings of this process", extra=facts)
                    return
                if attempt.bit_count() == 1:
                    log.warning("waiting for the consumer", extra=facts)
                await asyncio.sleep(_BIND_AGAIN_S)
            except APIError as error:
                said = f"NATS takes no consumer {config.durable_name} of {name} ({error.description})"
                raise Refused(f"{said}: ask bus apply, of this version") from None

    async def _found(self) -> ConsumerInfo | None:
        durable = str(self.flow.consumer.durable_name)
        try:
            return await consumer_info(self.connection, self.stream.name, durable)
        except NotFoundError:
            return None

    async def _open(self) -> None:
        """A fresh inbox; the server forgets the pull requests of the old one."""
        flow = self.flow
        if flow.inbox is not None:
            with contextlib.suppress(nats.errors.Error):
                await flow.inbox.unsubscribe()
        flow.requested = 0
        flow.heard_at = monotonic()
        flow.inbox = await self.connection.subscribe(
            self.connection.new_inbox(), cb=self._on_message, pending_msgs_limit=-1, pending_bytes_limit=-1
        )
        await self._pull()

    async def reopen(self) -> None:
        """After a reconnect: the server has lost its pull requests, perhaps even the consumer."""
        if not self.running or self.flow.inbox is None:
            return
        with contextlib.suppress(TimeoutError, APIError, ServiceUnavailableError):
            if await self._found() is None:
                await self.jetstream.add_consumer(self.stream.name, self.flow.consumer)
        await self._open()

    async def _pull(self) -> None:
        flow = self.flow
        batch = flow.free
        if flow.inbox is None or batch <= 0 or (flow.requested and batch < flow.permits // 2):
            return
        flow.requested += batch
        request = {
            "batch": batch,
            "expires": int(_PULL_EXPIRES_S * _SECOND),
            "idle_heartbeat": int(_IDLE_HEARTBEAT_S * _SECOND),
        }
        await self.connection.publish(
            f"$JS.API.CONSUMER.MSG.NEXT.{self.stream.name}.{flow.consumer.durable_name}",
            json.dumps(request).encode(),
            reply=flow.inbox.subject,
        )

    async def _on_message(self, msg: Msg) -> None:
        flow = self.flow
        flow.heard_at = monotonic()
        status = msg.header.get("Status") if msg.header and not msg.data else None
        if status is not None:
            await self._on_status(status, msg)
            return
        flow.requested = max(0, flow.requested - 1)
        if not self.running:
            await msg.nak()
            return
        self._begin_handling(msg)
        if not flow.requested:
            # Permits that were too few for a request of their own would lie idle while the others are held.
            await self._pull()

    async def _on_status(self, status: str, msg: Msg) -> None:
        if status == "100":
            return
        assert msg.header is not None
        left = int(msg.header.get("Nats-Pending-Messages", "0"))
        self.flow.requested = max(0, self.flow.requested - left)
        if status != "408":
            log.warning("pull ended", extra={"status": status, "description": msg.header.get("Description")})
            # No bytes given back: the server refused the request as a whole.
            self.flow.requested = 0
            self.flow.heard_at = monotonic() - 2 * _IDLE_HEARTBEAT_S
            return
        await self._pull()

    async def _handle(self, msg: Msg) -> None:
        try:
            # The lock is FastStream's: a graceful stop waits until nobody holds it.
            with self.lock:
                await self.flow.receive(msg)
        except Exception:
            # Not acknowledged: it comes again after the ack wait.
            log.exception("message left unacknowledged")
        finally:
            self.flow.held.pop(id(msg), None)
            if self.running:
                await self._pull()

    def takes(self, *, beyond_room: bool = False) -> bool:
        """Whether a neighbour can hand over a message, perhaps one more than there is room for."""
        flow = self.flow
        has_room = len(flow.held) + flow.handed_over < flow.permits
        return bool(self.running) and flow.inbox is not None and (has_room or beyond_room)

    def begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Do what a neighbour has handed over."""
        self.flow.handed_over += 1
        task = asyncio.create_task(self._do(work))
        self._handlers.add(task)
        task.add_done_callback(self._handlers.discard)

    async def _do(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            with self.lock:
                await work
        except Exception:
            log.exception("what was handed over is lost")
        finally:
            self.flow.handed_over -= 1

    def hold(self, msg: Msg, delay_s: float) -> None:
        """Keep a message from others for so long, without a permit, and then handle it again."""
        again = asyncio.get_running_loop().call_later(delay_s, self._again, msg)
        self.flow.holds[msg.reply] = msg, again

    def has(self, ack_subject: str) -> bool:
        """Whether a message is being handled or held."""
        return ack_subject in self.flow.holds or any(
            msg.reply == ack_subject for msg, _ in self.flow.held.values()
        )

    def release(self, ack_subject: str) -> Msg | None:
        """Hold a message no more."""
        msg, again = self.flow.holds.pop(ack_subject, (None, None))
        if again is not None:
            again.cancel()
        return msg

    def _again(self, msg: Msg) -> None:
        self.flow.holds.pop(msg.reply, None)
        self._begin_handling(msg)

    def _begin_handling(self, msg: Msg) -> None:
        self.flow.held[id(msg)] = (msg, monotonic())
        task = asyncio.create_task(self._handle(msg))
        self._handlers.add(task)
        task.add_done_callback(self._handlers.discard)

    async def _keep_alive(self) -> None:
        """Extend the ack wait of what is being handled, and notice a server that has fallen silent."""
        flow = self.flow
        tick = min((flow.consumer.ack_wait or 30.0) / 3, _IDLE_HEARTBEAT_S)
        while True:
            await asyncio.sleep(tick)
            now = monotonic()
            for msg, since in list(flow.held.values()):
                if tick <= now - since < flow.max_handling_s:
                    with contextlib.suppress(nats.errors.Error):
                        await msg.in_progress()
            for msg, _ in list(flow.holds.values()):
                with contextlib.suppress(nats.errors.Error):
                    await msg.in_progress()
            silent_s = now - flow.heard_at
            if self.running and self.connection.is_connected and silent_s > 2 * _IDLE_HEARTBEAT_S:
                try:
                    await self.reopen()
                except Exception as error:
                    log.warning("reopening failed", extra={"reason": repr(error)})

    async def stop(self) -> None:
        """Refuse what arrives, finish what runs (see the broker's graceful timeout), then close."""
        self.running = False
        inbox, self.flow.inbox = self.flow.inbox, None
        if inbox is not None and self.connection.is_connected:
            await inbox.unsubscribe()
        await super().stop()
        held, self.flow.holds = list(self.flow.holds.values()), {}
        for _, again in held:
            again.cancel()
        for msg, _ in held:
            # Others go on with it.
            with contextlib.suppress(nats.errors.Error):
                await msg.nak()
