"""How a service connects to NATS: as whom, how safely, and what the server says aside."""

import logging
import ssl
from collections.abc import Awaitable, Callable
from types import TracebackType

import nats.errors
from faststream._internal.broker.registrator import Registrator
from faststream._internal.endpoint.subscriber.call_item import CallsCollection
from faststream.nats import JStream, NatsBroker, NatsSecurity, NatsUserPassword
from faststream.nats.configs import NatsBrokerConfig
from faststream.nats.subscriber.config import NatsSubscriberConfig, NatsSubscriberSpecificationConfig
from faststream.nats.subscriber.specification import NatsSubscriberSpecification
from nats.aio.msg import Msg
from servicekit import access
from servicekit.consumer import CreditSubscriber, Flow

log = logging.getLogger("ask.bus")


def security(settings: access.NatsAccess) -> NatsSecurity:
    """User and TLS, as far as they are set."""
    context = access.tls(settings)
    if settings.nats_user is None:
        return NatsSecurity(ssl_context=context)
    password = settings.nats_password.get_secret_value() if settings.nats_password else ""
    return NatsUserPassword(settings.nats_user, password, ssl_context=context)


async def on_error(error: Exception) -> None:
    """What the server does not permit it says only here: the request itself just times out."""
    if "permissions violation" in str(error).lower():
        log.error("NATS does not permit", extra={"reason": str(error)})
    elif isinstance(error, ssl.SSLError):
        log.error("NATS is not to be trusted", extra={"reason": str(error)})


class Broker(NatsBroker):
    """FastStream's, which has subscribers with permits, and stops also without its server."""

    def consume(self, stream: str, flow: Flow, function: Callable[..., Awaitable[None]]) -> CreditSubscriber:
        """Register a subscriber of our own as `subscriber` registers those of FastStream."""
        settings: NatsBrokerConfig = self.config  # type: ignore[assignment]  # composed of those of its routers
        wanted = list(flow.consumer.filter_subjects or ())
        calls: CallsCollection[Msg] = CallsCollection()
        described = NatsSubscriberSpecificationConfig(
            subject="", queue=None, filter_subjects=wanted, title_=None, description_=None
        )
        made = CreditSubscriber(
            NatsSubscriberConfig(subject="", sub_config=flow.consumer, _outer_config=settings),
            NatsSubscriberSpecification(settings, described, calls),
            calls,
            stream=JStream(stream, declare=False),
            flow=flow,
        )
        Registrator.subscriber(self, made)
        made.add_call(parser_=None, decoder_=None, codec_=None, dependencies_=())(function)
        return made

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
