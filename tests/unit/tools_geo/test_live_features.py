"""Features of layers from services that speak the formats of the canton, and OGC API Features."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from feature_questions import QUESTIONS, RESERVES, SITES, ZONES, asked, number, shown, told
from geo_live import live_gateway
from recorded.featureinfo import LAYER as GEOTHERMAL
from recorded.ogc_features import OgcOptions
from recorded.server import RecordedServer
from servicekit.errors import SourceError, SourceErrorKind
from starlette.responses import JSONResponse, PlainTextResponse
from swissgeo.lv95 import from_wgs84

from tools_geo.features.geojson import polygon_of
from tools_geo.gateways import Area, FeatureGateway, Gateways, Remark

FOUNDRY = (2635030.0, 1243285.0)
UNKNOWN = "ch.so.test.unknown"
HUNTING = "ch.so.awjf.jagdreviere"
FAR_AWAY = polygon_of((2_500_000, 1_100_000, 2_500_100, 1_100_100))
OLTEN = (2_634_000.0, 1_243_000.0, 2_636_500.0, 1_245_500.0)


@pytest.fixture(params=["data service", "OGC API Features"])
async def features(server: RecordedServer, request: pytest.FixtureRequest) -> AsyncIterator[FeatureGateway]:
    """The same layers, by whom they can be served."""
    is_ogc = request.param.startswith("OGC")
    only = {"features_url": f"{server.url}/ogc", "data_url": ""} if is_ogc else {}
    async with live_gateway("features", server.url, **only) as gateway:
        yield gateway


@pytest.fixture
async def ogc(server: RecordedServer) -> AsyncIterator[FeatureGateway]:
    async with live_gateway("features", server.url, features_url=f"{server.url}/ogc") as gateway:
        yield gateway


@pytest.fixture
async def data(server: RecordedServer) -> AsyncIterator[FeatureGateway]:
    async with live_gateway("features", server.url) as gateway:
        yield gateway


# -- the same as the packaged ones ----------------------------------------------------------------


@pytest.mark.parametrize("question", QUESTIONS, ids=shown)
async def test_a_question_has_the_same_numbers(
    gateways: Gateways, features: FeatureGateway, question: dict[str, Any]
) -> None:
    expected = await asked(gateways, gateways.features, question)
    found = await asked(gateways, features, question)
    assert told(found) == told(expected)
    assert number(found) == pytest.approx(number(expected))


async def test_where_it_comes_from_is_told(server: RecordedServer, features: FeatureGateway) -> None:
    (sites,) = (await features.within(SITES, Area())).items
    assert sites.provenance.source == f"{server.url.removeprefix('http://')}, Objekte"
    assert not sites.provenance.sample
    assert {feature.provenance for feature in sites.features} == {sites.provenance}


# -- which layer, and whose -----------------------------------------------------------------------


@pytest.mark.parametrize("said", [SITES, "Altlasten", "belastete Standorte", "sites pollués"])
async def test_a_layer_is_known_by_its_id_and_by_words(features: FeatureGateway, said: str) -> None:
    (found,) = (await features.within(said, Area())).items
    assert (found.layer, found.things) == (SITES, "belastete Standorte")


async def test_a_layer_without_features_is_named(features: FeatureGateway) -> None:
    found = await features.within("Ökomorphologie", Area())
    assert (found.items, found.remark) == ((), Remark.NO_FEATURES)
    assert found.values == {"title": "Ökomorphologie der Fliessgewässer"}


async def test_words_for_several_layers_name_them(data: FeatureGateway) -> None:
    found = await data.within("Gewässerschutz", Area())
    assert (found.items, found.remark) == ((), Remark.SEVERAL_LAYERS)
    assert "Grundwasserschutzzonen" in found.values["titles"]


async def test_of_a_group_the_only_layer_with_features_is_meant(server: RecordedServer) -> None:
    only = {"features_url": f"{server.url}/ogc", "data_url": ""}
    async with live_gateway("features", server.url, **only) as gateway:
        (found,) = (await gateway.within("Gewässerschutz", Area())).items
    assert found.layer == ZONES


async def test_words_without_meaning_find_nothing(features: FeatureGateway) -> None:
    found = await features.within("Xyzzyqw", Area())
    assert (found.items, found.remark) == ((), None)


async def test_the_collections_of_a_server_can_be_asked_for(ogc: FeatureGateway) -> None:
    assert ogc.names() == ()
    await ogc.within("Xyzzyqw", Area())
    assert "Kataster der belasteten Standorte (KbS)" in ogc.names()


async def test_a_collection_may_have_another_id_than_its_layer(server: RecordedServer) -> None:
    changes = {"features_url": f"{server.url}/ogc", "features_collections": {"ch.so.test.sites": SITES}}
    async with live_gateway("features", server.url, **changes) as gateway:
        (found,) = (await gateway.within("ch.so.test.sites", Area())).items
    assert (found.layer, found.label) == ("ch.so.test.sites", "Kataster der belasteten Standorte (KbS)")
    assert server.asked(f"/ogc/collections/{SITES}/items")


async def test_a_layer_can_be_left_to_the_data_service(server: RecordedServer) -> None:
    changes = {"features_url": f"{server.url}/ogc", "features_datasets": {"ch.so.test.sites": SITES}}
    async with live_gateway("features", server.url, **changes) as gateway:
        (found,) = (await gateway.within("ch.so.test.sites", Area())).items
    assert len(found.features) == 30
    assert server.asked(f"/api/data/v1/{SITES}/") and not server.asked("/items")


async def test_what_is_no_collection_is_looked_for_in_the_data_service(
    ogc: FeatureGateway, server: RecordedServer
) -> None:
    (parcels,) = (await ogc.within("ch.so.agi.av.grundstuecke.rechtskraeftig", Area())).items
    assert parcels.features and not server.asked("/items")


async def test_a_page_for_people_does_not_say_that_there_is_no_dataset(
    data: FeatureGateway, server: RecordedServer
) -> None:
    server.options.instead["/api/data/"] = PlainTextResponse("not found", 404)
    with pytest.raises(SourceError) as failed:
        await data.within(SITES, Area())
    assert (failed.value.kind, failed.value.status) == (SourceErrorKind.FAILED, 404)


# -- areas ----------------------------------------------------------------------------------------


async def test_zero_is_an_answer(features: FeatureGateway) -> None:
    (sites,) = (await features.within(SITES, Area(geometry=FAR_AWAY))).items
    assert (sites.features, sites.is_all) == ((), True)


async def test_a_box_is_asked_for_and_not_everything(server: RecordedServer, ogc: FeatureGateway) -> None:
    await ogc.within(SITES, Area(geometry=polygon_of(OLTEN), extent=OLTEN))
    (seen,) = server.asked("/items")
    assert seen.query["bbox"] == "2634000,1243000,2636500,1245500"
    assert seen.query["bbox-crs"] == seen.query["crs"] == "http://www.opengis.net/def/crs/EPSG/0/2056"


async def test_in_degrees_the_box_is_not_smaller(server: RecordedServer, ogc: FeatureGateway) -> None:
    server.options.ogc = OgcOptions(knows_lv95=False)
    await ogc.within(SITES, Area(geometry=polygon_of(OLTEN), extent=OLTEN))
    (seen,) = server.asked("/items")
    assert "crs" not in seen.query and "bbox-crs" not in seen.query
    west, south, east, north = map(float, seen.query["bbox"].split(","))
    (w, s), (e, n) = from_wgs84(west, south), from_wgs84(east, north)
    assert w <= OLTEN[0] and s <= OLTEN[1] and e >= OLTEN[2] and n >= OLTEN[3]


async def test_systems_that_are_named_once_for_all_are_known(
    server: RecordedServer, ogc: FeatureGateway
) -> None:
    server.options.ogc.shares_crs = True
    await ogc.within(SITES, Area())
    (seen,) = server.asked("/items")
    assert seen.query["crs"].endswith("/2056")


# -- where a municipality ends --------------------------------------------------------------------


def boundary(server: RecordedServer, name: str, sides: tuple[float, float, float, float]) -> None:
    """The Confederation knows an outline."""
    found = {
        "layerBodId": "ch.swisstopo.swissboundaries3d-gemeinde-flaeche.fill",
        "featureId": 2581,
        "properties": {"gemname": name, "gde_nr": 2581, "is_current_jahr": True},
        "geometry": polygon_of(sides),
    }
    server.options.instead["/identify"] = JSONResponse({"results": [found]})


async def test_an_outline_counts_more_than_what_features_say(
    server: RecordedServer, features: FeatureGateway
) -> None:
    boundary(server, "Olten", (FOUNDRY[0] - 5, FOUNDRY[1] - 5, FOUNDRY[0] + 5, FOUNDRY[1] + 5))
    (sites,) = (await features.within(SITES, Area(municipality="Olten"))).items
    assert [feature.label for feature in sites.features] == ["Giesserei an der Halde"]


async def test_the_outline_of_another_municipality_is_none(
    server: RecordedServer, features: FeatureGateway
) -> None:
    boundary(server, "Trimbach", (FOUNDRY[0] - 5, FOUNDRY[1] - 5, FOUNDRY[0] + 5, FOUNDRY[1] + 5))
    (sites,) = (await features.within(SITES, Area(municipality="Olten"))).items
    assert len(sites.features) == 9


async def test_a_neighbour_on_the_boundary_is_not_inside(server: RecordedServer, ogc: FeatureGateway) -> None:
    (districts,) = (await ogc.within(HUNTING, Area())).items
    first = districts.features[0]
    assert first.extent is not None
    _, south, east, north = first.extent
    for gap, inside in ((0.5, False), (-30, True)):
        boundary(server, "Olten", (east + gap, south - 100, east + 10_000, north + 100))
        async with live_gateway("features", server.url, features_url=f"{server.url}/ogc") as gateway:
            (found,) = (await gateway.within(HUNTING, Area(municipality="Olten"))).items
        assert (first.id in [feature.id for feature in found.features]) is inside


async def test_without_an_outline_features_are_taken_at_their_word(
    server: RecordedServer, features: FeatureGateway
) -> None:
    server.options.instead["/identify"] = PlainTextResponse("down", 500)
    (sites,) = (await features.within(SITES, Area(municipality="Olten"))).items
    assert len(sites.features) == 9


@pytest.mark.parametrize(
    ("properties", "count"),
    [
        ({"gemeinde": "Olten"}, 1),
        ({"Gemeindename": "olten"}, 1),
        ({"gemeinde": "Trimbach / Olten"}, 1),
        ({"bfs_nr": 2581}, 1),
        ({"bfsnr": "2581"}, 1),
        ({"gemeinde": "Starrkirch-Wil", "bfs_nr": 2584}, 0),
        ({"gemeinde": "Wangen bei Olten"}, 0),
    ],
)
async def test_how_features_say_where_they_are(
    server: RecordedServer, data: FeatureGateway, properties: dict[str, Any], count: int
) -> None:
    server.options.instead["/identify"] = PlainTextResponse("down", 500)
    server.options.instead["/api/data/"] = collection({"name": "x", **properties})
    (found,) = (await data.within(SITES, Area(municipality="Olten"))).items
    assert len(found.features) == count


async def test_when_nobody_says_where_it_is_that_is_an_error(
    server: RecordedServer, data: FeatureGateway
) -> None:
    server.options.instead["/identify"] = PlainTextResponse("down", 500)
    server.options.instead["/api/data/"] = collection({"name": "x"})
    with pytest.raises(SourceError) as failed:
        await data.within(SITES, Area(municipality="Olten"))
    assert failed.value.status == 500


async def test_without_the_confederation_it_is_one_as_well(server: RecordedServer) -> None:
    server.options.instead["/api/data/"] = collection({"name": "x"})
    async with live_gateway("features", server.url, federal_fallback=False) as gateway:
        with pytest.raises(SourceError, match="Gemeindegrenzen"):
            await gateway.within(SITES, Area(municipality="Olten"))


def collection(*properties: dict[str, Any], **more: Any) -> JSONResponse:
    features = [
        {"type": "Feature", "properties": each, "geometry": {"type": "Point", "coordinates": list(FOUNDRY)}}
        for each in properties
    ]
    document = {"type": "FeatureCollection", "features": features, "numberMatched": len(features)}
    return JSONResponse({**document, **more})


# -- at a point -----------------------------------------------------------------------------------


async def test_several_layers_are_one_question(server: RecordedServer, data: FeatureGateway) -> None:
    found = await data.at(FOUNDRY, (HUNTING, SITES, UNKNOWN, GEOTHERMAL), 5)
    assert [feature.layer for feature in found.features] == [HUNTING, SITES, GEOTHERMAL]
    assert (found.silent, found.failed) == ((UNKNOWN,), ())
    (seen,) = server.asked("featureinfo")
    assert seen.query["QUERY_LAYERS"] == f"{HUNTING},{SITES},{UNKNOWN},{GEOTHERMAL}"
    assert seen.query["WITH_GEOMETRY"] == "true"


async def test_a_feature_is_told_as_users_read_it(data: FeatureGateway) -> None:
    (site,) = (await data.at(FOUNDRY, (SITES,), 5)).features
    assert (site.label, site.layer_label) == (
        "Giesserei an der Halde",
        "Kataster der belasteten Standorte (KbS)",
    )
    assert {each.name for each in site.attributes} == {
        *("Nummer", "Name", "Typ", "Status", "Fläche", "Erfasst", "Gemeinde")
    }
    assert [(each.value, each.unit) for each in site.attributes if each.name == "Fläche"] == [("6550", "m²")]
    assert site.coord == FOUNDRY
    assert site.geometry == {"type": "Point", "coordinates": list(FOUNDRY)}


async def test_outlines_come_along(data: FeatureGateway) -> None:
    (district,) = (await data.at(FOUNDRY, (HUNTING,), 0)).features
    assert district.geometry is not None and district.geometry["type"] == "Polygon"
    assert district.extent is not None and district.extent[0] <= FOUNDRY[0] <= district.extent[2]


async def test_nothing_there_is_not_silence(data: FeatureGateway) -> None:
    found = await data.at((2_700_000, 1_200_000), (SITES, HUNTING), 5)
    assert (found.features, found.silent, found.failed) == ((), (), ())


@pytest.mark.parametrize(("distance_m", "count"), [(4, 1), (12, 0)])
async def test_what_is_near_enough_is_there(data: FeatureGateway, distance_m: float, count: int) -> None:
    found = await data.at((FOUNDRY[0] + distance_m, FOUNDRY[1]), (SITES,), 5)
    assert len(found.features) == count


async def test_a_wide_reach_is_asked_for_with_larger_pixels(
    server: RecordedServer, data: FeatureGateway
) -> None:
    place = (FOUNDRY[0] + 390, FOUNDRY[1])
    for reach_m, is_near in ((380, False), (400, True)):
        found = await data.at(place, (SITES,), reach_m)
        assert ("Giesserei an der Halde" in {feature.label for feature in found.features}) is is_near
    seen = server.asked("featureinfo")[-1]
    assert (seen.query["FI_POINT_TOLERANCE"], seen.query["WIDTH"]) == ("50", "101")
    west, _, east, _ = map(float, seen.query["BBOX"].split(","))
    assert east - west == 101 * 8


async def test_what_a_service_adds_generously_is_left_out(
    server: RecordedServer, data: FeatureGateway
) -> None:
    server.options.instead["featureinfo"] = infos(
        f'<Feature id="1">{drawn("POINT(2635036 1243285)")}</Feature>'
        f'<Feature id="2">{drawn("POINT(2635034 1243285)")}</Feature><Feature id="3"/>'
    )
    found = await data.at(FOUNDRY, (SITES,), 5)
    assert [feature.id for feature in found.features] == [f"{SITES}:2", f"{SITES}:3"]
    assert found.features[1].coord == FOUNDRY and found.features[1].geometry is None


async def test_the_layers_of_a_group_answer_for_it(server: RecordedServer, data: FeatureGateway) -> None:
    group = "ch.so.afu.gewaesserschutz"
    server.options.instead["featureinfo"] = infos('<Feature id="1"/>', name=f"{group}.schutzzonen")
    found = await data.at(FOUNDRY, (group, SITES), 5)
    assert [feature.layer for feature in found.features] == [group]
    assert found.silent == (SITES,)


def infos(features: str, name: str = SITES) -> PlainTextResponse:
    body = f'<GetFeatureInfoResponse><Layer layername="{name}">{features}</Layer></GetFeatureInfoResponse>'
    return PlainTextResponse(body, media_type="text/xml")


def drawn(wkt: str) -> str:
    return f'<Attribute name="geometry" value="{wkt}" type="derived"/>'


async def test_a_service_that_refuses_all_for_one_is_asked_again_for_the_others(
    server: RecordedServer, data: FeatureGateway
) -> None:
    server.options.featureinfo.refuses_unknown = True
    found = await data.at(FOUNDRY, (HUNTING, UNKNOWN, SITES), 5)
    assert [feature.layer for feature in found.features] == [HUNTING, SITES]
    assert (found.silent, found.failed) == ((UNKNOWN,), ())


async def test_a_service_that_is_down_has_failed_for_each_layer(
    server: RecordedServer, data: FeatureGateway
) -> None:
    server.options.instead["featureinfo"] = PlainTextResponse("down", 500)
    found = await data.at(FOUNDRY, (SITES, HUNTING), 5)
    assert (found.features, found.silent, found.failed) == ((), (), (SITES, HUNTING))


async def test_a_refusal_of_another_kind_is_a_failure(server: RecordedServer, data: FeatureGateway) -> None:
    body = '<ServiceExceptionReport><ServiceException code="NoApplicableCode"/></ServiceExceptionReport>'
    server.options.instead["featureinfo"] = PlainTextResponse(body, media_type="text/xml")
    found = await data.at(FOUNDRY, (SITES,), 5)
    assert (found.silent, found.failed) == ((), (SITES,))


async def test_without_a_map_service_collections_are_asked(server: RecordedServer) -> None:
    changes = {"features_url": f"{server.url}/ogc", "featureinfo_url": ""}
    async with live_gateway("features", server.url, **changes) as gateway:
        found = await gateway.at(FOUNDRY, (SITES, HUNTING, UNKNOWN), 5)
    assert [feature.layer for feature in found.features] == [SITES, HUNTING]
    assert (found.silent, found.failed) == ((UNKNOWN,), ())
    assert not server.asked("featureinfo")


async def test_more_layers_than_fit_into_a_question_are_several(
    server: RecordedServer, data: FeatureGateway
) -> None:
    found = await data.at(FOUNDRY, (*(f"{UNKNOWN}{n}" for n in range(40)), SITES), 5)
    assert [feature.layer for feature in found.features] == [SITES]
    assert len(found.silent) == 40
    assert len(server.asked("featureinfo")) == 2


async def test_an_earlier_answer_serves_while_the_source_is_down(server: RecordedServer) -> None:
    async with live_gateway("features", server.url, cache_ttl_s=0) as gateway:
        fresh = await gateway.at(FOUNDRY, (SITES,), 5)
        server.options.instead["featureinfo"] = PlainTextResponse("down", 500)
        old = await gateway.at(FOUNDRY, (SITES,), 5)
    assert [feature.id for feature in old.features] == [feature.id for feature in fresh.features]
    assert [feature.provenance.stale for feature in (*fresh.features, *old.features)] == [False, True]


async def test_in_degrees_areas_are_nearly_the_same(gateways: Gateways, server: RecordedServer) -> None:
    server.options.ogc.knows_lv95 = False
    async with live_gateway("features", server.url, features_url=f"{server.url}/ogc") as gateway:
        (found,) = (await gateway.within(RESERVES, Area())).items
    (known,) = (await gateways.features.within(RESERVES, Area())).items
    for one, other in zip(found.features, known.features, strict=True):
        assert one.extent == pytest.approx(other.extent, abs=2)
