"""How map services can be away, and how they come back."""

import asyncio
from typing import Any

from map_services import MapServices
from servicekit.http import AsgiApp
from starlette.responses import Response


async def no_success(scope: Any, receive: Any, send: Any) -> None:
    await Response("broken", 500)(scope, receive, send)


async def no_picture(scope: Any, receive: Any, send: Any) -> None:
    await Response(b"\xff\xd8 is how it begins", media_type="image/jpeg")(scope, receive, send)


async def no_answer(scope: Any, receive: Any, send: Any) -> None:
    await asyncio.sleep(3_600)


async def no_connection(scope: Any, receive: Any, send: Any) -> None:
    raise AssertionError("nobody listens")


WAYS = [no_success, no_picture, no_answer, no_connection]


async def fail(services: MapServices, way: AsgiApp) -> None:
    services.instead = way
    if way is no_connection:
        await services.stop()


async def recover(services: MapServices) -> None:
    # Whoever still waits for an answer is sent away.
    await services.stop()
    services.reset()
    await services.start()
