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
from starlette.responses import HTMLResponse, PlainTextResponse

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
        "Mehrere Grundstücke gefunden: Liegenschaft 198, Baurecht 531.",
        2,
    )


async def test_the_parcel_of_an_address_is_found(toolbox: Toolbox) -> None:
    outcome = await call(toolbox, "oereb.egrid_by_xy", x=2605899, y=1229278)
    (parcel,) = outcome.items
    assert (outcome.message, parcel.id) == ("Grundstück gefunden.", LANGENDORFSTRASSE_19B)


async def test_no_parcel_asks_for_another_coordinate(toolbox: Toolbox) -> None:
    outcome = await call(toolbox, "oereb.egrid_by_xy", x=2700000.5, y=1200000)
    assert (outcome.status, outcome.items) == (Status.NEEDS_CLARIFICATION, ())
    assert outcome.message == ("Kein Grundstück gefunden. Prüfe die Koordinate 2700000.5, 1200000 (LV95).")


@pytest.mark.parametrize(("x", "y"), [(600513, 215519), (1215519, 2600513), (7.53, 47.2)])
async def test_no_other_coordinates_than_lv95_are_ever_sent(
    toolbox: Toolbox, recorded: RecordedServer, x: float, y: float
) -> None:
    """The service would take LV03 as such; a typo must not become a place in another frame."""
    assert (await call(toolbox, "oereb.egrid_by_xy", x=x, y=y)).status is Status.ERROR
    assert recorded.seen == []


async def test_an_extract_is_told_theme_by_theme(toolbox: Toolbox, recorded: RecordedServer) -> None:
    outcome = await call(toolbox, "oereb.extract_by_id", egrid="ch 9558 3273 0623")
    lines = outcome.message.splitlines()
    assert lines[0] == f"ÖREB-Auszug für {MESSEN_198} bereit."
    titles = [line.partition(" – in Kraft: ")[0] for line in lines if " – in Kraft: " in line]
    assert "Grundwasserschutzzonen" in titles
    assert lines[-2:] == [
        f"PDF: {recorded.url}/api/oereb/extract/pdf/?EGRID={MESSEN_198}",
        f"Fachanwendung: https://geo.so.ch/map/?oereb_egrid={MESSEN_198}",
    ]
    assert not outcome.again


async def test_a_question_is_answered_from_the_extract(toolbox: Toolbox) -> None:
    question = "Liegt das Grundstück in einer Grundwasserschutzzone?"
    outcome = await call(toolbox, "oereb.extract_by_id", egrid=MESSEN_198, question=question)
    (extract,) = outcome.items
    assert isinstance(extract, OerebExtract)
    assert extract.content is not None
    lines = outcome.message.splitlines()
    assert lines[1] == "Ja."
    assert lines[2].startswith("Grundwasserschutzzonen – in Kraft: ")


async def test_nothing_concerned_is_told_as_such(toolbox: Toolbox) -> None:
    outcome = await call(toolbox, "oereb.extract_by_id", egrid=BALM_168)
    assert "\nKein Thema betroffen. " in outcome.message


INSTEAD = {
    "a failure": (PlainTextResponse("broken", 500), "antwortete nicht erfolgreich (HTTP 500)."),
    "a page": (HTMLResponse("<!DOCTYPE html>Wartung"), "die nicht verarbeitet werden konnte."),
    "too much work": (PlainTextResponse("busy", 503), "ist zurzeit überlastet (HTTP 503)."),
}


@pytest.mark.parametrize("failure", INSTEAD)
@pytest.mark.parametrize("question", [None, "Ist das Grundstück belastet?"])
async def test_an_extract_that_could_not_be_read_is_not_called_ready(
    toolbox: Toolbox, recorded: RecordedServer, failure: str, question: str | None
) -> None:
    answer, reason = INSTEAD[failure]
    recorded.options.oereb.instead[MESSEN_198] = answer
    await call(toolbox, "oereb.egrid_by_xy", x=2600513, y=1215519)
    outcome = await call(toolbox, "oereb.extract_by_id", egrid=MESSEN_198, question=question)
    assert (outcome.status, outcome.again) == (Status.OK, True)
    first, unknown, parcel, *links, remark = outcome.message.splitlines()
    assert first.startswith(f"Den ÖREB-Auszug für {MESSEN_198} konnte ich nicht lesen: Der ÖREB-Dienst ")
    assert reason in first
    assert unknown == "Welche Eigentumsbeschränkungen gelten, weiss ich deshalb nicht."
    assert parcel == "Bekannt ist das Grundstück: Nummer 198 (Liegenschaft)."
    assert len(links) == 2
    assert remark == "Die Links führen zum gleichen Dienst; vielleicht antwortet er auch dort nicht."
    (extract,) = outcome.items
    assert isinstance(extract, OerebExtract) and extract.content is None
    assert extract.geometry is not None, "of the parcel that was found before"


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


def test_another_canton_has_neither_our_name_nor_our_map() -> None:
    url = "https://oereb.geo.xy.ch/"
    ours, other = Settings(), Settings(oereb_url=url)
    said = Settings(oereb_url=url, oereb_source_name="ÖREB-Kataster XY")
    assert (ours.oereb_source_name, bool(ours.oereb_map_url)) == ("ÖREB-Kataster Kanton Solothurn", True)
    assert (other.oereb_source_name, other.oereb_map_url) == ("oereb.geo.xy.ch", None)
    assert (said.oereb_source_name, said.oereb_map_url) == ("ÖREB-Kataster XY", None)


async def test_a_service_url_that_is_none_stops_the_start(make_live: MakeLive) -> None:
    with pytest.raises(ValueError, match="no base URL"):
        sources.outbound_of(Settings(geo_source="live", oereb_url="geo.so.ch/api/oereb"))
