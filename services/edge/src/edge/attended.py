"""Work for a client, for as long as it is there."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from servicekit.tasks import end
from starlette.requests import ClientDisconnect, Request

_T = TypeVar("_T")


async def attended(request: Request, work: Coroutine[Any, Any, _T]) -> _T:
    """What the work comes to; cancelled when the client leaves, which raises `ClientDisconnect`.

    The body must have been read.
    """
    working = asyncio.create_task(work)
    leaving = asyncio.create_task(_left(request))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise ClientDisconnect
    finally:
        await end(working, leaving)


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
