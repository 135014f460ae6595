"""The formats in which the canton describes its layers, and what is made of odd ones."""

from typing import Any

import pytest
from contracts.items import Layer, LayerGroup
from geo_live import live_gateway
from layer_searches import answering, found_by, ids, product
from recorded.server import RecordedServer


@pytest.mark.parametrize("backend", ["postgresql", "solr"])
async def test_both_back_ends_of_the_search_give_the_same(server: RecordedServer, backend: Any) -> None:
    server.options.search_backend = backend
    async with live_gateway("layers", server.url) as gateway:
        group, *_ = (await gateway.layers("Waldplan")).items
        assert isinstance(group, LayerGroup)
        assert len(group.layers) == 3
        assert ids(await gateway.layers("Wildtierkorridore")) == ["ch.so.awjf.wildtierkorridore"]


@pytest.mark.parametrize("kind", ["layergroup", "facadelayer"])
async def test_what_has_sublayers_is_a_group_whatever_it_is_called(kind: str) -> None:
    members = [{"dataproduct_id": f"x.{n}", "display": f"Teil {n}", "type": "datasetview"} for n in (1, 2)]
    (group,) = (
        await found_by("Orchideen", answering(product("x", "Orchideen", kind, sublayers=members)))
    ).items
    assert isinstance(group, LayerGroup)
    assert [layer.label for layer in group.layers] == ["Teil 1", "Teil 2"]


async def test_a_group_whose_members_only_the_description_names_is_a_group() -> None:
    parts = [
        {"name": "x.1", "title": "Teil 1"},
        {"name": "x.2", "sublayers": [{"name": "x.3", "title": "T3"}]},
    ]
    described = {"x": [{"name": "x", "sublayers": parts}]}
    answer = answering(product("x", "Orchideen", "layergroup", sublayers=None), weblayers=described)
    (group,) = (await found_by("Orchideen", answer)).items
    assert isinstance(group, LayerGroup)
    assert [(layer.id, layer.label) for layer in group.layers] == [("x.1", "Teil 1"), ("x.3", "T3")]


async def test_a_group_without_members_is_loaded_as_one_layer() -> None:
    (layer,) = (await found_by("Orchideen", answering(product("x", "Orchideen", "layergroup")))).items
    assert isinstance(layer, Layer)
    assert layer.source.parameters["LAYERS"] == "x"


@pytest.mark.parametrize(
    "odd",
    [
        {"feature": {"display": "Orchideenweg 1", "feature_id": 1, "dataproduct_id": "a"}},
        {"dataproduct": None},
        {"dataproduct": {"display": "Orchideen ohne Id"}},
        {},
        "x",
        None,
    ],
)
async def test_an_odd_hit_does_not_spoil_the_others(odd: Any) -> None:
    assert ids(await found_by("Orchideen", answering(odd, product("x", "Orchideen")))) == ["x"]


@pytest.mark.parametrize(
    "described",
    [
        {},
        {"x": []},
        {"x": [{}]},
        {"x": [{"name": "x", "opacity": "much"}]},
        {"x": [{"name": "x", "bbox": {"crs": "EPSG:2056", "bounds": [1]}}]},
        {"x": [{"name": "x", "bbox": {"crs": "EPSG:4326", "bounds": [5.7, 45.7, 10.6, 47.8]}}]},
        {"x": [{"name": "x", "bbox": {"crs": "EPSG:2056", "bounds": [5.7, 45.7, 10.6, 47.8]}}]},
        {"x": [{"name": "x", "bbox": {"crs": None, "bounds": None}}]},
        {"x": {"name": "x"}},
        [],
        "x",
    ],
)
async def test_a_layer_without_a_usable_description_is_loaded_without_extent(described: Any) -> None:
    (layer,) = (await found_by("Orchideen", answering(product("x", "Orchideen"), weblayers=described))).items
    assert isinstance(layer, Layer)
    assert (layer.extent, layer.label) == (None, "Orchideen")
    assert "OPACITIES" not in layer.source.parameters


async def test_a_failing_description_is_missed_and_no_more() -> None:
    answer = answering(product("x", "Orchideen"), code=500)
    assert ids(await found_by("Orchideen", answer, outbound_max_retries=0)) == ["x"]


async def test_without_descriptions_configured_none_are_asked_for(server: RecordedServer) -> None:
    async with live_gateway("layers", server.url, layer_metadata_url="") as gateway:
        assert len((await gateway.layers("Waldplan")).items[0].layers) == 3
    assert server.asked("weblayers") == []


async def test_what_the_canton_finds_for_its_own_reasons_comes_last() -> None:
    mine, other = product("x", "Orchideen"), product("y", "Magerwiesen")
    found = await found_by("Orchideen auf Wiesen", answering(other, mine))
    assert ids(found) == ["x", "y"]
    assert [item.confidence for item in found.items][1] == 0.3
