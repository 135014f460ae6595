"""An HTTP server inside the service's own event loop."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, cast

import uvicorn
from servicekit.connections import ConnectionLimits, Connections, GuardedProtocol
from servicekit.tasks import end

AsgiApp = Callable[[Any, Any, Any], Awaitable[None]]


class _QuietServer(uvicorn.Server):
    """Leaves the signals to the service, which stops the server itself."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class HttpServer:
    """Serves one ASGI app to clients that keep within `limits`. Port 0 takes a free one; `port` tells which.

    `start` raises `OSError` when the port is taken.
    """

    def __init__(
        self,
        app: AsgiApp,
        host: str,
        port: int,
        *,
        backlog: int = 2048,
        limits: ConnectionLimits | None = None,
    ) -> None:
        self._host, self._wanted, self._backlog = host, port, backlog
        self._connections = Connections(limits := limits or ConnectionLimits())
        self._server = _QuietServer(
            uvicorn.Config(
                app,
                # Made for each connection, with what uvicorn gives it.
                http=cast(type[asyncio.Protocol], partial(GuardedProtocol, self._connections)),
                ws="none",
                timeout_keep_alive=limits.idle_timeout_s,
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=5,
            )
        )
        self._task: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        self.port = port

    async def start(self) -> None:
        family = socket.AF_INET6 if ":" in self._host else socket.AF_INET
        # With the protocol named, asyncio switches Nagle's algorithm off on accepted connections.
        sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind((self._host, self._wanted))
        except OSError:
            sock.close()
            raise
        self.port = sock.getsockname()[1]
        sock.listen(self._backlog)
        self._task = asyncio.create_task(self._server.serve(sockets=[sock]))
        while not self._server.started and not self._task.done():  # noqa: ASYNC110 - uvicorn has no event
            await asyncio.sleep(0.005)
        self._watching = asyncio.create_task(self._connections.watch())

    async def stop(self) -> None:
        """Finish running requests (5 s at most) and close."""
        self._server.should_exit = True
        if self._task is not None:
            await self._task
        await end(self._watching)
