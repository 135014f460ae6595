"""The formats in which the canton describes its layers, and what is made of odd ones."""

from typing import Any

import pytest
from contracts.items import Layer, LayerGroup
from geo_live import live_gateway
from layer_searches import answering, found_by, ids, product
from recorded.server import RecordedServer


@pytest.mark.parametrize(
    ("backend", "sublayers"), [("postgresql", "dataproduct_id"), ("postgresql", "ident"), ("solr", "")]
)
async def test_all_back_ends_of_the_search_give_the_same(
    server: RecordedServer, backend: Any, sublayers: Any
) -> None:
    server.options.search_backend, server.options.sublayers = backend, sublayers
    async with live_gateway("layers", server.url) as gateway:
        group, *_ = (await gateway.layers("Waldplan")).items
        assert isinstance(group, LayerGroup)
        assert len(group.layers) == 3
        assert ids(await gateway.layers("Wildtierkorridore")) == ["ch.so.awjf.wildtierkorridore"]


def member(n: int, name: str = "dataproduct_id", **more: Any) -> dict[str, Any]:
    return {name: f"x.{n}", "display": f"Teil {n}", "dset_info": True, **more}


async def members_of(*sublayers: Any, weblayers: Any = None) -> list[str]:
    """The labels of the layers that a group becomes with these sublayers."""
    found = product("x", "Orchideen", "layergroup", sublayers=sublayers)
    (group,) = (await found_by("Orchideen", answering(found, weblayers=weblayers))).items
    assert isinstance(group, LayerGroup)
    return [layer.label for layer in group.layers]


@pytest.mark.parametrize("name", ["dataproduct_id", "ident"])
async def test_members_of_a_group_have_their_id_under_either_name(name: str) -> None:
    assert await members_of(member(1, name), member(2, name)) == ["Teil 1", "Teil 2"]


async def test_members_have_their_id_under_either_name_at_any_depth() -> None:
    inner = member(2, "ident", subclass="layergroup", sublayers=[member(3, "ident"), member(4)])
    assert await members_of(member(1), inner) == ["Teil 1", "Teil 3", "Teil 4"]


@pytest.mark.parametrize("odd", [{"display": "Ohne Id"}, {"ident": "x.9"}, {"ident": 9}, "x", None, []])
async def test_a_member_that_cannot_be_read_is_left_out_and_logged(
    odd: Any, caplog: pytest.LogCaptureFixture
) -> None:
    assert await members_of(odd, member(2)) == ["Teil 2"]
    told = [vars(record) for record in caplog.records if record.message == "layer not readable"]
    assert {each["group"] for each in told} == {"x"}


async def test_a_group_of_which_no_member_can_be_read_is_loaded_as_one_layer() -> None:
    answer = answering(product("x", "Orchideen", "layergroup", sublayers=[{"display": "Ohne Id"}]))
    (layer,) = (await found_by("Orchideen", answer)).items
    assert isinstance(layer, Layer)
    assert layer.source.parameters["LAYERS"] == "x"


async def test_a_description_with_an_odd_member_keeps_the_others(caplog: pytest.LogCaptureFixture) -> None:
    described = {"x": [{"name": "x", "sublayers": [{"title": "?"}, {"name": "x.2", "title": "Teil 2"}]}]}
    assert await members_of(member(1), member(2), weblayers=described) == ["Teil 2"]
    assert "description of a layer not readable" in caplog.messages


async def test_a_facade_is_loaded_as_one_layer(server: RecordedServer) -> None:
    server.options.search_backend = "solr"
    server.options.facades = frozenset({"ch.so.awjf.waldplan"})
    async with live_gateway("layers", server.url) as gateway:
        (layer,) = (await gateway.layers("Waldplan")).items
    assert isinstance(layer, Layer)
    assert layer.source.parameters["LAYERS"] == "ch.so.awjf.waldplan"


async def test_the_newer_back_end_does_not_know_a_facade_but_the_description_does(
    server: RecordedServer,
) -> None:
    server.options.facades = frozenset({"ch.so.awjf.waldplan"})
    async with live_gateway("layers", server.url) as gateway:
        (layer,) = (await gateway.layers("Waldplan")).items
    assert isinstance(layer, Layer)


# -- what is switched on -----------------------------------------------------------------------------------


async def test_a_member_that_the_canton_leaves_switched_off_is_added_invisible(
    server: RecordedServer,
) -> None:
    async with live_gateway("layers", server.url) as gateway:
        (group,) = (await gateway.layers("Waldplan")).items
    assert isinstance(group, LayerGroup)
    assert [layer.visible for layer in group.layers] == [True, True, False]


async def test_a_layer_that_is_asked_for_itself_is_visible(server: RecordedServer) -> None:
    async with live_gateway("layers", server.url) as gateway:
        (layer,) = (await gateway.layers("ch.so.awjf.waldplan.waldeigentum")).items
    assert isinstance(layer, Layer)
    assert layer.visible


async def test_the_members_of_an_inner_group_that_is_switched_off_are_invisible() -> None:
    inner = {"name": "x.2", "visibility": False, "sublayers": [{"name": "x.3", "visibility": True}]}
    described = {"x": [{"name": "x", "sublayers": [{"name": "x.1"}, inner]}]}
    found = product("x", "Orchideen", "layergroup", sublayers=[member(1), member(3)])
    (group,) = (await found_by("Orchideen", answering(found, weblayers=described))).items
    assert isinstance(group, LayerGroup)
    assert [(layer.id, layer.visible) for layer in group.layers] == [("x.1", True), ("x.3", False)]


# -- odd answers -------------------------------------------------------------------------------------------


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
