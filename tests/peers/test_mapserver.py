"""A real MapServer understands what we ask of a WMS, and we understand what it answers."""

from collections.abc import AsyncIterator
from io import BytesIO
from urllib.parse import urlencode

import httpx2
import pytest
from PIL import Image
from servicekit.cache import TtlCache
from servicekit.errors import SourceError, SourceErrorKind
from servicekit.outbound import Outbound

from tools_geo.gateways import FeatureGateway
from tools_geo.layers.catalogue import LayerEntry
from tools_geo.layers.services import LayerServices
from tools_geo.live.feature_info import features_at, infos_at
from tools_geo.live.geothermal import LiveGeothermal
from tools_geo.settings import Settings
from tools_geo.sources import live

ZONES = LayerEntry("ch.so.test.schutz.zonen", "Zonen")
SITES = "ch.so.test.standorte"
GROUP = LayerEntry("ch.so.test.schutz", "Schutz", is_group=True)
BOX = (2_600_000, 1_200_000, 2_600_200, 1_200_200)
IN_S1, IN_S2, BESIDE = (2_600_050, 1_200_050), (2_600_150, 1_200_150), (2_600_050, 1_200_150)
RED, BLUE, NOTHING = (255, 0, 0, 255), (0, 0, 255, 255), (0, 0, 0, 0)


@pytest.fixture
def services(wms_url: str) -> LayerServices:
    return LayerServices.of(Settings(wms_url=wms_url, legend_url=wms_url))


@pytest.fixture
async def outbound(wms_url: str) -> AsyncIterator[Outbound]:
    patient = Settings(outbound_max_retries=0, outbound_read_timeout_s=30, outbound_total_timeout_s=60)
    outbound = Outbound(patient, (wms_url,))
    yield outbound
    await outbound.close()


async def picture(url: str) -> Image.Image:
    async with httpx2.AsyncClient(trust_env=False, timeout=60) as http:
        answer = await http.get(url)
    assert answer.headers["content-type"] == "image/png", answer.text
    return Image.open(BytesIO(answer.content)).convert("RGBA")


# -- pictures -------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", [ZONES, GROUP], ids=["layer", "group"])
async def test_a_layer_is_drawn_where_it_lies(services: LayerServices, entry: LayerEntry) -> None:
    source = services.source(entry)
    assert source is not None and source.url is not None
    # What the map of the page adds to the parameters of a layer.
    of_map = {
        "SERVICE": "WMS",
        "VERSION": "1.3.0",
        "REQUEST": "GetMap",
        "STYLES": "",
        "CRS": "EPSG:2056",
        "BBOX": ",".join(map(str, BOX)),
        "WIDTH": 100,
        "HEIGHT": 100,
    }
    drawn = await picture(f"{source.url}?{urlencode(of_map | (source.parameters or {}))}")
    assert drawn.size == (100, 100)
    assert drawn.getpixel((75, 25)) == RED, "the north-east"
    assert drawn.getpixel((25, 75)) == BLUE, "the south-west"
    assert drawn.getpixel((25, 25)) == NOTHING, "the map below is seen"


@pytest.mark.parametrize("entry", [ZONES, GROUP], ids=["layer", "group"])
async def test_a_layer_has_a_legend(services: LayerServices, entry: LayerEntry) -> None:
    url = services.legend(entry)
    assert url is not None
    colours = {colour for _, colour in (await picture(url)).getcolors() or []}
    assert {RED, BLUE} <= colours


# -- what is at a point ---------------------------------------------------------------------------


async def test_what_a_layer_has_at_a_point_is_read(outbound: Outbound, wms_url: str) -> None:
    """MapServer has no format of its own like the one of QGIS Server; the layer has a template for it."""
    (feature,) = await features_at(outbound, wms_url, ZONES.id, IN_S2, source="WMS")
    assert feature["zone"] == "S2"
    assert await features_at(outbound, wms_url, ZONES.id, BESIDE, source="WMS") == []


async def test_a_verdict_on_geothermal_probes_is_read(outbound: Outbound, wms_url: str) -> None:
    live = LiveGeothermal(outbound, wms_url, ZONES.id, "reports.example", TtlCache(10, 60, 60))
    (permitted,) = (await live.assessment(*IN_S2)).items
    assert (permitted.allowed, permitted.max_depth_m) == (True, 250)
    (denied,) = (await live.assessment(*IN_S1)).items
    assert not denied.allowed
    assert denied.text.endswith("nicht möglich: Quelle & Zone S1.")


async def test_an_error_with_status_200_is_a_failure(outbound: Outbound, wms_url: str) -> None:
    with pytest.raises(SourceError) as caught:
        await features_at(outbound, wms_url, "ch.so.test.unknown", IN_S1, source="WMS")
    assert caught.value.kind is SourceErrorKind.FAILED


# -- features of several layers -------------------------------------------------------------------


@pytest.fixture
async def features(wms_url: str, outbound: Outbound) -> FeatureGateway:
    settings = Settings(featureinfo_url=wms_url, data_url="", federal_fallback=False)
    gateway: FeatureGateway = live("features", settings, outbound)
    return gateway


async def test_several_layers_are_one_question(outbound: Outbound, wms_url: str) -> None:
    found = await infos_at(outbound, wms_url, (SITES, ZONES.id), IN_S1, source="WMS")
    assert {layer: [info.id for info in infos] for layer, infos in found.items()} == {
        SITES: ["7"],
        ZONES.id: ["S1"],
    }


async def test_features_of_several_layers_are_told(features: FeatureGateway) -> None:
    found = await features.at(IN_S2, (SITES, ZONES.id), 5)
    site, zone = found.features
    assert (site.label, site.layer_label) == ("Garage & Sohn", "Standorte")
    assert [(each.name, each.value, each.unit) for each in site.attributes] == [
        ("Nummer", "22.002", None),
        ("Name", "Garage & Sohn", None),
        ("Fläche", "300", "m²"),
    ]
    assert site.coord == IN_S2 and site.geometry is not None
    assert zone.layer == ZONES.id and zone.coord == IN_S2
    assert (found.silent, found.failed) == ((), ())


async def test_a_layer_has_nothing_where_nothing_is(features: FeatureGateway) -> None:
    found = await features.at(BESIDE, (SITES, ZONES.id), 5)
    assert (found.features, found.silent, found.failed) == ((), (), ())


@pytest.mark.parametrize("unknown", ["ch.so.test.unknown", "ch.so.test.schutz.grenzen"])
async def test_a_layer_that_is_not_known_or_cannot_be_asked_does_not_cost_the_others(
    features: FeatureGateway, unknown: str
) -> None:
    """MapServer refuses a whole question for one layer."""
    found = await features.at(IN_S1, (ZONES.id, unknown, SITES), 5)
    assert [feature.layer for feature in found.features] == [ZONES.id, SITES]
    assert (found.silent, found.failed) == ((unknown,), ())
