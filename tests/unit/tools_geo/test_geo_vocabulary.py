"""What this service says it knows by name comes from the data that the settings name."""

from pathlib import Path

import pytest
from cantons import AUBONNES, SOLOTHURN
from contracts.vocabulary import MAX_VOCABULARY_BYTES, Vocabulary, form_of

from tools_geo.embedded import datafiles
from tools_geo.parcel_query import plain_number
from tools_geo.settings import Settings
from tools_geo.sources import gateways, names_of
from tools_geo.vocabulary import Samples, vocabulary_of

ELSEWHERE = Settings(geo_source="live", search_url="https://geo.aubonnes.example/api/search/v2/")
DATA = Path(AUBONNES.environment["GEO_DATA_DIR"])


def test_the_packaged_data_tell_their_names() -> None:
    known, samples = names_of(Settings())
    names = {place.name: place for place in known.places}
    assert names["Kanton Solothurn"].kind == "canton"
    assert names["Büren (SO)"].kind == "municipality" and names["Balm bei Messen"].kind == "locality"
    assert names["Passwang"].kind == "locality"
    assert {"Thal", "Gäu"} <= {name for name, place in names.items() if place.kind == "district"}
    assert "4500" in known.postal_codes and known.parcel_numbers == ()
    assert samples.parcel() == SOLOTHURN.lot.spoken
    assert len(known.to_json()) < MAX_VOCABULARY_BYTES


@pytest.mark.parametrize(
    ("settings", "is_asked"),
    [
        (Settings(), True),
        (Settings(features_source="live"), False),
        (Settings(features_source="live", features_url="https://features.example/"), True),
    ],
)
def test_what_can_be_counted_is_an_example_made_of_the_data(settings: Settings, is_asked: bool) -> None:
    known, _ = names_of(settings)
    said = {example.intent: example for example in known.examples}
    assert said["measure_distance"].sentence("en") == "How far is it from Solothurn to Olten?"
    assert said["identify"].sentence("de") == "Was ist bei 2600565, 1215512?"
    assert ("query_features" in said) == is_asked
    if is_asked:
        counted = said["query_features"]
        assert counted.sentence("de") == "Wie viele belastete Standorte gibt es in Olten?"
        assert counted.sentence("it") == "Quanti siti inquinati ci sono a Olten?"


def test_layers_are_known_by_the_names_that_mean_each_alone() -> None:
    known, _ = names_of(Settings())
    named = {layer.id: layer for layer in known.layers}
    assert {row.id for row in datafiles.read().layers} == named.keys()
    water = named["ch.so.afu.gewaesserschutz"]
    assert water.name == "Gewässerschutz" and known.layers[0] == water
    assert {"protection des eaux", "protezione delle acque", "water protection"} <= {*water.also}
    assert "alignements" not in {name for layer in known.layers for name in layer.also}


async def test_what_a_layer_is_called_leads_to_it() -> None:
    search = gateways(Settings(), None).layers
    for layer in names_of(Settings())[0].layers[:60]:
        for name in (layer.name, *layer.also):
            found = await search.layers(name)
            assert [item.id for item in found.items] == [layer.id] and not found.confirm


@pytest.mark.parametrize("times", [1, 2, 4])
def test_places_come_before_layers_where_there_is_no_room_for_all(times: int) -> None:
    data = datafiles.read()
    localities = tuple(
        row.model_copy(update={"name": f"{row.name} {n}"}) for row in data.localities for n in range(times)
    )
    known = vocabulary_of(data.model_copy(update={"localities": localities}), Samples())
    assert known.bounded() == known
    assert sum(place.kind == "locality" for place in known.places) >= len(localities)
    assert len(known.layers) == len(data.layers) or times == 4
    assert known.layers[0].id == "ch.so.afu.gewaesserschutz"


def test_another_folder_is_another_canton() -> None:
    known, samples = names_of(Settings(geo_data_dir=DATA))
    assert [place.name for place in known.places if place.kind == "canton"] == ["Kanton Aubonnes"]
    assert set(known.parcel_numbers) == {"A9", "9.9"}
    assert (samples.address, samples.parcel()) == ("Rue du Lac 12, Saint-Aubin", AUBONNES.lot.spoken)
    packaged, _ = names_of(Settings())
    mentioned = known.to_json().decode()
    assert not any(place.name in mentioned for place in packaged.places if place.kind == "municipality")


@pytest.mark.parametrize("folder", [None, DATA])
def test_a_village_called_like_its_municipality_is_not_a_second_point(folder: Path | None) -> None:
    known, _ = names_of(Settings(geo_data_dir=folder))
    points = [(place.name, place.coord) for place in known.places if place.coord]
    assert len(points) == len(set(points))


@pytest.mark.parametrize("live", [False, True])
def test_names_of_one_canton_are_not_told_for_the_servers_of_another(live: bool) -> None:
    assert names_of(ELSEWHERE) == (Vocabulary(), Samples())
    own = ELSEWHERE.model_copy(update={"geo_data_dir": DATA, "geo_source": "live" if live else "embedded"})
    assert "Kanton Aubonnes" in {place.name for place in names_of(own)[0].places}


def test_of_many_forms_of_numbers_the_first_are_announced() -> None:
    data = datafiles.read(DATA)
    numbers = [f"{a}{b}1{c}" for a in ("A", "AB", "ABC") for b in ("", "-", ".") for c in ("", "-2", ".A")]
    parcels = tuple(data.parcels[0].model_copy(update={"number": number}) for number in numbers)
    many = data.model_copy(update={"parcels": parcels})
    assert vocabulary_of(many, Samples()).parcel_numbers == tuple(map(form_of, numbers))[:20]


async def test_every_sample_is_found_in_its_data() -> None:
    for settings in (Settings(), Settings(geo_data_dir=DATA)):
        _, named = names_of(settings)
        found = gateways(settings, None)
        assert named.at_parcel is not None
        assert (await found.addresses.addresses(named.address)).items[0].confidence == 1.0
        assert (await found.places.municipalities(named.municipality)).items
        assert (await found.places.places(named.place)).items
        assert (await found.layers.layers(named.layer)).items
        assert (await found.parcels.by_number(named.number, named.in_municipality)).items
        assert (await found.parcels.by_xy(*named.at_parcel)).items


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("GB-Nr. 0168", "168"),
        ("GB168", "168"),
        ("168 a", "168A"),
        ("Messen 168", "168"),
        ("d7001", "D7001"),
        ("Nr. D7001", "D7001"),
        ("1234.01", "1234.01"),
        ("A-12", "A-12"),
        ("0", "0"),
        ("", ""),
    ],
)
def test_numbers_of_parcels_keep_what_belongs_to_them(written: str, number: str) -> None:
    assert plain_number(written) == number
