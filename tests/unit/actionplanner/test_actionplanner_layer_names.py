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
        ("areal", ["areale"]),
        ("synoptisch Gefahren", ["synoptisches_gefahrengebiet"]),
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


def test_a_group_is_known_by_its_labels_or_else_by_its_ids() -> None:
    labelled = loaded(
        a="Moore - Hoch", b="Moore (Flach)", c="Moore: Rest", d="Moore / Ufer", e="Wald - Moore"
    )
    assert find("Moore", labelled) == Found(labelled[:4], together=True)
    named = loaded(so__moore__1="Hoch", so__moore__2="Flach", so__wald__3="Wald")
    assert find("Moore", named) == Found(named[:2], together=True)


def test_the_blanks_of_a_name_are_underscores_in_an_id() -> None:
    layers = loaded(so__moor_und_ried="X")
    assert find("Moor und Ried", layers) == Found(layers, together=True)


def test_the_label_itself_beats_one_that_only_lacks_a_noun() -> None:
    layers = loaded(a="Boden", b="Bodenkarte")
    assert find("Bodenkarte", layers) == Found(layers[1:])


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


def test_a_typo_in_the_name_of_a_group_means_all_of_it() -> None:
    found = find("Gewässershutz", LAYERS)
    assert ([layer.id.rpartition(".")[2] for layer in found.layers], found.together) == (
        ["zonen", "areale"],
        True,
    )
    alone = find("Gewässershutz", LAYERS[:1])
    assert (len(alone.layers), alone.together) == (1, False)


@pytest.mark.parametrize(("wrong", "found"), [(8, True), (9, True), (10, False)])
def test_a_name_is_similar_up_to_a_share_of_wrong_letters(wrong: int, found: bool) -> None:
    """Of fifty letters nine: a score of 82."""
    name, written = "a" * 50, "a" * (50 - wrong) + "z" * wrong
    assert bool(find(written, loaded(x=name)).layers) is found
    group = loaded(**{f"so__{name}__eins": "Erstes", f"so__{name}__zwei": "Zweites"})
    assert find(written, group).together is found


def test_names_that_are_about_as_similar_are_alternatives() -> None:
    """Of a hundred letters one, and four: scores of 99 and 96; five are 95."""
    labels = ["a" * 99 + "x", "a" * 96 + "yyyy", "a" * 95 + "zzzzz"]
    found = find("a" * 100, loaded(**dict(zip("xyz", labels, strict=True))))
    assert [layer.id for layer in found.layers] == ["x", "y"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # The last part of the id.
        ("Erdwerme", ["ch.so.afu.erdwaerme"]),
        # A word of the label, of five letters; but not for a name of several words.
        ("More", ["m"]),
        ("Naturreserwate", ["n"]),
        ("Naturreserwate x", []),
    ],
)
def test_a_part_of_a_layer_may_be_similar(name: str, expected: list[str]) -> None:
    layers = loaded(ch__so__afu__erdwaerme="EWS", m="Alte Moore", n="Grosse Naturreservate Jura")
    assert [layer.id for layer in find(name, layers).layers] == expected


@pytest.mark.parametrize("name", ["", "  ", "Layer", "die Karte", "?", "*", "Wald"])
def test_nothing_is_found_where_nothing_is_loaded(name: str) -> None:
    assert find(name, ()).layers == ()
