"""The server that takes HTTP requests."""

import sys
from collections.abc import Callable

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from servicekit.connections import ConnectionLimits
from servicekit.http import AsgiApp, HttpServer
from servicekit.service import Service

from edge.settings import EdgeSettings


class PortTaken(Exception):
    """The port of the API cannot be had."""


class ApiServer(HttpServer):
    """Says what to do when its port cannot be had (`PortTaken`)."""

    def __init__(self, app: AsgiApp, settings: EdgeSettings) -> None:
        limits = ConnectionLimits(
            max_connections=settings.max_connections,
            max_connections_per_address=settings.max_connections_per_address,
            proxies=settings.trusted_proxies,
            head_timeout_s=settings.head_timeout_s,
            body_timeout_s=settings.body_timeout_s,
            send_timeout_s=settings.send_timeout_s,
        )
        super().__init__(app, settings.http_host, settings.port, limits=limits)

    async def start(self) -> None:
        try:
            await super().start()
        except OSError as error:
            raise PortTaken(f"edge: cannot listen on port {self.port} ({error}); set PORT") from error


def run(build: Callable[[], Service]) -> None:
    """Until SIGINT or SIGTERM. A wrong setting and a port that is taken are lines, no traceback."""
    # The loop gets its turn soon when another thread is at work, e.g. on a heavy body; 5 ms are usual.
    sys.setswitchinterval(0.001)
    try:
        build().run()
    except ValidationError as error:
        findings = error.errors(include_url=False, include_input=False)
        sys.exit("\n".join(f"edge: {_told(found)}" for found in findings))
    except PortTaken as error:
        sys.exit(str(error))


def _told(found: ErrorDetails) -> str:
    name = "_".join(str(part) for part in found["loc"][:1]).upper()
    said = found["msg"].removeprefix("Value error, ")
    return f"{name}: {said}" if name else said
