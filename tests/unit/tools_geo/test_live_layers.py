"""Layers from the live search of the canton, its own and those of others."""

from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from contracts.items import Layer, LayerGroup, TileGrid
from geo_live import live_gateway
from layer_searches import answering, found_by, ids, product
from recorded.server import RecordedServer

from tools_geo.gateways import LayerGateway, Remark
from tools_geo.layers.tile_grids import CANTON, FEDERAL_MAPS

CANTON_BOX = (2590983.475, 1212806.115625, 2646267.025, 1262755.009375)


@pytest.fixture
async def layers(server: RecordedServer) -> AsyncIterator[LayerGateway]:
    async with live_gateway("layers", server.url) as gateway:
        yield gateway


# -- what is found -----------------------------------------------------------------------------------------


async def test_a_group_comes_with_its_layers_ready_for_the_map(
    layers: LayerGateway, server: RecordedServer
) -> None:
    (group,) = (await layers.layers("Gewässerschutz")).items
    assert isinstance(group, LayerGroup)
    assert (group.label, group.extent) == ("Gewässerschutz (Gruppe)", CANTON_BOX)
    assert [layer.id.rpartition(".")[2] for layer in group.layers] == [
        "schutzzonen",
        "schutzareale",
        "fassungen",
        "quellen",
    ]
    first = group.layers[0]
    assert first.source.type == "wms"
    assert first.source.url == f"{server.url}/api/wms"
    assert first.source.parameters["LAYERS"] == "ch.so.afu.gewaesserschutz.schutzzonen"
    assert first.attribution == "Kanton Solothurn"
    assert first.legend_url == (
        f"{server.url}/api/v1/legend/somap?SERVICE=WMS&REQUEST=GetLegendGraphic&VERSION=1.3.0"
        "&SLD_VERSION=1.1.0&FORMAT=image%2Fpng&LAYER=ch.so.afu.gewaesserschutz.schutzzonen"
    )
    assert first.provenance is not None
    assert first.provenance.source == server.url.removeprefix("http://") + ", Karten"
    assert (first.provenance.match, first.provenance.stale) == ("exact", False)


async def test_a_legend_is_an_image(layers: LayerGateway) -> None:
    (layer,) = (await layers.layers("Wildtierkorridore")).items
    assert isinstance(layer, Layer) and layer.legend_url
    async with httpx2.AsyncClient() as http:
        answer = await http.get(layer.legend_url)
        refused = await http.get(layer.legend_url.replace("SLD_VERSION", "STYLE"))
    assert answer.headers["content-type"] == "image/png"
    assert 'code="MissingParameterValue"' in refused.text


@pytest.mark.parametrize(
    ("query", "layer"),
    [
        ("Römer", "ch.so.ada.archaeologie.fundstellen"),
        ("wo darf ich bauen", "ch.so.arp.nutzungsplanung"),
        ("Krach", "ch.so.avt.strassenlaerm"),
        ("Gewässershutz", "ch.so.afu.gewaesserschutz"),
        ("Gewässerschutzkarte", "ch.so.afu.gewaesserschutz"),
        ("Wildtierkorridor", "ch.so.awjf.wildtierkorridore"),
    ],
)
async def test_the_thesaurus_knows_what_the_search_does_not(
    layers: LayerGateway, query: str, layer: str
) -> None:
    assert ids(await layers.layers(query))[0] == layer


async def test_what_a_query_may_mean_is_asked_at_once_and_bounded(
    layers: LayerGateway, server: RecordedServer
) -> None:
    await layers.layers("Wasser")
    asked = [seen.query["searchtext"] for seen in server.asked("/api/search/v2/")]
    assert asked[0] == "Wasser"
    assert 1 < len(asked) <= 4
    assert all(seen.query["filter"] == "foreground,background" for seen in server.asked("/api/search/v2/"))


async def test_the_same_question_is_asked_once(layers: LayerGateway, server: RecordedServer) -> None:
    first = await layers.layers("Waldplan")
    requests = len(server.seen)
    assert ids(await layers.layers("Waldplan")) == ids(first)
    assert len(server.seen) == requests


async def test_an_id_gives_its_layer(layers: LayerGateway) -> None:
    assert ids(await layers.layers("ch.so.awjf.wildtierkorridore")) == ["ch.so.awjf.wildtierkorridore"]


async def test_words_that_say_nothing_are_not_asked(layers: LayerGateway, server: RecordedServer) -> None:
    assert (await layers.layers("bitte alle Karten")).items == ()
    assert server.seen == []


async def test_more_than_eight_are_cut_with_a_hint(layers: LayerGateway) -> None:
    found = await layers.layers("Wald")
    assert len(found.items) == 8
    assert found.remark is Remark.MORE_LAYERS
    assert ids(found)[0] == "ch.so.awjf.waldplan"


async def test_a_background_map_is_a_tiled_layer(layers: LayerGateway, server: RecordedServer) -> None:
    (layer,) = (await layers.layers("Hintergrundkarte Orthofoto")).items
    assert isinstance(layer, Layer)
    assert layer.source.type == "wmts"
    assert layer.source.url == (
        f"{server.url}/api/wmts/1.0.0/ch.so.agi.hintergrundkarte_ortho/default/2056/"
        "{TileMatrix}/{TileRow}/{TileCol}"
    )
    assert layer.source.tile_grid == CANTON
    assert layer.legend_url is None


async def test_the_national_map_is_tiled_by_the_confederation(
    layers: LayerGateway, server: RecordedServer
) -> None:
    (layer,) = (await layers.layers("Landeskarte")).items
    assert isinstance(layer, Layer)
    assert layer.source.url.endswith(
        "/1.0.0/ch.swisstopo.pixelkarte-farbe/default/current/2056/{TileMatrix}/{TileCol}/{TileRow}.jpeg"
    )
    assert isinstance(layer.source.tile_grid, TileGrid)
    assert layer.source.tile_grid == FEDERAL_MAPS
    assert layer.attribution == "swisstopo"


async def test_the_opacity_of_the_canton_is_asked_of_its_map_service(layers: LayerGateway) -> None:
    (layer,) = (await layers.layers("Gefahrenkarte Rutschung")).items
    assert isinstance(layer, Layer)
    assert layer.source.parameters["OPACITIES"] == "178"


# -- layers of others --------------------------------------------------------------------------------------


async def test_a_layer_of_the_confederation_is_served_by_the_confederation(layers: LayerGateway) -> None:
    (layer,) = (await layers.layers("Kernkraftwerke")).items
    assert isinstance(layer, Layer)
    assert layer.source.parameters["LAYERS"] == "ch.bfe.kernkraftwerke"
    assert "/api/wms" not in layer.source.url
    assert (layer.attribution, layer.extent) == ("Bundesamt für Energie", None)


async def test_a_layer_of_others_is_taken_from_the_service_that_the_canton_names(
    layers: LayerGateway,
) -> None:
    (layer,) = (await layers.layers("Zuströmbereiche der ganzen Schweiz")).items
    assert isinstance(layer, Layer)
    assert layer.source.url == "https://geodienste.example/db/deu"
    assert layer.source.parameters["LAYERS"] == "planerischer_gewaesserschutz_zustroembereich"
    assert layer.legend_url is None


async def test_a_layer_that_no_service_has_is_named_and_not_offered(layers: LayerGateway) -> None:
    found = await layers.layers("Abwasser Werkplan")
    assert (found.items, found.remark) == ((), Remark.LAYER_NOT_LOADABLE)
    assert found.values == {"title": "Abwasser Werkplan (Quelle Emch+Berger)", "owner": "Emch+Berger"}


@pytest.mark.parametrize(
    "external",
    [
        {"type": "wms", "url": "javascript:alert(1)", "params": {"LAYERS": "x"}},
        {"type": "wms", "url": "http://insecure.example/wms", "params": {"LAYERS": "x"}},
        {"type": "wms", "url": "https://others.example/wms"},
        {"type": "wms", "url": "https://others.example/wms", "params": {"LAYERS": ["x"]}},
        {"type": "wmts", "url": "https://others.example/caps.xml", "params": {"LAYERS": "x"}},
    ],
)
async def test_an_external_service_that_cannot_be_used_is_none(external: dict[str, Any]) -> None:
    described = {"x.y": [{"name": "x.y", "title": "Orchideen", "externalLayer": external}]}
    found = await found_by("Orchideen", answering(product("x.y", "Orchideen"), weblayers=described))
    assert (found.items, found.remark) == ((), Remark.LAYER_NOT_LOADABLE)


async def test_the_layer_of_an_external_service_may_stand_behind_its_address() -> None:
    external = {"type": "wms", "url": "wms:https://others.example/wms?map=a#flora"}
    described = {"x.y": [{"name": "x.y", "externalLayer": external}]}
    (layer,) = (
        await found_by("Orchideen", answering(product("x.y", "Orchideen"), weblayers=described))
    ).items
    assert isinstance(layer, Layer)
    assert (layer.source.url, layer.source.parameters["LAYERS"]) == (
        "https://others.example/wms?map=a",
        "flora",
    )


async def test_an_unknown_layer_of_the_confederation_is_served_by_the_confederation() -> None:
    (layer,) = (await found_by("Orchideen", answering(product("ch.x.y", "Orchideen (Quelle Bund)")))).items
    assert isinstance(layer, Layer)
    assert "/api/wms" not in layer.source.url
    assert layer.attribution == "Bund"
