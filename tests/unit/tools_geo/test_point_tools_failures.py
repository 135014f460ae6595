"""Height, geothermal probe and plan while their source fails in every way: a sentence, in time."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from contracts.messages import Outcome
from contracts.status import Status
from geo_live import live_gateway
from misbehaving import FAILURES, MisbehavingServer, refused, service_exception
from servicekit.testing import MemoryBus

from tools_geo.gateways import Gateways
from tools_geo.handlers import register

QUICK = {
    "outbound_read_timeout_s": 0.2,
    "outbound_total_timeout_s": 0.5,
    "outbound_max_retries": 0,
}
TOOLS: dict[str, tuple[str, dict[str, Any], str]] = {
    "terrain.height_by_xy": ("heights", {"x": 2600565, "y": 1215512}, "Der Höhendienst von swisstopo"),
    "geothermal.assess_by_xy": (
        "geothermal",
        {"x": 2600565, "y": 1215512},
        "Die Erdwärmesonden-Abfrage des Kantons",
    ),
    "cadastral.plan_by_geometry": (
        "plans",
        {"egrid": "CH955832730623"},
        "Der Druckdienst für Grundbuchpläne",
    ),
}
"""Capability -> field of the gateways, arguments, what the source is called."""


async def called(
    capability: str, gateways: Gateways, url: str, folder: Path, args: dict[str, Any]
) -> Outcome:
    kind = TOOLS[capability][0]
    async with live_gateway(kind, url, prints_url=str(folder), **QUICK) as live:
        bus: Any = MemoryBus("tools-geo")
        toolbox = register(bus, replace(gateways, **{kind: live}))
        return await toolbox[capability].call(args, "de")


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("capability", TOOLS)
async def test_a_failure_of_the_source_is_told(
    capability: str, failure: str, gateways: Gateways, tmp_path: Path
) -> None:
    _, args, name = TOOLS[capability]
    async with MisbehavingServer() as server:
        server.behave(FAILURES[failure])
        outcome = await called(capability, gateways, server.url, tmp_path, args)
    assert outcome.status is Status.ERROR
    assert outcome.items == ()
    assert outcome.message.startswith(name), outcome.message


@pytest.mark.parametrize("capability", TOOLS)
async def test_a_source_that_is_not_there_is_told(
    capability: str, gateways: Gateways, tmp_path: Path
) -> None:
    _, args, name = TOOLS[capability]
    with refused() as url:
        outcome = await called(capability, gateways, url, tmp_path, args)
    assert outcome.status is Status.ERROR
    assert outcome.message == (
        f"{name} ist zurzeit nicht erreichbar. Versuche es in ein paar Minuten noch einmal."
    )


async def test_an_exception_of_a_map_service_is_told(gateways: Gateways, tmp_path: Path) -> None:
    async with MisbehavingServer() as server:
        server.behave(service_exception)
        _, args, name = TOOLS["geothermal.assess_by_xy"]
        outcome = await called("geothermal.assess_by_xy", gateways, server.url, tmp_path, args)
    assert (outcome.status, outcome.message) == (
        Status.ERROR,
        f"{name} antwortete nicht erfolgreich.",
    )
