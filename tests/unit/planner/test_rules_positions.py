"""Which of the layers on the map are meant by where they lie, or by how old they are."""

import pytest
from contracts.session import LoadedLayer, Session

from planner.rules import plan
from planner.rules.grammar.utterance import utterance_of
from planner.rules.heard.positions import Layers, aged, lying, ordered

from .rules_kit import EVERYTHING


def _layers(*labels: str) -> Layers:
    return tuple(LoadedLayer(id=f"ch.{label}", label=label) for label in labels)


FOUR = _layers("Karst", "Geotope", "Wald", "Moore")
"""The lowest first."""


def _ordered(message: str, among: Layers = FOUR) -> list[str]:
    return [layer.label for clause in utterance_of(message).clauses for layer in ordered(clause, among)]


@pytest.mark.parametrize(
    ("message", "labels"),
    [
        ("die erste weg", ["Karst"]),
        ("das oberste weg", ["Moore"]),
        ("zweitoberste weg", ["Wald"]),
        ("die vorletzte weg", ["Wald"]),
        ("das zweitunterste weg", ["Geotope"]),
        ("die dritte von oben", ["Geotope"]),
        ("die dritte von unten", ["Wald"]),
        ("die zwei oberen blasser", ["Wald", "Moore"]),
        ("die unteren beiden blasser", ["Karst", "Geotope"]),
        ("die zwei in der Mitte weg", ["Geotope", "Wald"]),
        ("die in der Mitte weg", []),
        ("unters Strassennetz", []),
        ("der Karst nach oben", []),
    ],
)
def test_layers_are_told_by_where_they_lie(message: str, labels: list[str]) -> None:
    assert _ordered(message) == labels


def test_of_few_layers_there_is_no_third() -> None:
    assert _ordered("die dritte von oben", FOUR[:1]) == _ordered("das drittoberste", FOUR[:2]) == []
    assert _ordered("das mittlere", FOUR[:3]) == ["Geotope"]


@pytest.mark.parametrize(
    ("message", "labels"),
    [
        ("die zuoberst bitte weg", ["Moore"]),
        ("das ganz unten halb durchsichtig", ["Karst"]),
        ("die Strassen oben", []),
    ],
)
def test_what_stands_for_a_layer_may_say_where_it_is(message: str, labels: list[str]) -> None:
    assert [layer.label for layer in lying(utterance_of(message).clauses, FOUR)] == labels


DATED = _layers("Luftbelastung Prognose 2020", "Luftbelastung Zustand 2010", "Karst")
HISTORIC = _layers("Pixelkarte farbig", "Übersichtsplan 2009 (historische Karte)")


@pytest.mark.parametrize(
    ("message", "among", "labels"),
    [
        ("die alte ausblenden", DATED, ["Luftbelastung Zustand 2010"]),
        ("das neuere weg", DATED, ["Luftbelastung Prognose 2020"]),
        ("der alte Plan halb durchsichtig", HISTORIC, ["Übersichtsplan 2009 (historische Karte)"]),
        ("die alten Häuser nach oben", DATED, []),
        ("die alte weg", FOUR, []),
    ],
)
def test_what_has_a_year_can_be_older(message: str, among: Layers, labels: list[str]) -> None:
    assert [layer.label for layer in aged(utterance_of(message).clauses, among)] == labels


@pytest.mark.parametrize("message", ["umgekehrt", "andere Reihenfolge", "die beiden umgekehrt bitte"])
def test_two_layers_are_swapped(message: str) -> None:
    (step,) = plan(message, Session(layers=FOUR[:2]), EVERYTHING).steps
    assert step.args == {"name": "Karst", "to": "top"}


def test_an_order_that_is_told_is_no_swap() -> None:
    (step,) = plan("Reihenfolge: Geotope nach unten", Session(layers=FOUR[:2]), EVERYTHING).steps
    assert step.args == {"name": "Geotope", "to": "bottom"}
