"""What a plan can be asked of, by whom, and how a parcel fills it in."""

from dataclasses import replace
from typing import Any

import pytest
from contracts.items import Parcel
from contracts.messages import Outcome
from contracts.status import Status
from servicekit.testing import MemoryBus
from servicekit.tools import Toolbox

from orchestrator.binding import bind, complete, missing
from tools_geo.gateways import Gateways
from tools_geo.handlers import register

PLAN = "cadastral.plan_by_geometry"
EGRID = "CH955832730623"
RING = [[2600480, 1215440], [2600480, 1215520], [2600560, 1215520], [2600480, 1215440]]
OUTLINE = {"type": "Polygon", "coordinates": [RING]}


@pytest.fixture
def toolbox(gateways: Gateways) -> Toolbox:
    bus: Any = MemoryBus("tools-geo")
    return register(bus, gateways)


async def call(toolbox: Toolbox, **args: object) -> Outcome:
    return await toolbox[PLAN].call(dict(args), "de")


async def test_a_parcel_fills_in_what_is_missing(toolbox: Toolbox, gateways: Gateways) -> None:
    descriptor = toolbox[PLAN].descriptor
    assert set(missing(descriptor, {})) == {frozenset({"egrid"}), frozenset({"geometry"})}
    parcel = (await gateways.parcels.by_egrid(EGRID)).items[0]
    bound = bind(descriptor, {}, [parcel])
    assert bound == {"egrid": EGRID}
    outcome = await call(toolbox, **bound)
    assert outcome.status is Status.OK
    assert outcome.items[0].label == "Grundbuchplan Grundstück 198 Messen"


@pytest.mark.parametrize("args", [{"egrid": EGRID}, {"geometry": OUTLINE}])
async def test_one_of_the_two_is_enough(toolbox: Toolbox, args: dict[str, Any]) -> None:
    assert complete(toolbox[PLAN].descriptor, args)
    assert (await call(toolbox, **args)).status is Status.OK


async def test_an_unknown_parcel_is_drawn_by_its_outline_if_there_is_one(toolbox: Toolbox) -> None:
    unknown = "CH000000000000"
    outcome = await call(toolbox, egrid=unknown, geometry=OUTLINE)
    assert outcome.items[0].label == "Grundbuchplan"
    refused = await call(toolbox, egrid=unknown)
    assert refused.status is Status.NEEDS_CLARIFICATION
    assert refused.message == (
        f"Der Grundbuchplan konnte nicht erstellt werden. Kein Grundstück mit EGRID {unknown} gefunden."
    )


async def test_a_parcel_without_outline_is_told(toolbox: Toolbox, gateways: Gateways) -> None:
    class Bare:
        def __getattr__(self, name: str) -> Any:
            return getattr(gateways.parcels, name)

        async def by_egrid(self, egrid: str) -> Any:
            found = await gateways.parcels.by_egrid(egrid)
            bare = tuple(
                item.model_copy(update={"geometry": None}) for item in found.items if isinstance(item, Parcel)
            )
            return type(found)(bare)

    bus: Any = MemoryBus("tools-geo")
    bare: Any = Bare()
    outcome = await call(register(bus, replace(gateways, parcels=bare)), egrid=EGRID)
    assert outcome.status is Status.NEEDS_CLARIFICATION
    assert outcome.message.endswith("Vom Grundstück ist kein Umriss bekannt.")


@pytest.mark.parametrize(
    "geometry",
    [
        {},
        {"type": "Point", "coordinates": [2600480, 1215440]},
        {"type": "Polygon", "coordinates": []},
        {"type": "Polygon", "coordinates": [[[2600480, 1215440]]]},
        {"type": "Polygon", "coordinates": [[["a", "b"], [None, {}], [1, 2]]]},
        {"type": "Polygon", "coordinates": "x"},
        {"type": "Polygon", "coordinates": 5},
        {"type": "Polygon", "coordinates": {"a": 1}},
        # Degrees, and north before east.
        {"type": "Polygon", "coordinates": [[[7.5, 47.2], [7.6, 47.2], [7.6, 47.3], [7.5, 47.2]]]},
        {"type": "Polygon", "coordinates": [[[north, east] for east, north in RING]]},
        {"type": "Polygon", "coordinates": [[[float("nan"), 1215440], *RING]]},
        {"type": "Polygon", "coordinates": [[[float("inf"), 1215440], *RING]]},
    ],
)
async def test_what_cannot_be_drawn_is_refused(toolbox: Toolbox, geometry: dict[str, Any]) -> None:
    outcome = await call(toolbox, geometry=geometry)
    assert outcome.status is Status.ERROR
    assert "geometry" in outcome.message


async def test_a_line_has_no_area(toolbox: Toolbox) -> None:
    line = [[2600480, 1215440], [2600500, 1215440], [2600490, 1215440], [2600480, 1215440]]
    outcome = await call(toolbox, geometry={"type": "Polygon", "coordinates": [line]})
    assert outcome.status is Status.NEEDS_CLARIFICATION
    assert "ohne Breite oder Höhe" in outcome.message


@pytest.mark.parametrize("args", [{}, {"egrid": None}, {"egrid": None, "geometry": None}])
async def test_nothing_is_not_enough(toolbox: Toolbox, args: dict[str, Any]) -> None:
    assert (await call(toolbox, **args)).status is Status.ERROR


@pytest.mark.parametrize("capability", ["terrain.height_by_xy", "geothermal.assess_by_xy"])
async def test_a_point_without_an_answer_is_a_question_back(toolbox: Toolbox, capability: str) -> None:
    outcome = await toolbox[capability].call({"x": 2700000, "y": 1200000}, "de")
    assert outcome.status is Status.NEEDS_CLARIFICATION
    assert "2700000, 1200000" in outcome.message
    assert "Beispieldaten" in outcome.message
