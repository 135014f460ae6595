"""The server that takes HTTP requests."""

import sys

from servicekit.http import HttpServer
from servicekit.service import Service


class PortTaken(Exception):
    """The port of the API cannot be had."""


class ApiServer(HttpServer):
    """Says what to do when its port cannot be had (`PortTaken`)."""

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
