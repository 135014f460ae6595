"""Extracts over HTTP: whether there is one, where it is, and what it says."""

import asyncio
from typing import Any

import pytest
from contracts.items import OerebExtract
from contracts.oereb import ExtractContent, LawStatus, Restriction, Theme
from misbehaving import Exchange, MisbehavingServer, healthy, redirect, status
from oereb_kit import MakeLive, by_path, extract_document
from recorded import oereb_data, oereb_xml
from recorded.oereb import CLIENT_URL, JSON_CANTON_CLIENT_URL
from recorded.oereb_data import (
    BALM_168,
    BIBERIST_2084,
    LANGENDORFSTRASSE_19B,
    MESSEN_168,
    MESSEN_198,
    of_egrid,
)
from recorded.oereb_xml import JAXB
from recorded.server import RecordedServer
from servicekit.outbound import SourceErrorKind
from servicekit.wording import answering_in
from starlette.responses import HTMLResponse, PlainTextResponse
from swissgeo.outlines import contains, polygons_of

from tools_oereb.gateways import CadastreGateway, NoExtract, Unread

UNKNOWN_EGRID = "CH999999999999"


async def silent(exchange: Exchange) -> None:
    await exchange.hang()


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
    paths = {seen.path.removeprefix("/api/oereb"): seen.query for seen in recorded.seen}
    assert paths == {
        "/extract/url/": {"EGRID": MESSEN_198},
        "/extract/xml/": {"EGRID": MESSEN_198, "GEOMETRY": "true", "LANG": "de"},
    }, "no images, and no second question for the outline"


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
    solothurn: CadastreGateway, json_canton: CadastreGateway
) -> None:
    assert await solothurn.extract(UNKNOWN_EGRID) is NoExtract.UNKNOWN
    assert await json_canton.extract(UNKNOWN_EGRID) is NoExtract.UNKNOWN


async def test_a_parcel_outside_the_released_cadastre_is_told_from_an_unknown_one(
    solothurn: CadastreGateway, json_canton: CadastreGateway, recorded: RecordedServer
) -> None:
    """One service sends the redirect for it and no extract, the other one an extract without data."""
    recorded.options.oereb.unreleased.add(MESSEN_198)
    assert await solothurn.extract(MESSEN_198) is NoExtract.NOT_RELEASED
    content = (await extract_of(json_canton, MESSEN_198)).content
    assert content is not None
    assert (content.concerned, content.not_concerned, content.restrictions) == ((), (), ())
    assert content.without_data == oereb_data.themes("de")


async def test_a_service_without_redirects_has_extracts_all_the_same(
    json_canton: CadastreGateway, recorded: RecordedServer
) -> None:
    recorded.options.oereb.has_client = False
    found = await extract_of(json_canton, MESSEN_198)
    assert found.map_url is None, "that of another canton is no map of this one"
    assert found.content is not None
    assert found.provenance is not None and not found.provenance.stale


async def test_why_there_is_no_extract_is_not_guessed(
    solothurn: CadastreGateway, recorded: RecordedServer
) -> None:
    """Only the redirect tells an unknown parcel from one that is not released."""
    recorded.options.instead = {"/extract/url": HTMLResponse("Wartung")}
    recorded.options.oereb.unreleased.add(BALM_168)
    assert await solothurn.extract(BALM_168) is NoExtract.NONE
    assert await solothurn.extract(UNKNOWN_EGRID) is NoExtract.NONE


@pytest.mark.parametrize(
    "location",
    ["/login?next=/oereb", "https://map.example/", f"http://192.168.1.1/?e={MESSEN_198}"],
    ids=["signing in", "no parcel", "no page"],
)
async def test_a_redirect_that_does_not_name_the_parcel_does_not_say_that_there_is_one(
    broken: MisbehavingServer, make_live: MakeLive, location: str
) -> None:
    broken.behave(by_path(url=redirect(location, 302), xml=status(204)))
    assert await make_live(broken.url).extract(MESSEN_198) is NoExtract.NONE


async def test_the_redirect_is_tried_again_like_everything_else(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    tries = iter((status(503), redirect("https://map.example/", 303)))

    async def on_second_try(exchange: Exchange) -> None:
        await next(tries)(exchange)

    broken.behave(by_path(url=on_second_try, extract=extract_document(MESSEN_198)))
    assert (await extract_of(make_live(broken.url), MESSEN_198)).map_url == "https://map.example/"


async def test_an_extract_does_not_wait_for_a_redirect_that_does_not_come(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    broken.behave(by_path(url=silent, extract=extract_document(MESSEN_198)))
    live = make_live(broken.url, outbound_total_timeout_s=30, outbound_read_timeout_s=30)
    async with asyncio.timeout(10):
        found = await extract_of(live, MESSEN_198)
    assert found.content is not None
    assert found.map_url is None


async def test_without_redirects_and_extracts_the_failure_is_told_with_the_links(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    broken.behave(by_path(url=status(404), xml=status(503)))
    found = await make_live(broken.url).extract(MESSEN_198)
    assert isinstance(found, Unread)
    assert found.reason.kind is SourceErrorKind.OVERLOADED
    assert found.extract.pdf_url and found.extract.provenance is None


# -- what it says ---------------------------------------------------------------------------------


async def test_an_extract_is_read(solothurn: CadastreGateway, json_canton: CadastreGateway) -> None:
    estate = of_egrid(MESSEN_198)
    assert estate is not None
    for gateway in (solothurn, json_canton):
        found = await extract_of(gateway, MESSEN_198)
        assert (found.number, found.municipality, found.kind) == ("198", "Messen", "Liegenschaft")
        assert found.area_m2 == estate.area_m2
        assert found.content is not None and found.concerned_themes is not None
        assert told(found.content) == told(oereb_data.content_of(estate))
        assert set(found.concerned_themes) == {theme.title for theme in found.content.concerned}


def told(content: ExtractContent) -> dict[str, Any]:
    """What all services tell: some have parts of themes among themes, and some send addresses of symbols."""
    said = content.model_dump(by_alias=False)
    for themes in ("concerned", "not_concerned", "without_data"):
        said[themes] = [theme for theme in said[themes] if theme["sub_code"] is None]
    for restriction in said["restrictions"]:
        restriction["symbol"] = bool(restriction["symbol"])
    return said


@pytest.mark.parametrize("law_status", [*LawStatus, None])
async def test_the_law_status_is_that_of_the_extract_and_none_where_it_is_not_known(
    solothurn: CadastreGateway, recorded: RecordedServer, law_status: LawStatus | None
) -> None:
    recorded.options.oereb.contents[MESSEN_198] = with_law_status(law_status)
    content = (await extract_of(solothurn, MESSEN_198)).content
    assert content is not None
    assert [restriction.law_status for restriction in content.restrictions] == [law_status]


def with_law_status(law_status: LawStatus | None) -> ExtractContent:
    theme = oereb_data.themes("de")[0]
    restriction = Restriction(theme=theme, text="Wohnzone", law_status=law_status, area_m2=5, percent=1)
    return ExtractContent(concerned=(theme,), restrictions=(restriction,))


async def test_themes_with_the_same_title_are_told_once(
    solothurn: CadastreGateway, recorded: RecordedServer
) -> None:
    theme = Theme(code="ch.Nutzungsplanung", title="Nutzungsplanung")
    part = theme.model_copy(update={"sub_code": "ch.SO.Grundnutzung"})
    recorded.options.oereb.contents[MESSEN_168] = ExtractContent(concerned=(theme, part))
    assert (await extract_of(solothurn, MESSEN_168)).concerned_themes == ("Nutzungsplanung",)


# -- in which language ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spoken", "configured", "theme", "kind"),
    [
        ("fr", "de", "Plans d'affectation (cantonaux/communaux)", "Bien-fonds"),
        ("de", "fr", "Nutzungsplanung (kantonal/kommunal)", "Liegenschaft"),
        ("it", "fr", "Plans d'affectation (cantonaux/communaux)", "Bene immobile"),
        ("en", "rm", "Nutzungsplanung (kantonal/kommunal)", "Property"),
    ],
)
async def test_an_extract_is_asked_for_in_the_language_of_the_user_else_of_the_installation(
    recorded: RecordedServer, make_live: MakeLive, spoken: str, configured: str, theme: str, kind: str
) -> None:
    live = make_live(f"{recorded.url}/json-canton/oereb", oereb_language=configured)
    with answering_in(spoken):
        found = await extract_of(live, LANGENDORFSTRASSE_19B)
    assert (found.concerned_themes, found.kind) == ((theme,), kind)


async def test_nobody_is_given_what_another_user_was_told_in_his_language(
    recorded: RecordedServer, make_live: MakeLive
) -> None:
    live = make_live(f"{recorded.url}/json-canton/oereb")
    for spoken, law in (("fr", "Loi sur les constructions"), ("de", "Planungs- und Baugesetz")):
        with answering_in(spoken):
            found = await extract_of(live, LANGENDORFSTRASSE_19B)
        assert found.content is not None
        assert {document.title for document in found.content.documents} == {law}


async def test_a_service_that_fails_over_a_language_is_asked_in_its_own(
    json_canton: CadastreGateway, recorded: RecordedServer
) -> None:
    recorded.options.oereb.fails_in = "fr"
    with answering_in("fr"):
        found = await extract_of(json_canton, LANGENDORFSTRASSE_19B)
    assert found.concerned_themes == ("Nutzungsplanung (kantonal/kommunal)",)


async def test_a_service_of_one_language_is_read_in_its_own(
    recorded: RecordedServer, make_live: MakeLive
) -> None:
    live = make_live(f"{recorded.url}/api/oereb", oereb_language="fr")
    found = await extract_of(live, LANGENDORFSTRASSE_19B)
    assert found.concerned_themes == ("Nutzungsplanung (kantonal/kommunal)",)


@pytest.mark.parametrize(
    ("refused", "wishes"),
    [
        ("takes_language", [{"GEOMETRY", "LANG"}, {"LANG"}, {"GEOMETRY"}]),
        ("takes_geometry", [{"GEOMETRY", "LANG"}, {"LANG"}]),
    ],
)
async def test_what_a_service_refuses_is_left_out_and_not_tried_again(
    json_canton: CadastreGateway, recorded: RecordedServer, refused: str, wishes: list[set[str]]
) -> None:
    setattr(recorded.options.oereb, refused, False)
    first = await extract_of(json_canton, MESSEN_198)
    assert first.content is not None and first.geometry is not None
    await extract_of(json_canton, MESSEN_168)
    asked = [set(seen.query) - {"EGRID"} for seen in recorded.seen if "/extract/url" not in seen.path]
    assert [wish for wish in asked if "IDENTDN" not in wish] == [*wishes, wishes[-1]]


async def test_an_extract_that_is_too_large_with_outlines_is_asked_for_without(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    async def large_with_outlines(exchange: Exchange) -> None:
        if "GEOMETRY" in exchange.request.query:
            await healthy(b" " * 200_000, "text/xml")(exchange)
        else:
            await extract_document(MESSEN_198)(exchange)

    broken.behave(by_path(url=status(404), getegrid=status(404), extract=large_with_outlines))
    live = make_live(broken.url, outbound_max_body_bytes=100_000)
    assert (await extract_of(live, MESSEN_198)).content is not None


# -- what cannot be read --------------------------------------------------------------------------


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


async def unread(gateway: CadastreGateway, egrid: str) -> Unread:
    found = await gateway.extract(egrid)
    assert isinstance(found, Unread)
    return found


@pytest.mark.parametrize("failure", UNREADABLE)
async def test_an_extract_that_cannot_be_read_is_none_but_has_its_links(
    broken: MisbehavingServer, make_live: MakeLive, failure: str
) -> None:
    map_url = "https://map.example/oereb"
    broken.behave(by_path(url=redirect(map_url, 303), extract=UNREADABLE[failure], getegrid=status(204)))
    extract = (await unread(make_live(broken.url), MESSEN_198)).extract
    assert (extract.map_url, extract.content, extract.concerned_themes) == (map_url, None, None)


async def test_who_is_too_slow_has_not_been_read(broken: MisbehavingServer, make_live: MakeLive) -> None:
    broken.behave(by_path(url=redirect("https://map.example/", 303), extract=silent))
    found = await unread(make_live(broken.url, outbound_total_timeout_s=0.3), MESSEN_198)
    assert found.reason.kind is SourceErrorKind.TIMEOUT


async def test_what_is_known_of_the_parcel_is_kept(
    solothurn: CadastreGateway, recorded: RecordedServer
) -> None:
    parcel, _ = await solothurn.parcels_at(2600513, 1215519)
    recorded.options.oereb.instead[parcel.egrid] = PlainTextResponse("broken", 500)
    extract = (await unread(solothurn, parcel.egrid)).extract
    assert (extract.geometry, extract.coord, extract.number) == (parcel.geometry, parcel.coord, "198")


async def test_an_extract_that_cannot_be_read_as_a_whole_still_tells_its_parcel(
    broken: MisbehavingServer, make_live: MakeLive
) -> None:
    estate = of_egrid(MESSEN_198)
    assert estate is not None
    whole = oereb_xml.extract(estate, oereb_data.content_of(estate), JAXB, geometry=True)
    body = whole.replace(
        "<ns3:RestrictionOnLandownership>", "<ns3:RestrictionOnLandownership><ns3:Theme/>", 1
    )
    client = redirect("https://map.example/", 303)
    broken.behave(by_path(url=client, extract=healthy(body.encode(), "text/xml")))
    live = make_live(broken.url)
    extract = (await unread(live, MESSEN_198)).extract
    assert (extract.number, extract.municipality, extract.area_m2) == ("198", "Messen", estate.area_m2)
    assert extract.geometry is not None and extract.content is None
    of_another = await unread(live, MESSEN_168)
    assert (of_another.extract.number, of_another.extract.geometry) == (None, None)


async def test_one_parcel_that_always_fails_does_not_cost_the_others_theirs(
    solothurn: CadastreGateway, recorded: RecordedServer
) -> None:
    recorded.options.oereb.instead[MESSEN_198] = PlainTextResponse("broken", 500)
    assert (await unread(solothurn, MESSEN_198)).reason.status == 500
    assert (await extract_of(solothurn, MESSEN_168)).content is not None


async def test_a_burst_of_the_same_question_is_one_for_the_service(
    solothurn: CadastreGateway, recorded: RecordedServer
) -> None:
    recorded.options.oereb.slow_s = 0.2
    found = await asyncio.gather(*(solothurn.extract(MESSEN_198) for _ in range(20)))
    assert all(isinstance(each, OerebExtract) and each.content for each in found)
    assert (len(recorded.asked("extract/xml")), len(recorded.asked("extract/url"))) == (1, 1)


# -- where it is ----------------------------------------------------------------------------------


async def test_the_outline_comes_with_the_extract(solothurn: CadastreGateway) -> None:
    found = await extract_of(solothurn, BIBERIST_2084)
    assert found.geometry is not None and found.coord is not None
    assert contains(polygons_of(found.geometry), found.coord)
    assert found.extent == pytest.approx((2609046.6755, 1226265.3198, 2609078.051, 1226298.802), abs=0.01)


async def test_where_it_does_not_it_is_found_by_the_number(
    json_canton: CadastreGateway, recorded: RecordedServer
) -> None:
    recorded.options.oereb.takes_geometry = False
    found = await extract_of(json_canton, BIBERIST_2084)
    (asked,) = recorded.asked("getegrid")
    assert asked.query == {"IDENTDN": "SO0200002513", "NUMBER": "2084", "GEOMETRY": "true"}
    assert found.extent == pytest.approx((2609046.6755, 1226265.3198, 2609078.051, 1226298.802), abs=0.01)


async def test_an_extract_without_outline_is_an_extract(
    json_canton: CadastreGateway, recorded: RecordedServer
) -> None:
    recorded.options.oereb.takes_geometry = False
    recorded.options.instead = {"/getegrid/": PlainTextResponse("broken", 500)}
    found = await extract_of(json_canton, MESSEN_198)
    assert (found.geometry, found.coord, found.municipality) == (None, None, "Messen")


# -- where it comes from --------------------------------------------------------------------------


async def test_an_extract_says_whose_it_is(solothurn: CadastreGateway) -> None:
    found = await extract_of(solothurn, MESSEN_198)
    assert found.provenance is not None
    assert found.provenance.source == "127.0.0.1", "nobody has named it"
    assert found.provenance.license == "Freie Nutzung mit Quellenangabe"
    assert (found.provenance.match, found.provenance.stale) == ("exact", False)


async def test_the_same_extract_is_asked_for_once(
    solothurn: CadastreGateway, recorded: RecordedServer
) -> None:
    first = await extract_of(solothurn, MESSEN_198)
    asked = len(recorded.seen)
    assert await extract_of(solothurn, MESSEN_198) == first
    assert len(recorded.seen) == asked
