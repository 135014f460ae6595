"""When the edge can work: its streams exist and Redis answers. The service itself checks NATS."""

import asyncio

from servicekit import streams
from servicekit.service import Service

from edge import errors
from edge.stores import Stores
from edge.turns import Turns

_CHECK_TIMEOUT_S = 1.0
"""Below the usual timeout of a probe, which would not tell what is missing."""


def register(service: Service, turns: Turns, stores: Stores) -> None:
    """Add the checks of the edge to those of the service."""

    async def redis_problem() -> str | None:
        try:
            async with asyncio.timeout(_CHECK_TIMEOUT_S):
                await turns.ping()
        except (errors.StateUnavailable, TimeoutError):
            return "no answer"
        return None

    async def streams_problem() -> str | None:
        if await service.bus.problem() is not None:
            return "not known without NATS"
        try:
            async with asyncio.timeout(_CHECK_TIMEOUT_S):
                declared = await streams.exist(service.bus.connection, service.name)
        except TimeoutError:
            return "no answer"
        return None if declared else "not declared"

    service.ready_when("redis", redis_problem)
    service.ready_when("streams", streams_problem)
    service.ready_when("stores", stores.problem)
