"""Intents that need no tool: clearing, backgrounds, and what is done to loaded layers by their names."""

from typing import Any

import pytest
from contracts.chat import Step
from contracts.items import LayerGroup, OtherItem
from contracts.session import LoadedLayer
from contracts.status import Status

from actionplanner.planning import plan

from .actionplanner_samples import ADDRESS, actions, answer, layer, request

GWS = LoadedLayer(id="ch.so.afu.gewaesserschutz.schutzzonen", label="Gewässerschutz")
WILD = LoadedLayer(id="ch.so.awjf.wildtierkorridore", label="Wildtierkorridore AWJF")
WALD_TYP = LoadedLayer(id="ch.so.awjf.waldplan.waldplantyp", label="Wald - Typ")
WALD_FUNKTION = LoadedLayer(id="ch.so.awjf.waldplan.waldfunktion", label="Wald - Funktion")
LOADED = (GWS, WILD, WALD_TYP, WALD_FUNKTION)


def remove(name: object, *loaded: LoadedLayer) -> Step:
    return answer("remove_layer", args={"name": name}, loaded=loaded)


def removed(step: Step) -> list[str]:
    assert all(action["type"] == "removeLayer" for action in actions(step))
    return [action["payload"]["id"] for action in actions(step)]


def test_the_map_is_cleared() -> None:
    step = answer("clear_map")
    assert step.message == "Karte geleert."
    assert actions(step) == [{"type": "clearMap", "payload": {}}]


@pytest.mark.parametrize(
    ("wish", "background", "message"),
    [
        ("ortho", "ortho", "Hintergrundkarte gewechselt: Luftbild."),
        ("Luftbild", "ortho", "Hintergrundkarte gewechselt: Luftbild."),
        (" SW ", "sw", "Hintergrundkarte gewechselt: Graustufen."),
        ("color", "color", "Hintergrundkarte gewechselt: Farbig."),
        ("none", "none", "Hintergrundkarte ausgeblendet."),
    ],
)
def test_the_background_is_changed(wish: str, background: str, message: str) -> None:
    step = answer("set_background", args={"background": wish})
    assert step.message == message
    assert actions(step) == [{"type": "setBackground", "payload": {"background": background}}]


@pytest.mark.parametrize("args", [{"background": "sepia"}, {"background": None}, {"background": 7}, {}])
def test_an_unknown_background_is_asked_for_with_all_names(args: dict[str, Any]) -> None:
    step = answer("set_background", args=args)
    assert (step.status, step.map_actions) == (Status.NEEDS_CLARIFICATION, ())
    assert "«keine», «Graustufen», «Farbig» und «Luftbild»" in step.message


@pytest.mark.parametrize(
    "name", ["Gewässerschutz", "gewaesserschutzlayer", "GEWÄSSERSCHUTZ-KARTE", "Gewaserschuz"]
)
def test_the_layer_of_that_name_is_removed(name: str) -> None:
    step = remove(name, *LOADED)
    assert step.message == "Entfernt: «Gewässerschutz»."
    assert removed(step) == [GWS.id]


def test_the_layers_of_a_group_are_removed_together() -> None:
    step = remove("den Waldplan", *LOADED)
    assert step.message == "Entfernt: «Wald - Typ» und «Wald - Funktion»."
    assert removed(step) == [WALD_TYP.id, WALD_FUNKTION.id]


@pytest.mark.parametrize("name", ["*", "alle", "Alle Layer", "alle Karten"])
def test_all_layers_are_removed(name: str) -> None:
    step = remove(name, *LOADED)
    assert step.message.startswith("Entfernt: «Gewässerschutz», ")
    assert removed(step) == [each.id for each in LOADED]


def test_the_only_layer_is_named_when_it_is_removed_and_two_are_too() -> None:
    assert remove("*", WILD).message == "Entfernt: «Wildtierkorridore AWJF»."
    assert remove("*", WILD, GWS).message == "Entfernt: «Wildtierkorridore AWJF» und «Gewässerschutz»."


def test_a_layer_without_a_label_is_called_by_its_id() -> None:
    assert remove("*", LoadedLayer(id="x", label="")).message == "Entfernt: «x»."


def test_an_unknown_name_is_answered_with_what_is_loaded() -> None:
    step = remove("Steinbrüche", GWS, WILD)
    assert (step.status, step.map_actions) == (Status.NEEDS_CLARIFICATION, ())
    assert step.message == (
        "Den Layer «Steinbrüche» finde ich nicht. "
        "Geladen sind: «Gewässerschutz» und «Wildtierkorridore AWJF»."
    )


@pytest.mark.parametrize("name", ["*", "alle Layer", "", None])
def test_nothing_loaded_is_said(name: object) -> None:
    step = remove(name)
    assert step.status is Status.NEEDS_CLARIFICATION
    assert step.message == "Es ist kein Layer geladen."


def test_nothing_loaded_is_said_with_the_name_that_was_meant() -> None:
    step = remove("Wanderwege")
    assert step.message == "Den Layer «Wanderwege» finde ich nicht. Es ist kein Layer geladen."


@pytest.mark.parametrize("name", ["", None, "den Layer", "Karte"])
def test_no_name_means_the_only_layer_or_is_asked_for(name: object) -> None:
    assert removed(remove(name, WILD)) == [WILD.id]
    step = remove(name, GWS, WILD)
    assert step.status is Status.NEEDS_CLARIFICATION
    assert step.message.startswith("Welchen Layer meinst du?")
    assert "«Gewässerschutz» und «Wildtierkorridore AWJF»" in step.message


def test_what_fits_equally_well_is_a_choice_that_can_be_taken() -> None:
    forest, water = LoadedLayer(id="a", label="Schutzwald"), LoadedLayer(id="b", label="Quellschutz")
    step, options = plan(request("remove_layer", args={"name": "Schutz"}, loaded=(forest, water, WILD)))
    assert step.status is Status.NEEDS_USER_CHOICE
    assert [choice.label for choice in step.choices] == ["Schutzwald", "Quellschutz"]
    assert [choice.data for choice in step.choices] == [
        {"type": "loaded_layer", "id": "a"},
        {"type": "loaded_layer", "id": "b"},
    ]
    assert options == tuple(
        OtherItem(type="loaded_layer", id=each.id, label=each.label) for each in (forest, water)
    )
    chosen = answer("remove_layer", options[1], args={"name": "Schutz"}, loaded=(forest, water, WILD))
    assert (removed(chosen), chosen.message) == (["b"], "Entfernt: «Quellschutz».")


def test_layers_that_a_tool_has_found_are_removed_by_id() -> None:
    group = LayerGroup(id="g", label="G", layers=(layer("a", "A"), layer("b", "B")))
    assert removed(answer("remove_layer", group)) == ["a", "b"]
    assert removed(answer("remove_layer", layer("a", "A"))) == ["a"]


def test_an_item_that_is_no_layer_does_not_hide_the_name() -> None:
    assert removed(answer("remove_layer", ADDRESS, args={"name": "Wildtierkorridore"}, loaded=LOADED)) == [
        WILD.id
    ]


@pytest.mark.parametrize(
    ("intent", "visible", "was", "message"),
    [
        ("hide_layer", False, True, "Ausgeblendet: «Gewässerschutz»."),
        ("show_layer", True, False, "Wieder sichtbar: «Gewässerschutz»."),
        ("hide_layer", False, False, "Schon ausgeblendet: «Gewässerschutz»."),
        ("show_layer", True, True, "Schon sichtbar: «Gewässerschutz»."),
    ],
)
def test_a_loaded_layer_becomes_invisible_and_visible(
    intent: str, visible: bool, was: bool, message: str
) -> None:
    """What the session knows may be old: what seems to be so is made so all the same."""
    water = GWS.model_copy(update={"visible": was})
    step = answer(intent, args={"name": "Gewässerschutz"}, loaded=(water, WILD))
    assert step.message == message
    assert actions(step) == [{"type": "setLayerVisibility", "payload": {"id": GWS.id, "visible": visible}}]


def test_of_several_layers_those_are_told_that_change() -> None:
    hidden = GWS.model_copy(update={"visible": False})
    step = answer("hide_layer", args={"name": "*"}, loaded=(hidden, WILD))
    assert step.message == "Ausgeblendet: «Wildtierkorridore AWJF»."
    assert len(step.map_actions) == 2


@pytest.mark.parametrize(("intent", "meant"), [("hide_layer", WILD), ("show_layer", GWS)])
def test_the_layer_is_the_only_one_for_which_it_makes_sense(intent: str, meant: LoadedLayer) -> None:
    hidden = GWS.model_copy(update={"visible": False})
    step = answer(intent, args={"name": "den Layer"}, loaded=(hidden, WILD))
    assert [action["payload"]["id"] for action in actions(step)] == [meant.id]


def test_only_one_layer_stays_visible() -> None:
    args = {"name": "*", "except": ["Gewässerschutz"]}
    step = answer("hide_layer", args=args, loaded=LOADED)
    assert [action["payload"]["id"] for action in actions(step)] == [each.id for each in LOADED[1:]]


def test_what_a_chosen_layer_is_like_is_known() -> None:
    hidden = GWS.model_copy(update={"visible": False})
    chosen = OtherItem(type="loaded_layer", id=GWS.id, label=GWS.label)
    assert answer("hide_layer", chosen, loaded=(hidden,)).message.startswith("Schon ausgeblendet")
    assert answer("show_layer", layer("new", "Neu")).message == "Wieder sichtbar: «Neu»."


def test_the_named_exceptions_are_left_alone() -> None:
    args = {"name": "*", "except": ["den Waldplan", "Gewaesserschutz"]}
    assert removed(answer("remove_layer", args=args, loaded=LOADED)) == [WILD.id]


def test_an_exception_that_is_not_loaded_is_asked_for_before_the_rest_goes() -> None:
    args = {"name": "*", "except": ["Steinbrüche"]}
    step = answer("remove_layer", args=args, loaded=LOADED)
    assert (step.status, step.map_actions) == (Status.NEEDS_CLARIFICATION, ())
    assert step.message.startswith("Den Layer «Steinbrüche» finde ich nicht. Geladen sind: ")


def test_where_all_is_excepted_nothing_is_done() -> None:
    step = answer("hide_layer", args={"name": "*", "except": ["Gewässerschutz"]}, loaded=(GWS,))
    assert (step.status, step.map_actions) == (Status.OK, ())
    assert step.message == "Sonst ist kein Layer geladen."
