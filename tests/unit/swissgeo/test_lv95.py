"""Points of Switzerland in the systems that people use."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swissgeo.lv95 import (
    MAX_EAST,
    MAX_NORTH,
    MIN_EAST,
    MIN_NORTH,
    from_wgs84,
    is_lv95,
    to_lv03,
    to_lv95,
    to_wgs84,
)


def test_the_formulas_give_the_example_of_their_publisher() -> None:
    point = from_wgs84(longitude=8 + 43 / 60 + 49.79 / 3600, latitude=46 + 2 / 60 + 38.87 / 3600)
    assert point == (2699999.8, 1100000.0)


@pytest.mark.parametrize("pair", [(2600513, 1215519), (600513, 215519)])
def test_metres_are_recognised_in_either_order(pair: tuple[float, float]) -> None:
    assert to_lv95(*pair) == to_lv95(*reversed(pair)) == (2600513, 1215519)


def test_degrees_are_recognised_in_either_order() -> None:
    point = to_lv95(47.2088, 7.5323)
    assert point == to_lv95(7.5323, 47.2088) == pytest.approx((2607096.6, 1228655.6), abs=0.5)


@pytest.mark.parametrize("pair", [(52.52, 13.405), (2600513, 215519), (0, 0), (9999999, 1215519)])
def test_other_numbers_are_no_point(pair: tuple[float, float]) -> None:
    assert to_lv95(*pair) is None


@given(st.floats(), st.floats())
def test_a_point_is_in_switzerland_or_none(one: float, other: float) -> None:
    point = to_lv95(one, other)
    assert point is None or is_lv95(point)


@given(st.floats(MIN_EAST, MAX_EAST), st.floats(MIN_NORTH, MAX_NORTH))
def test_a_point_in_lv95_is_itself(east: float, north: float) -> None:
    assert to_lv95(east, north) == to_lv95(north, east) == (east, north)


@given(st.floats(2_550_000, 2_750_000), st.floats(1_100_000, 1_280_000))
def test_there_and_back_is_the_same_point(east: float, north: float) -> None:
    longitude, latitude = to_wgs84((east, north))
    assert from_wgs84(longitude, latitude) == pytest.approx((east, north), abs=2.5)
    assert to_lv95(*to_lv03((east, north))) == pytest.approx((east, north))
