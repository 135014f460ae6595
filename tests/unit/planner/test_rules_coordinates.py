"""Coordinates in all the forms that people write, as LV95."""

import pytest

from planner.rules.reading.tokens import clean
from planner.rules.references.coordinates import Coordinate, find_coordinates

MESSEN = Coordinate(2600513, 1215519)


@pytest.mark.parametrize(
    "written",
    [
        "2600513, 1215519",
        "2600513,1215519",
        "2600513/1215519",
        "2600513 1215519",
        "2'600'513 / 1'215'519",
        "2’600’513, 1’215’519",
        "2 600 513 1 215 519",
        "2.600.513 / 1.215.519",
        "2600513;1215519",
        "(2600513 | 1215519)",
        "2600513.0, 1215519.0",
        "E 2600513 N 1215519",
        "E=2600513, N=1215519",
        "Ost 2600513, Nord 1215519",
        "2600513 und 1215519",
        "1215519, 2600513",
        "600513 215519",
        "600'513 / 215'519",
        "215519, 600513",
    ],
)
def test_lv95_and_lv03_are_recognised_in_either_order(written: str) -> None:
    (found,) = find_coordinates(clean(f"Zeige mir {written} bitte"))
    assert found.coordinate == MESSEN


@pytest.mark.parametrize(
    "written",
    [
        "47.2088, 7.5323",
        "7.5323, 47.2088",
        "47.2088,7.5323",
        "47.2088 7.5323",
        "47.2088°N 7.5323°E",
        "N 47.2088, E 7.5323",
        "Lat: 47.2088 Lon: 7.5323",
        "47,2088 / 7,5323",
        "47°12'31.68\"N 7°31'56.28\"E",
        "47° 12′ 31.68″ N, 7° 31′ 56.28″ O",
        "47°12.528' N 7°31.938' E",
    ],
)
def test_degrees_become_metres(written: str) -> None:
    (found,) = find_coordinates(clean(written))
    assert found.coordinate.x == pytest.approx(2607096.6, abs=0.5)
    assert found.coordinate.y == pytest.approx(1228655.6, abs=0.5)


@pytest.mark.parametrize(
    "written",
    [
        "2600513",
        "2600513, 4711",
        "2600513 215519",
        "12, 3",
        "123456789012 123456789012",
        "9999999, 1215519",
        "Rötistrasse 4, 4500 Solothurn",
        "Parzelle 47 und 7",
        "52.5200, 13.4050",
        "CH955832730623",
    ],
)
def test_other_numbers_are_no_coordinates(written: str) -> None:
    assert find_coordinates(clean(written)) == ()


def test_several_coordinates_are_found_in_order() -> None:
    found = find_coordinates("von 2600513, 1215519 nach 2607096, 1228655")
    assert [f.coordinate for f in found] == [MESSEN, Coordinate(2607096, 1228655)]
    assert found[0].start == len("von ")
