"""What a linear model hears: its features, its file, and when it may say something else than the rules."""

import json
from zlib import crc32

import pytest
from contracts.session import LoadedLayer, Session
from evaluation.learning import FOLDERS, Example, digest, learned

from planner.rules.grammar.utterance import utterance_of
from planner.rules.learned.features import features_of
from planner.rules.learned.model import Header, IntentModel, intent_model


def _features(message: str, session: Session | None = None) -> frozenset[str]:
    return features_of(utterance_of(message), session or Session(), ())


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


def test_a_long_message_is_looked_at_in_part() -> None:
    assert len(_features("wort " * 900)) < 200
    assert len(_features(" ".join(f"w{n}ort" for n in range(900)))) < 5_000


def test_a_model_is_learned_and_read_again() -> None:
    found = [Example(frozenset({"a", "b"}), frozenset({"load"}))] * 9
    found += [Example(frozenset({"c", "b"}), frozenset({"view"}))] * 9
    file = learned(found)
    assert file == learned(list(found))
    model = IntentModel(file)
    assert set(model.labels) == {"load", "view"}
    load, view = model.probabilities({"a"}), model.probabilities({"c", "unheard"})
    assert load["load"] > 0.9 > 0.1 > load["view"]
    assert view["view"] > 0.9 > 0.1 > view["load"]


def test_nothing_known_gives_what_is_usual() -> None:
    head = Header(labels=("load",), bias=(0.0,), scale=1.0)
    body = crc32(b"a").to_bytes(4, "little") + bytes([1])
    model = IntentModel(json.dumps(head.model_dump()).encode() + b"\n" + body)
    assert model.probabilities({"b"}) == {"load": 0.5}
    assert model.probabilities({"a"})["load"] == pytest.approx(0.731, abs=0.001)


def test_the_model_is_that_of_the_conversations() -> None:
    assert intent_model().learned_from == digest(FOLDERS), "run `make learn`"
