"""What becomes of a query for layers: one is loaded, several are offered, or nothing is found."""

import tomllib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from contracts.items import Layer, LayerGroup
from geo_live import live_gateway
from recorded.server import RecordedServer

from tools_geo.embedded import datafiles
from tools_geo.gateways import Found, Gateways, LayerGateway

QUERIES = Path(__file__).parents[2] / "support" / "layer_queries.toml"
OUTCOMES = {group["kind"]: group["queries"] for group in tomllib.loads(QUERIES.read_text("utf-8"))["outcome"]}


@pytest.fixture(params=["embedded", "live"])
async def layers(
    request: pytest.FixtureRequest, gateways: Gateways, server: RecordedServer
) -> AsyncIterator[LayerGateway]:
    if request.param == "embedded":
        yield gateways.layers
        return
    async with live_gateway("layers", server.url, federal_url="") as live:
        yield live


def is_right(query: dict[str, Any], found: Found[Layer | LayerGroup]) -> bool:
    ids = [item.id for item in found.items]
    is_loaded = len(ids) == 1 and not found.confirm
    if "loaded" in query:
        return is_loaded and ids == [query["loaded"]] and (found.items[0].confidence or 0) > 0.7
    if "choice" in query:
        return len(ids) > 1 and {*query["choice"]} <= {*ids}
    if "offered" in query:
        return not is_loaded and bool({*query["offered"]} & {*ids})
    return not ids


@pytest.mark.parametrize("kind", OUTCOMES)
async def test_only_what_is_named_is_loaded(layers: LayerGateway, kind: str) -> None:
    wrong = []
    for query in OUTCOMES[kind]:
        found = await layers.layers(query["say"])
        if not is_right(query, found):
            wrong.append(f"«{query['say']}» found {[(i.id, i.confidence) for i in found.items[:3]]}")
    print(f"\n{kind}: {len(OUTCOMES[kind]) - len(wrong)} of {len(OUTCOMES[kind])}", *wrong, sep="\n  ")  # noqa: T201
    assert not wrong


def test_the_queries_name_layers_that_exist() -> None:
    known = {row.id for row in datafiles.read().layers}
    named = {layer for queries in OUTCOMES.values() for query in queries for layer in _named(query)}
    assert named <= known


def _named(query: dict[str, Any]) -> list[str]:
    return [*query.get("choice", ()), *query.get("offered", ()), *filter(None, [query.get("loaded")])]
