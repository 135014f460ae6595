"""Layers from the live search of the canton, and the federal ones behind it."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from contracts.items import Layer, LayerGroup, TileGrid
from geo_live import live_gateway
from misbehaving import Exchange, MisbehavingServer, healthy, status
from recorded.server import Options, RecordedServer
from servicekit.outbound import SourceError, SourceErrorKind

from tools_geo.gateways import Found, LayerGateway, Remark
from tools_geo.layers.tile_grids import CANTON, FEDERAL

CANTON_BOX = (2590983.475, 1212806.115625, 2646267.025, 1262755.009375)


@pytest.fixture
async def layers(server: RecordedServer) -> AsyncIterator[LayerGateway]:
    async with live_gateway("layers", server.url) as gateway:
        yield gateway


def ids(found: Found[Layer | LayerGroup]) -> list[str]:
    return [item.id for item in found.items]


def product(identity: str, title: str, kind: str = "singleactor", **more: Any) -> dict[str, Any]:
    entry = {"dataproduct_id": identity, "display": title, "type": kind, "stacktype": "foreground", **more}
    return {"dataproduct": entry}


def answering(*products: Any, weblayers: Any = None, code: int = 200) -> MisbehavingServer:
    """A canton that finds these, and nobody else does; `weblayers` describes them, `code` for them all."""
    server = MisbehavingServer()

    async def answer(exchange: Exchange) -> None:
        path = exchange.request.path
        document: Any = {"results": []}
        if "search" in path:
            document = {"results": list(products), "result_counts": []}
        elif "weblayers" in path:
            document = weblayers if weblayers is not None else {}
        body = json.dumps(document).encode()
        failed = "weblayers" in path and code != 200
        await (status(code) if failed else healthy(body))(exchange)

    server.behave(answer)
    return server


async def found_by(query: str, server: MisbehavingServer, **changes: Any) -> Found[Layer | LayerGroup]:
    async with server, live_gateway("layers", server.url, **changes) as gateway:
        answer: Found[Layer | LayerGroup] = await gateway.layers(query)
        return answer


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
        "&FORMAT=image%2Fpng&LAYER=ch.so.afu.gewaesserschutz.schutzzonen"
    )
    assert first.provenance is not None
    assert first.provenance.source == server.url.removeprefix("http://") + ", Karten"
    assert (first.provenance.match, first.provenance.stale) == ("exact", False)


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
    assert layer.source.tile_grid == FEDERAL
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


# -- the formats -------------------------------------------------------------------------------------------


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


# -- behind the canton -------------------------------------------------------------------------------------


async def test_where_the_canton_has_nothing_the_confederation_is_asked(
    layers: LayerGateway, server: RecordedServer
) -> None:
    (layer,) = (await layers.layers("Solarenergie")).items
    assert isinstance(layer, Layer)
    assert (layer.id, layer.label) == (
        "ch.bfe.solarenergie-eignung-daecher",
        "Solarenergie: Eignung Hausdächer",
    )
    assert layer.source.parameters["LAYERS"] == "ch.bfe.solarenergie-eignung-daecher"
    assert layer.attribution == "Bund (geo.admin.ch)"
    assert layer.provenance is not None
    assert (layer.provenance.source, layer.provenance.match) == ("swisstopo, Karten des Bundes", "fuzzy")
    (asked,) = server.asked("SearchServer")
    assert (asked.query["type"], asked.query["lang"], asked.query["limit"]) == ("layers", "de", "30")


async def test_the_markup_of_federal_titles_is_no_part_of_them(layers: LayerGateway) -> None:
    (layer,) = (await layers.layers("Solarenergie")).items
    assert "<" not in layer.label


async def test_who_else_knows_is_said_when_nobody_has_a_layer(layers: LayerGateway) -> None:
    found = await layers.layers("Velowege")
    assert (found.items, found.remark, found.values) == (
        (),
        Remark.KNOWN_ELSEWHERE,
        {"see": "schweizmobil.ch"},
    )


async def test_without_the_confederation_it_is_not_asked(server: RecordedServer) -> None:
    async with live_gateway("layers", server.url, federal_fallback=False) as gateway:
        found = await gateway.layers("Solarenergie")
    assert (found.items, found.values) == ((), {"see": "sonnendach.ch"})
    assert server.asked("SearchServer") == []


async def test_the_first_failure_is_told_when_everybody_is_down() -> None:
    server = MisbehavingServer()
    server.behave(status(500))
    with pytest.raises(SourceError) as failed:
        await found_by("Wald", server, outbound_max_retries=0, outbound_breaker_failures=100)
    assert failed.value.kind is SourceErrorKind.FAILED
    assert failed.value.source.startswith("Die Kartensuche von 127.0.0.1")


async def test_a_search_that_fails_is_missed_only_when_none_succeeds() -> None:
    server = MisbehavingServer()

    async def only_archaeology(exchange: Exchange) -> None:
        text = exchange.request.query.get("searchtext", [""])[0]
        body = {"results": [product("ch.so.ada.archaeologie.fundstellen", "Archäologische Fundstellen")]}
        good = healthy(json.dumps(body).encode()) if text.startswith("Archäo") else status(500)
        await good(exchange)

    server.behave(only_archaeology)
    found = await found_by("Römer", server, outbound_max_retries=0, outbound_breaker_failures=100)
    assert ids(found) == ["ch.so.ada.archaeologie.fundstellen"]


async def test_an_error_in_an_answer_with_status_200_is_an_error() -> None:
    server = MisbehavingServer()
    server.behave(healthy(b'{"error": "Missing search string"}'))
    with pytest.raises(SourceError) as failed:
        await found_by("Wald", server, federal_fallback=False)
    assert failed.value.kind is SourceErrorKind.UNREADABLE


async def test_old_answers_serve_while_the_canton_is_down_and_say_so() -> None:
    async with RecordedServer(options=Options()) as server:
        gone = server.url
        async with live_gateway("layers", gone, cache_ttl_s=0, outbound_max_retries=0) as gateway:
            fresh = await gateway.layers("Wildtierkorridore")
            await server.__aexit__(None, None, None)
            stale = await gateway.layers("Wildtierkorridore")
    assert ids(stale) == ids(fresh) == ["ch.so.awjf.wildtierkorridore"]
    before, after = fresh.items[0].provenance, stale.items[0].provenance
    assert before is not None and after is not None
    assert (before.stale, after.stale) == (False, True)
    assert after.retrieved_at <= before.retrieved_at or after.retrieved_at == before.retrieved_at
