"""Parcels of the canton's data service, and of swisstopo outside of the canton."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from contracts.items import Parcel
from geo_live import live_gateway
from misbehaving import MisbehavingServer, healthy
from pydantic_core import to_json
from recorded.server import RecordedServer
from swissgeo.outlines import contains, polygons_of

from tools_geo.gateways import Found, ParcelGateway, Remark


@pytest.fixture(params=["int", "text"])
async def parcels(server: RecordedServer, request: pytest.FixtureRequest) -> AsyncIterator[ParcelGateway]:
    server.options.bfs_numbers = request.param
    async with live_gateway("parcels", server.url) as gateway:
        yield gateway


def egrids(found: Found[Parcel]) -> list[str]:
    return [item.egrid for item in found.items]


async def test_a_parcel_is_found_with_everything_about_it(
    parcels: ParcelGateway, server: RecordedServer
) -> None:
    (parcel,) = (await parcels.by_number("2084", "Biberist")).items
    assert parcel.id == parcel.egrid == "CH727994320611"
    assert (parcel.number, parcel.municipality, parcel.land_register) == ("2084", "Biberist", "Biberist")
    assert (parcel.kind, parcel.area_m2, parcel.confidence) == ("Liegenschaft", 618, 1.0)
    assert parcel.label == "Grundstück 2084 Biberist (Liegenschaft) – Grundbuch Biberist – CH727994320611"
    assert parcel.extent == (2609046.6755, 1226265.3198, 2609078.051, 1226298.802)
    assert parcel.geometry is not None and parcel.coord is not None
    assert contains(polygons_of(parcel.geometry), parcel.coord)
    assert parcel.provenance is not None
    assert parcel.provenance.source == f"{server.url.removeprefix('http://')}, Grundstücke"


async def test_one_number_in_two_land_registers_gives_both(parcels: ParcelGateway) -> None:
    found = await parcels.by_number("168", "Messen")
    assert egrids(found) == ["CH807306583219", "CH181832067404"]
    assert [parcel.land_register for parcel in found.items] == ["Messen", "Balm bei Messen"]
    assert [parcel.confidence for parcel in found.items] == [0.9, 0.75]


@pytest.mark.parametrize("register", ["Balm bei Messen", "balm bei messen", "Balm b. Messen"])
async def test_a_land_register_is_as_good_as_a_municipality(register: str, parcels: ParcelGateway) -> None:
    assert egrids(await parcels.by_number("168", register)) == ["CH181832067404"]


@pytest.mark.parametrize("number", ["198", "0198", "GB-Nr. 198", " 198 "])
async def test_a_number_is_found_however_it_is_written(number: str, parcels: ParcelGateway) -> None:
    assert egrids(await parcels.by_number(number, "Messen")) == ["CH955832730623"]


@pytest.mark.parametrize("municipality", ["messen", "MESSEN", "Gemeinde Messen", " Messen "])
async def test_a_municipality_is_found_however_it_is_written(
    municipality: str, parcels: ParcelGateway
) -> None:
    assert egrids(await parcels.by_number("198", municipality)) == ["CH955832730623"]


async def test_a_typo_in_the_municipality_is_forgiven(parcels: ParcelGateway) -> None:
    (parcel,) = (await parcels.by_number("2084", "Biberst")).items
    assert parcel.egrid == "CH727994320611"
    assert parcel.provenance and parcel.provenance.match == "fuzzy"


async def test_a_building_right_has_the_name_that_people_know(parcels: ParcelGateway) -> None:
    (right,) = (await parcels.by_number("531", "Messen")).items
    assert (right.kind, right.egrid) == ("Baurecht", "CH710620327442")


async def test_an_unknown_municipality_is_said_to_be_one(parcels: ParcelGateway) -> None:
    found = await parcels.by_number("1", "Nirgendwo")
    assert (found.items, found.remark) == ((), Remark.MUNICIPALITY_UNKNOWN)
    assert found.values == {"municipality": "Nirgendwo"}


async def test_an_unknown_number_finds_nothing(parcels: ParcelGateway) -> None:
    assert (await parcels.by_number("99999", "Messen")).items == ()


async def test_a_parcel_is_found_by_its_egrid(parcels: ParcelGateway) -> None:
    assert egrids(await parcels.by_egrid("CH955832730623")) == ["CH955832730623"]
    assert (await parcels.by_egrid("CH000000000000")).items == ()


async def test_a_point_gives_the_parcel_first_and_then_the_rights_on_it(parcels: ParcelGateway) -> None:
    found = await parcels.by_xy(2600513, 1215519)
    assert [parcel.kind for parcel in found.items] == ["Liegenschaft", "Baurecht"]


async def test_a_point_beside_a_parcel_finds_it_with_less_certainty(parcels: ParcelGateway) -> None:
    (parcel,) = (await parcels.by_xy(2609078.5, 1226282.6)).items
    assert parcel.egrid == "CH727994320611"
    assert parcel.confidence == 0.6
    assert parcel.provenance and parcel.provenance.match == "fuzzy"


async def test_a_point_far_from_every_parcel_finds_nothing(parcels: ParcelGateway) -> None:
    assert (await parcels.by_xy(2700000, 1200000)).items == ()


async def test_without_tolerance_only_what_contains_the_point_counts(server: RecordedServer) -> None:
    async with live_gateway("parcels", server.url, parcel_tolerance_m=0) as exact:
        assert egrids(await exact.by_xy(2609060, 1226280)) == ["CH727994320611"]
        assert (await exact.by_xy(2609078.5, 1226282.6)).items == ()


@pytest.mark.parametrize("municipality", ["Moudon", "moudon"])
async def test_a_number_outside_of_the_canton_comes_from_swisstopo(
    municipality: str, parcels: ParcelGateway
) -> None:
    (parcel,) = (await parcels.by_number("1260", municipality)).items
    assert parcel.egrid == "CH974590888353"
    assert (parcel.number, parcel.municipality, parcel.land_register) == ("1260", "Moudon", None)
    assert parcel.label == "Grundstück 1260 Moudon (Liegenschaft) – CH974590888353"
    assert parcel.extent == (2551183.523, 1167969.42, 2551736.656, 1168560.933)
    assert parcel.provenance and parcel.provenance.source == "swisstopo, SearchServer"


async def test_another_number_of_the_same_beginning_is_not_meant(parcels: ParcelGateway) -> None:
    assert (await parcels.by_number("126", "Moudon")).items == ()


async def test_an_egrid_outside_of_the_canton_comes_from_swisstopo(parcels: ParcelGateway) -> None:
    (parcel,) = (await parcels.by_egrid("CH974590888353")).items
    assert parcel.municipality == "Moudon"


async def test_a_point_outside_of_the_canton_is_identified_with_its_outline(parcels: ParcelGateway) -> None:
    (parcel,) = (await parcels.by_xy(2551400, 1168200)).items
    assert (parcel.egrid, parcel.number, parcel.municipality) == ("CH974590888353", "1260", "Moudon")
    assert parcel.geometry is not None and parcel.kind == "Liegenschaft"
    assert parcel.provenance and parcel.provenance.source == "swisstopo, Identify"


async def test_without_the_federal_services_the_canton_still_answers(server: RecordedServer) -> None:
    async with live_gateway("parcels", server.url, federal_fallback=False) as canton_only:
        assert egrids(await canton_only.by_egrid("CH955832730623")) == ["CH955832730623"]
        assert (await canton_only.by_egrid("CH974590888353")).items == ()
        assert (await canton_only.by_number("1260", "Moudon")).items == ()
        assert (await canton_only.by_xy(2551400, 1168200)).items == ()
    assert server.asked("rest/services") == []


async def test_the_same_question_is_asked_once(parcels: ParcelGateway, server: RecordedServer) -> None:
    for _ in range(3):
        await parcels.by_number("198", "Messen")
        await parcels.by_xy(2600513, 1215519)
    assert len(server.seen) == 2


# -- shapes that the packaged data do not have -----------------------------------------------------

SQUARE = [[2600000, 1220000], [2600000, 1220100], [2600100, 1220100], [2600100, 1220000], [2600000, 1220000]]
HOLE = [[2600040, 1220040], [2600060, 1220040], [2600060, 1220060], [2600040, 1220060], [2600040, 1220040]]
KNOWN = {"nummer": "7", "egrid": "CH955832730623", "gemeinde": "Messen", "grundbuch": "Messen"}


async def parcel_of(geometry: Any, **changes: Any) -> Found[Parcel]:
    feature = {"type": "Feature", "id": 1, "geometry": geometry, "properties": {**KNOWN, **changes}}
    async with MisbehavingServer() as misbehaving:
        misbehaving.behave(healthy(to_json({"type": "FeatureCollection", "features": [feature]})))
        async with live_gateway("parcels", misbehaving.url, federal_fallback=False) as gateway:
            found: Found[Parcel] = await gateway.by_egrid("CH955832730623")
            return found


async def test_the_point_of_a_parcel_with_a_hole_is_not_in_the_hole() -> None:
    (parcel,) = (await parcel_of({"type": "Polygon", "coordinates": [SQUARE, HOLE]})).items
    assert parcel.coord is not None
    assert not contains(polygons_of({"type": "Polygon", "coordinates": [HOLE]}), parcel.coord)
    assert parcel.geometry == {"type": "Polygon", "coordinates": [SQUARE, HOLE]}


async def test_a_parcel_of_several_parts_keeps_them() -> None:
    far = [[east + 1000, north] for east, north in SQUARE]
    (parcel,) = (await parcel_of({"type": "MultiPolygon", "coordinates": [[SQUARE], [far]]})).items
    assert parcel.extent == (2600000, 1220000, 2601100, 1220100)


async def test_heights_in_coordinates_do_no_harm() -> None:
    raised = [[*point, 432.1] for point in SQUARE]
    (parcel,) = (await parcel_of({"type": "Polygon", "coordinates": [raised]})).items
    assert parcel.coord == (2600050, 1220050)


@pytest.mark.parametrize(
    "geometry",
    [
        None,
        {"type": "Polygon", "coordinates": []},
        {"type": "Polygon", "coordinates": [SQUARE[:2]]},
        {"type": "Polygon", "coordinates": [[["x", "y"]] * 4]},
        {"type": "Point", "coordinates": SQUARE[0]},
    ],
)
async def test_a_parcel_whose_outline_cannot_be_drawn_is_found_without_it(geometry: Any) -> None:
    (parcel,) = (await parcel_of(geometry)).items
    assert (parcel.geometry, parcel.coord, parcel.extent) == (None, None, None)


@pytest.mark.parametrize("egrid", [None, "", "CH-DUMMY", 12])
async def test_a_parcel_without_an_egrid_is_left_out(egrid: Any) -> None:
    assert (await parcel_of(None, egrid=egrid)).items == ()


@pytest.mark.parametrize(("area", "read"), [(618, 618), ("618", 618), (None, None), ("?", None)])
async def test_an_area_is_read_where_there_is_one(area: Any, read: float | None) -> None:
    (parcel,) = (await parcel_of(None, flaechenmass=area)).items
    assert parcel.area_m2 == read
