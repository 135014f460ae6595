"""What nobody can measure, and what only sounds so."""

import pytest

from .rules_kit import ADDRESS, MUNICIPALITY, after, begins, planned, told


@pytest.mark.parametrize(
    "message",
    [
        "Wie weit ist es von Olten nach Solothurn?",
        "Wie weit ist es nach Bern?",
        "Distanz Grenchen Solothurn Luftlinie",
        "Distanz zwischen Rötistrasse 1 und Rötistrasse 25 in Solothurn",
        "Wie viele Kilometer sind es zwischen Balsthal und Oensingen?",
        "Wie viele Meter sind es von Olten nach Trimbach?",
        "Wie lange brauche ich zu Fuss von Bellach nach Selzach?",
        "Wie breit ist die Rötistrasse in Solothurn?",
        "Höhenunterschied zwischen Dornach und Gempen?",
        "Was ist der höchste Punkt im Kanton?",
        "Zeichne einen Kreis von 500 m um Olten",
        "Ich möchte eine Distanz messen",
    ],
)
def test_what_nobody_can_measure_is_said(message: str) -> None:
    assert told(message) == begins("no_measuring")


def test_a_distance_from_here_is_one_too() -> None:
    assert told("Wie weit ist es von hier nach Biberist?", after(selected=(ADDRESS,))) == begins(
        "no_measuring"
    )


@pytest.mark.parametrize(
    "message", ["Wie gross ist die Gemeinde Olten?", "Fläche von Olten", "Wie viele m2 hat Olten?"]
)
def test_the_area_of_a_municipality_is_known_to_nobody(message: str) -> None:
    assert told(message) == begins("no_area", place="Olten")


def test_areas_are_in_square_metres() -> None:
    assert told("Wie viele Aren sind das?", after(selected=(MUNICIPALITY,))) == begins("only_square_metres")


@pytest.mark.parametrize(
    "message",
    ["Welcher Abstand gilt zur Grenze?", "Wie lange dauert ein Verfahren?", "Wie lang ist die Frist?"],
)
def test_a_question_about_rules_is_one_for_documents(message: str) -> None:
    (step,) = planned(message)
    assert step.startswith("search_documents")


def test_metres_above_the_sea_are_a_height() -> None:
    height = ("height_query: geolocation.place(q=Olten) > terrain.height_by_xy()",)
    assert planned("Wie viele Meter über Meer liegt Olten?") == height
