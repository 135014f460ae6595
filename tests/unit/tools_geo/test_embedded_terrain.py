"""Heights and geothermal probes of the embedded data: samples that say that they are."""

import pytest

from tools_geo.embedded import datafiles
from tools_geo.gateways import Gateways, Remark

KNOWN = datafiles.read().heights


@pytest.mark.parametrize("row", KNOWN[:8], ids=lambda row: row.name)
async def test_at_a_known_place_its_height_is_told(gateways: Gateways, row: datafiles.HeightRow) -> None:
    (height,) = (await gateways.heights.height(row.east, row.north)).items
    assert abs(height.height_m - row.height_m) <= 5
    assert height.coord == (row.east, row.north)


async def test_between_places_it_is_estimated_and_rounded(gateways: Gateways) -> None:
    (height,) = (await gateways.heights.height(2603000, 1233200)).items
    assert 565 < height.height_m < 1_445
    assert height.height_m % 10 == 0
    assert height.provenance is not None and height.provenance.match == "fuzzy"
    assert height.provenance.source.startswith("Beispieldaten")


def test_all_heights_are_those_of_the_canton() -> None:
    assert len(KNOWN) > 50
    assert all(277 <= row.height_m <= 1_445 for row in KNOWN)


async def test_far_away_nothing_is_made_up(gateways: Gateways) -> None:
    height = await gateways.heights.height(2700000, 1200000)
    assert (height.items, height.remark) == ((), Remark.BEYOND_SAMPLE)
    assessment = await gateways.geothermal.assessment(2700000, 1200000)
    assert (assessment.items, assessment.remark) == ((), Remark.BEYOND_SAMPLE)


async def test_a_geothermal_probe_is_assessed_by_zone(gateways: Gateways) -> None:
    (messen,) = (await gateways.geothermal.assessment(2600565, 1215512)).items
    assert (messen.allowed, messen.max_depth_m, messen.report_url) == (True, 400, None)
    (solothurn,) = (await gateways.geothermal.assessment(2605919, 1229245)).items
    assert (solothurn.allowed, solothurn.max_depth_m) == (True, 250)
    (neuendorf,) = (await gateways.geothermal.assessment(2627011, 1238723)).items
    assert (neuendorf.allowed, neuendorf.max_depth_m) == (False, None)


@pytest.mark.parametrize("point", [(2600565, 1215512), (2627011, 1238723)])
async def test_an_assessment_says_that_it_is_a_sample(gateways: Gateways, point: tuple[float, float]) -> None:
    (item,) = (await gateways.geothermal.assessment(*point)).items
    assert item.text.startswith("Beispieldaten: ")
    assert item.provenance is not None
    assert item.provenance.source == "Beispieldaten, keine amtliche Auskunft"


async def test_most_villages_are_in_a_zone(gateways: Gateways) -> None:
    data = datafiles.read()
    inside = [
        bool((await gateways.geothermal.assessment(place.east, place.north)).items)
        for place in data.localities
    ]
    assert sum(inside) > 0.9 * len(inside)
