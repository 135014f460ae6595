"""Municipalities, districts and field names of the canton's search; the rest from swisstopo."""

from collections.abc import AsyncIterator

import pytest
from contracts.items import Municipality, Place
from geo_live import live_gateway
from recorded.server import RecordedServer

from tools_geo.gateways import PlaceGateway, Remark


@pytest.fixture(params=["postgresql", "solr"])
async def places(server: RecordedServer, request: pytest.FixtureRequest) -> AsyncIterator[PlaceGateway]:
    server.options.search_backend = request.param
    async with live_gateway("places", server.url) as gateway:
        yield gateway


async def the_municipality(places: PlaceGateway, query: str) -> Municipality:
    (item,) = (await places.municipalities(query)).items
    assert isinstance(item, Municipality)
    return item


async def the_place(places: PlaceGateway, query: str) -> Place:
    (item,) = (await places.places(query)).items
    return item


async def test_a_municipality_is_found_with_everything_about_it(
    places: PlaceGateway, server: RecordedServer
) -> None:
    item = await the_municipality(places, "Grenchen")
    assert (item.id, item.bfs_number, item.name) == ("2546", 2546, "Grenchen")
    assert item.label == "Grenchen (Gemeinde)"
    assert item.extent == (2592561, 1223174, 2599482, 1232183)
    assert item.coord == (2596021.5, 1227678.5)
    assert item.provenance is not None
    assert item.provenance.source == f"{server.url.removeprefix('http://')}, Orte"
    assert item.provenance.match == "exact"
    assert server.asked("rest/services") == []


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("grenchen", "Grenchen"),
        ("Gemeinde Messen", "Messen"),
        ("Messen im Kanton Solothurn", "Messen"),
        ("Büren SO", "Büren (SO)"),
        ("Wangen", "Wangen bei Olten"),
        ("Wangen b. Olten", "Wangen bei Olten"),
        ("Balm bei Günsberg", "Balm bei Günsberg"),
        ("Feldbrunnen", "Feldbrunnen-St. Niklaus"),
    ],
)
async def test_a_municipality_is_found_by_what_people_call_it(
    query: str, name: str, places: PlaceGateway
) -> None:
    item = await the_municipality(places, query)
    assert item.name == name
    assert item.provenance and item.provenance.match == "exact"


async def test_a_typo_in_a_municipality_is_found_by_swisstopo(places: PlaceGateway) -> None:
    item = await the_municipality(places, "Grenchn")
    assert item.bfs_number == 2546
    assert item.provenance and item.provenance.match == "fuzzy"
    assert item.confidence is not None and item.confidence < 0.9


async def test_a_municipality_outside_of_the_canton_comes_from_swisstopo(places: PlaceGateway) -> None:
    item = await the_municipality(places, "Bern")
    assert (item.name, item.bfs_number, item.label) == ("Bern", 351, "Bern BE (Gemeinde)")
    assert item.extent == (2589000, 1196300, 2607600, 1204700)
    assert item.provenance and item.provenance.source == "swisstopo, SearchServer"


async def test_a_village_that_is_no_municipality_gives_the_place(places: PlaceGateway) -> None:
    (item,) = (await places.municipalities("Wabern")).items
    assert isinstance(item, Place)


async def test_a_postal_code_gives_the_municipalities_behind_it(places: PlaceGateway) -> None:
    found = await places.municipalities("4566")
    assert [item.label for item in found.items] == ["Kriegstetten (Gemeinde)"]


async def test_a_coordinate_gives_its_present_municipality(places: PlaceGateway) -> None:
    item = await the_municipality(places, "2600513, 1215519")
    assert (item.name, item.bfs_number, item.coord) == ("Messen", 2457, (2600513, 1215519))


async def test_a_municipality_without_a_position_is_still_found(places: PlaceGateway) -> None:
    found = await places.municipalities("Walterswil")
    assert [item.id for item in found.items] == ["2585"]
    assert (found.items[0].coord, found.items[0].extent) == (None, None)
    assert found.remark is Remark.POSITION_UNKNOWN
    assert found.values == {"name": "Walterswil SO (Gemeinde)"}


@pytest.mark.parametrize("query", ["Xyzabc", "-", "9999", "12"])
async def test_a_place_that_does_not_exist_is_not_invented(query: str, places: PlaceGateway) -> None:
    assert (await places.municipalities(query)).items == ()
    assert (await places.places(query)).items == ()


async def test_a_field_name_says_in_which_municipality(places: PlaceGateway) -> None:
    item = await the_place(places, "Halten")
    assert (item.label, item.kind) == ("Halten (Gemeinde Kriegstetten)", "Flurname")
    assert item.coord == (2612781, 1224212) and item.extent is None


@pytest.mark.parametrize("query", ["Balm bei Messen", "Balm b. Messen", "balm bei messen"])
async def test_an_abbreviation_in_a_name_does_not_hide_it(query: str, places: PlaceGateway) -> None:
    assert (await the_place(places, query)).label == "Balm b. Messen (Gemeinde Messen)"


async def test_a_field_name_can_be_told_apart_by_its_municipality(places: PlaceGateway) -> None:
    assert (await the_place(places, "Halten, Kriegstetten")).label == "Halten (Gemeinde Kriegstetten)"


async def test_a_postal_code_decides_between_places(places: PlaceGateway) -> None:
    item = await the_place(places, "4566 Halten")
    assert (item.id, item.kind) == ("4566-halten", "Ortschaft")


async def test_the_town_is_meant_and_not_the_district_of_the_same_name(places: PlaceGateway) -> None:
    item = await the_place(places, "Olten")
    assert (item.id, item.kind) == ("2581", "Gemeinde")


async def test_a_district_is_found_when_it_is_called_one(places: PlaceGateway) -> None:
    item = await the_place(places, "Bezirk Olten")
    assert (item.label, item.kind) == ("Bezirk Olten", "Bezirk")
    assert item.extent is not None


async def test_a_district_outside_of_the_canton_comes_from_swisstopo(places: PlaceGateway) -> None:
    assert (await the_place(places, "Bezirk Bern-Mittelland")).label == "Bezirk Bern-Mittelland"


@pytest.mark.parametrize(
    ("query", "label"),
    [
        ("Kanton Solothurn", "Kanton Solothurn"),
        ("Kanton", "Kanton Solothurn"),
        ("Kanton Bern", "Kanton Bern"),
    ],
)
async def test_a_canton_is_shown_as_a_whole(query: str, label: str, places: PlaceGateway) -> None:
    item = await the_place(places, query)
    assert (item.label, item.kind) == (label, "Kanton")
    assert item.extent is not None


async def test_one_place_with_several_entries_is_one_hit(places: PlaceGateway) -> None:
    item = await the_place(places, "Wabern")
    assert (item.id, item.label) == ("3084-wabern", "Wabern")


async def test_similar_names_come_from_both_sources(places: PlaceGateway) -> None:
    found = await places.places("Müml")
    assert [item.label for item in found.items] == ["Mümliswil", "Mümliswil-Ramiswil"]
    assert len({item.provenance.source for item in found.items if item.provenance}) == 2
    assert {item.provenance.match for item in found.items if item.provenance} == {"fuzzy"}


async def test_without_the_federal_services_the_canton_still_answers(server: RecordedServer) -> None:
    async with live_gateway("places", server.url, federal_fallback=False) as canton_only:
        assert (await canton_only.municipalities("Grenchen")).items
        for query in ("Bern", "4566", "2600513, 1215519"):
            assert (await canton_only.municipalities(query)).items == ()
        assert (await canton_only.places("Kanton Bern")).items == ()
    assert server.asked("rest/services") == []


async def test_facets_that_a_canton_does_not_have_are_not_searched(server: RecordedServer) -> None:
    async with live_gateway(
        "places", server.url, search_facet_districts="", search_facet_field_names=""
    ) as plain:
        assert (await the_place(plain, "Bezirk Thal")).label == "Bezirk Thal"
        assert server.asked("/search/v2/") == []
        await plain.places("Halten")
    assert [seen.query["filter"] for seen in server.asked("/search/v2/")] == ["ch.so.agi.gemeindegrenzen"]
