"""The server that takes HTTP requests."""

import sys

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


def run(service: Service) -> None:
    """Until SIGINT or SIGTERM. A port that is taken is one line, no traceback."""
    try:
        service.run()
    except PortTaken as error:
        sys.exit(str(error))
