"""A coordinate that somebody wants to see."""

from typing import Any

import pytest
from contracts.items import Place
from contracts.status import Status
from servicekit.testing import MemoryBus

from tools_geo.coordinates import coordinate_of, place_at
from tools_geo.gateways import Gateways
from tools_geo.handlers import register


@pytest.mark.parametrize(
    "query",
    [
        "2607096.6, 1228655.6",
        "2607096.6,1228655.6",
        " 2607096.6 / 1228655.6 ",
        "2'607'096.6, 1'228'655.6",
        "2607096.6 1228655.6",
    ],
)
def test_a_query_that_is_only_a_coordinate_is_one(query: str) -> None:
    assert coordinate_of(query) == (2607096.6, 1228655.6)


@pytest.mark.parametrize(
    "query",
    [
        "1228655.6, 2607096.6",
        "2607096.6",
        "47.2088, 7.5323",
        "607096, 228655",
        "2900000, 1228655",
        "2607096, 1400000",
        "Messen 2607096, 1228655",
        "2607096, 1228655, 450",
        "4566",
        "",
    ],
)
def test_anything_else_is_none(query: str) -> None:
    assert coordinate_of(query) is None


def test_a_coordinate_is_a_place_that_binds_its_point() -> None:
    place = place_at((2607096.6, 1228655.6))
    assert (place.label, place.kind) == ("2'607'097 / 1'228'656", "Koordinate")
    assert place.bindings() == {"x": 2607096.6, "y": 1228655.6}
    assert place.confidence == 1.0
    assert place.provenance is not None
    assert place.provenance.match == "exact"
    assert place.id != place_at((2607096.7, 1228655.6)).id


async def test_the_place_tool_finds_a_coordinate(gateways: Gateways) -> None:
    bus: Any = MemoryBus("tools-geo")
    toolbox = register(bus, gateways)
    outcome = await toolbox["geolocation.place"].call({"q": "2607096.6, 1228655.6"}, "de")
    assert outcome.status is Status.OK
    (place,) = outcome.items
    assert isinstance(place, Place)
    assert place.coord == (2607096.6, 1228655.6)
