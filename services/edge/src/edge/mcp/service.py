"""The MCP server: stateless streamable HTTP, for the handshake protocols and for 2026-07-28."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any, TypeVar

from contracts.languages import DEFAULT_LANGUAGE, Language
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    ListToolsResult,
    PaginatedRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
)
from servicekit.tasks import end
from starlette.types import Receive, Scope, Send

from edge import errors, languages
from edge.auth.derivation import derivation_of
from edge.core import Core
from edge.mcp import answers, choices, naming
from edge.mcp.calls import Calls, Result
from edge.mcp.changes import Changes
from edge.principals import principal_of
from edge.settings import EdgeSettings
from edge.texts import text
from edge.vocabulary import examples_of

log = logging.getLogger("edge.mcp")

NAME = "ask.sogis"
_MAX_EXAMPLES = 3
_INSTRUCTIONS = """Maps, places, parcels and documents of a Swiss canton.

Coordinates are LV95 (EPSG:2056): metres, east before north. Messages are made for the user: in German,
French, Italian or English, as Accept-Language says, else in German. A result with the status
needs_user_choice has several items that fit: let the user choose. needs_clarification says what is missing.
The list of tools follows the services that are running."""

_Params = TypeVar("_Params")
_Answer = TypeVar("_Answer")
_Handler = Callable[[ServerRequestContext, _Params], Awaitable[_Answer]]


class McpService:
    """Answers requests while `running`. Nothing is kept between two of them."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._calls = Calls(core.chat, core.turns, core.sessions, core.admission.askers)
        self._changes = Changes(core.catalogue.tools)
        self._listeners = ListenHandler(self._changes, max_subscriptions=core.settings.max_streams)
        server: Server[Any] = Server(
            NAME,
            version=version("ask-sogis-edge"),
            instructions=_INSTRUCTIONS,
            get_tool_input_schema=self._schema,
            on_list_tools=_masked(self._list),
            on_call_tool=_masked(self._call),
            on_subscriptions_listen=self._listen,
        )
        server.middleware.append(choices.forgiving)
        server.middleware.append(_boundary(core.settings))
        self._manager = StreamableHTTPSessionManager(
            server,
            stateless=True,
            max_request_body_size=core.settings.max_body_bytes,
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        async with self._manager.run():
            watching = asyncio.create_task(self._changes.watch())
            try:
                yield
            finally:
                await end(watching)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._manager.handle_request(scope, receive, send)

    def close(self) -> None:
        """End the streams of those who listen."""
        self._listeners.close()

    def _schema(self, name: str) -> dict[str, Any] | None:
        tool = naming.find(self._core.catalogue.tools(), name)
        return tool.parameters if tool else None

    async def _listen(
        self, ctx: ServerRequestContext, params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        assert ctx.request is not None
        admission = self._core.admission
        try:
            with admission.stream(admission.askers.of(ctx.request.scope)):
                return await self._listeners(ctx, params)
        except errors.TooManyStreams as error:
            raise MCPError(INTERNAL_ERROR, text(error.code, _language(ctx))) from None

    async def _list(
        self, ctx: ServerRequestContext, params: PaginatedRequestParams | None
    ) -> ListToolsResult:
        known = naming.by_name(self._core.catalogue.tools())
        tools = [answers.tool_of(name, descriptor) for name, descriptor in known.items()]
        examples = [example.text for example in examples_of(self._core.catalogue, _language(ctx))]
        return ListToolsResult(tools=[answers.ask_tool(examples[:_MAX_EXAMPLES]), *tools])

    async def _call(self, ctx: ServerRequestContext, params: CallToolRequestParams) -> Result:
        try:
            if params.name == naming.ASK:
                return await self._calls.ask(params, ctx)
            tool = naming.find(self._core.catalogue.tools(), params.name)
            if tool is None:
                raise MCPError(INVALID_PARAMS, text("mcp_unknown_tool", _language(ctx)))
            return await self._calls.tool(tool, params, ctx)
        except errors.EdgeError as error:
            return answers.of_error(error, _language(ctx))


def _boundary(settings: EdgeSettings) -> RequestStateBoundary:
    """Seals what clients carry from one request to the next, each for its own principal."""
    keys = [derivation_of(settings).key("mcp-state")]
    security = RequestStateSecurity(keys=keys, bind_principal=_owner)
    return RequestStateBoundary(security, default_audience=NAME)


def _owner(ctx: ServerRequestContext) -> str:
    assert ctx.request is not None
    return principal_of(ctx.request.scope).owner


def _language(ctx: ServerRequestContext) -> Language:
    return languages.spoken(ctx.request.scope) if ctx.request is not None else DEFAULT_LANGUAGE


def _masked(handler: "_Handler[_Params, _Answer]") -> "_Handler[_Params, _Answer]":
    """What nobody expected is logged here, and told without internals."""

    async def safe(ctx: ServerRequestContext, params: _Params) -> _Answer:
        try:
            return await handler(ctx, params)
        except MCPError:
            raise
        except Exception:
            log.exception("mcp request failed", extra={"method": ctx.method})
            raise MCPError(INTERNAL_ERROR, text("internal_error", _language(ctx))) from None

    return safe
