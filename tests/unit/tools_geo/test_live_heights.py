"""Heights of swisstopo."""

from collections.abc import AsyncIterator

import pytest
from geo_live import live_gateway
from misbehaving import MisbehavingServer, healthy, status
from recorded.server import RecordedServer
from servicekit.outbound import SourceError, SourceErrorKind

from tools_geo.gateways import HeightGateway, Remark

BERN = (2600000.0, 1200000.0)


@pytest.fixture
async def server() -> AsyncIterator[RecordedServer]:
    async with RecordedServer() as running:
        yield running


@pytest.fixture
async def heights(server: RecordedServer) -> AsyncIterator[HeightGateway]:
    async with live_gateway("heights", server.url) as gateway:
        yield gateway


async def test_a_height_comes_as_text_and_becomes_a_number(heights: HeightGateway) -> None:
    (height,) = (await heights.height(2607094, 1228788)).items
    assert (height.height_m, height.coord) == (435.0, (2607094, 1228788))
    assert height.label == "435 m ü. M."
    assert height.provenance is not None
    assert height.provenance.source == "swisstopo, Höhenmodell"
    assert (height.provenance.match, height.provenance.stale) == ("exact", False)


async def test_east_and_north_are_not_mixed_up(heights: HeightGateway, server: RecordedServer) -> None:
    await heights.height(2607094.123, 1228788.987)
    (seen,) = server.asked("/rest/services/height")
    assert seen.query == {"easting": "2607094.1", "northing": "1228789.0", "sr": "2056"}


async def test_abroad_there_is_no_height(heights: HeightGateway) -> None:
    found = await heights.height(2485000, 1295000)
    assert (found.items, found.remark) == ((), Remark.HEIGHT_OUTSIDE)


async def test_the_same_point_is_asked_once(heights: HeightGateway, server: RecordedServer) -> None:
    first, second = await heights.height(2607094, 1228788), await heights.height(2607094.01, 1228788)
    assert first == second
    assert len(server.asked("height")) == 1


@pytest.mark.parametrize(
    "body",
    [
        b'{"success": false, "error": {"code": 400, "message": "Query is out of bounds"}}',
        b'{"status": "error", "code": 400, "detail": "Query is out of bounds."}',
    ],
)
async def test_out_of_bounds_is_recognised_in_every_envelope(body: bytes) -> None:
    async with MisbehavingServer() as server, live_gateway("heights", server.url) as heights:
        server.behave(status(400, body))
        assert (await heights.height(*BERN)).remark is Remark.HEIGHT_OUTSIDE


async def test_another_refusal_is_an_error() -> None:
    async with MisbehavingServer() as server, live_gateway("heights", server.url) as heights:
        server.behave(status(400, b'{"error": {"message": "Please provide a valid number"}}'))
        with pytest.raises(SourceError) as failed:
            await heights.height(*BERN)
    assert (failed.value.kind, failed.value.status) == (SourceErrorKind.FAILED, 400)


@pytest.mark.parametrize(
    "body",
    [
        *(b"{}", b"[]", b"null", b'"553.6"', b'{"height": null}', b'{"height": "hoch"}'),
        *(b'{"height": "nan"}', b'{"height": "-9999.0"}', b'{"height": "1e9"}', b'{"height": NaN}'),
    ],
)
async def test_what_is_no_height_is_not_told(body: bytes) -> None:
    async with MisbehavingServer() as server, live_gateway("heights", server.url) as heights:
        server.behave(healthy(body))
        with pytest.raises(SourceError) as failed:
            await heights.height(*BERN)
    assert failed.value.kind is SourceErrorKind.UNREADABLE


async def test_an_old_height_serves_while_the_service_is_down() -> None:
    async with (
        MisbehavingServer() as server,
        live_gateway("heights", server.url, cache_ttl_s=0, outbound_max_retries=0) as heights,
    ):
        server.behave(healthy(b'{"height": "553.6"}'), status(503))
        (fresh,) = (await heights.height(*BERN)).items
        (old,) = (await heights.height(*BERN)).items
    assert (fresh.height_m, old.height_m) == (553.6, 553.6)
    assert fresh.provenance and not fresh.provenance.stale
    assert old.provenance and old.provenance.stale
    assert old.provenance.retrieved_at == fresh.provenance.retrieved_at
