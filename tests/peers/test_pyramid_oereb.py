"""The live cadastre on a real service: what our sample extracts say comes back from it, in both formats."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import pytest
from contracts.items import OerebExtract
from contracts.oereb import DocumentKind, ExtractContent, LawStatus, Restriction
from servicekit.probes import Missing
from servicekit.wording import answering_in

from tools_oereb import embedded, sources
from tools_oereb.formats import xml_answers
from tools_oereb.formats.extracts import ReadExtract
from tools_oereb.gateways import CadastreGateway, NoExtract, Unread
from tools_oereb.live import probe
from tools_oereb.settings import Settings

from .oereb_server import CLIENT_URL

KNOWN_POINT = (2_600_513, 1_215_519)
PARCEL, RIGHT = "CH955832730623", "CH710620327442"
PLANNED, NOT_RELEASED, GAPS = "CH990000009901", "CH990000009905", "CH807306583219"
UNKNOWN = "CH999999999999"
FILES = sorted((embedded.PACKAGED.parent / "extracts").glob("*.xml"))


async def content_of(cadastre: CadastreGateway, egrid: str) -> ExtractContent:
    found = await cadastre.extract(egrid)
    assert isinstance(found, OerebExtract)
    assert found.content is not None
    return found.content


def sample(egrid: str) -> ReadExtract:
    (path,) = (path for path in FILES if path.stem == egrid)
    return xml_answers.extract(path.read_bytes(), "sample", "de")


@pytest.fixture
async def make_cadastre(oereb_url: str) -> AsyncIterator[Callable[..., CadastreGateway]]:
    async with AsyncExitStack() as exits:

        def make(**values: Any) -> CadastreGateway:
            settings = Settings(
                oereb_source="live",
                oereb_url=oereb_url,
                outbound_max_retries=0,
                outbound_read_timeout_s=30,
                outbound_total_timeout_s=60,
                **values,
            )
            outbound = sources.outbound_of(settings)
            assert outbound is not None
            exits.push_async_callback(outbound.close)
            return sources.cadastre(settings, outbound)

        yield make


@pytest.fixture(params=["xml", "json"])
def cadastre(
    request: pytest.FixtureRequest, make_cadastre: Callable[..., CadastreGateway]
) -> CadastreGateway:
    return make_cadastre(oereb_format=request.param)


# -- what is where --------------------------------------------------------------------------------


async def test_a_parcel_and_the_right_on_it_are_found_at_a_point(cadastre: CadastreGateway) -> None:
    parcel, right = await cadastre.parcels_at(*KNOWN_POINT)
    assert (parcel.egrid, parcel.number, parcel.kind) == (PARCEL, "198", "Liegenschaft")
    assert (right.egrid, right.number, right.kind) == (RIGHT, "531", "Baurecht")
    assert parcel.geometry == sample(PARCEL).geometry
    assert right.geometry == sample(RIGHT).geometry


async def test_nothing_is_found_where_nothing_is(cadastre: CadastreGateway) -> None:
    assert await cadastre.parcels_at(2_700_000, 1_200_000) == ()


# -- what an extract says -------------------------------------------------------------------------


@pytest.mark.parametrize("egrid", [path.stem for path in FILES])
async def test_an_extract_comes_back_as_it_went_in(cadastre: CadastreGateway, egrid: str) -> None:
    found = await cadastre.extract(egrid)
    assert isinstance(found, OerebExtract) and found.content is not None
    wanted, said = sample(egrid), found.content
    assert (found.number, found.municipality, found.area_m2, found.kind) == (
        wanted.number,
        wanted.municipality,
        wanted.area_m2,
        wanted.kind,
    )
    assert found.geometry == wanted.geometry
    for themes in ("concerned", "not_concerned", "without_data"):
        assert codes(said, themes) == codes(wanted.content, themes), themes
    assert sorted(map(facts, said.restrictions), key=str) == sorted(
        map(facts, wanted.content.restrictions), key=str
    )
    assert documents(said) == documents(wanted.content)
    for notices in ("information", "disclaimers", "glossary"):
        assert set(getattr(said, notices)) == set(getattr(wanted.content, notices))
    assert said.authority == wanted.content.authority


def codes(content: ExtractContent, themes: str) -> set[str]:
    """Lists of this service have themes only; its restrictions say to which part of one they belong."""
    return {theme.code for theme in getattr(content, themes)}


def facts(restriction: Restriction) -> dict[str, Any]:
    """All but the picture and the map: both are the service's own. Amounts are computed from coordinates."""
    amounts = {
        "area_m2": pytest.approx(restriction.area_m2, abs=1),
        "length_m": pytest.approx(restriction.length_m, abs=1),
        "percent": pytest.approx(restriction.percent, abs=0.15),
    }
    said = restriction.model_dump(include={"theme", "text", "type_code", "law_status", "points", "office"})
    return said | {name: amount for name, amount in amounts.items() if getattr(restriction, name) is not None}


def documents(content: ExtractContent) -> set[tuple[str, str]]:
    """Which document stands behind which restriction, with all that is said of it."""
    return {
        (restriction.text, content.documents[place].model_dump_json())
        for restriction in content.restrictions
        for place in restriction.documents
    }


# -- what has no extract, and what is no law ------------------------------------------------------


async def test_a_planned_change_is_known_as_one(cadastre: CadastreGateway) -> None:
    said = await content_of(cadastre, PLANNED)
    assert [theme.code for theme in said.concerned] == ["ch.Waldreservate"]
    assert {each.law_status for each in said.restrictions} == {LawStatus.CHANGE_WITHOUT_PRE_EFFECT}


async def test_a_municipality_that_is_not_released_has_an_extract_without_data(
    cadastre: CadastreGateway,
) -> None:
    said = await content_of(cadastre, NOT_RELEASED)
    assert (said.concerned, said.not_concerned, said.restrictions) == ((), (), ())
    assert len(said.without_data) == len(sample(NOT_RELEASED).content.without_data)


@pytest.mark.parametrize("egrid", [UNKNOWN, "CH198", "CH' OR 1=1"])
async def test_an_egrid_that_nobody_has_is_unknown(cadastre: CadastreGateway, egrid: str) -> None:
    assert await cadastre.extract(egrid) is NoExtract.UNKNOWN


async def test_an_extract_is_shown_where_the_service_redirects_to(cadastre: CadastreGateway) -> None:
    found = await cadastre.extract(PARCEL)
    assert isinstance(found, OerebExtract)
    assert found.map_url == CLIENT_URL.format(egrid=PARCEL)


async def test_a_provision_without_an_address_has_no_link(cadastre: CadastreGateway) -> None:
    """The service writes `None` there."""
    said = await content_of(cadastre, PARCEL)
    provisions = [each for each in said.documents if each.kind is DocumentKind.LEGAL_PROVISION]
    assert provisions and not any(each.url for each in provisions)


# -- languages ------------------------------------------------------------------------------------


async def test_a_language_that_the_service_does_not_have_is_not_insisted_on(
    make_cadastre: Callable[..., CadastreGateway],
) -> None:
    with answering_in("it"):
        said = await content_of(make_cadastre(oereb_language="it"), PARCEL)
    assert said.concerned[0].title == "Nutzungsplanung (kantonal/kommunal)"


@pytest.mark.parametrize("format_name", ["xml", "json"])
async def test_a_service_that_fails_over_a_language_is_asked_in_its_own(
    make_cadastre: Callable[..., CadastreGateway], format_name: str
) -> None:
    """It offers French, and none of its texts are; as XML it then sends a page, with status 200."""
    with answering_in("fr"):
        said = await content_of(make_cadastre(oereb_language="de", oereb_format=format_name), PARCEL)
        found = await make_cadastre(oereb_language="fr", oereb_format=format_name).extract(PARCEL)
    assert said.concerned[0].title == "Nutzungsplanung (kantonal/kommunal)"
    assert isinstance(found, Unread)
    assert found.extract.content is None
    assert found.extract.map_url == CLIENT_URL.format(egrid=PARCEL)


@pytest.mark.parametrize("format_name", ["xml", "json"])
async def test_what_is_configured_is_looked_for_when_a_service_starts(
    oereb_url: str, format_name: str
) -> None:
    async def missing(language: str) -> list[Missing]:
        settings = Settings(
            oereb_source="live",
            oereb_url=oereb_url,
            oereb_format=format_name,
            oereb_language=language,
            outbound_read_timeout_s=30,
            outbound_total_timeout_s=60,
        )
        outbound = sources.outbound_of(settings)
        assert outbound is not None
        try:
            return [each for check in probe.checks(settings, outbound) for each in await check.missing()]
        finally:
            await outbound.close()

    assert await missing("de") == []
    assert await missing("rm") == [("OEREB_LANGUAGE", "language 'rm' among ['de', 'fr']")]
