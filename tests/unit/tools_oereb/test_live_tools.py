"""The tools on the live cadastre: arguments and sentences are those of the embedded one, and a few more."""

from typing import Any

import pytest
from contracts.items import OerebExtract
from contracts.messages import Outcome
from contracts.status import Status
from oereb_kit import MakeLive
from pydantic import ValidationError
from recorded.oereb_data import BALM_168, LANGENDORFSTRASSE_19B, MESSEN_168, MESSEN_198
from recorded.server import RecordedServer
from servicekit.testing import MemoryBus
from servicekit.tools import Toolbox

from tools_oereb import sources
from tools_oereb.gateways import CadastreGateway
from tools_oereb.handlers import register
from tools_oereb.settings import Settings


@pytest.fixture
def toolbox(solothurn: CadastreGateway) -> Toolbox:
    bus: Any = MemoryBus("tools-oereb")
    return register(bus, solothurn)


async def call(toolbox: Toolbox, capability: str, **args: object) -> Outcome:
    return await toolbox[capability].call(dict(args), "de")


async def test_the_tools_announce_themselves_in_the_same_way(toolbox: Toolbox) -> None:
    bus: Any = MemoryBus("tools-oereb")
    embedded = register(bus, sources.cadastre(Settings(), None))
    assert toolbox.descriptors == embedded.descriptors


async def test_two_hits_are_announced_as_several(toolbox: Toolbox) -> None:
    outcome = await call(toolbox, "oereb.egrid_by_xy", x=2600513, y=1215519)
    assert (outcome.status, outcome.message, len(outcome.items)) == (
        Status.OK,
        "Mehrere Grundstücke gefunden.",
        2,
    )


async def test_the_parcel_of_an_address_is_found(toolbox: Toolbox) -> None:
    outcome = await call(toolbox, "oereb.egrid_by_xy", x=2605899, y=1229278)
    (parcel,) = outcome.items
    assert (outcome.message, parcel.id) == ("Grundstück gefunden.", LANGENDORFSTRASSE_19B)


async def test_no_parcel_asks_for_another_coordinate(toolbox: Toolbox) -> None:
    outcome = await call(toolbox, "oereb.egrid_by_xy", x=2700000.5, y=1200000)
    assert (outcome.status, outcome.items) == (Status.NEEDS_CLARIFICATION, ())
    assert outcome.message == (
        "Kein Grundstück gefunden. Prüfe die Koordinate 2700000.5, 1200000 (LV95, zum Beispiel "
        "«2600513, 1215519»)."
    )


@pytest.mark.parametrize(("x", "y"), [(600513, 215519), (1215519, 2600513), (7.53, 47.2)])
async def test_no_other_coordinates_than_lv95_are_ever_sent(
    toolbox: Toolbox, recorded: RecordedServer, x: float, y: float
) -> None:
    """The service would take LV03 as such; a typo must not become a place in another frame."""
    assert (await call(toolbox, "oereb.egrid_by_xy", x=x, y=y)).status is Status.ERROR
    assert recorded.seen == []


async def test_an_extract_tells_its_links_and_its_themes(toolbox: Toolbox, recorded: RecordedServer) -> None:
    outcome = await call(toolbox, "oereb.extract_by_id", egrid="ch 9558 3273 0623")
    (extract,) = outcome.items
    assert isinstance(extract, OerebExtract)
    assert outcome.message.splitlines() == [
        "ÖREB-Auszug erstellt.",
        f"PDF: {recorded.url}/api/oereb/extract/pdf/?EGRID={MESSEN_198}",
        f"Fachanwendung: https://geo.so.ch/map/?oereb_egrid={MESSEN_198}",
        "3 betroffene Themen: Nutzungsplanung (kantonal/kommunal), Grundwasserschutzzonen, "
        "Lärmempfindlichkeitsstufen",
    ]


@pytest.mark.parametrize(
    ("egrid", "last_line"),
    [
        (LANGENDORFSTRASSE_19B, "1 betroffenes Thema: Nutzungsplanung (kantonal/kommunal)"),
        (BALM_168, "Kein Thema betroffen."),
    ],
)
async def test_themes_are_counted(toolbox: Toolbox, egrid: str, last_line: str) -> None:
    outcome = await call(toolbox, "oereb.extract_by_id", egrid=egrid)
    assert outcome.message.splitlines()[-1] == last_line


async def test_a_parcel_outside_the_released_cadastre_is_explained(
    toolbox: Toolbox, recorded: RecordedServer
) -> None:
    recorded.options.oereb.unreleased.add(MESSEN_168)
    outcome = await call(toolbox, "oereb.extract_by_id", egrid=MESSEN_168)
    assert (outcome.status, outcome.items) == (Status.NEEDS_CLARIFICATION, ())
    assert outcome.message == (
        "Für das Grundstück CH807306583219 gibt es noch keinen ÖREB-Auszug: Seine Gemeinde ist im "
        "ÖREB-Kataster nicht freigeschaltet."
    )


async def test_an_unknown_egrid_asks_for_number_and_municipality(toolbox: Toolbox) -> None:
    outcome = await call(toolbox, "oereb.extract_by_id", egrid="CH999999999999")
    assert (outcome.status, outcome.items) == (Status.NEEDS_CLARIFICATION, ())
    assert outcome.message.startswith("Kein Grundstück gefunden. Der EGRID CH999999999999 ist nicht erfasst")
    assert "Ausschnitt" not in outcome.message


async def test_from_a_coordinate_to_the_extract(toolbox: Toolbox, recorded: RecordedServer) -> None:
    """What the orchestrator does: the parcel of the first tool fills the argument of the second."""
    parcel, _ = (await call(toolbox, "oereb.egrid_by_xy", x=2600513, y=1215519)).items
    (extract,) = (await call(toolbox, "oereb.extract_by_id", egrid=parcel.bindings()["egrid"])).items
    assert (extract.geometry, extract.coord) == (parcel.geometry, parcel.coord)


# -- settings -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "is_live"),
    [
        ({}, False),
        ({"geo_source": "live"}, True),
        ({"oereb_source": "live"}, True),
        ({"geo_source": "live", "oereb_source": "embedded"}, False),
    ],
)
async def test_the_cadastre_may_have_another_source_than_the_other_geodata(
    values: dict[str, Any], is_live: bool
) -> None:
    settings = Settings(**values)
    outbound = sources.outbound_of(settings)
    assert (settings.is_live, outbound is not None) == (is_live, is_live)
    assert sources.cadastre(settings, outbound).is_sample is not is_live
    if outbound is not None:
        await outbound.close()


@pytest.mark.parametrize(
    "url", ["https://map.example/", "javascript:{egrid}", "https://map.example/{egrid} x"]
)
def test_a_map_that_cannot_show_a_parcel_is_no_setting(url: str) -> None:
    with pytest.raises(ValidationError, match="oereb_map_url"):
        Settings(oereb_map_url=url)


async def test_a_service_url_that_is_none_stops_the_start(make_live: MakeLive) -> None:
    with pytest.raises(ValueError, match="no base URL"):
        sources.outbound_of(Settings(geo_source="live", oereb_url="geo.so.ch/api/oereb"))
