"""Where clients get a layer: the right service, its parameters and tiles, and the legend."""

import re
from urllib.parse import parse_qsl, urlsplit

import pytest
from contracts.items import Layer

from tools_geo.gateways import Gateways
from tools_geo.layers.catalogue import LayerEntry, Service
from tools_geo.layers.services import LayerServices
from tools_geo.layers.tile_grids import CANTON, FEDERAL_MAPS, tile_at
from tools_geo.settings import Settings

SERVICES = LayerServices.of(Settings())
SOLOTHURN = (2_607_096.6, 1_228_655.6)


def entry(service: Service, identity: str = "ch.x.y", **more: float) -> LayerEntry:
    return LayerEntry(identity, "Titel", service=service, **more)  # type: ignore[arg-type]


async def one(gateways: Gateways, query: str) -> Layer:
    (layer,) = (await gateways.layers.layers(query)).items
    assert isinstance(layer, Layer)
    return layer


async def test_a_layer_of_the_canton_has_its_map_service_and_legend(gateways: Gateways) -> None:
    layer = await one(gateways, "Wildtierkorridore")
    assert layer.source.url == "https://geo.so.ch/api/wms"
    assert layer.source.parameters == {
        "LAYERS": "ch.so.awjf.wildtierkorridore",
        "FORMAT": "image/png",
        "TRANSPARENT": "true",
    }
    assert layer.legend_url == (
        "https://geo.so.ch/api/v1/legend/somap?SERVICE=WMS&REQUEST=GetLegendGraphic&VERSION=1.3.0"
        "&SLD_VERSION=1.1.0&FORMAT=image%2Fpng&LAYER=ch.so.awjf.wildtierkorridore"
    )


@pytest.mark.parametrize("name", ["sw", "farbig", "ortho"])
async def test_background_maps_are_tiles_of_the_canton_without_extension_and_row_first(
    gateways: Gateways, name: str
) -> None:
    layer = await one(gateways, f"ch.so.agi.hintergrundkarte_{name}")
    assert layer.source.type == "wmts"
    assert layer.source.url == (
        f"https://geo.so.ch/api/wmts/1.0.0/ch.so.agi.hintergrundkarte_{name}/default/2056/"
        "{TileMatrix}/{TileRow}/{TileCol}"
    )
    assert layer.source.tile_grid == CANTON
    assert layer.source.parameters["format"] == "image/jpeg"


async def test_the_national_map_is_tiles_of_the_confederation_with_extension_and_column_first(
    gateways: Gateways,
) -> None:
    layer = await one(gateways, "Pixelkarte farbig")
    assert layer.source.url == (
        "https://wmts.geo.admin.ch/1.0.0/ch.swisstopo.pixelkarte-farbe/default/current/2056/"
        "{TileMatrix}/{TileCol}/{TileRow}.jpeg"
    )
    assert layer.source.tile_grid == FEDERAL_MAPS


def test_federal_photographs_are_sharper_than_maps() -> None:
    photograph = SERVICES.source(entry(Service.FEDERAL_WMTS, "ch.swisstopo.swissimage"))
    drawn = SERVICES.source(entry(Service.FEDERAL_WMTS, "ch.swisstopo.pixelkarte-grau"))
    assert photograph and photograph.tile_grid and drawn and drawn.tile_grid
    assert (photograph.tile_grid.resolutions[-1], drawn.tile_grid.resolutions[-1]) == (0.1, 0.5)


async def test_a_tile_address_can_be_filled_in(gateways: Gateways) -> None:
    source = (await one(gateways, "Pixelkarte farbig")).source
    assert source.tile_grid is not None
    column, row = tile_at(source.tile_grid, "19", SOLOTHURN)
    url = re.sub(r"\{(\w+)\}", r"%(\1)s", source.url) % {
        "TileMatrix": "19",
        "TileCol": column,
        "TileRow": row,
    }
    assert url.endswith("/2056/19/36/23.jpeg")


async def test_federal_layers_are_not_asked_of_the_canton(gateways: Gateways) -> None:
    layer = await one(gateways, "Kernkraftwerke")
    assert layer.source.url == "https://wms.geo.admin.ch/"
    assert layer.source.parameters["LAYERS"] == "ch.bfe.kernkraftwerke"
    assert layer.legend_url is not None
    assert layer.legend_url.startswith("https://wms.geo.admin.ch/?SERVICE=WMS&REQUEST=GetLegendGraphic")


def test_opacity_is_asked_for_where_it_is_not_full() -> None:
    source = SERVICES.source(entry(Service.WMS, opacity=0.5))
    assert source is not None
    assert source.parameters["OPACITIES"] == "128"
    full = SERVICES.source(entry(Service.WMS))
    assert full is not None
    assert "OPACITIES" not in full.parameters


@pytest.mark.parametrize("service", Service)
def test_without_the_address_of_its_service_a_layer_cannot_be_had(service: Service) -> None:
    nowhere = LayerServices("", "", "", "", "", "")
    assert nowhere.source(entry(service)) is None
    assert nowhere.legend(entry(service)) is None


REST = "SERVICE=WMS&REQUEST=GetLegendGraphic&VERSION=1.3.0&SLD_VERSION=1.1.0"


@pytest.mark.parametrize(
    ("configured", "legend"),
    [
        ("https://x.example/wms", f"https://x.example/wms?{REST}&FORMAT=image%2Fpng&LAYER=ch.x.y"),
        ("https://x.example/wms?", f"https://x.example/wms?{REST}&FORMAT=image%2Fpng&LAYER=ch.x.y"),
        (
            "https://x.example/wms?map=/a/b.map&",
            f"https://x.example/wms?map=/a/b.map&{REST}&FORMAT=image%2Fpng&LAYER=ch.x.y",
        ),
        (
            "https://x.example/wms?map=a&dpi=&format=image/svg%2Bxml",
            f"https://x.example/wms?map=a&dpi=&format=image/svg%2Bxml&{REST}&LAYER=ch.x.y",
        ),
    ],
)
def test_a_legend_keeps_what_its_address_asks_for(configured: str, legend: str) -> None:
    services = LayerServices("", "", configured, "", "", "")
    assert services.legend(entry(Service.WMS)) == legend


def test_a_legend_of_the_confederation_has_what_its_map_server_insists_on() -> None:
    legend = urlsplit(SERVICES.legend(entry(Service.FEDERAL_WMS)) or "")
    asked = dict(parse_qsl(legend.query))
    assert {"SERVICE", "VERSION", "REQUEST", "FORMAT", "LAYER"} < asked.keys()
    assert asked["SLD_VERSION"] == "1.1.0"
