"""Finding parcels."""

import pytest
from contracts.items import Parcel
from swissgeo.outlines import contains, polygons_of

from tools_geo.embedded import datafiles, index
from tools_geo.embedded.names import Names
from tools_geo.embedded.parcels import EmbeddedParcels
from tools_geo.embedded.sources import Origin
from tools_geo.gateways import Found, Gateways, Remark

MESSEN_198 = "CH955832730623"
MESSEN_531 = "CH710620327442"
MESSEN_168 = "CH807306583219"
BALM_168 = "CH181832067404"
BIBERIST_2084 = "CH727994320611"


def egrids(found: Found[Parcel]) -> list[str]:
    return [item.egrid for item in found.items]


@pytest.mark.parametrize(
    ("number", "municipality", "egrid"),
    [
        ("198", "Messen", MESSEN_198),
        ("GB-Nr. 0198", "messen", MESSEN_198),
        ("168", "Balm bei Messen", BALM_168),
        ("168", "Balm b. Messen", BALM_168),
        ("168", "Balm", BALM_168),
        ("2084", "Biberist (SO)", BIBERIST_2084),
        ("2084", "4562 Biberist", BIBERIST_2084),
    ],
)
async def test_a_number_and_a_municipality_find_the_parcel(
    gateways: Gateways, number: str, municipality: str, egrid: str
) -> None:
    found = await gateways.parcels.by_number(number, municipality)
    assert egrids(found) == [egrid]


async def test_a_number_in_two_land_registers_is_a_choice(gateways: Gateways) -> None:
    found = await gateways.parcels.by_number("168", "Messen")
    assert egrids(found) == [MESSEN_168, BALM_168]
    assert [item.confidence for item in found.items] == [0.9, 0.75]
    assert [item.label for item in found.items] == [
        "Grundstück 168 Messen (Liegenschaft) – Grundbuch Messen – CH807306583219",
        "Grundstück 168 Messen (Liegenschaft) – Grundbuch Balm bei Messen – CH181832067404",
    ]


async def test_a_typo_in_the_municipality_is_forgiven_and_marked(gateways: Gateways) -> None:
    found = await gateways.parcels.by_number("198", "Mesen")
    assert egrids(found) == [MESSEN_198]
    assert found.items[0].provenance is not None
    assert found.items[0].provenance.match == "fuzzy"


async def test_what_is_unknown_is_told_apart(gateways: Gateways) -> None:
    no_parcel = await gateways.parcels.by_number("999", "Messen")
    no_municipality = await gateways.parcels.by_number("1", "Zürich")
    assert (no_parcel.items, no_parcel.remark) == ((), Remark.SAMPLE_DATA)
    assert (no_municipality.items, no_municipality.remark) == ((), Remark.MUNICIPALITY_UNKNOWN)


async def test_an_egrid_finds_its_parcel(gateways: Gateways) -> None:
    (item,) = (await gateways.parcels.by_egrid(BIBERIST_2084)).items
    assert (item.id, item.number, item.municipality, item.land_register) == (
        BIBERIST_2084,
        "2084",
        "Biberist",
        "Biberist",
    )
    assert item.area_m2 == 618
    assert item.extent == (2609046.6755, 1226265.3198, 2609078.051, 1226298.802)
    assert item.geometry is not None
    assert item.coord is not None
    assert contains(polygons_of(item.geometry), item.coord)


async def test_an_unknown_egrid_finds_nothing(gateways: Gateways) -> None:
    assert (await gateways.parcels.by_egrid("CH000000000000")).items == ()


async def test_at_a_point_the_parcel_comes_before_the_right_on_it(gateways: Gateways) -> None:
    found = await gateways.parcels.by_xy(2600513, 1215519)
    assert egrids(found) == [MESSEN_198, MESSEN_531]
    assert [item.kind for item in found.items] == ["Liegenschaft", "Baurecht"]
    assert [item.confidence for item in found.items] == [0.9, 0.75]


async def test_beside_the_building_right_there_is_the_parcel_only(gateways: Gateways) -> None:
    found = await gateways.parcels.by_xy(2600595, 1215520)
    assert egrids(found) == [MESSEN_198]
    assert found.items[0].confidence == 1.0


async def test_a_point_just_outside_is_taken_with_less_confidence(gateways: Gateways) -> None:
    # The westernmost corner of the parcel is at 2609046.6755.
    (item,) = (await gateways.parcels.by_xy(2609046.0, 1226282.19)).items
    assert item.egrid == BIBERIST_2084
    assert item.confidence == 0.6
    assert item.provenance is not None
    assert item.provenance.match == "fuzzy"


async def test_a_point_in_the_box_but_away_from_the_boundary_finds_nothing(gateways: Gateways) -> None:
    assert (await gateways.parcels.by_xy(2609076, 1226267)).items == ()


async def test_without_rtree_the_answers_are_the_same() -> None:
    data = datafiles.read()
    db = index.build(data, use_rtree=False)
    plain = EmbeddedParcels(db, Names(db), tolerance_m=1.0, origin=Origin(data.about))
    assert egrids(await plain.by_xy(2600513, 1215519)) == [MESSEN_198, MESSEN_531]
    assert egrids(await plain.by_xy(2609046.0, 1226282.19)) == [BIBERIST_2084]


def square(east: float, north: float, side_m: float) -> list[list[float]]:
    right, top = east + side_m, north + side_m
    return [[east, north], [right, north], [right, top], [east, top], [east, north]]


async def test_a_point_in_a_hole_is_outside() -> None:
    outer, hole = square(2600000, 1215000, 100), square(2600040, 1215040, 20)
    data = datafiles.read()
    ring = data.parcels[0].model_copy(update={"geometry": {"type": "Polygon", "coordinates": [outer, hole]}})
    db = index.build(data.model_copy(update={"parcels": (ring,)}))
    parcels = EmbeddedParcels(db, Names(db), tolerance_m=1.0, origin=Origin(data.about))
    assert (await parcels.by_xy(2600050, 1215050)).items == ()
    (item,) = (await parcels.by_xy(2600020, 1215020)).items
    assert item.coord is not None
    assert contains(polygons_of({"type": "Polygon", "coordinates": [outer, hole]}), item.coord)
