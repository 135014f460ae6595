"""Names of layers and topics in other languages."""

from pathlib import Path

import pytest
from german.words import words

from tools_geo.embedded import datafiles
from tools_geo.embedded.datafiles import DataFileError
from tools_geo.layers.catalogue import LayerEntry
from tools_geo.layers.fillers import COURTESIES
from tools_geo.layers.languages import content
from tools_geo.layers.search import LayerSearch
from tools_geo.layers.thesaurus import Thesaurus

WATER = LayerEntry("ch.wasser", "Gewässerschutz", other_names=("protection des eaux", "water protection"))
PARCELS = LayerEntry("ch.grund", "Grundstücke", 1, other_names=("fondi", "parcels"))
ROADS = LayerEntry("ch.strasse", "Strassenlärm", 2, themes=("Lärm",))
RAIL = LayerEntry("ch.bahn", "Bahnlärm", 3, themes=("Lärm",))
TOPICS = {"Lärm": ("bruit", "noise"), "Hintergrund": ("carte de fond",)}
SEARCH = LayerSearch(
    (WATER, PARCELS, ROADS, RAIL), Thesaurus(topics=TOPICS, places=[("olten",), ("balm", "bei", "messen")])
)


def found(query: str) -> list[tuple[str, bool]]:
    return [(hit.entry.id, hit.sure) for hit in SEARCH.search(query)]


@pytest.mark.parametrize(
    "query",
    [
        "protection des eaux",
        "la carte de la protection de l'eau",
        "Show me the water protection, please",
        "protecton des eaux",
        "protection des eaux à Olten",
        "water protection Balm bei Messen",
    ],
)
def test_a_name_gives_its_layer_alone(query: str) -> None:
    assert found(query) == [("ch.wasser", True)]


def test_a_part_of_a_name_is_only_offered() -> None:
    assert found("protection") == [("ch.wasser", False)]


def test_a_topic_is_answered_as_its_word_in_the_catalogue() -> None:
    assert found("noise") == found("le bruit") == found("Lärm") == [("ch.strasse", False), ("ch.bahn", False)]


def test_a_name_as_it_is_written_comes_before_what_could_be_its_singular() -> None:
    assert found("fondi") == [("ch.grund", True)]
    assert ("ch.grund", True) not in found("fond de carte")


def test_other_words_beside_a_name_make_it_a_guess() -> None:
    assert found("bruit xylophone") == [("ch.strasse", False), ("ch.bahn", False)]


def test_a_place_alone_finds_nothing() -> None:
    assert found("Olten") == found("à Olten") == []


def test_what_people_greet_and_command_with_is_no_layer(packaged: LayerSearch) -> None:
    assert [said for said in sorted(COURTESIES) if packaged.search(said)] == []


@pytest.fixture(scope="module")
def packaged() -> LayerSearch:
    data = datafiles.read()
    return LayerSearch(datafiles.layer_entries(data), datafiles.thesaurus(data))


def test_every_layer_has_a_name_in_every_language() -> None:
    data = datafiles.read()
    assert data.names.layers.keys() == {row.id for row in data.layers}
    assert all(row.fr and row.it and row.en for row in data.names.layers.values())


def test_every_topic_is_one_that_is_known(packaged: LayerSearch) -> None:
    for topic, row in datafiles.read().names.topics.items():
        expected = packaged.search(topic)
        assert expected, topic
        assert all(packaged.search(name) == expected for name in row.all), topic


def test_names_are_no_condition(copy: Path) -> None:
    (copy / "names.toml").unlink()
    assert datafiles.read(copy).names.layers == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[layers]\n"ch.so.nirgends" = { fr = "nulle part" }', "ch.so.nirgends is a missing layer"),
        ('[layers]\n"ch.so.afu.karst" = { rm = "carst" }', "column layers.ch.so.afu.karst.rm"),
        ("[layers", "names.toml: "),
    ],
)
def test_a_mistake_in_the_names_is_told(copy: Path, text: str, message: str) -> None:
    (copy / "names.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DataFileError, match=message):
        datafiles.read(copy)


@pytest.mark.parametrize(
    ("said", "word"),
    [
        ("frogs and toads", "Frösche"),
        ("les sangliers", "Wildschweine"),
        ("apicoltori", "Bienen"),
        ("dove pescare", "Fischen"),
        ("mauvaises herbes", "Unkraut"),
        ("caves", "Höhlen"),
        ("wind turbines", "Windräder"),
    ],
)
def test_everyday_words_have_others_elsewhere(packaged: LayerSearch, said: str, word: str) -> None:
    found = {hit.entry.id for hit in packaged.search(said)}
    assert found == {hit.entry.id for hit in packaged.search(word)}


def test_no_name_is_made_of_words_that_say_nothing() -> None:
    names = datafiles.read().names
    said = [name for table in (names.layers, names.topics) for row in table.values() for name in row.all]
    assert [name for name in said if not content(words(name))] == []
