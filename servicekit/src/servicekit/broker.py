"""FastStream's broker with subscribers of ours: what a service takes, hears and says is declared to it."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import Any, cast

import nats.errors
from contracts import messages, subjects, suggest, tools, turns, vocabulary
from contracts.base import Contract
from contracts.subjects import Route
from faststream._internal.broker.registrator import Registrator
from faststream._internal.endpoint.subscriber.call_item import CallsCollection
from faststream.middlewares import AckPolicy
from faststream.nats import JStream, NatsBroker, NatsSecurity, NatsUserPassword
from faststream.nats.configs import NatsBrokerConfig
from faststream.nats.message import NatsMessage
from faststream.nats.subscriber.config import NatsSubscriberConfig, NatsSubscriberSpecificationConfig
from faststream.nats.subscriber.specification import NatsSubscriberSpecification
from faststream.nats.subscriber.usecases import CoreSubscriber
from nats.aio.client import ErrorCallback
from nats.aio.msg import Msg
from nats.js.api import ConsumerConfig
from servicekit import access
from servicekit.consumer import CreditSubscriber, Flow, Receive

log = logging.getLogger("ask.bus")

Function = Callable[[Any], Awaitable[None]]
Read = Callable[[bytes], Any]

_ROOMS = (messages, turns, suggest, tools, vocabulary)


def security(settings: access.NatsAccess) -> NatsSecurity:
    """User and TLS, as far as they are set."""
    context = access.tls(settings)
    if settings.nats_user is None:
        return NatsSecurity(ssl_context=context)
    password = settings.nats_password.get_secret_value() if settings.nats_password else ""
    return NatsUserPassword(settings.nats_user, password, ssl_context=context)


class _Taken(NatsSubscriberSpecification):
    """Named by who takes it and where: several services are described together."""

    __slots__ = ()

    def _channel_key(self, address: str, *, split: bool) -> str:
        service, _, _ = str(self.config.title_).partition(".")
        return f"{service} takes {address}"


class Listener(CoreSubscriber):
    """Hears core messages, and hands them straight to `Receive`."""

    def __init__(
        self,
        config: NatsSubscriberConfig,
        specification: NatsSubscriberSpecification,
        calls: CallsCollection[Msg],
        *,
        queue: str,
        receive: Receive,
    ) -> None:
        super().__init__(config, specification, calls, queue=queue)
        self._receive = receive

    async def consume(self, msg: Msg) -> None:
        await self._receive(msg)


class Broker(NatsBroker):
    """FastStream's, with subscribers of ours, which stops also without its server."""

    def consume(
        self, service: str, stream: str, flow: Flow, function: Function, read: Read
    ) -> CreditSubscriber:
        """Register a subscriber to a durable consumer as `subscriber` registers those of FastStream."""
        calls: CallsCollection[Msg] = CallsCollection()
        taken = list(flow.consumer.filter_subjects or ())
        made = CreditSubscriber(
            NatsSubscriberConfig(
                subject="",
                sub_config=flow.consumer,
                _outer_config=self._settings,
                _ack_policy=AckPolicy.NACK_ON_ERROR,
            ),
            self._described(service, function, taken, calls),
            calls,
            stream=JStream(stream, declare=False),
            flow=flow,
        )
        self._register(made, function, read)
        return made

    def hear(
        self, service: str, subject: str, queue: str, receive: Receive, function: Function, read: Read
    ) -> Listener:
        """Register a subscriber to core messages."""
        calls: CallsCollection[Msg] = CallsCollection()
        made = Listener(
            NatsSubscriberConfig(subject=subject, sub_config=ConsumerConfig(), _outer_config=self._settings),
            self._described(service, function, [subject], calls),
            calls,
            queue=queue,
            receive=receive,
        )
        self._register(made, function, read)
        return made

    def says(self, service: str, routes: Sequence[Route]) -> None:
        """Register what a service publishes."""
        for route in routes:
            address = route.address(service)
            self.publisher(address, title=f"{service} says {address}", schema=carried(route))

    def _log_connection_broken(self, error_cb: ErrorCallback | None = None) -> ErrorCallback:
        """FastStream's raises some errors, which ends the client's reconnecting for good, unheard."""
        assert error_cb is not None
        return error_cb

    @property
    def _settings(self) -> NatsBrokerConfig:
        return cast(NatsBrokerConfig, self.config)

    def _described(
        self, service: str, function: Function, taken: list[str], calls: CallsCollection[Msg]
    ) -> _Taken:
        described = NatsSubscriberSpecificationConfig(
            subject="",
            queue=None,
            filter_subjects=list(map(_address, taken)),
            title_=f"{service}.{function.__name__}",
            description_=None,
        )
        return _Taken(self._settings, described, calls)

    def _register(self, made: CreditSubscriber | Listener, function: Function, read: Read) -> None:
        async def decode(message: NatsMessage) -> Any:
            return read(message.body)

        Registrator.subscriber(self, made)
        made.add_call(parser_=None, decoder_=decode, codec_=None, dependencies_=())(function)

    async def stop(
        self,
        exc_type: type[BaseException] | None = None,
        exc_val: BaseException | None = None,
        exc_tb: TracebackType | None = None,
    ) -> None:
        """A server that is away cannot be drained; that must not keep a service from stopping."""
        try:
            await super().stop(exc_type, exc_val, exc_tb)
        except nats.errors.Error as error:
            log.warning("stopped without the server", extra={"reason": repr(error)})


def _address(taken: str) -> str:
    """As the table writes it, where a handler takes neither more nor less."""
    routes = (r for r in subjects.ROUTES if subjects.matches(r.pattern, taken))
    route = next(routes, None)
    return route.address("{service}") if route is not None and not taken.endswith(">") else taken


def carried(route: Route) -> type[Contract] | None:
    """The contract of a line of the table; None where it is any."""
    found = (getattr(room, route.carries, None) for room in _ROOMS)
    return next((each for each in found if each is not None), None)
