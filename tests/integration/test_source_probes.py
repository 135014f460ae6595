"""Tool services as processes in front of a simulated canton that has, or has not, what is configured."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from edge_process import free_port
from forked import Fork, start_service
from recorded.environment import environment
from recorded.server import RecordedServer
from starlette.responses import JSONResponse

SERVICES = pytest.mark.parametrize("service", ["tools_geo", "tools_oereb"])
PARCELS = "ch.so.agi.av.grundstuecke.rechtskraeftig"


@pytest.fixture
async def canton() -> AsyncIterator[RecordedServer]:
    async with RecordedServer() as server:
        yield server


class ToolService:
    """A process, its `/readyz`, and its log."""

    def __init__(self, process: Fork, port: int, log: Path) -> None:
        self.process = process
        self._url = f"http://127.0.0.1:{port}/readyz"
        self._log = log

    async def readiness(self, is_enough: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        """What it says of its sources, as soon as it is ready and this is enough."""
        async with httpx.AsyncClient() as http, asyncio.timeout(30):
            while True:
                assert self.process.returncode is None
                try:
                    ready = await http.get(self._url)
                    if ready.status_code == 200 and is_enough(ready.json()["details"]["sources"]):
                        found: dict[str, Any] = ready.json()["details"]["sources"]
                        return found
                except httpx.TransportError:
                    pass
                await asyncio.sleep(0.05)

    async def findings(self) -> list[dict[str, str]]:
        """After the first look at the sources."""
        found: list[dict[str, str]] = (await self.readiness(lambda said: said["checkedAt"]))["findings"]
        return found

    async def end(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(15):
            return await self.process.wait()

    def warnings(self) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in self._log.read_text().splitlines()]
        return [line for line in lines if line["event"] == "source lacks what is configured"]


@asynccontextmanager
async def running(
    service: str, nats_url: str, canton: RecordedServer, log: Path, **settings: str
) -> AsyncIterator[ToolService]:
    port = free_port()
    own = {"NATS_URL": nats_url, "HEALTH_PORT": str(port), "PRINTS_URL": str(log.parent / "prints")}
    env = {**os.environ, **environment(canton.url), **own, **settings}
    with log.open("wb") as output:
        process = start_service(f"{service}.app", env, output)
    try:
        yield ToolService(process, port, log)
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


@SERVICES
async def test_with_the_right_settings_nothing_is_found(
    service: str, nats_url: str, canton: RecordedServer, tmp_path: Path
) -> None:
    async with running(service, nats_url, canton, tmp_path / "log") as tools:
        assert await tools.findings() == []
        assert await tools.end() == 0
        assert tools.warnings() == []


async def test_a_wrong_facet_column_and_layer_are_in_the_log_and_in_the_details(
    nats_url: str, canton: RecordedServer, tmp_path: Path
) -> None:
    columns = dict.fromkeys(("nummer", "egrid", "gemeinde", "grundbuch", "flaechenmass"), "1")
    canton.options.instead["/api/data/"] = JSONResponse({"features": [{"properties": columns}]})
    wrong = {"SEARCH_FACET_ADDRESSES": "ch.xy.addresses", "GEOTHERMAL_LAYER": "ch.xy.boreholes"}
    search, data = f"{canton.url}/api/search/v2/", f"{canton.url}/api/data/v1/{PARCELS}/"
    expected = [
        ("SEARCH_FACET_ADDRESSES", search, "facet 'ch.xy.addresses': nothing is found in it"),
        ("DATA_DATASET_PARCELS", data, "column 'art_txt'"),
        ("GEOTHERMAL_LAYER", f"{canton.url}/api/v1/featureinfo/somap", "layer 'ch.xy.boreholes'"),
    ]
    async with running("tools_geo", nats_url, canton, tmp_path / "log", **wrong) as tools:
        found = await tools.findings()
        assert [(each["setting"], each["url"], each["missing"]) for each in found] == expected
        logged = [(line["level"], line["setting"], line["url"], line["missing"]) for line in tools.warnings()]
        assert logged == [("warning", *each) for each in expected]


async def test_a_format_that_the_cadastre_lacks_is_in_the_details(
    nats_url: str, canton: RecordedServer, tmp_path: Path
) -> None:
    async with running("tools_oereb", nats_url, canton, tmp_path / "log", OEREB_FORMAT="json") as tools:
        assert {each["missing"] for each in await tools.findings()} == {"an answer (failed, HTTP 500)"}


@SERVICES
async def test_sources_that_hang_delay_neither_the_start_nor_the_end(
    service: str, nats_url: str, canton: RecordedServer, tmp_path: Path
) -> None:
    canton.options.delay_s = 60
    async with running(service, nats_url, canton, tmp_path / "log") as tools:
        assert await tools.readiness(lambda _: True) == {"checkedAt": None, "findings": []}
        while not canton.seen:
            await asyncio.sleep(0.01)
        assert await tools.end() == 0
