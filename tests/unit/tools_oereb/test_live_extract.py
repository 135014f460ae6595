"""Extracts over HTTP: whether there is one, where it is, and what it says."""

import pytest
from contracts.items import OerebExtract
from misbehaving import Exchange, MisbehavingServer, healthy, redirect, status
from oereb_kit import MakeLive, by_path, extract_document
from recorded.oereb import CLIENT_URL, JSON_CANTON_CLIENT_URL
from recorded.oereb_data import BALM_168, BIBERIST_2084, MESSEN_168, MESSEN_198, of_egrid
from recorded.oereb_xml import JAXB, extract
from recorded.server import RecordedServer
from servicekit.outbound import SourceError, SourceErrorKind

from tools_oereb.gateways import CadastreGateway, NoExtract
from tools_oereb.geometry import contains, polygons_of

UNKNOWN_EGRID = "CH999999999999"


async def extract_of(gateway: CadastreGateway, egrid: str) -> OerebExtract:
    found = await gateway.extract(egrid)
    assert isinstance(found, OerebExtract)
    return found


# -- links ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [303, 302, 301])
async def test_the_map_is_where_the_service_redirects_to(
    solothurn: CadastreGateway, recorded: RecordedServer, code: int
) -> None:
    recorded.options.oereb.redirect_status = code
    found = await extract_of(solothurn, MESSEN_198)
    assert found.pdf_url == f"{recorded.url}/api/oereb/extract/pdf/?EGRID={MESSEN_198}"
    assert found.map_url == CLIENT_URL.format(egrid=MESSEN_198)
    assert found.label == "ÖREB-Auszug für CH955832730623"


async def test_another_canton_has_its_own_map(json_canton: CadastreGateway) -> None:
    found = await extract_of(json_canton, MESSEN_198)
    assert found.map_url == JSON_CANTON_CLIENT_URL.format(egrid=MESSEN_198)


async def test_the_redirect_is_not_followed_and_no_pdf_is_made(
    solothurn: CadastreGateway, recorded: RecordedServer
) -> None:
    """A PDF takes the service many seconds, and a redirect leads to a page."""
    await extract_of(solothurn, MESSEN_198)
    assert [seen.path.removeprefix("/api/oereb") for seen in recorded.seen] == [
        "/extract/url/",
        "/extract/xml/",
        "/getegrid/xml/",
    ]
    assert recorded.asked("extract")[1].query == {"EGRID": MESSEN_198}, "neither images nor geometries"


async def test_a_redirect_because_of_a_slash_is_followed(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    async def behave(exchange: Exchange) -> None:
        path = exchange.request.path
        query = f"?EGRID={exchange.request.query['EGRID'][0]}"
        if path.endswith("/"):
            await redirect(f"{path.rstrip('/')}{query}", 301)(exchange)
        elif "url" in path:
            await redirect("https://map.example/oereb", 303)(exchange)
        else:
            await extract_document(MESSEN_198)(exchange)

    broken.behave(behave)
    found = await extract_of(make_live(broken.url), MESSEN_198)
    assert found.map_url == "https://map.example/oereb"


@pytest.mark.parametrize(
    "location",
    [
        "javascript:alert(1)",
        "file:///etc/passwd",
        "//",
        "https://",
        "",
        "http://[",
        "https://map.example/a b",
        "http://192.168.1.1/",
        "http://[::1]/",
        "https://localhost/",
        "ftp://map.example/",
    ],
)
async def test_a_redirect_that_is_no_web_page_gives_the_configured_map(
    broken: MisbehavingServer, make_live: MakeLive, location: str
) -> None:
    broken.behave(by_path(url=redirect(location, 303), xml=extract_document(MESSEN_198)))
    live = make_live(broken.url, oereb_map_url="https://map.example/?e={egrid}")
    assert (await extract_of(live, MESSEN_198)).map_url == f"https://map.example/?e={MESSEN_198}"


async def test_redirects_in_a_circle_end(broken: MisbehavingServer, make_live: MakeLive) -> None:
    async def behave(exchange: Exchange) -> None:
        path = exchange.request.path
        if "url" in path:
            await redirect(path.rstrip("/") if path.endswith("/") else f"{path}/", 301)(exchange)
        else:
            await extract_document(MESSEN_198)(exchange)

    broken.behave(behave)
    await extract_of(make_live(broken.url), MESSEN_198)
    assert sum("url" in request.path for request in broken.requests) <= 3


# -- whether there is one -------------------------------------------------------------------------


async def test_an_egrid_that_the_service_does_not_know_has_no_extract(
    solothurn: CadastreGateway, json_canton: CadastreGateway, recorded: RecordedServer
) -> None:
    assert await solothurn.extract(UNKNOWN_EGRID) is NoExtract.UNKNOWN
    assert await json_canton.extract(UNKNOWN_EGRID) is NoExtract.UNKNOWN
    assert all(seen.path.endswith("/extract/url/") for seen in recorded.seen), (
        "the cheapest question is enough"
    )


async def test_a_parcel_outside_the_released_cadastre_is_told_from_an_unknown_one(
    solothurn: CadastreGateway, json_canton: CadastreGateway, recorded: RecordedServer
) -> None:
    """The redirect is sent for it as well: only the extract itself is missing."""
    recorded.options.oereb.unreleased.add(MESSEN_198)
    assert await solothurn.extract(MESSEN_198) is NoExtract.NOT_RELEASED
    assert await json_canton.extract(MESSEN_198) is NoExtract.NOT_RELEASED


async def test_a_service_without_redirects_is_asked_for_the_extract_itself(
    json_canton: CadastreGateway, recorded: RecordedServer
) -> None:
    recorded.options.oereb.has_client = False
    found = await extract_of(json_canton, MESSEN_198)
    assert found.map_url == f"https://geo.so.ch/map/?oereb_egrid={MESSEN_198}", "as configured"
    assert len(recorded.asked("extract/url")) == 1, "not tried again"
    recorded.options.oereb.unreleased.add(BALM_168)
    assert await json_canton.extract(BALM_168) is NoExtract.UNKNOWN


async def test_without_redirects_and_extracts_the_failure_is_told(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    broken.behave(by_path(url=status(404), xml=status(503)))
    with pytest.raises(SourceError) as caught:
        await make_live(broken.url).extract(MESSEN_198)
    assert caught.value.kind is SourceErrorKind.OVERLOADED


# -- what it says ---------------------------------------------------------------------------------


async def test_the_first_page_is_read(solothurn: CadastreGateway, json_canton: CadastreGateway) -> None:
    for gateway in (solothurn, json_canton):
        found = await extract_of(gateway, MESSEN_198)
        assert (found.number, found.municipality) == ("198", "Messen")
        assert found.area_m2 == pytest.approx(13_000, abs=3_000)
        assert found.concerned_themes == (
            "Nutzungsplanung (kantonal/kommunal)",
            "Grundwasserschutzzonen",
            "Lärmempfindlichkeitsstufen",
        )


async def test_no_theme_is_something_else_than_not_read(
    solothurn: CadastreGateway, recorded: RecordedServer, make_live: MakeLive
) -> None:
    assert (await extract_of(solothurn, BALM_168)).concerned_themes == ()
    unread = make_live(f"{recorded.url}/api/oereb", oereb_read_extract=False)
    assert (await extract_of(unread, BALM_168)).concerned_themes is None


async def test_themes_with_the_same_title_are_told_once(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    estate = of_egrid(MESSEN_168)
    assert estate is not None
    xml = extract(estate, JAXB, geometry=False)
    body = xml.replace("Lärmempfindlichkeitsstufen", "Nutzungsplanung (kantonal/kommunal)")
    broken.behave(
        by_path(url=redirect("https://map.example/", 303), extract=healthy(body.encode(), "text/xml"))
    )
    found = await extract_of(make_live(broken.url), MESSEN_168)
    assert found.concerned_themes == ("Nutzungsplanung (kantonal/kommunal)",)


UNREADABLE = {
    "of another parcel": extract_document(MESSEN_168),
    "without real estate": healthy(
        b'<GetExtractByIdResponse xmlns="http://schemas.geo.admin.ch/V_D/OeREB/2.0/Extract"/>', "text/xml"
    ),
    "of another kind": healthy(b"<html/>", "text/xml"),
    "in time, but broken": healthy(b"<GetExtract", "text/xml"),
    "too late": status(503),
    "a page": healthy(b"<!DOCTYPE html>", "text/html"),
}


@pytest.mark.parametrize("failure", UNREADABLE)
async def test_an_extract_that_cannot_be_read_still_has_its_links(
    broken: MisbehavingServer, make_live: MakeLive, failure: str
) -> None:
    map_url = "https://map.example/oereb"
    broken.behave(by_path(url=redirect(map_url, 303), extract=UNREADABLE[failure], getegrid=status(204)))
    found = await extract_of(make_live(broken.url), MESSEN_198)
    assert (found.map_url, found.concerned_themes, found.municipality) == (map_url, None, None)


async def test_who_waits_too_long_for_the_first_page_goes_on_without(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    async def slow(exchange: Exchange) -> None:
        await exchange.hang()

    broken.behave(by_path(url=redirect("https://map.example/", 303), extract=slow))
    live = make_live(broken.url, oereb_read_timeout_s=0.05)
    assert (await extract_of(live, MESSEN_198)).concerned_themes is None
    assert (await extract_of(live, MESSEN_198)).concerned_themes is None, "and the server is not given up"


# -- where it is ----------------------------------------------------------------------------------


async def test_the_outline_of_an_extract_is_found_by_its_number(
    solothurn: CadastreGateway, recorded: RecordedServer
) -> None:
    found = await extract_of(solothurn, BIBERIST_2084)
    assert recorded.asked("getegrid")[0].query == {
        "IDENTDN": "SO0200002513",
        "NUMBER": "2084",
        "GEOMETRY": "true",
    }
    assert found.geometry is not None and found.coord is not None
    assert contains(polygons_of(found.geometry), found.coord)
    assert found.extent == pytest.approx((2609046.6755, 1226265.3198, 2609078.051, 1226298.802), abs=0.01)


@pytest.mark.parametrize("reads", [True, False])
async def test_the_outline_of_a_parcel_that_was_just_found_is_not_asked_for_again(
    recorded: RecordedServer, make_live: MakeLive, reads: bool
) -> None:
    live = make_live(f"{recorded.url}/api/oereb", oereb_read_extract=reads)
    parcel, _ = await live.parcels_at(2600513, 1215519)
    found = await extract_of(live, parcel.egrid)
    assert (found.geometry, found.coord, found.extent) == (parcel.geometry, parcel.coord, parcel.extent)
    assert len(recorded.asked("getegrid")) == 1


async def test_an_extract_without_outline_is_an_extract(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    known = by_path(
        url=redirect("https://map.example/", 303), extract=extract_document(MESSEN_198), getegrid=status(500)
    )
    broken.behave(known)
    found = await extract_of(make_live(broken.url), MESSEN_198)
    assert (found.geometry, found.coord, found.municipality) == (None, None, "Messen")


# -- where it comes from --------------------------------------------------------------------------


async def test_an_extract_says_whose_it_is(solothurn: CadastreGateway) -> None:
    found = await extract_of(solothurn, MESSEN_198)
    assert found.provenance is not None
    assert found.provenance.source == "ÖREB-Kataster Kanton Solothurn"
    assert found.provenance.license == "Freie Nutzung mit Quellenangabe"
    assert (found.provenance.match, found.provenance.stale) == ("exact", False)


async def test_the_same_extract_is_asked_for_once(
    solothurn: CadastreGateway, recorded: RecordedServer
) -> None:
    first = await extract_of(solothurn, MESSEN_198)
    asked = len(recorded.seen)
    assert await extract_of(solothurn, MESSEN_198) == first
    assert len(recorded.seen) == asked
