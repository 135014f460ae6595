"""Lists of features in pages: all of them, or the first of too many, and never some of them twice."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from feature_questions import SITES
from geo_live import live_gateway
from recorded.server import RecordedServer
from servicekit.errors import SourceError, SourceErrorKind
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tools_geo.features.geojson import polygon_of
from tools_geo.gateways import Area, FeatureGateway
from tools_geo.live import pages

BOX = (2_600_000.0, 1_200_000.0, 2_610_000.0, 1_210_000.0)


@pytest.fixture
async def data(server: RecordedServer) -> AsyncIterator[FeatureGateway]:
    async with live_gateway("features", server.url, outbound_max_retries=0) as gateway:
        yield gateway


@pytest.fixture
async def ogc(server: RecordedServer) -> AsyncIterator[FeatureGateway]:
    changes = {"features_url": f"{server.url}/ogc", "outbound_max_retries": 0}
    async with live_gateway("features", server.url, **changes) as gateway:
        yield gateway


class Long:
    """A dataset with many points."""

    def __init__(self, there: int, *, counts: bool = True, most: int = 10_000, padding: int = 0) -> None:
        self.there, self.counts, self.most, self.padding = there, counts, most, padding
        self.limits: list[int] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await (await self.answer(Request(scope)))(scope, receive, send)

    async def answer(self, request: Request) -> Response:
        start, limit = int(request.query_params["offset"]), int(request.query_params["limit"])
        self.limits.append(limit)
        sent = range(start, min(start + min(limit, self.most), self.there))
        document: dict[str, Any] = {"type": "FeatureCollection", "features": [self.point(n) for n in sent]}
        return JSONResponse(document | ({"numberMatched": self.there} if self.counts else {}))

    def point(self, number: int) -> dict[str, Any]:
        geometry = {"type": "Point", "coordinates": [2_600_000 + number, 1_200_000]}
        properties = {"nummer": number, "text": "x" * self.padding}
        return {"type": "Feature", "id": number, "properties": properties, "geometry": geometry}


async def sent(gateway: FeatureGateway, area: Area | None = None) -> tuple[int, bool, int | None]:
    """How many features, whether that is all, and how many there are."""
    (found,) = (await gateway.within(SITES, area or Area())).items
    assert len({feature.id for feature in found.features}) == len(found.features)
    return len(found.features), found.is_all, found.matched


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize("there", [0, 1, 500, 501, 1_200])
async def test_all_that_is_there_is_read(
    server: RecordedServer, data: FeatureGateway, there: int, counts: bool
) -> None:
    server.options.instead["/api/data/"] = Long(there, counts=counts)
    assert await sent(data) == (there, True, None)


@pytest.mark.parametrize("counts", [True, False])
async def test_a_service_may_send_less_than_was_asked_for(
    server: RecordedServer, data: FeatureGateway, counts: bool
) -> None:
    server.options.instead["/api/data/"] = Long(130, counts=counts, most=100)
    assert await sent(data) == (130, True, None)


@pytest.mark.parametrize(("counts", "matched"), [(True, 5_000), (False, None)])
async def test_of_too_many_the_first_are_read(
    server: RecordedServer, data: FeatureGateway, counts: bool, matched: int | None
) -> None:
    server.options.instead["/api/data/"] = Long(5_000, counts=counts)
    assert await sent(data) == (pages.MOST_FEATURES, False, matched)


async def test_how_many_there_are_is_known_of_the_visible_map_and_of_no_other_area(
    server: RecordedServer, data: FeatureGateway
) -> None:
    server.options.instead["/api/data/"] = Long(5_000)
    visible = Area(geometry=polygon_of(BOX), extent=BOX)
    assert (await sent(data, visible))[1:] == (False, 5_000)
    triangle = {"type": "Polygon", "coordinates": [[BOX[:2], (BOX[2], BOX[1]), BOX[2:], BOX[:2]]]}
    assert (await sent(data, Area(geometry=triangle, extent=BOX)))[1:] == (False, None)


async def test_many_bytes_are_too_many(
    server: RecordedServer, data: FeatureGateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "MOST_BYTES", 300_000)
    server.options.instead["/api/data/"] = Long(2_000, padding=400)
    count, is_all, matched = await sent(data)
    assert (count, is_all, matched) == (1_000, False, 2_000)


async def test_features_that_fill_an_answer_come_in_smaller_pages(server: RecordedServer) -> None:
    long = server.options.instead["/api/data/"] = Long(60, padding=1_500)
    async with live_gateway("features", server.url, outbound_max_body_bytes=90_000) as gateway:
        assert await sent(gateway) == (60, True, None)
    assert long.limits == [500, 50, 50]


async def test_a_service_that_ignores_pages_is_not_counted_twice(
    server: RecordedServer, data: FeatureGateway
) -> None:
    server.options.instead["/api/data/"] = JSONResponse({"features": [Long(1).point(7)]})
    with pytest.raises(SourceError) as failed:
        await sent(data)
    assert failed.value.kind is SourceErrorKind.UNREADABLE


@pytest.mark.parametrize("body", [{}, [], {"features": None}, {"features": [1]}, {"features": {}}])
async def test_what_is_no_list_of_features_is_an_error(
    server: RecordedServer, data: FeatureGateway, body: Any
) -> None:
    server.options.instead["/api/data/"] = JSONResponse(body)
    with pytest.raises(SourceError) as failed:
        await sent(data)
    assert failed.value.kind is SourceErrorKind.UNREADABLE


# -- links to the next page -----------------------------------------------------------------------


@pytest.mark.parametrize("counts", [True, False])
async def test_links_lead_through_all_pages(
    server: RecordedServer, ogc: FeatureGateway, counts: bool
) -> None:
    server.options.ogc.most, server.options.ogc.counts = 7, counts
    assert await sent(ogc) == (30, True, None)
    assert [seen.query.get("offset") for seen in server.asked("/items")] == [None, "7", "14", "21", "28"]


async def test_a_link_to_another_server_is_not_followed(server: RecordedServer, ogc: FeatureGateway) -> None:
    server.options.ogc.most, server.options.ogc.next_at = 7, "features.example"
    with pytest.raises(SourceError) as failed:
        await sent(ogc)
    assert failed.value.kind is SourceErrorKind.FORBIDDEN


async def test_a_server_behind_a_proxy_may_have_another_port_in_its_links(
    server: RecordedServer, ogc: FeatureGateway
) -> None:
    server.options.ogc.most, server.options.ogc.next_at = 7, "127.0.0.1:9"
    assert await sent(ogc) == (30, True, None)


async def test_a_link_in_a_circle_is_an_error(server: RecordedServer, ogc: FeatureGateway) -> None:
    document = {
        "features": [Long(1).point(7)],
        "links": [{"rel": "next", "href": "items?offset=1"}],
    }
    server.options.instead["/items"] = JSONResponse(document)
    with pytest.raises(SourceError) as failed:
        await sent(ogc)
    assert failed.value.kind is SourceErrorKind.UNREADABLE


@pytest.mark.parametrize("links", [None, {}, [1], [{"rel": "next"}], [{"rel": "next", "href": 1}]])
async def test_odd_links_are_none(server: RecordedServer, ogc: FeatureGateway, links: Any) -> None:
    server.options.instead["/items"] = JSONResponse({"features": [Long(1).point(7)], "links": links})
    assert await sent(ogc) == (1, True, None)


async def test_a_page_for_people_is_not_the_next_one(server: RecordedServer, ogc: FeatureGateway) -> None:
    links = [{"rel": "next", "type": "text/html", "href": "items?page=2"}]
    server.options.instead["/items"] = JSONResponse({"features": [Long(1).point(7)], "links": links})
    assert await sent(ogc) == (1, True, None)


async def test_when_more_are_counted_than_sent_that_is_not_all(
    server: RecordedServer, ogc: FeatureGateway
) -> None:
    server.options.instead["/items"] = JSONResponse({"features": [Long(1).point(7)], "numberMatched": 3})
    assert await sent(ogc) == (1, False, 3)


async def test_collections_that_cannot_be_read_are_left_out(
    server: RecordedServer, ogc: FeatureGateway
) -> None:
    listed = [{"title": "Without an id"}, 7, {"id": "a.b", "title": {"de": "x"}, "crs": None}, {"id": SITES}]
    server.options.instead["/ogc/collections"] = JSONResponse({"collections": listed})
    await ogc.within("Xyzzyqw", Area())
    assert ogc.names() == ("Kataster der belasteten Standorte (KbS)",)


@pytest.mark.parametrize("identity", [None, "", 0, 1.5, "a b", "x" * 1_000])
async def test_features_may_have_any_id(server: RecordedServer, ogc: FeatureGateway, identity: Any) -> None:
    feature = {**Long(1).point(7), "id": identity}
    server.options.instead["/items"] = JSONResponse({"features": [feature]})
    (found,) = (await ogc.within(SITES, Area())).items
    assert len(found.features[0].id) < 150


async def test_what_is_no_list_of_collections_is_an_error(
    server: RecordedServer, ogc: FeatureGateway
) -> None:
    server.options.instead["/ogc/collections"] = JSONResponse({"title": "Landing page"})
    with pytest.raises(SourceError) as failed:
        await ogc.within(SITES, Area())
    assert failed.value.kind is SourceErrorKind.UNREADABLE
