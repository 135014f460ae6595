"""HTTP to the configured servers: bounded in time and in size."""

from collections.abc import AsyncIterator

import httpx2

_SSE = "text/event-stream"


class TooLarge(httpx2.StreamError):
    """An answer has more bytes than anybody wants, or is packed so that nobody can tell.

    The SDK ends one call with a broken stream; with a broken connection it would end all of them.
    """


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, body: httpx2.AsyncByteStream, max_body_bytes: int) -> None:
        self._body = body
        self._left_bytes = max_body_bytes

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._body:
            self._left_bytes -= len(chunk)
            if self._left_bytes < 0:
                raise TooLarge("body")
            yield chunk

    async def aclose(self) -> None:
        await self._body.aclose()


class BoundedTransport(httpx2.AsyncHTTPTransport):
    """Refuses bodies above a size. A stream of events has no end; the client bounds each event instead."""

    def __init__(self, max_body_bytes: int) -> None:
        super().__init__()
        self._max_body_bytes = max_body_bytes

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        response = await super().handle_async_request(request)
        is_packed = response.headers.get("content-encoding", "identity") != "identity"
        if is_packed or not response.headers.get("content-type", "").startswith(_SSE):
            assert isinstance(response.stream, httpx2.AsyncByteStream)
            response.stream = _Bounded(response.stream, 0 if is_packed else self._max_body_bytes)
        return response


def client_of(connect_timeout_s: float, call_timeout_s: float, max_body_bytes: int) -> httpx2.AsyncClient:
    """A client that keeps connections and nothing else. The SDK follows redirects within the origin only."""
    return httpx2.AsyncClient(
        transport=BoundedTransport(max_body_bytes),
        timeout=httpx2.Timeout(call_timeout_s, connect=connect_timeout_s),
        headers={"user-agent": "ask.sogis", "accept-encoding": "identity"},
        follow_redirects=False,
    )
