"""Points in polygons."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swissgeo.outlines import (
    Polygon,
    area_m2,
    contains,
    distance_m,
    extent_of,
    inner_point,
    polygons_of,
)

SQUARE = [[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]
HOLE = [[4, 4], [6, 4], [6, 6], [4, 6], [4, 4]]
WITH_HOLE = polygons_of({"type": "Polygon", "coordinates": [SQUARE, HOLE]})
HORSESHOE = polygons_of(
    {"type": "Polygon", "coordinates": [[[0, 0], [9, 0], [9, 9], [7, 9], [7, 2], [2, 2], [2, 9], [0, 9]]]}
)
TWO_PARTS = polygons_of(
    {"type": "MultiPolygon", "coordinates": [[SQUARE], [[[e + 20, n] for e, n in SQUARE]]]}
)


@given(st.floats(-5, 15), st.floats(-5, 15))
def test_a_point_is_inside_unless_it_is_outside_or_in_the_hole(east: float, north: float) -> None:
    in_square, in_hole = (0 < v < 10 for v in (east, north)), (4 <= v <= 6 for v in (east, north))
    on_edge = any(v in (0, 4, 6, 10) for v in (east, north))
    if not on_edge:
        assert contains(WITH_HOLE, (east, north)) == (all(in_square) and not all(in_hole))


def test_every_part_of_a_multipolygon_counts() -> None:
    assert [contains(TWO_PARTS, (east, 5)) for east in (5, 15, 25)] == [True, False, True]


def test_distance_is_zero_inside_and_metres_to_the_boundary_outside() -> None:
    assert distance_m(WITH_HOLE, (1, 1)) == 0
    assert distance_m(WITH_HOLE, (13, 14)) == 5
    assert distance_m(WITH_HOLE, (5, 5)) == 1


@pytest.mark.parametrize("polygons", [WITH_HOLE, HORSESHOE, TWO_PARTS])
def test_the_inner_point_is_inside_even_when_the_centroid_is_not(
    polygons: list[Polygon],
) -> None:
    assert contains(polygons, inner_point(polygons))


def test_the_inner_point_keeps_its_precision_far_from_the_origin() -> None:
    far = [[2_600_000 + e, 1_200_000 + n] for e, n in SQUARE]
    assert inner_point(polygons_of({"type": "Polygon", "coordinates": [far]})) == pytest.approx(
        (2_600_005, 1_200_005), abs=1e-6
    )


@pytest.mark.parametrize(("polygons", "area"), [(WITH_HOLE, 96), (HORSESHOE, 46), (TWO_PARTS, 200)])
def test_the_area_is_that_of_all_parts_without_the_holes(polygons: list[Polygon], area: float) -> None:
    assert area_m2(polygons) == pytest.approx(area)


@pytest.mark.parametrize("hole", [HOLE, HOLE[::-1]])
def test_the_direction_of_a_ring_does_not_matter_for_its_area(hole: list[list[float]]) -> None:
    turned = polygons_of({"type": "Polygon", "coordinates": [SQUARE[::-1], hole]})
    assert area_m2(turned) == pytest.approx(96)


def test_an_open_ring_is_closed() -> None:
    assert HORSESHOE[0][0][0] == HORSESHOE[0][0][-1]
    assert extent_of(HORSESHOE) == (0, 0, 9, 9)


@pytest.mark.parametrize(
    "geometry",
    [
        {"type": "Point", "coordinates": [1, 2]},
        {"type": "Polygon", "coordinates": []},
        {"type": "Polygon", "coordinates": [[[0, 0], [1, 1], [0, 0]]]},
        {},
    ],
)
def test_what_is_no_polygon_is_refused(geometry: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"Polygon|ring"):
        polygons_of(geometry)
