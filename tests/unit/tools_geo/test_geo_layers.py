"""Finding map layers."""

import pytest
from contracts.items import Layer, LayerGroup, LayerSource
from hypothesis import given
from hypothesis import strategies as st

from tools_geo.embedded import datafiles
from tools_geo.gateways import Found, Gateways, Remark
from tools_geo.layers.catalogue import Service

ALL = datafiles.read().layers
LAYERS = tuple(row for row in ALL if row.service is not Service.NONE)
UNLOADABLE = tuple(row for row in ALL if row.service is Service.NONE)


def ids(found: Found[Layer | LayerGroup]) -> list[str]:
    return [item.id for item in found.items]


def matches(found: Found[Layer | LayerGroup]) -> set[str]:
    return {item.provenance.match for item in found.items if item.provenance}


@pytest.mark.parametrize("row", LAYERS, ids=lambda row: row.id)
async def test_every_layer_is_found_alone_by_its_title(gateways: Gateways, row: datafiles.LayerRow) -> None:
    found = await gateways.layers.layers(row.title)
    assert ids(found) == [row.id]
    assert found.items[0].confidence == 1.0


@pytest.mark.parametrize("row", UNLOADABLE, ids=lambda row: row.id)
async def test_a_layer_that_no_service_has_is_named_and_not_offered(
    gateways: Gateways, row: datafiles.LayerRow
) -> None:
    found = await gateways.layers.layers(row.title)
    assert (found.items, found.remark) == ((), Remark.LAYER_NOT_LOADABLE)
    assert found.values == {"title": row.title, "owner": row.attribution}


async def test_a_group_comes_with_its_layers_ready_for_the_map(gateways: Gateways) -> None:
    (group,) = (await gateways.layers.layers("Gewässerschutz")).items
    assert isinstance(group, LayerGroup)
    assert (group.id, group.label) == ("ch.so.afu.gewaesserschutz", "Gewässerschutz (Gruppe)")
    assert [layer.id.rpartition(".")[2] for layer in group.layers] == [
        "schutzzonen",
        "schutzareale",
        "fassungen",
        "quellen",
    ]
    first = group.layers[0]
    assert first.source == LayerSource(
        type="wms",
        url="https://geo.so.ch/api/wms",
        parameters={
            "LAYERS": "ch.so.afu.gewaesserschutz.schutzzonen",
            "FORMAT": "image/png",
            "TRANSPARENT": "true",
        },
    )
    assert first.attribution == "Kanton Solothurn"
    assert first.provenance is not None


@pytest.mark.parametrize(
    ("query", "layer"),
    [
        ("gewässerschutz", "ch.so.afu.gewaesserschutz"),
        ("Gewasserschutz", "ch.so.afu.gewaesserschutz"),
        ("Gewässerschutzlayer", "ch.so.afu.gewaesserschutz"),
        ("Gewässerschutzkarte", "ch.so.afu.gewaesserschutz"),
        ("Gewässerschutz-Layer", "ch.so.afu.gewaesserschutz"),
        ("den Layer Gewaesserschutz", "ch.so.afu.gewaesserschutz"),
        ("Grundwasserschutz", "ch.so.afu.gewaesserschutz"),
        ("Trinkwasser", "ch.so.afu.gewaesserschutz"),
        ("Gewässerschutzzonen", "ch.so.afu.gewaesserschutz.schutzzonen"),
        ("die Wildtierkorridore", "ch.so.awjf.wildtierkorridore"),
        ("Wildtierkorridor", "ch.so.awjf.wildtierkorridore"),
        ("Nutzungsplanung", "ch.so.arp.nutzungsplanung"),
        ("Ortsplanungsebene", "ch.so.arp.nutzungsplanung"),
        ("Zonenplan", "ch.so.arp.nutzungsplanung"),
        ("Waldplan", "ch.so.awjf.waldplan"),
        ("Jagdreviere", "ch.so.awjf.jagdreviere"),
        ("Waldfunktion", "ch.so.awjf.waldplan.waldfunktion"),
        ("Altlasten", "ch.so.afu.altlasten.standorte"),
        ("Parzellen", "ch.so.agi.av.grundstuecke"),
        ("Gefahrenkarte Rutschung", "ch.so.afu.naturgefahren.gefahrengebiet_rutschung"),
        ("ÖV", "ch.so.avt.oev"),
        ("KKW", "ch.bfe.kernkraftwerke"),
        ("Atomkraftwerke", "ch.bfe.kernkraftwerke"),
        ("Hochwasser", "ch.so.afu.naturgefahren.gefahrengebiet_wasser"),
        ("Überschwemmungsgebiet", "ch.so.afu.naturgefahren.gefahrengebiet_wasser"),
        ("Gefahren", "ch.so.afu.naturgefahren.synoptisches_gefahrengebiet"),
        ("Zone", "ch.so.arp.nutzungsplanung"),
        ("Gewässerschutzbereich", "ch.so.afu.gewaesserschutz"),
        ("AV-Daten", "ch.so.agi.av.amtliche_vermessung"),
        ("ch.so.awjf.schutzwald", "ch.so.awjf.schutzwald"),
        (" CH.SO.AFU.Karst ", "ch.so.afu.karst"),
    ],
)
async def test_a_name_a_synonym_or_a_compound_gives_exactly_one(
    gateways: Gateways, query: str, layer: str
) -> None:
    found = await gateways.layers.layers(query)
    assert ids(found) == [layer]
    assert matches(found) == {"exact"}


@pytest.mark.parametrize(
    ("query", "layer"),
    [
        ("Gewässershutz", "ch.so.afu.gewaesserschutz"),
        ("Gewässershutzkarte", "ch.so.afu.gewaesserschutz"),
        ("Wildtierkoridore", "ch.so.awjf.wildtierkorridore"),
        ("Nutzungsplannung", "ch.so.arp.nutzungsplanung"),
        ("Ortsplanugsebene", "ch.so.arp.nutzungsplanung"),
    ],
)
async def test_typos_in_layers_are_found_and_marked(gateways: Gateways, query: str, layer: str) -> None:
    found = await gateways.layers.layers(query)
    assert ids(found) == [layer]
    assert matches(found) == {"fuzzy"}


async def test_a_topic_gives_a_ranked_choice(gateways: Gateways) -> None:
    found = await gateways.layers.layers("Wasser")
    assert len(found.items) == 8
    assert ids(found)[0] == "ch.so.afu.gewaesserschutz"
    assert "ch.so.afu.fliessgewaesser.netz" in ids(found)
    confidences = [item.confidence or 0 for item in found.items]
    assert confidences == sorted(confidences, reverse=True)
    assert confidences[0] < 1


@pytest.mark.parametrize("query", ["Ebene Wald", "Waldkarte", "Thema Wald", "alle Karten zum Wald"])
async def test_words_for_layer_say_nothing(gateways: Gateways, query: str) -> None:
    assert ids(await gateways.layers.layers(query)) == ids(await gateways.layers.layers("Wald"))


async def test_a_topic_is_not_narrowed_to_the_layer_that_bears_its_name(gateways: Gateways) -> None:
    assert set(ids(await gateways.layers.layers("Lärm"))) == {
        "ch.so.arp.nutzungsplanung.laerm",
        "ch.so.avt.groblaermkataster",
        "ch.so.avt.strassenlaerm",
    }


async def test_a_group_stands_for_its_layers(gateways: Gateways) -> None:
    found = ids(await gateways.layers.layers("Wald"))
    assert found[0] == "ch.so.awjf.waldplan"
    assert not any(layer.startswith("ch.so.awjf.waldplan.") for layer in found)


async def test_layers_of_others_come_last(gateways: Gateways) -> None:
    found = await gateways.layers.layers("Schutzzonen")
    assert ids(found)[-1] == "ch.ensi.zonenplan-notfallschutz-kernanlagen"
    assert len(found.items) > 1
    assert found.items[-1].confidence is not None
    assert all((item.confidence or 0) > found.items[-1].confidence for item in found.items[:-1])


async def test_the_source_in_a_title_is_no_topic(gateways: Gateways) -> None:
    assert set(ids(await gateways.layers.layers("Quellen"))) == {
        "ch.so.afu.gewaesserschutz.quellen",
        "ch.so.afu.quellen_ungefasst",
    }


async def test_a_layer_of_others_names_its_owner(gateways: Gateways) -> None:
    (layer,) = (await gateways.layers.layers("Kernkraftwerke")).items
    assert isinstance(layer, Layer)
    assert layer.attribution == "Bundesamt für Energie"


async def test_a_place_in_the_query_says_nothing_about_the_layer(gateways: Gateways) -> None:
    for place in ("Grenchen", "in Balm bei Messen", "Kanton Solothurn"):
        found = await gateways.layers.layers(f"Gewässerschutz {place}")
        assert ids(found) == ["ch.so.afu.gewaesserschutz"]
        assert (found.confirm, matches(found)) == (False, {"exact"})


async def test_an_unknown_word_beside_a_name_is_asked_about(gateways: Gateways) -> None:
    found = await gateways.layers.layers("Gewässerschutz Blubberland")
    assert (ids(found), found.confirm) == (["ch.so.afu.gewaesserschutz"], True)


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("Karat", ("Karst",)),
        ("Kantonsgrenzwert", ("Kantonsgrenze",)),
        ("Wanderwerte", ("Wanderkarte", "Wanderobjekte")),
        ("Flugzeug", ()),
    ],
)
async def test_what_is_not_found_comes_with_the_nearest_names(
    gateways: Gateways, query: str, names: tuple[str, ...]
) -> None:
    found = await gateways.layers.layers(query)
    assert found.items == ()
    assert tuple(filter(None, (found.nearest, found.second_nearest))) == names


@pytest.mark.parametrize("query", ["the new map", "S'il te plaît", "Guten Tag"])
async def test_short_words_inside_of_others_lead_nowhere(gateways: Gateways, query: str) -> None:
    assert ids(await gateways.layers.layers(query)) == []


@pytest.mark.parametrize("query", ["Solarpotenzial", "Pools", "Schulen", "Karte", "bitte alle Layer", "!?"])
async def test_what_is_no_topic_finds_nothing(gateways: Gateways, query: str) -> None:
    assert ids(await gateways.layers.layers(query)) == []


@given(query=st.text(max_size=200))
async def test_any_text_is_answered_by_the_layers(gateways: Gateways, query: str) -> None:
    assert len((await gateways.layers.layers(query)).items) <= 8


@pytest.mark.parametrize(
    ("query", "layer"),
    [
        ("Banngebiete", "ch.so.awjf.jagdbanngebiete"),
        ("Hochwasserschutz an der Emme", "ch.so.afu.emme.hochwasserschutz"),
        ("Luftbelastung 2010", "ch.so.afu.luftbelastung.zustand_2010"),
        ("Emissionskataster von 2005", "ch.so.afu.ekat2005"),
        ("der neuste EKAT, 2015", "ch.so.afu.ekat2015"),
        ("Sturz", "ch.so.afu.naturgefahren.gefahrengebiet_sturz"),
        ("Steinschlaggefahr", "ch.so.afu.naturgefahren.gefahrengebiet_sturz"),
        ("Leitungen vom Wasser", "ch.so.agi.lkmap.wasser"),
        ("die Grenzen der Gemeinden", "ch.so.agi.gemeindegrenzen"),
        ("noise from roads", "ch.so.avt.strassenlaerm"),
        ("Gemeindegrenzen für eine Präsentation", "ch.so.agi.gemeindegrenzen"),
        ("wenigstens die Wanderwege", "ch.so.arp.wanderwege_mit_sperrungen_umleitungen"),
        ("den verdammten Zonenplan", "ch.so.arp.nutzungsplanung"),
        ("Wanderwäg", "ch.so.arp.wanderwege_mit_sperrungen_umleitungen"),
    ],
)
async def test_what_is_said_of_one_layer_alone_is_not_asked_about(
    gateways: Gateways, query: str, layer: str
) -> None:
    found = await gateways.layers.layers(query)
    assert (ids(found), found.confirm) == ([layer], False)


@pytest.mark.parametrize(
    "query", ["Eigentum", "Gemeindegrenzen für Blubberland", "alte Gebäude", "Quellen Wasser", "Brückenwaage"]
)
async def test_a_part_of_a_name_is_no_name(gateways: Gateways, query: str) -> None:
    found = await gateways.layers.layers(query)
    assert found.items
    assert found.confirm or len(found.items) > 1


@pytest.mark.parametrize("name", ["Altlasen", "Bodentip", "Strasenlärm", "Dufurkarte", "Denkmahlschutz"])
async def test_a_typo_is_no_reason_to_ask(gateways: Gateways, name: str) -> None:
    found = await gateways.layers.layers(name)
    assert len(found.items) == 1
    assert not found.confirm
