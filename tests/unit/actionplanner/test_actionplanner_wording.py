"""Swiss numbers, geometry bounds."""

from typing import Any

import pytest

from actionplanner.places import bounds_of
from actionplanner.texts import text
from actionplanner.wording import listed, number, short


@pytest.mark.parametrize(
    ("value", "decimals", "expected"),
    [(2600513.4, 0, "2'600'513"), (618.0, 1, "618"), (553.62, 1, "553.6"), (100, 0, "100"), (0.04, 1, "0")],
)
def test_numbers_are_swiss(value: float, decimals: int, expected: str) -> None:
    assert number(value, decimals) == expected


def test_long_lists_are_cut() -> None:
    ten = "«0», «1», «2», «3», «4», «5», «6», «7», «8»"
    assert listed([str(n) for n in range(10)], text.speaking("de")) == f"{ten} und «9»"
    assert listed([str(n) for n in range(13)], text.speaking("de")) == f"{ten}, «9» und 3 weitere"
    assert listed(["A"], text.speaking("de")) == "«A»"
    assert listed([], text.speaking("de")) == ""


def test_a_label_that_begins_with_a_comma_is_kept() -> None:
    assert (short("Rötistrasse 4, 4500 Solothurn, Schweiz"), short(", x")) == ("Rötistrasse 4", ", x")


def test_an_unknown_text_is_a_bug() -> None:
    with pytest.raises(KeyError):
        text("no_such_text")


@pytest.mark.parametrize(
    ("geometry", "bounds"),
    [
        ({"type": "Point", "coordinates": [3, 4, 500]}, (3, 4, 3, 4)),
        ({"type": "MultiPolygon", "coordinates": [[[[1, 2], [3, 4]]], [[[5, 0]]]]}, (1, 0, 5, 4)),
        (
            {"type": "GeometryCollection", "geometries": [{"type": "Point", "coordinates": (1, 2)}]},
            (1, 2, 1, 2),
        ),
        (
            {
                "type": "GeometryCollection",
                "geometries": [
                    {"type": "Point", "coordinates": (1, 2)},
                    {"type": "Point", "coordinates": (3, 4)},
                ],
            },
            (1, 2, 3, 4),
        ),
        ({"type": "Polygon", "coordinates": [[["1", "2"]]]}, None),
        ({"type": "Point", "coordinates": [True, False]}, None),
        ({"type": "Point", "coordinates": [float("nan"), 1]}, None),
        ({"type": "Point", "coordinates": [1e12, 1]}, None),
        ({"type": "Point", "coordinates": [1e12 - 1, 1]}, (1e12 - 1, 1, 1e12 - 1, 1)),
        ({"coordinates": [1, 2]}, None),
        ({"type": 3}, None),
        (None, None),
    ],
)
def test_bounds_are_those_of_all_positions(geometry: dict[str, Any] | None, bounds: object) -> None:
    assert bounds_of(geometry) == bounds
