"""What is filled in where it is clear what is wanted."""

import pytest

from .rules_kit import after, planned

WATER = "Hydranten Wasser"


@pytest.mark.parametrize(
    ("message", "queries"),
    [
        (
            "Der Kurt ist Imker, das Vreni mag Rehe: also Bienenstandort, Wildtierkorridor, Jagdbanngebiet",
            3,
        ),
        ("Lade die Altlasten und den Kataster der belasteten Standorte", 1),
    ],
)
def test_a_layer_that_is_named_and_meant_is_loaded_once(message: str, queries: int) -> None:
    assert len([step for step in planned(message) if step.startswith("load_layer")]) == queries


def test_who_wants_a_layer_of_people_somewhere_sees_it_there() -> None:
    steps = planned("Meine Patienten aus Breitenbach klagen über Lärm, zeig mir den Strassenlärm")
    assert steps[0] == "search_place: geolocation.municipality(q=Breitenbach)"


def test_all_but_one_are_taken_off_in_every_case() -> None:
    session = after(layers=("Geologie", "Karst"))
    (step,) = planned("weg mit allem ausser Geologie", session)
    assert step in ("remove_layer: name=Karst", "remove_layer: name=*, except=['Geologie']")


def test_a_share_is_told_in_dialect() -> None:
    (step,) = planned("gnau 35 prozänt durchsichtig", after(layers=(WATER,)))
    assert step.endswith("opacity=0.65")
