"""The bus of one service: typed handlers and typed publishing over FastStream and JetStream."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Protocol, TypeVar

import nats.errors
from contracts import subjects
from contracts.base import Contract
from contracts.messages import Request, WorkCancelled
from contracts.subjects import Header
from faststream.exceptions import NackMessage
from faststream.nats.publisher.producer import NatsJSFastProducer
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.errors import NotFoundError
from nats.js.kv import KeyValue
from servicekit import access
from servicekit.admittance import Admittance, GiveUp, refusal
from servicekit.broker import Broker, Listener, security
from servicekit.cancelling import Cancellations
from servicekit.consumer import CreditSubscriber, Flow
from servicekit.errors import BusUnavailable, Refused
from servicekit.handler import Delivery, Handler, Terms
from servicekit.neighbours import Neighbours, was_handed_over
from servicekit.publisher import Entry, Publisher, fits
from servicekit.settings import ServiceSettings
from servicekit.streams import consumer_config, tools_bucket
from servicekit.telemetry import published
from servicekit.tracing import OFF, Tracing

__all__ = ["Bus", "Delivery", "NackMessage", "Publishable"]

log = logging.getLogger("ask.bus")

_C = TypeVar("_C", bound=Contract)
Hook = Callable[[], Awaitable[None]]

PING_PERIOD_S = 2
MAX_PINGS = 2
"""A server that leaves so many unanswered is looked for anew: it may be gone without a word."""
PONG_S = 1.0
"""How long `problem` waits. A server answers in less than a millisecond."""


class Publishable(Protocol):
    """A message that knows where it belongs and who it is."""

    @property
    def request_id(self) -> str: ...
    @property
    def session_id(self) -> str: ...
    @property
    def subject(self) -> str: ...
    @property
    def message_id(self) -> str: ...
    def to_json(self) -> bytes: ...


class Bus:
    """Handlers are declared before it connects.

    A handler that raises is tried again with back-off; after `max_deliver` tries, or at once when the message
    cannot be read, the message goes to the stream DEAD with its reason.
    `give_up` is told when the server lets the service in no more.
    """

    def __init__(
        self,
        service: str,
        settings: ServiceSettings,
        tracing: Tracing | None = None,
        give_up: GiveUp = log.critical,
    ) -> None:
        self.service = service
        self._settings = settings
        self._tracing = tracing or OFF
        self._before_start: list[Hook] = []
        self._before_stop: list[Hook] = []
        self._reconnected: list[Hook] = []
        self._subscribers: list[CreditSubscriber] = []
        self._handlers: dict[tuple[str, ...], Handler] = {}
        self._neighbours: Neighbours | None = None
        self._listeners: list[Listener] = []
        self._late: list[Callable[[], None]] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._cancellations = Cancellations()
        self._publisher = Publisher(settings.publish_timeout_s)
        self._give_up = give_up
        servers = access.servers(settings.nats_url)
        self._admittance = Admittance(len(servers), give_up)
        self.broker = Broker(
            servers,
            name=f"ask-{service}",
            security=security(settings),
            inbox_prefix=access.inbox_prefix(settings.nats_user),
            error_cb=self._admittance.on_error,
            closed_cb=self._on_closed,
            apply_types=False,
            logger=None,
            graceful_timeout=settings.graceful_timeout_s,
            max_reconnect_attempts=-1,
            reconnect_time_wait=0.25,  # type: ignore[arg-type]  # nats-py takes fractions of a second
            ping_interval=PING_PERIOD_S,
            max_outstanding_pings=MAX_PINGS,
            reconnected_cb=self._on_reconnected,
        )
        self.broker.says(service, subjects.said_by(service))

    # -- receiving ---------------------------------------------------------------------------------

    def subscriber(
        self,
        *wanted: str,
        drop_expired: bool = True,
        max_ack_pending: int = 1_000,
        cancellable: bool = False,
        timer: bool = False,
    ) -> Callable[[Callable[..., Awaitable[None]]], Callable[..., Awaitable[None]]]:
        """Consume subjects of one stream through this service's durable consumer.

        The type of the handler's first argument says how a message is read. When it has returned, the message
        is acknowledged; when it raises, it is tried again with back-off.
        With `drop_expired`, work whose deadline has passed is acknowledged and not done: nobody waits for it.
        `cancellable` work is stopped at its next await when its round is cancelled, or not begun at all.
        With `timer`, a delay of `NackMessage` is how long the work may take that was begun. Where services of
        the same process do some of it, the message is kept meanwhile: others get it when that has died.
        """

        def register(handler: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
            self._consume(wanted, handler, Terms(drop_expired, cancellable, timer), max_ack_pending)
            return handler

        return register

    def _consume(
        self,
        wanted: Sequence[str],
        function: Callable[..., Awaitable[None]],
        terms: Terms,
        max_ack_pending: int,
    ) -> None:
        settings = self._settings
        stream = subjects.stream_of(wanted[0])
        consumer = subjects.Consumer(self.service, stream.name, tuple(wanted), max_ack_pending)
        config = consumer_config(consumer, settings)
        if terms.cancellable and not self._cancellations.used:
            self._cancellations.used = True
            self.listen(subjects.WORK_CANCELLED, self._cancellations.cancel, WorkCancelled)
        handler = Handler(
            function,
            terms,
            service=self.service,
            max_deliver=settings.max_deliver,
            tracing=self._tracing,
            cancellations=self._cancellations,
            store=self._store,
        )
        flow = Flow(config, handler.receive, settings.max_concurrency, settings.max_handling_s)
        handler.subscriber = self.broker.consume(
            self.service, stream.name, flow, handler.function, handler.read
        )
        self._subscribers.append(handler.subscriber)
        self._handlers[tuple(wanted)] = handler
        self._introduce()

    def listen(
        self, subject: str, handler: Callable[[_C], Awaitable[None]], model: type[_C], *, shared: bool = False
    ) -> None:
        """Receive core messages (at most once) on a subject, e.g. an inbox.

        What is `shared` goes to one process of the service only.
        """
        queue = self.service if shared else ""
        receive = _core(handler, model)

        async def hear(message: Any) -> None:
            await handler(message)

        hear.__annotations__["message"], hear.__name__ = model, getattr(handler, "__name__", "hear")
        self._listeners.append(self.broker.hear(self.service, subject, queue, receive, hear, model.from_json))

    def declare_late(self, declaration: Callable[[], None]) -> None:
        """Run when all is known that a service is made of, and before it starts."""
        self._late.append(declaration)

    def declare(self) -> None:
        """Make the late declarations; once."""
        while self._late:
            self._late.pop()()

    def before_start(self, hook: Hook) -> None:
        """Run when the connection stands and before messages are taken."""
        self._before_start.append(hook)

    def before_stop(self, hook: Hook) -> None:
        """Run at shutdown, while messages are still taken."""
        self._before_stop.append(hook)

    def on_reconnect(self, hook: Hook) -> None:
        """Run after every reconnect."""
        self._reconnected.append(hook)

    def beside(self, neighbours: Neighbours) -> None:
        """Run in one process with other services, and say to them directly what need not be stored."""
        self._neighbours = neighbours
        self._introduce()

    def _introduce(self) -> None:
        if self._neighbours is None:
            return
        for wanted, handler in self._handlers.items():
            handler.is_beside_others = True
            self._neighbours.join(wanted, handler)

    # -- sending -----------------------------------------------------------------------------------

    async def publish(self, *messages: Publishable) -> None:
        """Store messages in their streams; returns when the server has all of them.

        The message id makes a second publication of the same message within two minutes a no-op.
        The answer to what a neighbour has handed over is handed over too, where there is room for it.
        Raises `BusUnavailable`, `BusFull` or `MessageTooLarge`; some of the messages may then be stored.
        """
        if was_handed_over():
            messages = tuple(m for m in messages if isinstance(m, Request) or not self._give(m))
        await self._publish(*messages)

    def hand_over(self, message: Publishable, held: Iterable[str], *, beyond_room: bool = False) -> bool:
        """Give a message to the service of this process that takes it.

        Whatever this process has been given is lost with it. So it has to hold one of the messages that are
        acknowledged as `held`: who gets that one then says again what was lost. False where it holds none, or
        where nobody takes the message, or has room for it. What cannot be handled is published after all.
        `beyond_room` is for what only this process can go on with.
        """
        if self._neighbours is None:
            return False
        is_held = any(subscriber.has(each) for subscriber in self._subscribers for each in held)
        return is_held and self._give(message, beyond_room=beyond_room)

    def _give(self, message: Publishable, *, beyond_room: bool = False) -> bool:
        taker = self._neighbours.taker_of(message.subject) if self._neighbours is not None else None
        if taker is None:
            return False
        return taker.take(message, partial(self._publish, message), beyond_room=beyond_room)

    async def _publish(self, *messages: Publishable) -> None:
        if not messages:
            return
        await self._store([(m.subject, m.to_json(), self._headers(m)) for m in messages])
        for message in messages:
            published(getattr(message, "kind", message.subject)).inc()

    def fits(self, message: Publishable) -> bool:
        """Whether a message can be published."""
        return fits(self.connection, message.to_json(), self._headers(message))

    async def _store(self, entries: Sequence[Entry]) -> None:
        if isinstance(self.broker.config.broker_config.js_producer, NatsJSFastProducer):
            await self._publisher.store(self.connection, entries)
            return
        # That of FastStream's `TestBroker`: who is there gets it at once.
        for subject, body, headers in entries:
            await self.broker.publish(body, subject, headers=headers)

    def _headers(self, message: Publishable) -> dict[str, str]:
        headers = {Header.MESSAGE_ID: message.message_id}
        deadline = getattr(message, "deadline", None)
        if deadline is not None:
            # Somebody waits for it, and others than its reader look at it meanwhile.
            headers[Header.REQUEST_ID] = message.request_id
            # A session id is the client's and may hold anything; a header may not.
            headers[Header.SESSION_ID] = message.session_id.encode("ascii", "backslashreplace").decode()
            headers[Header.DEADLINE] = deadline.isoformat()
        retention_s = getattr(message, "retention_s", None)
        if retention_s is not None and subjects.stream_of(message.subject) is subjects.TURNS:
            headers[Header.TTL] = f"{retention_s}s"
        self._tracing.inject(headers)
        return headers

    async def send(self, subject: str, message: Contract) -> None:
        """Send a core message, at most once; for what the receiver can also look up, or asks for again.

        Raises `BusUnavailable`.
        """
        try:
            await self.connection.publish(subject, message.to_json())
        except nats.errors.Error as error:
            raise BusUnavailable(f"{BusUnavailable.__doc__} ({type(error).__name__})") from None

    async def erase(self, request_id: str) -> None:
        """Remove what the streams keep of one turn: its log, its events, its dead letters.

        Raises `BusUnavailable`, and `ValueError` for what is no request id: nothing wider can be said here.
        """
        if not subjects.is_token(request_id):
            raise ValueError(f"{request_id!r} is no request id")
        try:
            await asyncio.gather(
                *(
                    self.jetstream.purge_stream(stream, subject=subject)
                    for stream, subject in subjects.of_turn(request_id)
                )
            )
        except (TimeoutError, nats.errors.Error) as error:
            raise BusUnavailable(f"{BusUnavailable.__doc__} ({type(error).__name__})") from None

    async def stored(self, subject: str) -> AsyncIterator[tuple[str, bytes]]:
        """The messages that a stream keeps under a subject, or a pattern of them, with theirs; oldest first.

        Raises `BusUnavailable`.
        """
        stream, after = subjects.stream_of(subject).name, 0
        while True:
            try:
                found = await self.jetstream.get_msg(
                    stream, seq=after + 1, subject=subject, direct=True, next=True
                )
            except NotFoundError:
                return
            except (TimeoutError, nats.errors.Error) as error:
                raise BusUnavailable(f"{BusUnavailable.__doc__} ({type(error).__name__})") from None
            after = found.seq or after + 1
            yield found.subject or "", found.data or b""

    async def acknowledge(self, ack_subject: str) -> None:
        """Acknowledge an earlier delivery, perhaps of another process; at most once."""
        for subscriber in self._subscribers:
            subscriber.release(ack_subject)
        await self.connection.publish(ack_subject, b"+ACK")

    async def redeliver(self, ack_subject: str, delay_s: float) -> None:
        """Let a message that waits for its next delivery come after `delay_s` instead; at most once."""
        for subscriber in self._subscribers:
            held = subscriber.release(ack_subject)
            if held is not None:
                subscriber.hold(held, delay_s)
                return
        await self.connection.publish(ack_subject, b'-NAK {"delay": %d}' % int(delay_s * 1e9))

    # -- life --------------------------------------------------------------------------------------

    @property
    def connection(self) -> Client:
        return self.broker.config.connection_state.connection  # type: ignore[no-any-return]

    @property
    def tools_bucket(self) -> KeyValue:
        """Where the tools are announced."""
        return tools_bucket(self.jetstream)

    @property
    def jetstream(self) -> JetStreamContext:
        return self.broker.config.connection_state.stream  # type: ignore[no-any-return]

    async def connect(self) -> None:
        """Connect, however long the server takes to come up. Raises `Refused` for what time does not cure."""
        try:
            if not access.servers(self._settings.nats_url):
                raise ValueError("no server")
            await self.broker.connect()
        except (nats.errors.Error, ValueError) as error:
            # All others the client library has tried to get over by itself.
            raise Refused(f"NATS_URL cannot be used ({error})") from None
        self._admittance.is_in()

    async def prepare(self) -> None:
        """Declare what is declared late, run the `before_start` hooks, and begin to hear core messages."""
        self.declare()
        for hook in self._before_start:
            await hook()
        for listener in self._listeners:
            await listener.start()

    async def leave(self) -> None:
        """Run the `before_stop` hooks; none of them keeps a service from stopping."""
        for hook in self._before_stop:
            try:
                await hook()
            except Exception as error:
                log.warning("stop hook failed", extra={"reason": repr(error)})

    @property
    def is_connected(self) -> bool:
        """As far as is known; see `problem`."""
        return bool(self.broker.config.connection_state) and self.connection.is_connected

    async def problem(self) -> str | None:
        """A readiness check: whether the server answers."""
        if not self.broker.config.connection_state:
            return "not connected"
        if not self.connection.is_connected:
            return "connection lost"
        # The client's own `flush` gives up its ping in the end, and a pong that comes then ends all reading.
        pong = asyncio.get_running_loop().create_future()
        await self.connection._send_ping(pong)
        await asyncio.wait((pong,), timeout=PONG_S)
        return None if pong.done() else "no answer"

    async def _on_closed(self) -> None:
        """After some words of the server the client library does not try again."""
        error = self.connection.last_error
        if error is not None:
            self._give_up(refusal(error) or f"NATS has ended the connection for good ({error})")

    async def _on_reconnected(self) -> None:
        self._admittance.is_in()
        # Not awaited in the client's own reading loop: the hooks talk to the server.
        task = asyncio.create_task(self._after_reconnect())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _after_reconnect(self) -> None:
        log.warning("reconnected to NATS")
        with suppress(nats.errors.Error):
            # Whoever waits for it gives up in time.
            await self._publisher.repeat(self.connection)
        for subscriber in self._subscribers:
            try:
                await subscriber.reopen()
            except nats.errors.Error as error:
                # It notices by itself that it hears nothing.
                log.warning("reopening failed", extra={"reason": repr(error)})
        for hook in self._reconnected:
            try:
                await hook()
            except Exception:
                log.exception("reconnect hook failed")


def _core(
    handler: Callable[[Any], Awaitable[None]], model: type[Contract]
) -> Callable[[Msg], Awaitable[None]]:
    async def receive(msg: Msg) -> None:
        try:
            await handler(model.from_json(msg.data))
        except Exception:
            log.exception("listener failed", extra={"subject": msg.subject})

    return receive
