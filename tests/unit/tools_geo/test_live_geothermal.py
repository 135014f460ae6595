"""Geothermal probes as the map service of the canton answers."""

from collections.abc import AsyncIterator
from html import escape
from typing import Any

import pytest
from contracts.items import GeothermalAssessment
from geo_live import live_gateway
from misbehaving import MisbehavingServer, healthy
from recorded.server import RecordedServer
from servicekit.outbound import SourceError, SourceErrorKind
from servicekit.wording import answering_in

from tools_geo.gateways import GeothermalGateway

MESSEN = (2600565.0, 1215512.0)
LAYER = "ch.so.afu.ewsabfrage.abfrage"
POSSIBLE = "Das Erstellen von Erdwärmesonden ist an diesem Standort bis in eine Tiefe von {} Metern möglich."
HREF = "https://dox42.so.ch/dox42restservice.ashx?a=1&p_grundstueck=198%20(Messen)"


@pytest.fixture
async def server() -> AsyncIterator[RecordedServer]:
    async with RecordedServer() as running:
        yield running


@pytest.fixture
async def geothermal(server: RecordedServer) -> AsyncIterator[GeothermalGateway]:
    async with live_gateway("geothermal", server.url) as gateway:
        yield gateway


def feature(resultat: str = POSSIBLE.format(400), link: str = f"<a href='{HREF}'>x</a>", **more: str) -> str:
    values = {"resultat": resultat, "tiefe": "898", "pdf_link": link, **more}
    attributes = "".join(
        f'<Attribute name="{name}" value="{escape(value)}" attrname="{name}" />'
        for name, value in values.items()
    )
    return f'<Feature id="">{attributes}</Feature>'


def layer(*features: str, name: str = LAYER) -> str:
    return f'<Layer name="Bohrtiefenabfrage" layername="{name}">{"".join(features)}</Layer>'


def response(*layers: str) -> bytes:
    return f"<GetFeatureInfoResponse>{''.join(layers)}</GetFeatureInfoResponse>".encode()


async def assessed(
    body: bytes, content_type: str = "text/xml", **changes: Any
) -> GeothermalAssessment | None:
    """What becomes of an answer."""
    async with (
        MisbehavingServer() as server,
        live_gateway("geothermal", server.url, **changes) as geothermal,
    ):
        server.behave(healthy(body, content_type))
        found = await geothermal.assessment(*MESSEN)
    assert len(found.items) < 2
    return found.items[0] if found.items else None


async def test_the_permitted_depth_is_that_of_the_text(geothermal: GeothermalGateway) -> None:
    (item,) = (await geothermal.assessment(*MESSEN)).items
    assert (item.allowed, item.max_depth_m) == (True, 400)
    assert item.text.startswith("Das Erstellen von Erdwärmesonden ist an diesem Standort bis in eine Tiefe")
    assert item.report_url is not None and item.report_url.startswith("https://dox42.so.ch/")
    assert "p_tiefe=400" in item.report_url
    assert item.provenance is not None and item.provenance.source.endswith(", Erdwärmesonden")


@pytest.mark.parametrize("language", ["fr", "it", "en"])
async def test_a_verdict_is_quoted_and_not_translated(geothermal: GeothermalGateway, language: str) -> None:
    """It may hold conditions; what it permits is the same in every language."""
    (german,) = (await geothermal.assessment(*MESSEN)).items
    with answering_in(language):
        (item,) = (await geothermal.assessment(*MESSEN)).items
    assert f"«{german.text}»" in item.text
    assert (item.allowed, item.max_depth_m) == (german.allowed, german.max_depth_m)


async def test_where_it_is_denied_that_is_told(geothermal: GeothermalGateway) -> None:
    (item,) = (await geothermal.assessment(2627000, 1238500)).items
    assert (item.allowed, item.max_depth_m) == (False, None)
    assert "nicht möglich" in item.text


async def test_the_point_itself_is_asked_for_not_the_pixel_beside_it(
    geothermal: GeothermalGateway, server: RecordedServer
) -> None:
    """I = J = 51 of 101 pixels would be a metre to the south-east."""
    (item,) = (await geothermal.assessment(*MESSEN)).items
    assert item.report_url is not None
    assert "p_koordinate_x=2600565&InputParam.p_koordinate_y=1215512&" in item.report_url
    (seen,) = server.asked("featureinfo")
    assert seen.query["BBOX"] == "2600514.500,1215461.500,2600615.500,1215562.500"
    assert (seen.query["I"], seen.query["J"], seen.query["WIDTH"]) == ("50", "50", "101")


async def test_no_hit_is_an_empty_layer(geothermal: GeothermalGateway) -> None:
    assert (await geothermal.assessment(2700000, 1200000)).items == ()


async def test_attributes_may_be_named_in_the_older_way(
    geothermal: GeothermalGateway, server: RecordedServer
) -> None:
    server.options.featureinfo.has_attrname = False
    (item,) = (await geothermal.assessment(*MESSEN)).items
    assert (item.allowed, item.max_depth_m) == (True, 400)
    assert item.report_url is not None


async def test_a_layer_that_is_not_there_is_a_failure_of_the_service_and_not_kept(
    server: RecordedServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with live_gateway("geothermal", server.url, geothermal_layer="nonsense") as gateway:
        for asked in (1, 2):
            with pytest.raises(SourceError) as failed:
                await gateway.assessment(*MESSEN)
            assert failed.value.kind is SourceErrorKind.FAILED
            assert len(server.asked("featureinfo")) == asked
    assert {vars(record).get("layer") for record in caplog.records} == {"nonsense"}


async def test_features_of_other_layers_do_not_count() -> None:
    other = layer(feature(), name="ch.so.other")
    assert await assessed(response(other, layer())) is None
    item = await assessed(response(other, layer(feature(POSSIBLE.format(150)))))
    assert item is not None and item.max_depth_m == 150


async def test_of_several_features_the_strictest_counts() -> None:
    item = await assessed(response(layer(feature(POSSIBLE.format(400)), feature(POSSIBLE.format(150)))))
    assert item is not None and item.max_depth_m == 150


@pytest.mark.parametrize(
    "named", [f'name="{LAYER}"', f'layername="{LAYER}"', f'name="a.part" layerinfo="{LAYER}"']
)
async def test_a_layer_is_known_by_any_of_its_names(named: str) -> None:
    item = await assessed(response(f'<Layer title="Bohrtiefe" {named}>{feature()}</Layer>'))
    assert item is not None


async def test_an_answer_about_other_layers_only_is_a_failure() -> None:
    with pytest.raises(SourceError):
        await assessed(response(layer(feature(), name="ch.so.other")))


async def test_namespaces_do_not_matter() -> None:
    body = response(layer(feature())).replace(
        b"<GetFeatureInfoResponse>", b'<GetFeatureInfoResponse xmlns="http://www.opengis.net/wms">'
    )
    item = await assessed(body)
    assert item is not None and item.max_depth_m == 400


async def test_the_text_is_plain_whatever_comes() -> None:
    item = await assessed(response(layer(feature(f"<p>{POSSIBLE.format(400)}</p><script>alert(1)</script>"))))
    assert item is not None
    assert item.text == POSSIBLE.format(400)
    assert item.allowed


async def test_a_result_without_text_is_an_error() -> None:
    for resultat in ("", "  ", "<b></b>"):
        with pytest.raises(SourceError) as failed:
            await assessed(response(layer(feature(resultat))))
        assert failed.value.kind is SourceErrorKind.UNREADABLE


@pytest.mark.parametrize(
    "link",
    [
        f"<a href='{HREF}' target='_blank'>x</a>",
        f'<A HREF="{HREF}">x</A>',
        f"<b><a href={HREF}>x</a></b><a href='https://evil.example'>y</a>",
        f"<a href='{HREF.replace('&', '&amp;')}'>x</a>",
    ],
)
async def test_the_link_is_taken_out_of_its_html(link: str) -> None:
    item = await assessed(response(layer(feature(link=link))))
    assert item is not None and item.report_url == HREF


@pytest.mark.parametrize(
    "href",
    [
        "javascript:alert(1)",
        "data:text/html,x",
        "//dox42.so.ch/x",
        "/x",
        "https://evil.example/dox42.so.ch",
        "https://dox42.so.ch.evil.example/",
        "https://dox42.so.ch@evil.example/",
        "https://user@dox42.so.ch/",
        "https://dox42.so.ch:8443/",
        "https://[dox42.so.ch/",
        "https://dox42.so.ch/a b",
        "https://dox42.so.ch/" + "x" * 3_000,
        "",
    ],
)
async def test_a_link_that_leads_elsewhere_is_left_out(href: str) -> None:
    item = await assessed(response(layer(feature(link=f'<a href="{href}">x</a>'))))
    assert item is not None and item.allowed
    assert item.report_url is None


async def test_without_a_link_there_is_no_report() -> None:
    for link in ("", "no link", "<a>x</a>", "<a href"):
        item = await assessed(response(layer(feature(link=link))))
        assert item is not None and item.report_url is None


async def test_the_server_of_reports_can_be_another() -> None:
    link = "<a href='http://127.0.0.1:8042/r.pdf'>x</a>"
    changes = {"geothermal_report_host": "127.0.0.1:8042"}
    item = await assessed(response(layer(feature(link=link))), **changes)
    assert item is not None and item.report_url == "http://127.0.0.1:8042/r.pdf"


@pytest.mark.parametrize("body", [b"", b"<a", b"<html/>", b"{}", b"\xff\xfe", response()[:-3]])
async def test_what_is_no_answer_is_an_error(body: bytes) -> None:
    with pytest.raises(SourceError) as failed:
        await assessed(body)
    assert failed.value.kind is SourceErrorKind.UNREADABLE


async def test_an_exception_has_a_content_type_of_its_own() -> None:
    body = b"<ServiceExceptionReport><ServiceException>x</ServiceException></ServiceExceptionReport>"
    with pytest.raises(SourceError) as failed:
        await assessed(body, "application/vnd.ogc.se_xml")
    assert failed.value.kind is SourceErrorKind.FAILED
