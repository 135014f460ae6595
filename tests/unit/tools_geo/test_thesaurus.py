"""Everyday words: what they lead to, what is left out, and what nobody shows."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from contracts.items import Layer, LayerGroup
from servicekit.testing import MemoryBus

from tools_geo.embedded import datafiles, embedded_gateways
from tools_geo.embedded.datafiles import DataFileError
from tools_geo.gateways import Found, Gateways, Remark
from tools_geo.handlers import register
from tools_geo.layers.catalogue import LayerEntry
from tools_geo.layers.search import LayerSearch
from tools_geo.layers.thesaurus import Meaning, MissingTopic, Thesaurus
from tools_geo.settings import Settings


def ids(found: Found[Layer | LayerGroup]) -> list[str]:
    return [item.id for item in found.items]


FOREST = LayerEntry("ch.wald", "Wald")
NOISE = LayerEntry("ch.laerm", "Strassenlärm", 1, keywords=("Verkehrslärm",), themes=("Lärm",))
WATER = LayerEntry("ch.wasser", "Gewässerschutz", 2, keywords=("Grundwasserschutz",), themes=("Wasser",))
LAYERS = (FOREST, NOISE, WATER)


def found(
    query: str, *meanings: Meaning, missing: Sequence[MissingTopic] = (), context: str = ""
) -> list[str]:
    thesaurus = Thesaurus(meanings, missing, context=context.split())
    return [hit.entry.id for hit in LayerSearch(LAYERS, thesaurus).search(query)]


def test_an_everyday_word_leads_to_a_layer_that_does_not_have_it() -> None:
    assert found("Krach") == []
    assert found("Krach", Meaning(("krach",), ("ch.laerm",))) == ["ch.laerm"]


def test_it_may_lead_to_a_word_that_layers_have() -> None:
    assert found("Krach", Meaning(("krach",), ("Strassenlärm",))) == ["ch.laerm"]


def test_other_forms_and_compounds_of_the_word_count() -> None:
    meaning = Meaning(("baum", "schatten"), ("ch.wald",))
    assert found("Bäume", meaning) == found("Schattenbaum", meaning) == ["ch.wald"]


def test_the_first_target_is_the_best() -> None:
    assert found("Grün", Meaning(("gruen",), ("ch.wasser", "ch.wald"))) == ["ch.wasser", "ch.wald"]


def test_a_phrase_needs_all_of_its_words_in_any_order_and_may_have_others_between() -> None:
    meaning = Meaning((), ("ch.laerm",), phrases=("Fenster offen schlafen",))
    assert found("kann ich bei offenem Fenster gut schlafen", meaning) == ["ch.laerm"]
    assert found("Fenster offen", meaning) == []


def test_a_title_beats_what_the_thesaurus_says() -> None:
    assert found("Wald", Meaning(("wald",), ("ch.laerm",))) == ["ch.wald"]


def test_a_word_that_is_listed_means_only_what_it_is_listed_for() -> None:
    farmer, building = Meaning(("bauern",), ("ch.wasser",)), Meaning(("bauen",), ("ch.wald",))
    assert found("Bauern", farmer, building) == ["ch.wasser"]
    assert found("bauen", farmer, building) == ["ch.wald"]


def test_words_of_the_context_say_nothing_beside_others() -> None:
    at_home = Meaning(("haus",), ("ch.wald",))
    assert found("Strassenlärm Haus", at_home, context="haus") == ["ch.laerm"]
    assert found("Haus", at_home, context="haus") == ["ch.wald"]


def test_what_no_layer_shows_is_not_guessed() -> None:
    # Without the entry the word would be a typo of another.
    assert found("Gewässerschmutz") == ["ch.wasser"]
    assert found("Gewässerschmutz", missing=(MissingTopic(("gewaesserschmutz",)),)) == []


@pytest.mark.parametrize(
    ("query", "see"),
    [
        ("Solar", "sonnendach.ch"),
        ("Solarpotenzial auf meinem Dach", "sonnendach.ch"),
        ("Velowege", "schweizmobil.ch"),
    ],
)
async def test_a_topic_without_a_layer_says_who_knows_it(gateways: Gateways, query: str, see: str) -> None:
    answer = await gateways.layers.layers(query)
    assert (answer.items, answer.remark, answer.values) == ((), Remark.KNOWN_ELSEWHERE, {"see": see})


async def test_the_user_reads_who_knows_it(gateways: Gateways) -> None:
    toolbox = register(MemoryBus("tools-geo"), gateways)  # type: ignore[arg-type]
    outcome = await toolbox["layers.search"].call({"query": "Solarpotenzial"}, "de")
    assert outcome.message == (
        "Einen Layer «Solarpotenzial» finde ich nicht. Auskunft dazu gibt zum Beispiel «sonnendach.ch»."
    )


@pytest.mark.parametrize(
    ("query", "message", "confirm"),
    [
        ("Karat", "Einen Layer «Karat» finde ich nicht. Am nächsten kommt «Karst».", False),
        (
            "Wanderwerte",
            "Einen Layer «Wanderwerte» finde ich nicht. "
            "Am nächsten kommen «Wanderkarte» und «Wanderobjekte».",
            False,
        ),
        (
            "Imkerei",
            "Zu «Imkerei» passt am ehesten «Bienenstandorte und -sperrgebiete». Meinst du diesen Layer?",
            True,
        ),
    ],
)
async def test_what_is_only_near_is_told_or_asked_about(
    gateways: Gateways, query: str, message: str, confirm: bool
) -> None:
    toolbox = register(MemoryBus("tools-geo"), gateways)  # type: ignore[arg-type]
    outcome = await toolbox["layers.search"].call({"query": query}, "de")
    assert (outcome.message, outcome.confirm) == (message, confirm)


async def test_more_than_eight_are_cut_and_it_is_said_how_many_there_are(gateways: Gateways) -> None:
    toolbox = register(MemoryBus("tools-geo"), gateways)  # type: ignore[arg-type]
    answer = await gateways.layers.layers("Wald")
    outcome = await toolbox["layers.search"].call({"query": "Wald"}, "de")
    assert len(answer.items) == len(outcome.items) == 8
    assert answer.remark is Remark.MORE_LAYERS
    assert int(answer.values["found"]) > 8
    assert outcome.message == (
        f"Es gibt {answer.values['found']} passende Karten; hier die besten 8. "
        "Nenne ein genaueres Thema, wenn die richtige nicht dabei ist."
    )


@pytest.mark.parametrize(
    ("query", "layer"),
    [
        ("wo darf ich bauen", "ch.so.arp.nutzungsplanung"),
        ("Lärm vor meinem Haus", "ch.so.avt.strassenlaerm"),
        ("alte Karten", "ch.so.agi.siegfriedkarte"),
        ("wem gehört der Wald", "ch.so.awjf.waldplan.waldeigentum"),
    ],
)
async def test_whole_questions_are_understood(gateways: Gateways, query: str, layer: str) -> None:
    assert layer in ids(await gateways.layers.layers(query))[:2]


async def test_a_meaning_is_marked_as_fuzzy_and_a_name_as_exact(gateways: Gateways) -> None:
    (named,) = (await gateways.layers.layers("Denkmalschutz")).items
    meant = (await gateways.layers.layers("Römer")).items[0]
    assert named.provenance is not None and named.provenance.match == "exact"
    assert meant.provenance is not None and meant.provenance.match == "fuzzy"


# -- the file ----------------------------------------------------------------------------------------------


def test_the_packaged_words_are_folded_and_listed_once_each() -> None:
    read = datafiles.read().thesaurus
    listed = [word for meaning in read.meaning for word in meaning.words]
    assert [word for word in listed if not (word.isascii() and word == word.casefold())] == []
    assert sorted(word for word in set(listed) if listed.count(word) > 1) == []
    missing = [word for topic in read.missing for word in topic.words]
    assert set(missing).isdisjoint(listed)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '[[meaning]]\nwords = "x"\nleads_to = ["ch.so.nirgends"]',
            "meaning 1: ch.so.nirgends is a missing layer",
        ),
        ('[[meaning]]\nwords = "x"\nleads_to = []', "column meaning.0.leads_to"),
        ('[[meaning]]\nword = "x"\nleads_to = ["Wald"]', "column meaning.0.word"),
        ("[[meaning]", "thesaurus.toml: "),
    ],
)
def test_a_mistake_in_the_thesaurus_is_named(copy: Path, text: str, message: str) -> None:
    (copy / "thesaurus.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DataFileError, match=message):
        datafiles.read(copy)


async def test_a_word_added_by_hand_is_found(copy: Path) -> None:
    with (copy / "thesaurus.toml").open("a", encoding="utf-8") as file:
        file.write('\n[[meaning]]\nwords = "glunggepfuetze"\nleads_to = ["ch.so.afu.stehende_gewaesser"]\n')
    gateways = embedded_gateways(Settings(geo_data_dir=copy))
    assert ids(await gateways.layers.layers("Glunggepfütze")) == ["ch.so.afu.stehende_gewaesser"]
