"""A misbehaving server, and clients that call it and nobody else."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
from misbehaving import MisbehavingServer
from servicekit.outbound import Outbound, OutboundSettings

MakeOutbound = Callable[..., Outbound]


@pytest.fixture
async def server() -> AsyncIterator[MisbehavingServer]:
    async with MisbehavingServer() as started:
        yield started


@pytest.fixture
def pauses() -> list[float]:
    """The pauses before retries, which are noted and not made."""
    return []


@pytest.fixture
async def make_outbound(server: MisbehavingServer, pauses: list[float]) -> AsyncIterator[MakeOutbound]:
    """`make_outbound(*base_urls, clock=…, **settings)`; without base URLs the one of the server."""
    async with AsyncExitStack() as stack:

        async def sleep(seconds: float) -> None:
            pauses.append(seconds)

        def make(*base_urls: str, clock: Callable[[], float] | None = None, **settings: Any) -> Outbound:
            more = {} if clock is None else {"clock": clock}
            named = {f"outbound_{name}": value for name, value in settings.items()}
            outbound = Outbound(
                OutboundSettings(**named), base_urls or (server.url,), sleep=sleep, rand=lambda: 1.0, **more
            )
            stack.push_async_callback(outbound.close)
            return outbound

        yield make


@pytest.fixture
def outbound(make_outbound: MakeOutbound) -> Outbound:
    return make_outbound()
