"""What both clients share of the wire: who asks, what is sent, and what came back, in terms of httpx."""

from collections.abc import AsyncGenerator, Generator
from functools import partial
from os import environ
from typing import Any

import httpx
from ask_sogis.access import Access, TokenStore
from ask_sogis.errors import Invalid
from ask_sogis.exchange import Call, Lost, Reply, as_header
from contracts.urls import without_password

_TIMEOUT = httpx.Timeout(120.0, connect=5.0, pool=None)
"""Seconds. The edge gives up earlier, and says so."""
_STREAM_TIMEOUT = httpx.Timeout(40.0, connect=5.0, pool=None)
"""Seconds. A stream that has nothing to tell says so every ten."""
_LAST_PORT = 65_535
_NEVER_CONNECTED = (httpx.ConnectError, httpx.ConnectTimeout)


class Authentication(httpx.Auth):
    """As an `Access` says."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def sync_auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response]:
        flow = self._access.flow(request, partial(httpx.Request, extensions=request.extensions))
        asked = next(flow)
        while True:
            response = yield asked
            if asked is not request:
                response.read()
            try:
                asked = flow.send(response)
            except StopIteration:
                return

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        flow = self._access.flow(request, partial(httpx.Request, extensions=request.extensions))
        asked = next(flow)
        while True:
            response = yield asked
            if asked is not request:
                # Of the request itself the body may be a stream.
                await response.aread()
            try:
                asked = flow.send(response)
            except StopIteration:
                return


def access(url: str, token: str | None, store: TokenStore | None) -> Access:
    """With the token that was given, else that of the environment. Raises `Invalid` for what can be none."""
    return Access(url, as_header("token", token or environ.get("ASK_TOKEN") or None), store)


def options(url: str, access: Access, language: str | None) -> dict[str, Any]:
    """Of both clients of httpx. Raises `Invalid`."""
    headers = {"Accept-Language": language} if as_header("language", language) else {}
    try:
        base = httpx.URL(url)
    except httpx.InvalidURL:
        base = httpx.URL()
    if base.scheme not in ("http", "https") or not base.host or (base.port or 0) > _LAST_PORT:
        raise Invalid(f"url: {without_password(url)!r} is no http or https address.")
    return {"base_url": base, "auth": Authentication(access), "headers": headers}


def request(http: httpx.Client | httpx.AsyncClient, call: Call) -> httpx.Request:
    return http.build_request(
        call.method,
        call.path,
        content=call.body,
        params=call.params or None,
        headers=call.headers,
        timeout=_STREAM_TIMEOUT if call.streams else _TIMEOUT,
    )


def is_to_be_read(call: Call, response: httpx.Response) -> bool:
    """Whether the answer comes piece by piece."""
    return call.streams and response.status_code == httpx.codes.OK


def reply(response: httpx.Response, after_s: float, content: bytes = b"") -> Reply:
    return Reply(response.status_code, dict(response.headers), content, after_s)


def lost(error: httpx.HTTPError, after_s: float) -> Lost:
    """Raises `Invalid` for what could not even be sent."""
    if isinstance(error, httpx.LocalProtocolError):
        raise Invalid(str(error)) from None
    return Lost(after_s, connected=not isinstance(error, _NEVER_CONNECTED))
