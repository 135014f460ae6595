"""Lets MCP clients in; loads the SDK when the first one comes."""

import asyncio
import importlib
from contextlib import suppress
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.datastructures import Headers
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from edge import bodies, errors, shapes
from edge.core import Core
from edge.hosts import Hosts
from edge.mcp import PATH

if TYPE_CHECKING:
    from edge.mcp.service import McpService


class McpEndpoint:
    """An ASGI application. The SDK costs 25 MB and most of a second, which nobody pays who never asks."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._origins = frozenset(core.settings.allowed_origins)
        self._hosts = Hosts(core.settings.allowed_hosts)
        self._service: asyncio.Future[McpService] | None = None
        self._task: asyncio.Task[None] | None = None
        self._ended = asyncio.Event()
        self._route = Route(PATH, self, methods=["POST"], include_in_schema=False)

    def routes(self) -> APIRouter:
        """Stateless: nothing to read without asking, no session to end, so POST is all there is."""
        return APIRouter(routes=[self._route])

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # As FastAPI does it: metrics and traces name the route.
        scope["route"] = self._route
        # The protocol asks for it. Clients that are no web pages have none.
        origin = Headers(scope=scope).get("origin")
        if origin is not None and origin not in self._origins and not self._hosts.serve(origin):
            raise errors.OriginRefused()
        body = await bodies.examined(scope, receive, shapes.CALL)
        if self._service is None:
            self._service = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._serve(self._service))
        service = await asyncio.shield(self._service)
        await service.handle(scope, body, send)

    async def _serve(self, ready: "asyncio.Future[McpService]") -> None:
        """What the SDK starts has to end in the task that started it: this one."""
        try:
            # In a thread: turns go on meanwhile.
            module = await asyncio.to_thread(importlib.import_module, "edge.mcp.service")
            service: McpService = module.McpService(self._core)
            async with service.running():
                ready.set_result(service)
                await self._ended.wait()
        except Exception as error:
            if ready.done():
                raise
            ready.set_exception(error)
            self._service = None

    def close(self) -> None:
        """Say goodbye to those who listen for changes; they go on at another replica."""
        if self._service is not None and self._service.done() and not self._service.exception():
            self._service.result().close()

    async def stop(self) -> None:
        """End everything. Calls that still run are cut off."""
        self._ended.set()
        if self._task is not None:
            with suppress(asyncio.CancelledError):
                await self._task
