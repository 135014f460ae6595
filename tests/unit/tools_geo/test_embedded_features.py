"""Features of layers from the packaged data: at a point, and within an area."""

import pytest
from servicekit.wording import answering_in

from tools_geo.arguments import FeatureQueryArgs
from tools_geo.embedded import datafiles
from tools_geo.features.areas import area_of
from tools_geo.features.geojson import polygon_of
from tools_geo.gateways import Area, Gateways, LayerFeatures, Remark

ZONES, SITES, RESERVES, DISTRICTS = (
    "ch.so.afu.gewaesserschutz.schutzzonen",
    "ch.so.afu.altlasten.standorte",
    "ch.so.arp.naturreservate",
    "ch.so.awjf.jagdreviere",
)
HOME = (2605899.0, 1229278.0)


async def of(gateways: Gateways, layer: str, area: Area) -> LayerFeatures:
    (found,) = (await gateways.features.within(layer, area)).items
    return found


async def test_a_point_has_the_features_of_the_layers_that_were_asked_for(gateways: Gateways) -> None:
    found = await gateways.features.at(HOME, [ZONES, RESERVES, "ch.so.awjf.waldplan"], 5)
    assert [feature.label for feature in found.features] == ["Grundwasserschutzzone S3 Langendorf"]
    assert (found.silent, found.failed, found.sample) == (("ch.so.awjf.waldplan",), (), True)
    (feature,) = found.features
    assert (feature.layer, feature.layer_label) == (ZONES, "Grundwasserschutzzonen")
    assert {each.name: each.value for each in feature.attributes}["Zone"] == "S3"
    assert feature.provenance is not None and feature.provenance.sample


async def test_a_tolerance_reaches_what_is_near(gateways: Gateways) -> None:
    beside = (2600600.0, 1215630.0)
    assert (await gateways.features.at(beside, [SITES], 1)).features == ()
    assert len((await gateways.features.at(beside, [SITES, SITES], 5)).features) == 1


async def test_units_are_told_apart_from_names(gateways: Gateways) -> None:
    (site,) = (await gateways.features.at((2600596, 1215630), [SITES], 1)).features
    (area,) = (each for each in site.attributes if each.name == "Fläche")
    assert area.unit == "m²"


async def test_a_municipality_has_those_that_belong_to_it(gateways: Gateways) -> None:
    found = await of(gateways, "Jagdreviere", Area(municipality="Biberist"))
    assert {feature.label for feature in found.features} >= {"Jagdrevier Emme", "Jagdrevier Steingruben"}
    assert found.is_all and found.provenance.sample
    everywhere = await of(gateways, DISTRICTS, Area())
    assert len(everywhere.features) == 10 > len(found.features)


async def test_a_district_has_what_is_in_its_municipalities(gateways: Gateways) -> None:
    asked = FeatureQueryArgs(layer=DISTRICTS, municipality="Bezirk Lebern")
    area = await area_of(asked, gateways)
    assert (area.label, area.district, area.municipality) == ("im Bezirk Lebern", "lebern", "")
    in_grenchen = await of(gateways, DISTRICTS, Area(municipality="Grenchen"))
    assert (await of(gateways, DISTRICTS, area)).features == in_grenchen.features != ()
    assert (await area_of(FeatureQueryArgs(layer=DISTRICTS, municipality="Olten"), gateways)).district == ""


async def test_an_area_has_what_touches_it(gateways: Gateways) -> None:
    around = Area(geometry={"type": "Point", "coordinates": HOME}, radius_m=100)
    zones = {feature.label.split()[1] for feature in (await of(gateways, ZONES, around)).features}
    assert zones == {"S2", "S3"}
    seen = Area(geometry=polygon_of((2600000, 1215000, 2602000, 1217000)))
    assert len((await of(gateways, RESERVES, seen)).features) == 3


async def test_nothing_there_is_an_answer(gateways: Gateways) -> None:
    found = await of(gateways, "belastete Standorte", Area(municipality="Balsthal"))
    assert (found.features, found.is_all) == ((), True)


@pytest.mark.parametrize(
    ("said", "layer"),
    [
        (SITES, SITES),
        ("belastete Standorte", SITES),
        ("belasteten Standorten", SITES),
        ("Altlasten", SITES),
        ("contaminated sites", SITES),
        ("Naturreservat", RESERVES),
        ("nature reserves", RESERVES),
        ("Jagdreviere", DISTRICTS),
        ("hunting districts", DISTRICTS),
        ("Grundwasserschutz", ZONES),
        ("zones de protection des eaux souterraines", ZONES),
    ],
)
async def test_a_layer_is_meant_by_everyday_words(gateways: Gateways, said: str, layer: str) -> None:
    assert (await of(gateways, said, Area(municipality="Messen"))).layer == layer


async def test_every_name_of_things_means_its_layer(gateways: Gateways) -> None:
    for file in datafiles.read().features:
        assert file.things is not None
        for language, name in file.things.model_dump().items():
            with answering_in(language):
                found = await of(gateways, name, Area())
            assert (found.layer, found.things) == (file.layer, name)


async def test_what_is_only_pictures_is_not_replaced(gateways: Gateways) -> None:
    found = await gateways.features.within("Wald", Area())
    assert (found.items, found.remark) == ((), Remark.NO_FEATURES)
    assert found.values == {"title": "Waldplan"}
    assert (await gateways.features.within("Fischereireviere", Area())).remark is Remark.NO_FEATURES
    assert (await gateways.features.within("Einhörner", Area())).remark is None


async def test_layers_know_where_they_have_something(gateways: Gateways) -> None:
    (zones,) = (await gateways.layers.layers("Grundwasserschutzzonen")).items
    (other,) = (await gateways.layers.layers("Wildtierkorridore")).items
    canton = datafiles.read().about.extent
    assert other.extent == canton
    assert zones.extent is not None and zones.extent != canton


async def test_the_nearest_address_is_that_of_a_point_within_reach(gateways: Gateways) -> None:
    (address,) = (await gateways.addresses.near((2605905, 1229280), 50)).items
    assert address.label == "Langendorfstrasse 19b, 4500 Solothurn"
    assert (await gateways.addresses.near((2605905, 1229280), 5)).items == ()
    # A corner of the square around the point is farther than the circle.
    assert (await gateways.addresses.near((2605899 - 40, 1229278 - 40), 50)).items == ()
