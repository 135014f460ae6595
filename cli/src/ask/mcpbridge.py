"""`ask mcp`: the MCP endpoint of a running edge, for programs that only speak over standard input and output.

The edge is stateless and cannot ask a client that speaks an older protocol; here there is one client and a
way back, so its user can be asked too.
"""

import asyncio
import json
import logging
import shutil
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import httpx2
import mcp_types as types
from ask_sogis.access import Access
from contracts.urls import without_password
from mcp import Client
from mcp.client.session import ClientRequestContext, ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.server import NotificationOptions, Server, ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS, is_version_at_least

from ask.access import KeptTokens, refusal_text, understood
from ask.sessions import state_dir
from ask.texts import text

PATH = "/mcp"
_PROTOCOL = "2026-07-28"
"""Of the edge."""
_PAUSE_S = 1.0
_ANSWER_S = 240.0
"""Whoever has not chosen by then is not there. Half of the time for which the edge keeps the question."""
_PATIENCE_S = 10.0
"""As long as a restart of an edge takes, with the first question to it."""
_TIMEOUT = httpx2.Timeout(30.0, read=300.0)
"""Seconds. An edge that is listened to says something much more often than the second one."""

log = logging.getLogger("ask.mcp")

_Params = TypeVar("_Params")
_Answer = TypeVar("_Answer")
_Handler = Callable[[ServerRequestContext, _Params], Awaitable[_Answer]]


def how_to_connect(url: str, token_file: Path | None = None) -> str:
    """What to enter in a client: the address, or this command."""
    config = configuration(url, token_file)
    return f"{text('mcp_by_url')}\n  {url}{PATH}\n{text('mcp_token')}\n\n{text('mcp_by_command')}\n{config}"


def configuration(url: str, token_file: Path | None = None) -> str:
    """The JSON by which clients start this command."""
    # By its whole path: programs that start others seldom know where the user has this one.
    here = Path(shutil.which(sys.argv[0]) or sys.argv[0]).absolute()
    token = ["--token-file", str(token_file.absolute())] if token_file is not None else []
    server = {"command": str(here), "args": ["mcp", "--stdio", "--url", url, *token]}
    return json.dumps({"mcpServers": {"ask-sogis": server}}, indent=2)


class _Authentication(httpx2.Auth):
    def __init__(self, access: Access) -> None:
        self._access = access

    async def async_auth_flow(
        self, request: httpx2.Request
    ) -> AsyncGenerator[httpx2.Request, httpx2.Response]:
        flow = self._access.flow(request, partial(httpx2.Request, extensions=request.extensions))
        asked = next(flow)
        while True:
            response = yield asked
            if asked is not request:
                # Of the request itself the body may be a stream without an end.
                await response.aread()
            try:
                asked = flow.send(response)
            except StopIteration:
                return


async def serve(url: str, token: str | None) -> None:
    """Until standard input ends."""
    bridge = Bridge(url, Access(url, token, KeptTokens(state_dir())))
    options = bridge.server.create_initialization_options(NotificationOptions(tools_changed=True))
    async with stdio_server() as (read, write):
        following = asyncio.create_task(bridge.follow())
        try:
            await bridge.server.run(read, write, options)
        finally:
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following


async def _unused(context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
    """Says that questions are welcome; they come back as results, never as requests."""
    return types.ElicitResult(action="decline")


class Bridge:
    """One client on this side, the edge on the other, which may come and go."""

    def __init__(self, url: str, access: Access) -> None:
        self._url = url
        self._access = access
        self._session: ClientSession | None = None
        self._connected = asyncio.Event()
        self._changes = InMemorySubscriptionBus()
        self._told: ServerSession | None = None
        """The client, if it speaks a protocol in which it need not listen for changes."""
        self.server: Server[Any] = Server(
            "ask.sogis",
            version=version("ask-sogis-cli"),
            on_list_tools=self._guarded(self._list),
            on_call_tool=self._guarded(self._call),
            on_subscriptions_listen=ListenHandler(self._changes),
        )

    async def follow(self) -> None:
        """Connect, and connect again; hand on that the list of tools has changed. Until cancelled."""
        task = asyncio.current_task()
        # The SDK may put an error of its own in the place of a cancellation.
        while task is None or not task.cancelling():
            with suppress(Exception):
                # A connection that has failed once is of no more use.
                auth = _Authentication(self._access)
                http = httpx2.AsyncClient(headers=understood(), auth=auth, timeout=_TIMEOUT)
                endpoint = streamable_http_client(self._url + PATH, http_client=http)
                client = Client(endpoint, mode=_PROTOCOL, elicitation_callback=_unused, cache=None)
                async with http, client, client.listen(tools_list_changed=True) as events:
                    self._session = client.session
                    self._connected.set()
                    await self._changed()
                    async for _ in events:
                        await self._changed()
            self._connected.clear()
            await asyncio.sleep(_PAUSE_S)

    async def _edge(self) -> ClientSession:
        async with asyncio.timeout(_PATIENCE_S):
            await self._connected.wait()
        assert self._session is not None
        return self._session

    async def _changed(self) -> None:
        await self._changes.publish(ToolsListChanged())
        if self._told is not None:
            await self._told.send_tool_list_changed()

    async def _list(
        self, ctx: ServerRequestContext, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            self._told = ctx.session
        edge = await self._edge()
        return await edge.list_tools(
            params=types.PaginatedRequestParams(cursor=params.cursor if params else None)
        )

    async def _call(
        self, ctx: ServerRequestContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        answers, state = params.input_responses, params.request_state
        edge = await self._edge()
        while True:
            result = await edge.call_tool(
                params.name,
                params.arguments,
                input_responses=answers,
                request_state=state,
                allow_input_required=True,
            )
            if not isinstance(result, types.InputRequiredResult) or _takes_questions(ctx):
                return result
            questions = result.input_requests or {}
            answers = {key: await _ask(ctx, request) for key, request in questions.items()}
            state = result.request_state

    def _guarded(self, handler: "_Handler[_Params, _Answer]") -> "_Handler[_Params, _Answer]":
        async def safe(ctx: ServerRequestContext, params: _Params) -> _Answer:
            try:
                return await handler(ctx, params)
            except Exception as error:
                if isinstance(error, MCPError) and error.code != types.CONNECTION_CLOSED:
                    raise
                log.warning("the edge did not answer: %r", error)
                refusal = self._access.refusal
                line = (
                    refusal_text(refusal) if refusal else text("unreachable", url=without_password(self._url))
                )
                raise MCPError(types.INTERNAL_ERROR, line) from None

        return safe


def _can_ask(ctx: ServerRequestContext) -> bool:
    known = ctx.session.client_capabilities
    return known is not None and known.elicitation is not None


def _takes_questions(ctx: ServerRequestContext) -> bool:
    """Whether the client itself understands a question as a result."""
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS and _can_ask(ctx)


async def _ask(ctx: ServerRequestContext, request: types.InputRequest) -> types.ElicitResult:
    """Ask a client with an older protocol; one that cannot ask its user declines."""
    form = request.params if isinstance(request, types.ElicitRequest) else None
    if not isinstance(form, types.ElicitRequestFormParams) or not _can_ask(ctx):
        return types.ElicitResult(action="decline")
    schema = form.requested_schema
    if not is_version_at_least(ctx.protocol_version, "2025-11-25"):
        schema = schema | {"properties": {name: _named(f) for name, f in schema["properties"].items()}}
    try:
        async with asyncio.timeout(_ANSWER_S):
            return await ctx.session.elicit_form(form.message, schema, ctx.request_id)
    except Exception as error:
        # A question that cannot be put is no reason to keep the answer back: its options are told in words.
        log.warning("the client could not ask its user: %s", type(error).__name__)
        return types.ElicitResult(action="cancel")


def _named(field: dict[str, Any]) -> dict[str, Any]:
    """A list of titled values in the form that clients understood before it was standard JSON Schema."""
    options = field.get("oneOf")
    if options is None:
        return field
    others = {name: value for name, value in field.items() if name != "oneOf"}
    return others | {"enum": [o["const"] for o in options], "enumNames": [o["title"] for o in options]}
