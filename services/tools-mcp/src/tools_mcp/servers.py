"""One foreign MCP server: connected while it answers, asked for its tools again and again."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from contracts.markdown import line
from contracts.messages import Outcome
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolRequest, CallToolRequestParams, CallToolResult, PaginatedRequestParams
from mcp_types import Tool as ForeignTool
from pydantic import BaseModel, ConfigDict
from servicekit.errors import SourceError, SourceErrorKind
from servicekit.tools import Tool

from tools_mcp.http import client_of
from tools_mcp.offering import NotOffered, descriptor_of
from tools_mcp.results import outcome_of
from tools_mcp.settings import Settings
from tools_mcp.texts import text

log = logging.getLogger("ask.tools_mcp")

_MAX_PAUSE_S = 30.0

Changed = Callable[[], Awaitable[None]]


class Arguments(BaseModel):
    """Whatever a planner has; the server itself checks it against its schema."""

    model_config = ConfigDict(extra="allow")


class RemoteServer:
    """`tools` are those that can be called now; `changed` is told whenever they are others than before."""

    def __init__(self, name: str, url: str, settings: Settings) -> None:
        self.name = name
        self.tools: tuple[Tool, ...] = ()
        self._url = url
        self._settings = settings
        self._client: Client | None = None
        self._left_out: dict[str, str] = {}

    async def run(self, changed: Changed) -> None:
        """Until cancelled: connect, look at the list, connect again when that fails."""
        pause_s = 1.0
        task = asyncio.current_task()
        while True:
            try:
                await self._follow(changed)
            except Exception as error:
                if task is not None and task.cancelling():
                    # The SDK may put an error of its own in the place of the cancellation.
                    raise asyncio.CancelledError from None
                log.warning("mcp server lost", extra={"server": self.name, "reason": _reason(error)})
            pause_s = 1.0 if self.tools else min(2 * pause_s, _MAX_PAUSE_S)
            self._client = None
            await self._offer((), changed)
            await asyncio.sleep(pause_s)

    async def _follow(self, changed: Changed) -> None:
        """While the server answers. Raises whatever says that it does not."""
        settings = self._settings
        http = client_of(
            settings.mcp_connect_timeout_s, settings.mcp_call_timeout_s, settings.mcp_max_body_bytes
        )
        transport = streamable_http_client(
            self._url, http_client=http, max_sse_event_size=settings.mcp_max_body_bytes
        )
        async with http:
            client = Client(transport, cache=None, read_timeout_seconds=settings.mcp_connect_timeout_s)
            async with client:
                log.info("mcp server found", extra={"server": self.name})
                self._client = client
                while True:
                    await self._offer(self._tools(await self._listed(client)), changed)
                    await asyncio.sleep(settings.mcp_refresh_s)

    async def _listed(self, client: Client) -> list[ForeignTool]:
        found: list[ForeignTool] = []
        cursor: str | None = None
        while len(found) < self._settings.mcp_max_tools:
            page = await client.session.list_tools(params=PaginatedRequestParams(cursor=cursor))
            found += page.tools
            cursor = page.next_cursor
            if cursor is None or not page.tools:
                break
        return found[: self._settings.mcp_max_tools]

    def _tools(self, listed: list[ForeignTool]) -> tuple[Tool, ...]:
        tools: dict[str, Tool] = {}
        left_out: dict[str, str] = {}
        for foreign in listed:
            try:
                descriptor = descriptor_of(self.name, foreign)
            except NotOffered as reason:
                left_out[line(foreign.name, 80)] = str(reason)
                continue
            tools.setdefault(descriptor.capability, Tool(descriptor, Arguments, self._caller(foreign.name)))
        if left_out != self._left_out:
            self._left_out = left_out
            log.info("tools not offered", extra={"server": self.name, "tools": left_out})
        return tuple(tools.values())

    async def _offer(self, tools: tuple[Tool, ...], changed: Changed) -> None:
        known = [tool.descriptor for tool in self.tools]
        self.tools = tools
        if [tool.descriptor for tool in tools] != known:
            await changed()

    def _caller(self, name: str) -> Callable[[Any], Awaitable[Outcome]]:
        async def call(args: Arguments) -> Outcome:
            result = await self._call(name, args.model_dump())
            return outcome_of(self.name, name, result, self._settings.mcp_max_result_chars)

        return call

    async def _call(self, name: str, args: dict[str, Any]) -> CallToolResult:
        """Past the check of the SDK: a server that breaks its own schema may still say something useful."""
        client = self._client
        source = text("server", name=self.name)
        if client is None:
            raise SourceError(SourceErrorKind.UNREACHABLE, source)
        request = CallToolRequest(params=CallToolRequestParams(name=name, arguments=args))
        limit_s = self._settings.mcp_call_timeout_s
        try:
            async with asyncio.timeout(limit_s):
                return await client.session.send_request(
                    request, CallToolResult, request_read_timeout_seconds=limit_s
                )
        except TimeoutError:
            raise SourceError(SourceErrorKind.TIMEOUT, source) from None
        except MCPError as error:
            log.warning("mcp call refused", extra={"server": self.name, "reason": line(str(error), 200)})
            raise SourceError(SourceErrorKind.FAILED, source) from None
        except Exception as error:
            log.warning("mcp call failed", extra={"server": self.name, "reason": _reason(error)})
            raise SourceError(SourceErrorKind.UNREADABLE, source) from None


def _reason(error: BaseException) -> str:
    """The innermost, by its name: messages may quote what users have typed."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return type(error).__name__
