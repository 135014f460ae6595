"""What a model looks at, what it learns, its file, and when the sense of a text is looked at."""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from contracts.session import LoadedLayer, Session
from e5.wheel import weights
from evaluation.fitting import Example, Size, fitted
from evaluation.learning import FOLDERS, digest, origin_of_layers
from evaluation.network import trained
from solothurn import VOCABULARY

from planner.rules import plan
from planner.rules.grammar.utterance import utterance_of
from planner.rules.heard.layers import layers_meant
from planner.rules.learned import sense
from planner.rules.learned.features import topic_features_of, view_of
from planner.rules.learned.model import Header, Model, intent_model, layer_model
from planner.rules.reading.known import knowing

from .rules_kit import TOOLS


def _features(message: str, session: Session | None = None) -> frozenset[str]:
    return view_of(utterance_of(message), session or Session(), ()).features


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Zeige mir Olten", "Zeige mir Trimbach"),
        ("Wie hoch liegt Grenchen?", "Wie hoch liegt Oensingen?"),
        ("Zeige 2600513, 1215519", "Zeige 2607094, 1228788"),
    ],
)
def test_names_of_places_are_one_word(one: str, other: str) -> None:
    assert _features(one) == _features(other)


def test_what_is_loaded_and_open_is_looked_at() -> None:
    layer = LoadedLayer(id="ch.karst", label="Karst", visible=False)
    before, after = _features("weg damit"), _features("weg damit", Session(layers=(layer,)))
    assert after - before == {"layers 1", "hidden"}


@pytest.mark.parametrize(
    "message",
    [
        "Lade Gewässer. Und Höhen in Olten?",
        "lade gewaesser, und HÖHEN in Olten?",
        "Bitte lade Gewässer und Höhen in Olten? Danke!",
    ],
)
def test_a_sense_is_that_of_one_spelling_without_politeness(message: str) -> None:
    assert view_of(utterance_of(message), Session(), ()).text == "lade gewässer und höhen in olten ?"


def test_a_long_message_is_looked_at_in_part() -> None:
    assert len(_features("wort " * 900)) < 200
    assert len(_features(" ".join(f"w{n}ort" for n in range(900)))) < 5_000


def test_what_is_talked_of_has_no_places_and_no_small_words() -> None:
    said = topic_features_of(utterance_of("Zeig mir bitte in Olten die Kiesgruben").parts)
    assert said == topic_features_of(utterance_of("die Kiesgruben in Grenchen").parts)
    assert "kiesgruben" in said


def test_a_model_is_learned_and_read_again() -> None:
    found = [Example(frozenset({"a", "b"}), frozenset({"load"}))] * 9
    found += [Example(frozenset({"c", "b"}), frozenset({"view"}))] * 9
    size = Size(min_examples=5, min_uses=3, most_weights=100)
    file = fitted(found, size)
    assert file == fitted(list(found), size)
    model = Model(file)
    assert set(model.labels) == {"load", "view"}
    load, view = model.probabilities({"a"}), model.probabilities({"c", "unheard"})
    assert load["load"] > 0.9 > 0.1 > load["view"]
    assert view["view"] > 0.9 > 0.1 > view["load"]


def test_what_is_meant_is_learned_from_the_sense_of_a_text_too() -> None:
    near = np.random.default_rng(0).normal(0, 0.1, (40, 8))
    senses = (np.array([[1.0, n % 2, *[0.0] * 6] for n in range(40)]) + near).astype(np.float32)
    found = [
        Example(frozenset({"said"}), frozenset({"load" if n % 2 else "view"}), sense)
        for n, sense in enumerate(senses)
    ]
    size = Size(min_examples=5, min_uses=3, most_weights=100)
    model = Model(fitted(found, size, by_sense=True))
    load, view = (np.array([1.0, way, *[0.0] * 6], np.float32) for way in (1, 0))
    assert model.probabilities({"unheard"}, load)["load"] > 0.9 > 0.1 > model.probabilities((), view)["load"]
    assert model.probabilities({"unheard"})["load"] == pytest.approx(0.5, abs=0.1)
    by_words = Model(fitted(found, size))
    assert by_words.probabilities((), load) == by_words.probabilities(())


def test_a_network_learns_what_no_sum_of_weights_tells() -> None:
    found = [
        Example(
            frozenset({f"first {one}", f"second {other}"}), frozenset({"load" if one == other else "view"})
        )
        for one, other in ((0, 0), (0, 1), (1, 0), (1, 1)) * 1_000
    ]
    size = Size(min_examples=5, min_uses=3)
    file = trained(found, size)
    assert file == trained(list(found), size)
    with pytest.raises(ValueError, match="another format"):
        Model(file + b"0")
    for model, knows in ((Model(file), True), (Model(fitted(found, size)), False)):
        told = [(label, model.probabilities(each.features)) for each in found[:4] for label in each.labels]
        assert all(probable[label] > 0.6 for label, probable in told) is knows


def test_a_network_does_without_the_sense_of_a_text_and_better_with_it() -> None:
    senses = np.eye(8, dtype=np.float32)[:2]
    labels = frozenset({"view"}), frozenset({"load"})
    found = [Example(frozenset({"said", f"{n % 3}"}), labels[n % 2], senses[n % 2]) for n in range(400)]
    model = Model(trained(found, Size(5, 3, 10_000), by_sense=True))
    for way, wanted in enumerate(("view", "load")):
        without, by_sense = (model.probabilities({"said"}, sense)[wanted] for sense in (None, senses[way]))
        assert by_sense > 0.95
        assert 0.2 < without < 0.8


def test_a_cautious_network_is_less_sure_of_the_same() -> None:
    found = [Example(frozenset({each}), frozenset({each})) for each in ("load", "view")] * 100
    sure, cautious = (
        Model(trained(found, Size(5, 3, caution=caution))).probabilities({"load"})["load"]
        for caution in (1.0, 0.5)
    )
    assert math.log(cautious / (1 - cautious)) == pytest.approx(math.log(sure / (1 - sure)) / 2, rel=0.01)
    assert 0.5 < cautious < sure


def test_what_an_example_does_not_tell_is_not_learned_from_it() -> None:
    found = [Example(frozenset({"said"}), frozenset({"answer", "thanks"}))] * 50
    found += [Example(frozenset({"said"}), frozenset({"load"}))] * 350
    size = Size(min_examples=5, min_uses=3, most_weights=10_000)
    tells_of = lambda label, example: label != "thanks" or "answer" in example.labels  # noqa: E731
    assert Model(trained(found, size)).probabilities({"said"})["thanks"] < 0.2
    assert Model(trained(found, size, tells_of=tells_of)).probabilities({"said"})["thanks"] > 0.8


@pytest.fixture
def forgotten() -> Iterator[None]:
    """No vector is remembered, before and after."""
    for each in (sense._sense_of, sense.embedding_model):
        each.cache_clear()
    yield
    for each in (sense._sense_of, sense.embedding_model):
        each.cache_clear()


@pytest.mark.usefixtures("forgotten")
@pytest.mark.parametrize("found", [None, Path(__file__)])
def test_without_the_weights_of_the_embedding_model_words_decide(
    found: Path | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sense, "weights", lambda: found)
    said = utterance_of("Wo kann ich hier Kies holen?").parts
    with knowing(VOCABULARY):
        assert sense.sense_of("Wo kann ich hier Kies holen?") is None
        assert layers_meant(said) == ("Abbaustellen",)


@pytest.mark.usefixtures("forgotten")
def test_of_a_message_few_texts_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(sense, "senses_of", lambda texts: asked.extend(texts))
    message = "\n".join(f"Lade Holz{n}sachen und Zeug{n}" for n in range(150))[:4_000]
    with knowing(VOCABULARY):
        for _ in range(2):
            plan(message, Session(), TOOLS)
            assert 0 < len(asked) <= 6  # those of the second time are remembered


@pytest.mark.skipif(weights() is None, reason="the weights are there for Linux on x86-64 only")
def test_of_a_long_text_only_the_beginning_has_a_sense() -> None:
    beginning = "Wo kann ich hier Kies holen? " * 20
    one, other = sense.sense_of(beginning), sense.sense_of(beginning + "Oder Lehm? " * 5_000)
    assert one is not None and other is not None
    assert (one == other).all()


def test_only_the_strongest_weights_are_kept() -> None:
    found = [Example(frozenset({"a", "b"}), frozenset({"load"}))] * 9
    found += [Example(frozenset({"b"}), frozenset({"view"}))] * 9
    model = Model(fitted(found, Size(min_examples=5, min_uses=3, most_weights=2)))
    usual = model.probabilities(set())
    assert model.probabilities({"a"}) != usual == model.probabilities({"b"})


def test_nothing_known_gives_what_is_usual() -> None:
    head = Header(labels=("load", "view"), bias=(0.0, 0.0), scale=1.0, features=2)
    hashes = sorted([crc32(b"a"), crc32(b"c")])
    column = hashes.index(crc32(b"c"))
    numbers = [each.to_bytes(4, "little") for each in (*hashes, 1, 2)]
    columns = [each.to_bytes(2, "little") for each in ((0, 1) if column else (1, 0))]
    model = Model(json.dumps(head.model_dump()).encode() + b"\n" + b"".join((*numbers, *columns)) + b"\1\1")
    assert model.probabilities({"b"}) == {"load": 0.5, "view": 0.5}
    assert model.probabilities({"a"}) == {"load": pytest.approx(0.731, abs=0.001), "view": 0.5}
    assert model.probabilities({"c"}) == {"load": 0.5, "view": pytest.approx(0.731, abs=0.001)}


def test_the_model_of_intents_is_that_of_the_conversations() -> None:
    assert intent_model().learned_from == digest(FOLDERS), "run `make learn`"


@pytest.mark.parametrize("by_sense", [False, True])
def test_the_models_of_layers_are_those_of_the_conversations(by_sense: bool) -> None:
    model = layer_model(by_sense)
    assert model.learned_from == origin_of_layers(), "run `make learn`"
    assert model.sense == (384 if by_sense else 0)
    assert set(model.labels) <= {layer.name for layer in VOCABULARY.layers}
