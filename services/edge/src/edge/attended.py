"""Work for a client, for as long as it is there."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from starlette.requests import ClientDisconnect, Request

_T = TypeVar("_T")

_AGAIN_S = 1.0
"""Once is not enough: see `servicekit.tasks.end`."""


async def attended(request: Request, work: Awaitable[_T]) -> _T:
    """What the work comes to; cancelled when the client leaves, which raises `ClientDisconnect`.

    The body must have been read.
    """
    working = asyncio.current_task()
    assert working is not None
    has_left = False

    async def watch() -> None:
        nonlocal has_left
        while (await request.receive())["type"] != "http.disconnect":
            pass
        has_left = True
        while True:
            working.cancel()
            await asyncio.sleep(_AGAIN_S)

    watching = asyncio.create_task(watch())
    try:
        return await work
    except asyncio.CancelledError:
        if has_left:
            raise ClientDisconnect from None
        raise
    finally:
        watching.cancel()
        while has_left and working.cancelling():
            working.uncancel()
