"""Finding addresses."""

import pytest
from contracts.items import Address
from hypothesis import given
from hypothesis import strategies as st

from tools_geo.embedded import datafiles, embedded_gateways
from tools_geo.gateways import Found, Gateways, Remark
from tools_geo.settings import Settings

ROETISTRASSE = ["1", "3", "4", "5", "6", "17", "22", "22a", "24", "25", "37"]


def labels(found: Found[Address]) -> list[str]:
    return [item.label for item in found.items]


def numbers(found: Found[Address]) -> list[str | None]:
    return [item.house_number for item in found.items]


@pytest.mark.parametrize("row", datafiles.read().addresses, ids=lambda row: row.id)
async def test_every_address_is_found_alone_by_its_own_label(
    gateways: Gateways, row: datafiles.AddressRow
) -> None:
    label = f"{row.street} {row.house_number}, {row.postal_code} {row.locality}"
    found = await gateways.addresses.addresses(label)
    assert [item.id for item in found.items] == [row.id]
    assert found.items[0].coord == (row.east, row.north)


async def test_the_known_address_comes_with_everything_a_map_needs(gateways: Gateways) -> None:
    (item,) = (await gateways.addresses.addresses("Langendorfstrasse 19b, Solothurn")).items
    assert item.id == "623490242"
    assert item.label == "Langendorfstrasse 19b, 4500 Solothurn"
    assert item.coord == (2605899, 1229278)
    assert (item.street, item.house_number) == ("Langendorfstrasse", "19b")
    assert (item.postal_code, item.locality, item.municipality) == ("4500", "Solothurn", "Solothurn")
    assert item.confidence == 1.0
    assert item.provenance is not None
    assert item.provenance.match == "exact"


@pytest.mark.parametrize(
    "query",
    [
        "langendorfstrasse 19b in solothurn",
        "Langendorfstrasse 19 b, Solothurn",
        "Langendorfstrasse 19B",
        "LANGENDORFSTR. 19b",
        "Langendorf Str. 19b",
        "4500 Solothurn, Langendorfstrasse 19b",
        "Solothurn Langendorfstrasse 19b",
        "zur Langendorfstrasse 19b in Solothurn, Kanton Solothurn, Schweiz",
        "Langendorfstraße Nr. 19b, CH-4500 Solothurn",
    ],
)
async def test_ways_to_write_an_address_are_exact(gateways: Gateways, query: str) -> None:
    (item,) = (await gateways.addresses.addresses(query)).items
    assert item.id == "623490242"
    assert item.provenance is not None
    assert item.provenance.match == "exact"


@pytest.mark.parametrize(
    ("query", "label"),
    [
        ("Langendorfstrase 19b, Solothurn", "Langendorfstrasse 19b, 4500 Solothurn"),
        ("Langendofstrase 19b", "Langendorfstrasse 19b, 4500 Solothurn"),
        ("Rötistrase 4", "Rötistrasse 4, 4500 Solothurn"),
        ("Rotistrasse 4", "Rötistrasse 4, 4500 Solothurn"),
        ("Rötsitrasse 4", "Rötistrasse 4, 4500 Solothurn"),
        ("Rötistrasse 4, Soloturn", "Rötistrasse 4, 4500 Solothurn"),
        ("Röti 4", "Rötistrasse 4, 4500 Solothurn"),
    ],
)
async def test_typos_and_beginnings_are_found_and_marked_as_guesses(
    gateways: Gateways, query: str, label: str
) -> None:
    found = await gateways.addresses.addresses(query)
    assert labels(found) == [label]
    (item,) = found.items
    assert item.provenance is not None
    assert item.provenance.match == "fuzzy"
    assert item.confidence is not None
    assert 0.5 <= item.confidence <= 0.9


async def test_an_exact_house_number_beats_everything_that_contains_it(gateways: Gateways) -> None:
    assert numbers(await gateways.addresses.addresses("Burgunderstrasse 9, Solothurn")) == ["9"]
    assert numbers(await gateways.addresses.addresses("Burgunderstrasse 19, Solothurn")) == ["19"]
    assert numbers(await gateways.addresses.addresses("Rötistrasse 22")) == ["22"]


async def test_a_street_without_number_gives_all_its_addresses_in_order(gateways: Gateways) -> None:
    found = await gateways.addresses.addresses("Rötistrasse, Solothurn")
    assert numbers(found) == ROETISTRASSE
    assert found.remark is None


async def test_an_unknown_number_offers_the_street_nearest_first(gateways: Gateways) -> None:
    found = await gateways.addresses.addresses("Rötistrasse 23, Solothurn")
    assert found.remark is Remark.NUMBER_UNKNOWN
    assert found.values == {"number": "23", "street": "Rötistrasse"}
    assert numbers(found)[:3] == ["22", "22a", "24"]
    assert sorted(map(str, numbers(found))) == sorted(ROETISTRASSE)
    assert {item.confidence for item in found.items} == {0.5}


async def test_a_long_street_is_cut_to_the_limit() -> None:
    few = embedded_gateways(Settings(max_addresses=3))
    assert numbers(await few.addresses.addresses("Rötistrasse")) == ["1", "3", "4"]


@pytest.mark.parametrize(
    "query",
    [
        "Rötistrasse 4, 8001 Zürich",
        "Rötistrasse 4 in Bern",
        "Rötistrasse 4, Olten",
        "Rötistrasse 4, 8001",
        "Dorfstrasse 19b, Solothurn",
        "Rosistrasse 4",
        "9",
    ],
)
async def test_an_address_elsewhere_is_not_moved_to_the_canton(gateways: Gateways, query: str) -> None:
    assert (await gateways.addresses.addresses(query)).items == ()


async def test_a_wrong_postal_code_is_forgiven_when_the_locality_is_right(gateways: Gateways) -> None:
    (item,) = (await gateways.addresses.addresses("Rötistrasse 4, 4501 Solothurn")).items
    assert item.label == "Rötistrasse 4, 4500 Solothurn"
    assert item.provenance is not None
    assert item.provenance.match == "fuzzy"


@pytest.mark.parametrize("query", ["Solothurn", "4500", "4500 Solothurn", "Gemeinde Messen"])
async def test_a_locality_alone_is_told_to_lack_a_street(gateways: Gateways, query: str) -> None:
    found = await gateways.addresses.addresses(query)
    assert (found.items, found.remark) == ((), Remark.STREET_MISSING)


async def test_a_locality_is_not_taken_for_the_beginning_of_a_street(gateways: Gateways) -> None:
    assert (await gateways.addresses.addresses("Langendorf 19b")).items == ()


async def test_an_approximate_position_is_admitted(gateways: Gateways) -> None:
    found = await gateways.addresses.addresses("Burgunderstrasse 9")
    assert found.remark is Remark.POSITION_APPROXIMATE
    assert found.items[0].confidence == 0.9
    assert found.items[0].provenance is not None
    assert "ungefähr" in found.items[0].provenance.source


@given(query=st.text(max_size=200))
async def test_any_text_is_answered(gateways: Gateways, query: str) -> None:
    for item in (await gateways.addresses.addresses(query)).items:
        assert 0 <= (item.confidence or 0) <= 1
