"""The recorded services of two cantons, a server that misbehaves, and live cadastres that ask them."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from misbehaving import MisbehavingServer
from oereb_kit import MakeLive, MakeOutbound
from recorded.server import RecordedServer
from servicekit.outbound import Outbound

from tools_oereb import sources
from tools_oereb.gateways import CadastreGateway
from tools_oereb.settings import Settings


@pytest.fixture
async def recorded() -> AsyncIterator[RecordedServer]:
    async with RecordedServer() as started:
        yield started


@pytest.fixture
async def broken() -> AsyncIterator[MisbehavingServer]:
    async with MisbehavingServer() as started:
        yield started


@pytest.fixture
async def make_outbound() -> AsyncIterator[MakeOutbound]:
    """HTTP clients that retry without a pause."""
    async with AsyncExitStack() as stack:

        async def no_pause(_: float) -> None: ...

        def make(settings: Settings) -> Outbound:
            outbound = Outbound(settings, (settings.oereb_url,), sleep=no_pause)
            stack.push_async_callback(outbound.close)
            return outbound

        yield make


@pytest.fixture
def make_live(make_outbound: MakeOutbound) -> MakeLive:
    """`make_live(base_url, **settings)`: a live cadastre."""

    def make(base_url: str, **values: Any) -> CadastreGateway:
        settings = Settings(oereb_source="live", oereb_url=base_url, **values)
        return sources.cadastre(settings, make_outbound(settings))

    return make


@pytest.fixture
def solothurn(recorded: RecordedServer, make_live: MakeLive) -> CadastreGateway:
    return make_live(f"{recorded.url}/api/oereb")


@pytest.fixture(params=["xml", "json"])
def json_canton(
    request: pytest.FixtureRequest, recorded: RecordedServer, make_live: MakeLive
) -> CadastreGateway:
    """A canton with both formats; its XML is another one than that of geo.so.ch."""
    return make_live(f"{recorded.url}/json-canton/oereb", oereb_format=request.param)
