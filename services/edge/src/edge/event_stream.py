"""Server-sent events as an ASGI response."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, aclosing, suppress

from servicekit.tasks import end
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

MEDIA_TYPE = "text/event-stream"
_HEADERS = {
    "Cache-Control": "no-store",
    # nginx would keep events until a buffer is full.
    "X-Accel-Buffering": "no",
}


class EventStream(Response):
    """Sends frames as fast as the client takes them, and stops making them when it is gone.

    There is no queue in between: a slow client costs the one frame that waits to be sent. One that takes
    nothing for `send_timeout_s` seconds is cut off. `place` is what the client holds meanwhile.
    """

    def __init__(
        self,
        frames: AsyncGenerator[bytes, None],
        headers: Mapping[str, str],
        *,
        send_timeout_s: float,
        place: AsyncExitStack | None = None,
    ) -> None:
        super().__init__(None, 200, {**_HEADERS, **headers}, MEDIA_TYPE)
        self._frames = frames
        self._place = place or AsyncExitStack()
        self._send_timeout_s = send_timeout_s
        self.raw_headers = [each for each in self.raw_headers if each[0] != b"content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        # Also for a client that leaves before the first frame: what has not begun gives nothing back.
        async with self._place, aclosing(self._frames):
            await self._exchange(receive, send)

    async def _exchange(self, receive: Receive, send: Send) -> None:
        sending = asyncio.ensure_future(self._send(send))
        leaving = asyncio.ensure_future(_disconnected(receive))
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            await end(sending, leaving)
        if not sending.cancelled():
            with suppress(TimeoutError):
                sending.result()

    async def _send(self, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async for frame in self._frames:
            async with asyncio.timeout(self._send_timeout_s):
                await send({"type": "http.response.body", "body": frame, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
