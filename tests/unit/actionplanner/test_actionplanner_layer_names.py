"""Which loaded layers a name means."""

import pytest
from contracts.session import LoadedLayer

from actionplanner.layer_names import Found, find


def loaded(**labels: str) -> tuple[LoadedLayer, ...]:
    return tuple(LoadedLayer(id=key.replace("__", "."), label=label) for key, label in labels.items())


LAYERS = loaded(
    ch__so__afu__gewaesserschutz__zonen="Gewässerschutz - Schutzzonen",
    ch__so__afu__gewaesserschutz__areale="Gewässerschutz - Schutzareale",
    ch__so__awjf__wildtierkorridore="Wildtierkorridore AWJF",
    ch__so__awjf__schutzwald="Schutzwald",
    ch__so__afu__naturgefahren__synoptisches_gefahrengebiet="Gefahrenkarte synoptisch",
    ch__so__avt__oev_gueteklasse="ÖV-Güteklassen",
    ch__so__awjf__waldplan__typ="Wald - Typ",
)


def ids(name: str, layers: tuple[LoadedLayer, ...] = LAYERS) -> list[str]:
    return [layer.id.rpartition(".")[2] for layer in find(name, layers).layers]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ch.so.awjf.schutzwald", ["schutzwald"]),
        ("Schutzwald", ["schutzwald"]),
        ("die Schutzwaldkarte", ["schutzwald"]),
        ("SCHUTZWALD LAYER", ["schutzwald"]),
        ("Schutzwalt", ["schutzwald"]),
        ("Wildtierkorridore", ["wildtierkorridore"]),
        ("wildtirkoridore", ["wildtierkorridore"]),
        ("Gefahrenkarte", ["synoptisches_gefahrengebiet"]),
        ("Naturgefahren", ["synoptisches_gefahrengebiet"]),
        ("ÖV", ["oev_gueteklasse"]),
        ("Guteklassen", ["oev_gueteklasse"]),
        ("Schutzareale", ["areale"]),
        ("Gewässerschutz", ["zonen", "areale"]),
        ("gewaesserschutzebene", ["zonen", "areale"]),
        ("Gewässershutz", ["zonen", "areale"]),
        ("ch.so.afu.gewaesserschutz", ["zonen", "areale"]),
        ("Waldplan", ["typ"]),
        ("la couche Schutzwald", ["schutzwald"]),
        ("the Schutzwald map", ["schutzwald"]),
        ("il livello Wildtierkorridore", ["wildtierkorridore"]),
        ("Waldpläne", []),
        ("Erdwärme", []),
        ("art", []),
        ("awjf", ["wildtierkorridore"]),
    ],
)
def test_a_name_means_these_layers(name: str, expected: list[str]) -> None:
    assert ids(name) == expected


@pytest.mark.parametrize(("name", "together"), [("Gewässerschutz", True), ("Schutz", False), ("*", True)])
def test_a_group_is_one_thing_and_a_common_word_is_not(name: str, together: bool) -> None:
    found = find(name, LAYERS)
    assert len(found.layers) > 1
    assert found.together is together


def test_the_whole_label_beats_the_group_of_that_name() -> None:
    layers = (*LAYERS, LoadedLayer(id="x", label="Gewässerschutz"))
    assert find("Gewässerschutz", layers) == Found((layers[-1],))


def test_two_layers_with_the_same_label_are_alternatives() -> None:
    layers = loaded(a="Boden", b="Boden")
    assert find("Bodenkarte", layers) == Found(layers)


def test_a_layer_loaded_twice_is_one_layer() -> None:
    layers = loaded(a="Boden")
    assert find("Boden", layers + layers).layers == layers


def test_the_better_of_two_similar_names_wins() -> None:
    assert ids("Fischereireviehre", loaded(a="Jagdreviere", b="Fischereireviere")) == ["b"]


@pytest.mark.parametrize("name", ["", "  ", "Layer", "die Karte", "?", "*", "Wald"])
def test_nothing_is_found_where_nothing_is_loaded(name: str) -> None:
    assert find(name, ()).layers == ()
