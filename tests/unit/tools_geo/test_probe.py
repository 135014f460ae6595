"""What the sources of the canton must have, asked of a server that speaks their formats."""

from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from recorded.environment import environment
from recorded.server import RecordedServer
from servicekit.probes import Prober
from starlette.responses import JSONResponse, PlainTextResponse

from tools_geo.live import probe
from tools_geo.live.data_service import Feature
from tools_geo.live.outlines import of_canton
from tools_geo.settings import Settings
from tools_geo.sources import prober_of

MakeProber = Callable[..., Prober]


@pytest.fixture
async def server() -> AsyncIterator[RecordedServer]:
    async with RecordedServer() as started:
        yield started


async def findings(server: RecordedServer, **settings: Any) -> list[tuple[str, str, str]]:
    """(setting, path, what is missing)"""
    urls = {name.lower(): value for name, value in environment(server.url).items()}
    prober = prober_of(Settings(**{**urls, **settings}))
    assert prober is not None
    await prober.check()
    await prober.stop()
    found: Any = prober.details()["findings"]
    return [(each["setting"], each["url"].removeprefix(server.url), each["missing"]) for each in found]


@pytest.mark.parametrize("backend", ["postgresql", "solr"])
async def test_the_sources_of_solothurn_have_what_is_configured(server: RecordedServer, backend: Any) -> None:
    server.options.search_backend = backend
    assert await findings(server) == []
    assert len(server.seen) < 15


@pytest.mark.parametrize(
    "setting",
    [
        "search_facet_addresses",
        "search_facet_municipalities",
        "search_facet_districts",
        "search_facet_field_names",
    ],
)
async def test_an_unknown_facet_is_named(server: RecordedServer, setting: str) -> None:
    assert await findings(server, **{setting: "ch.xy.unknown"}) == [
        (setting.upper(), "/api/search/v2/", "facet 'ch.xy.unknown': nothing is found in it")
    ]


async def test_a_facet_that_is_left_empty_is_not_missed(server: RecordedServer) -> None:
    assert await findings(server, search_facet_districts="", search_facet_field_names="") == []


async def test_an_unknown_dataset_is_named(server: RecordedServer) -> None:
    assert await findings(server, data_dataset_parcels="ch.xy.parcels") == [
        ("DATA_DATASET_PARCELS", "/api/data/v1/ch.xy.parcels/", "dataset 'ch.xy.parcels'")
    ]


async def test_each_column_that_a_dataset_lacks_is_named(server: RecordedServer) -> None:
    properties = {"nummer": "1", "egrid": "CH000000000000", "gemeinde": None, "art_txt": "Liegenschaft"}
    collection = {"type": "FeatureCollection", "features": [{"properties": properties, "geometry": None}]}
    server.options.instead["/api/data/"] = JSONResponse(collection)
    url = "/api/data/v1/ch.so.agi.av.grundstuecke.rechtskraeftig/"
    assert await findings(server) == [
        ("DATA_DATASET_PARCELS", url, "column 'grundbuch'"),
        ("DATA_DATASET_PARCELS", url, "column 'flaechenmass'"),
    ]


def test_the_columns_are_those_that_are_read() -> None:
    class Properties(dict[str, Any]):
        def get(self, name: str, default: Any = None) -> Any:
            read.append(name)
            return "CH955832730623" if name == "egrid" else default

    read: list[str] = []
    of_canton([Feature.model_construct(properties=Properties(), geometry=None)])
    assert set(read) == set(probe._COLUMNS)


async def test_an_unknown_layer_is_named(server: RecordedServer) -> None:
    assert await findings(server, geothermal_layer="ch.xy.boreholes") == [
        ("GEOTHERMAL_LAYER", "/api/v1/featureinfo/somap", "layer 'ch.xy.boreholes'")
    ]


async def test_layers_that_have_no_description_are_counted(server: RecordedServer) -> None:
    server.options.instead["/api/dataproduct/"] = JSONResponse({})
    ((setting, _, missing),) = await findings(server)
    assert setting == "LAYER_METADATA_URL"
    assert missing.startswith("180 of 180 layers of layers.csv: ch.so.afu.gewaesserschutz, ")
    assert missing.endswith(", …")


async def test_the_services_of_features_have_what_is_configured(server: RecordedServer) -> None:
    sites = "ch.so.afu.altlasten.standorte"
    configured = {"features_collections": {"a": sites}, "features_datasets": {"b": sites}}
    assert await findings(server, features_url=f"{server.url}/ogc", **configured) == []
    assert server.asked("/ogc/collections") and server.asked(f"/api/data/v1/{sites}/")


async def test_what_the_services_of_features_lack_is_named(server: RecordedServer) -> None:
    configured = {"features_collections": {"a": "ch.xy.a"}, "features_datasets": {"b": "ch.xy.b"}}
    assert await findings(server, features_url=f"{server.url}/ogc", **configured) == [
        ("FEATURES_COLLECTIONS", "/ogc", "collection 'ch.xy.a'"),
        ("FEATURES_DATASETS", "/api/data/v1/ch.xy.b/", "dataset 'ch.xy.b'"),
    ]


async def test_a_server_without_collections_is_named(server: RecordedServer) -> None:
    server.options.instead["/ogc/"] = JSONResponse({"collections": []})
    assert await findings(server, features_url=f"{server.url}/ogc") == [
        ("FEATURES_URL", "/ogc", "collections: there are none")
    ]


@pytest.mark.parametrize("refuses", [False, True])
async def test_layers_of_which_nothing_can_be_asked_are_named(server: RecordedServer, refuses: bool) -> None:
    server.options.instead["featureinfo"] = PlainTextResponse(
        "<ServiceExceptionReport/>" if refuses else "<GetFeatureInfoResponse/>", media_type="text/xml"
    )
    ((setting, _, missing),) = await findings(server, geothermal_source="embedded")
    assert setting == "FEATUREINFO_URL"
    assert missing.startswith("some of the layers ch.so." if refuses else "layers ch.so.")
    assert missing.endswith(", …")


async def test_only_live_sources_are_asked(server: RecordedServer) -> None:
    embedded = dict.fromkeys(("addresses_source", "places_source", "layers_source"), "embedded")
    asked_of_parcels = {"/api/data/v1/ch.so.agi.av.grundstuecke.rechtskraeftig/", "/api/search/v2/"}
    await findings(server, **embedded, geothermal_source="embedded", features_source="embedded")
    assert {seen.path for seen in server.seen} == asked_of_parcels


async def test_a_source_that_fails_is_asked_once_a_round(server: RecordedServer) -> None:
    server.options.busy_for = 100
    found = await findings(server)
    assert [missing for _, _, missing in found] == ["an answer (overloaded, HTTP 503)"] * 5
    assert len(server.seen) == 5


def test_nothing_is_asked_without_live_sources_or_when_it_is_switched_off() -> None:
    assert prober_of(Settings()) is None
    assert prober_of(Settings(geo_source="live", outbound_probe_interval_s=0)) is None
