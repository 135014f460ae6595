"""Scale, extent and grid of cadastral plans."""

import math

import pytest
from contracts.items import Extent
from hypothesis import given
from hypothesis import strategies as st

from tools_geo.plan_layout import FRAME_M, GRID_INTERVALS_M, SCALES, layout_of

easts, norths = st.floats(2_480_000, 2_840_000), st.floats(1_070_000, 1_300_000)
sides = st.floats(0.01, 190_000)


@st.composite
def extents(draw: st.DrawFn) -> Extent:
    west, south = draw(easts), draw(norths)
    return west, south, west + draw(sides), south + draw(sides)


def test_a_small_parcel_gets_the_smallest_scale_that_has_room() -> None:
    layout = layout_of((2600, 1200, 2610, 1205), (100, 200, 500))
    assert (layout.scale, layout.grid_interval_m) == (100, 10)
    assert layout.extent == pytest.approx((2595.2, 1190.3, 2614.8, 1214.7))


def test_the_frame_is_that_of_the_published_example() -> None:
    layout = layout_of((2_607_400, 1_227_600, 2_608_400, 1_228_700), (6_000,))
    west, south, east, north = layout.extent
    assert (east - west, north - south) == pytest.approx((1_176, 1_464))


@pytest.mark.parametrize(
    ("side_m", "scale"),
    [
        (0.196 * 98.5, 100),
        # As large as the frame: there has to be a margin.
        (0.196 * 100, 150),
        (0.196 * 999.2, 2_000),
        (0.196 * 1_000_000, 1_000_000),
        (0.196 * 3_000_000, 1_000_000),
    ],
)
def test_the_scale_is_larger_than_needed_and_the_largest_where_none_is(side_m: float, scale: int) -> None:
    assert layout_of((2_500_000, 1_100_000, 2_500_000 + side_m, 1_100_001)).scale == scale


def test_a_high_parcel_is_fitted_by_its_height() -> None:
    assert layout_of((2_600_000, 1_200_000, 2_600_001, 1_200_000 + 0.244 * 480)).scale == 500


@pytest.mark.parametrize(
    "extent",
    [
        (2_600_000, 1_200_000, 2_600_000, 1_200_010),
        (2_600_000, 1_200_000, 2_600_010, 1_200_000),
        (2_600_010, 1_200_000, 2_600_000, 1_200_010),
        (math.nan, 1_200_000, 2_600_010, 1_200_010),
        (-math.inf, 1_200_000, math.inf, 1_200_010),
    ],
)
def test_what_has_no_area_cannot_be_drawn(extent: Extent) -> None:
    with pytest.raises(ValueError, match="no area"):
        layout_of(extent)


@given(extents())
def test_everything_is_on_the_sheet_around_the_same_centre(extent: Extent) -> None:
    layout = layout_of(extent)
    west, south, east, north = layout.extent
    assert west <= extent[0] and south <= extent[1] and east >= extent[2] and north >= extent[3]
    assert (west + east) / 2 == pytest.approx((extent[0] + extent[2]) / 2)
    assert (south + north) / 2 == pytest.approx((extent[1] + extent[3]) / 2)


@given(extents())
def test_the_extent_has_the_size_of_the_frame_at_that_scale(extent: Extent) -> None:
    layout = layout_of(extent)
    west, south, east, north = layout.extent
    assert (east - west) / layout.scale == pytest.approx(FRAME_M[0])
    assert (north - south) / layout.scale == pytest.approx(FRAME_M[1])


@given(extents())
def test_no_smaller_scale_would_do(extent: Extent) -> None:
    scale = layout_of(extent).scale
    assert scale in SCALES
    needed = math.ceil(max((extent[2] - extent[0]) / FRAME_M[0], (extent[3] - extent[1]) / FRAME_M[1]))
    assert needed < scale
    assert all(smaller <= needed for smaller in SCALES if smaller < scale)


@given(extents())
def test_there_are_one_to_three_grid_lines_across(extent: Extent) -> None:
    layout = layout_of(extent)
    assert layout.grid_interval_m in GRID_INTERVALS_M
    width = layout.extent[2] - layout.extent[0]
    assert 1 <= math.ceil(width / layout.grid_interval_m) <= 3
    assert width / layout.grid_interval_m > 0.9


@given(extents(), st.floats(-10_000, 10_000), st.floats(-10_000, 10_000))
def test_the_place_does_not_change_the_layout(extent: Extent, east: float, north: float) -> None:
    west, south = round(extent[0]), round(extent[1])
    there: Extent = (west, south, west + 200, south + 100)
    moved: Extent = (
        west + round(east),
        south + round(north),
        west + round(east) + 200,
        south + round(north) + 100,
    )
    one, other = layout_of(there), layout_of(moved)
    assert (one.scale, one.grid_interval_m) == (other.scale, other.grid_interval_m)
