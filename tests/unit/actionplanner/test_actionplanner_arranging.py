"""Loaded layers by word: how opaque, in which order, with which legend; marks and steps taken back."""

from typing import Any

import pytest
from contracts.items import OtherItem
from contracts.session import LoadedLayer
from contracts.status import Status
from hypothesis import given
from hypothesis import strategies as st

from .actionplanner_samples import actions, answer, kinds, layer

A, B, C, D = (LoadedLayer(id=name, label=f"Karte {name}") for name in ("aare", "berge", "chorn", "dorf"))
WOOD_1 = LoadedLayer(id="ch.so.waldplan.typ", label="Wald - Typ")
WOOD_2 = LoadedLayer(id="ch.so.waldplan.funktion", label="Wald - Funktion")
LOADED = (A, B, C, D)


def applied(order: list[str], moves: list[Any]) -> list[str]:
    """As a client does it: taken out, and put in at the new place."""
    for move in moves:
        assert move["type"] == "moveLayer"
        order.remove(move["payload"]["id"])
        order.insert(move["payload"]["order"], move["payload"]["id"])
    return order


@pytest.mark.parametrize(
    ("args", "order", "told"),
    [
        ({"name": "Aare", "to": "top"}, "berge chorn dorf aare", "Zuoberst: «Karte aare»."),
        ({"name": "Chorn", "to": "bottom"}, "chorn aare berge dorf", "Zuunterst: «Karte chorn»."),
        ({"name": "Berge", "to": "up"}, "aare chorn berge dorf", "Eins höher: «Karte berge»."),
        ({"name": "Chorn", "to": "down"}, "aare chorn berge dorf", "Eins tiefer: «Karte chorn»."),
        ({"name": "Aare", "above": "Chorn"}, "berge chorn aare dorf", "Über «Karte chorn»: «Karte aare»."),
        ({"name": "Aare", "below": "Dorf"}, "berge chorn aare dorf", "Unter «Karte dorf»: «Karte aare»."),
        ({"name": "Dorf", "above": "Aare"}, "aare dorf berge chorn", "Über «Karte aare»: «Karte dorf»."),
        ({"name": "Dorf", "below": "Aare"}, "dorf aare berge chorn", "Unter «Karte aare»: «Karte dorf»."),
    ],
)
def test_one_layer_goes_with_one_move(args: dict[str, Any], order: str, told: str) -> None:
    step = answer("move_layer", args=args, loaded=LOADED)
    assert (step.status, step.message, len(step.map_actions)) == (Status.OK, told, 1)
    assert applied([each.id for each in LOADED], actions(step)) == order.split()


@pytest.mark.parametrize(
    ("args", "order"),
    [
        ({"to": "top"}, "aare berge typ funktion"),
        ({"to": "bottom"}, "typ funktion aare berge"),
        ({"to": "down"}, "typ funktion aare berge"),
        ({"above": "Aare"}, "aare typ funktion berge"),
        ({"below": "Berge"}, "aare typ funktion berge"),
    ],
)
def test_a_group_goes_together_in_its_order(args: dict[str, Any], order: str) -> None:
    loaded = (A, WOOD_1, B, WOOD_2)
    step = answer("move_layer", args={"name": "Waldplan"} | args, loaded=loaded)
    moved = applied([each.id for each in loaded], actions(step))
    assert [each.rpartition(".")[2] for each in moved] == order.split()


@pytest.mark.parametrize(
    "args",
    [
        {"name": "Dorf", "to": "top"},
        {"name": "Dorf", "to": "up"},
        {"name": "Aare", "to": "bottom"},
        {"name": "Aare", "to": "down"},
        {"name": "Aare", "below": "Berge"},
        {"name": "Dorf", "above": "Chorn"},
    ],
)
def test_what_lies_there_already_is_said(args: dict[str, Any]) -> None:
    step = answer("move_layer", args=args, loaded=LOADED)
    assert (step.status, step.map_actions) == (Status.OK, ())
    assert step.message.startswith("Liegt schon dort: ")


@pytest.mark.parametrize(
    ("args", "question"),
    [
        ({"name": "Aare"}, "Wohin soll der Layer"),
        ({"name": "Aare", "to": "sideways"}, "Wohin soll der Layer"),
        ({"name": "Aare", "to": ["top"]}, "Wohin soll der Layer"),
        ({"name": "Eiger", "to": "top"}, "Den Layer «Eiger» finde ich nicht. Geladen sind: "),
        ({"name": "Aare", "above": "Eiger"}, "Den Layer «Eiger» finde ich nicht. Geladen sind: "),
        ({"name": "Aare", "above": "Aare"}, "Den Layer «Aare» finde ich nicht. Geladen sind: "),
        (
            {"name": "Aare", "below": "Schutz"},
            "Mehrere geladene Layer passen. Welchen meinst du? «Schutzwald» und «Quellschutz».",
        ),
    ],
)
def test_what_is_not_clear_is_asked(args: dict[str, Any], question: str) -> None:
    forest, spring = LoadedLayer(id="f", label="Schutzwald"), LoadedLayer(id="q", label="Quellschutz")
    step = answer("move_layer", args=args, loaded=(*LOADED, forest, spring))
    assert (step.status, step.map_actions) == (Status.NEEDS_CLARIFICATION, ())
    assert step.message.startswith(question)


def test_where_there_is_nothing_else_nothing_moves() -> None:
    assert answer("move_layer", args={"name": "Aare", "to": "top"}, loaded=(A,)).message == (
        "Sonst ist kein Layer geladen."
    )
    stranger = answer("move_layer", layer("x", "Fremd"), args={"to": "top"}, loaded=LOADED)
    assert stranger.status is Status.NEEDS_CLARIFICATION


def test_the_one_that_was_chosen_moves() -> None:
    chosen = OtherItem(type="loaded_layer", id="aare", label="Karte aare")
    step = answer("move_layer", chosen, args={"name": "Karte", "to": "top"}, loaded=LOADED)
    assert actions(step) == [{"type": "moveLayer", "payload": {"id": "aare", "order": 3}}]


@given(
    st.permutations([A, B, C, D, WOOD_1, WOOD_2]),
    st.sampled_from(["Waldplan", "Aare", "Dorf"]),
    st.sampled_from(["top", "bottom", "up", "down"]).map(lambda to: ("to", to))
    | st.sampled_from(["above", "below"]).map(lambda beside: (beside, "Chorn")),
)
def test_the_moves_lead_where_they_should_and_leave_the_others_in_their_order(
    loaded: list[LoadedLayer], name: str, way: tuple[str, str]
) -> None:
    order = [each.id for each in loaded]
    step = answer("move_layer", args={"name": name, way[0]: way[1]}, loaded=tuple(loaded))
    moving = [id for id in order if ("waldplan" in id if name == "Waldplan" else id == name.lower())]
    after = applied(list(order), actions(step))
    assert [id for id in after if id not in moving] == [id for id in order if id not in moving]
    assert [id for id in after if id in moving] == moving
    places = [after.index(id) for id in moving]
    if way == ("to", "top"):
        assert places[-1] == len(order) - 1 and places[-1] - places[0] == len(moving) - 1
    elif way == ("to", "bottom"):
        assert places[0] == 0 and places[-1] == len(moving) - 1
    elif way[0] == "above":
        assert places[0] == after.index("chorn") + 1
    elif way[0] == "below":
        assert places[-1] == after.index("chorn") - 1


@pytest.mark.parametrize(
    ("opacity", "told"), [(0.3, "30 %"), (0, "0 %"), (1, "100 %"), (0.125, "12 %"), (0.5, "50 %")]
)
def test_a_layer_becomes_as_opaque_as_was_said(opacity: float, told: str) -> None:
    half = A.model_copy(update={"opacity": 0.7})
    step = answer("set_layer_opacity", args={"name": "Aare", "opacity": opacity}, loaded=(half, B))
    assert step.message == f"Deckkraft {told}: «Karte aare»."
    assert actions(step) == [{"type": "setLayerOpacity", "payload": {"id": "aare", "opacity": opacity}}]


def test_all_become_so_but_the_named_and_those_that_are_so_are_not_told() -> None:
    half = A.model_copy(update={"opacity": 0.5})
    args = {"name": "*", "opacity": 0.5, "except": ["Dorf"]}
    step = answer("set_layer_opacity", args=args, loaded=(half, B, D))
    assert step.message == "Deckkraft 50 %: «Karte berge»."
    assert [action["payload"]["id"] for action in actions(step)] == ["aare", "berge"]
    again = answer("set_layer_opacity", args={"name": "Aare", "opacity": 0.501}, loaded=(half, B))
    assert (again.message, len(again.map_actions)) == ("Deckkraft schon 50 %: «Karte aare».", 1)


@pytest.mark.parametrize("opacity", [None, "halb", 1.5, -0.1, True, float("nan"), [0.5]])
def test_an_opacity_that_is_none_is_asked_for(opacity: object) -> None:
    step = answer("set_layer_opacity", args={"name": "Aare", "opacity": opacity}, loaded=LOADED)
    assert (step.status, step.map_actions) == (Status.NEEDS_CLARIFICATION, ())
    assert step.message == "Wie deckend soll der Layer sein? Zum Beispiel 50 %."


@pytest.mark.parametrize("intent", ["set_layer_opacity", "show_legend"])
def test_the_layer_is_the_one_that_is_seen(intent: str) -> None:
    hidden = A.model_copy(update={"visible": False})
    step = answer(intent, args={"name": "", "opacity": 0.5}, loaded=(hidden, B))
    assert [action["payload"]["id"] for action in actions(step)] == ["berge"]
    assert answer(intent, args={"name": "", "opacity": 0.5}, loaded=(A, B)).status is (
        Status.NEEDS_CLARIFICATION
    )


def test_the_legend_of_each_layer_that_is_meant_is_shown() -> None:
    step = answer("show_legend", args={"name": "Waldplan"}, loaded=(A, WOOD_1, WOOD_2))
    assert step.message == "Legende: «Wald - Typ» und «Wald - Funktion»."
    assert actions(step) == [
        {"type": "showLegend", "payload": {"id": "ch.so.waldplan.typ"}},
        {"type": "showLegend", "payload": {"id": "ch.so.waldplan.funktion"}},
    ]


def test_what_was_marked_goes_and_layers_stay() -> None:
    step = answer("remove_markers", loaded=LOADED)
    assert step.message == "Markierungen entfernt."
    assert actions(step) == [
        {"type": "removeMarker", "payload": {"id": "*"}},
        {"type": "removeFeatures", "payload": {"id": "*"}},
    ]


@pytest.mark.parametrize(
    ("steps", "count", "told"),
    [
        (None, 1, "Letzte Änderung zurückgenommen."),
        (1, 1, "Letzte Änderung zurückgenommen."),
        (2, 2, "Die letzten 2 Änderungen zurückgenommen."),
        (3.7, 3, "Die letzten 3 Änderungen zurückgenommen."),
        (10**9, 20, "Die letzten 20 Änderungen zurückgenommen."),
        (float("inf"), 20, "Die letzten 20 Änderungen zurückgenommen."),
        (0, 1, "Letzte Änderung zurückgenommen."),
        (-5, 1, "Letzte Änderung zurückgenommen."),
        (True, 1, "Letzte Änderung zurückgenommen."),
        ("zwei", 1, "Letzte Änderung zurückgenommen."),
        (float("nan"), 1, "Letzte Änderung zurückgenommen."),
    ],
)
def test_steps_are_taken_back_within_bounds(steps: object, count: int, told: str) -> None:
    step = answer("undo", args={"steps": steps})
    assert step.message == told
    assert actions(step) == [{"type": "undo", "payload": {"steps": count}}]


@pytest.mark.parametrize("language", ["fr", "it", "en"])
@pytest.mark.parametrize(
    ("intent", "args"),
    [
        ("undo", {}),
        ("undo", {"steps": 2}),
        ("remove_markers", {}),
        ("show_legend", {"name": "Aare"}),
        ("set_layer_opacity", {"name": "Aare", "opacity": 0.5}),
        ("set_layer_opacity", {"name": "Aare", "opacity": 1}),
        ("set_layer_opacity", {"name": "Aare"}),
        ("move_layer", {"name": "Aare", "to": "bottom"}),
        *(("move_layer", {"name": "Berge", "to": to}) for to in ("top", "bottom", "up", "down", "")),
        *(("move_layer", {"name": "Berge", beside: "Dorf"}) for beside in ("above", "below")),
        ("show_layer", {"name": "Aare"}),
    ],
)
def test_every_change_is_told_in_every_language(intent: str, args: dict[str, Any], language: str) -> None:
    german = answer(intent, args=args, loaded=LOADED)
    other = answer(intent, args=args, loaded=LOADED, language=language)
    assert other.message != german.message and kinds(other) == kinds(german)
