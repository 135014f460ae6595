"""A real OGC API Features server gives the answers of the packaged data that it was filled from."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from feature_questions import QUESTIONS, RESERVES, SITES, asked, number, shown, told
from servicekit.outbound import Outbound

from tools_geo.embedded import embedded_gateways
from tools_geo.gateways import Area, FeatureGateway, Gateways
from tools_geo.settings import Settings
from tools_geo.sources import live, prober_of

from .ogc_server import MOST


@pytest.fixture(scope="session")
def packaged(tmp_path_factory: pytest.TempPathFactory) -> Gateways:
    return embedded_gateways(Settings(prints_url=str(tmp_path_factory.mktemp("prints"))))


@pytest.fixture
def settings(ogc_url: str) -> Settings:
    """Nothing but pygeoapi is there to be asked."""
    return Settings(
        features_source="live",
        features_url=ogc_url,
        data_url="",
        featureinfo_url="",
        federal_fallback=False,
        outbound_max_retries=0,
        outbound_read_timeout_s=30,
        outbound_total_timeout_s=60,
    )


@pytest.fixture
async def features(settings: Settings) -> AsyncIterator[FeatureGateway]:
    outbound = Outbound(settings, (settings.features_url,))
    yield live("features", settings, outbound)
    await outbound.close()


@pytest.mark.parametrize("question", QUESTIONS, ids=shown)
async def test_a_question_has_the_same_numbers(
    packaged: Gateways, features: FeatureGateway, question: dict[str, Any]
) -> None:
    expected = await asked(packaged, packaged.features, question)
    found = await asked(packaged, features, question)
    assert told(found) == told(expected)
    # What comes in degrees is exact to a metre.
    assert number(found) == pytest.approx(
        number(expected), rel=1e-3 if question["layer"] == RESERVES else 1e-6
    )


async def test_the_layers_that_can_be_asked_are_those_of_the_server(features: FeatureGateway) -> None:
    found = await features.within("Ökomorphologie", Area())
    assert not found.items
    assert "Kataster der belasteten Standorte (KbS)" in features.names()
    assert len(features.names()) == 6


async def test_all_pages_are_read(features: FeatureGateway) -> None:
    (sites,) = (await features.within(SITES, Area())).items
    assert len(sites.features) > 2 * MOST
    assert sites.is_all
    assert len({feature.id for feature in sites.features}) == len(sites.features)


async def test_a_collection_without_lv95_is_read_in_degrees(
    packaged: Gateways, features: FeatureGateway
) -> None:
    (known,) = (await packaged.features.within(RESERVES, Area())).items
    (found,) = (await features.within(RESERVES, Area())).items
    for one, other in zip(found.features, known.features, strict=True):
        assert one.extent == pytest.approx(other.extent, abs=2)


async def test_what_the_map_service_does_not_know_is_found_in_collections(features: FeatureGateway) -> None:
    found = await features.at((2635030, 1243285), (SITES, "ch.so.test.unknown"), 5)
    assert [feature.label for feature in found.features] == ["Giesserei an der Halde"]
    assert found.silent == ("ch.so.test.unknown",)
    assert found.failed == ()


async def test_the_probe_misses_nothing(settings: Settings) -> None:
    prober = prober_of(settings)
    assert prober is not None
    await prober.check()
    await prober.stop()
    assert prober.details()["findings"] == []
