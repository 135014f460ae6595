"""How a service connects to NATS: as whom, how safely, and what the server says aside."""

import logging
import ssl
from types import TracebackType

import nats.errors
from faststream.nats import NatsBroker, NatsSecurity, NatsUserPassword
from servicekit import access

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
    """FastStream's, which stops also without its server."""

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
