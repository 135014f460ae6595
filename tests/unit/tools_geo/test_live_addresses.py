"""Addresses of the canton's search, of swisstopo's, and at a point."""

from collections.abc import AsyncIterator

import pytest
from contracts.items import Address
from geo_live import live_gateway
from recorded.server import RecordedServer

from tools_geo.gateways import AddressGateway, Found, Remark


@pytest.fixture(params=["postgresql", "solr"])
async def addresses(server: RecordedServer, request: pytest.FixtureRequest) -> AsyncIterator[AddressGateway]:
    server.options.search_backend = request.param
    async with live_gateway("addresses", server.url) as gateway:
        yield gateway


def labels(found: Found[Address]) -> list[str]:
    return [item.label for item in found.items]


async def test_an_address_is_found_with_everything_about_it(
    addresses: AddressGateway, server: RecordedServer
) -> None:
    found = await addresses.addresses("Langendorfstrasse 19b, Solothurn")
    (address,) = found.items
    assert found.remark is None
    assert (address.street, address.house_number) == ("Langendorfstrasse", "19b")
    assert (address.postal_code, address.locality) == ("4500", "Solothurn")
    assert address.id == "623490242"
    assert address.coord == (2605899, 1229278) and address.extent is None
    assert address.confidence == 1.0
    assert address.provenance is not None
    assert address.provenance.source == f"{server.url.removeprefix('http://')}, Adressen"
    assert (address.provenance.match, address.provenance.stale) == ("exact", False)


@pytest.mark.parametrize(
    "query",
    [
        "Rötistrasse 4, Solothurn",
        "rötistrasse 4 solothurn",
        "Rötistr. 4, 4500 Solothurn",
        "4500 Solothurn, Rötistrasse 4",
        "Röti-Strasse Nr. 4 in Solothurn",
        "Rötistraße 4, Solothurn",
        "Rötistrasse 4, Solothurn, Schweiz",
        "Rötistrasse 4, 4500",
        "Rötistrasse 4",
        "Ro\u0308tistrasse 4 Solothurn",
    ],
)
async def test_an_address_is_found_however_it_is_written(query: str, addresses: AddressGateway) -> None:
    assert labels(await addresses.addresses(query)) == ["Rötistrasse 4, 4500 Solothurn"]


async def test_a_letter_belongs_to_the_number(addresses: AddressGateway) -> None:
    assert labels(await addresses.addresses("Rötistrasse 22 A, Solothurn")) == [
        "Rötistrasse 22a, 4500 Solothurn"
    ]


async def test_a_street_gives_all_its_numbers_in_their_order(addresses: AddressGateway) -> None:
    found = await addresses.addresses("Rötistrasse Solothurn")
    numbers = [item.house_number for item in found.items]
    assert numbers == ["1", "3", "4", "5", "6", "17", "22", "22a", "24", "25", "37"]


async def test_no_more_addresses_than_configured_come_back(server: RecordedServer) -> None:
    async with live_gateway("addresses", server.url, max_addresses=3) as few:
        assert len((await few.addresses("Rötistrasse Solothurn")).items) == 3


async def test_an_unknown_number_gives_the_nearest_ones(addresses: AddressGateway) -> None:
    found = await addresses.addresses("Rötistrasse 23, Solothurn")
    assert found.remark is Remark.NUMBER_UNKNOWN
    assert found.values == {"number": "23", "street": "Rötistrasse"}
    assert [item.house_number for item in found.items][:4] == ["22", "22a", "24", "25"]
    assert all(item.provenance and item.provenance.match == "fuzzy" for item in found.items)


@pytest.mark.parametrize("query", ["Solothurn", "4500", "4500 Solothurn"])
async def test_a_locality_is_no_address(query: str, addresses: AddressGateway) -> None:
    found = await addresses.addresses(query)
    assert (found.items, found.remark) == ((), Remark.STREET_MISSING)
    assert found.values == {"place": query}


@pytest.mark.parametrize("query", ["Rötistrasse 4, Zürich", "Rötistrasse 4, 8001", "xyz", "4", "-"])
async def test_an_address_that_does_not_exist_is_not_invented(query: str, addresses: AddressGateway) -> None:
    assert (await addresses.addresses(query)).items == ()


async def test_a_wrong_postal_code_is_forgiven_where_the_locality_is_named(addresses: AddressGateway) -> None:
    (address,) = (await addresses.addresses("Rötistrasse 4, 4600 Solothurn")).items
    assert address.label == "Rötistrasse 4, 4500 Solothurn"
    assert address.confidence == 0.8
    assert address.provenance and address.provenance.match == "fuzzy"


async def test_a_typo_is_found_by_the_fuzzy_search_of_swisstopo(addresses: AddressGateway) -> None:
    (address,) = (await addresses.addresses("Rötistrase 4 Solothurn")).items
    assert address.label == "Rötistrasse 4, 4500 Solothurn"
    assert address.provenance and address.provenance.source == "swisstopo, SearchServer"
    assert address.provenance.match == "fuzzy"


@pytest.mark.parametrize("query", ["Seftigenstrasse 264, Wabern", "Seftigenstrasse 264 3084 Wabern BE"])
async def test_an_address_outside_of_the_canton_comes_from_swisstopo(
    query: str, addresses: AddressGateway
) -> None:
    (address,) = (await addresses.addresses(query)).items
    assert address.label == "Seftigenstrasse 264, 3084 Wabern"
    assert address.id == "1272199_0"
    assert address.coord == (2600968.668, 1197426.954)
    assert address.provenance and address.provenance.match == "exact"


async def test_an_address_is_found_by_the_name_of_its_municipality_too(addresses: AddressGateway) -> None:
    assert labels(await addresses.addresses("Seftigenstrasse 264, Köniz")) == [
        "Seftigenstrasse 264, 3084 Wabern"
    ]


async def test_a_coordinate_gives_the_nearest_address(addresses: AddressGateway) -> None:
    (address,) = (await addresses.addresses("2600980, 1197400")).items
    assert address.label == "Seftigenstrasse 264, 3084 Wabern"
    assert address.municipality == "Köniz"
    assert address.provenance and address.provenance.source == "swisstopo, Identify"


async def test_a_coordinate_far_from_every_building_has_no_address(addresses: AddressGateway) -> None:
    assert (await addresses.addresses("2605000, 1240000")).items == ()


async def test_without_the_federal_services_nothing_else_is_asked(server: RecordedServer) -> None:
    async with live_gateway("addresses", server.url, federal_fallback=False) as canton_only:
        for query in ("Seftigenstrasse 264, Wabern", "2600980, 1197400"):
            assert (await canton_only.addresses(query)).items == ()
    assert server.asked("rest/services") == []


async def test_the_same_question_is_asked_once(addresses: AddressGateway, server: RecordedServer) -> None:
    for query in ("Rötistrasse 4, Solothurn", "  rötistrasse   4  SOLOTHURN ", "Rötistrasse 4 in Solothurn"):
        assert (await addresses.addresses(query)).items
    assert len(server.seen) == 1
