"""Sizes, distances, and outlines that are simple enough to be sent."""

import math
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_geo.features import shapes
from tools_geo.features.geojson import extent_of, is_geometry, points_of, polygon_of
from tools_geo.gateways import Area

BOX = polygon_of((2_600_000, 1_200_000, 2_600_100, 1_200_200))


def circle(points: int, radius_m: float = 500) -> dict[str, Any]:
    ring = [
        [2_600_000 + radius_m * math.cos(turn), 1_200_000 + radius_m * math.sin(turn)]
        for turn in (2 * math.pi * n / points for n in range(points))
    ]
    return {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}


def point(east: float, north: float) -> dict[str, Any]:
    return {"type": "Point", "coordinates": [east, north]}


def test_sizes_are_in_metres() -> None:
    line = {"type": "LineString", "coordinates": [[2_600_000, 1_200_000], [2_600_030, 1_200_040]]}
    assert shapes.area_m2(BOX) == 20_000 and shapes.length_m(BOX) == 0
    assert shapes.length_m(line) == 50 and shapes.area_m2(line) == 0
    assert shapes.area_m2(None) == shapes.length_m(None) == 0
    assert shapes.distance_m(BOX, (2_600_200, 1_200_100)) == 100


def test_an_area_touches_what_is_in_it_or_near_enough() -> None:
    inside, outside = point(2_600_050, 1_200_050), point(2_600_150, 1_200_050)
    assert shapes.Reach(Area(geometry=BOX)).touches(inside)
    assert not shapes.Reach(Area(geometry=BOX)).touches(outside)
    assert shapes.Reach(Area(geometry=BOX, radius_m=50)).touches(outside)
    assert not shapes.Reach(Area(geometry=BOX)).touches(None)
    assert shapes.Reach(Area(municipality="Olten")).touches(None)


def test_a_broken_outline_is_mended() -> None:
    bow = {
        "type": "Polygon",
        "coordinates": [
            [
                [2_600_000, 1_200_000],
                [2_600_010, 1_200_010],
                [2_600_010, 1_200_000],
                [2_600_000, 1_200_010],
                [2_600_000, 1_200_000],
            ]
        ],
    }
    assert shapes.area_m2(bow) > 0
    assert shapes.slimmed(bow, 100)["type"] in ("Polygon", "MultiPolygon")


@given(st.integers(3, 2_000), st.integers(5, 600))
def test_an_outline_is_never_finer_than_asked_for(points: int, most: int) -> None:
    slim = shapes.slimmed(circle(points), most)
    assert is_geometry(slim) and len(list(points_of(slim))) <= most
    assert shapes.area_m2(slim) > 0


def test_no_outline_takes_long() -> None:
    saw = [[2_600_000 + n, 1_200_000 + n % 2] for n in range(50_000)]
    started = process_time()
    slim = shapes.slimmed({"type": "LineString", "coordinates": saw}, 500)
    assert process_time() - started < 2
    ends = [slim["coordinates"][0], slim["coordinates"][-1]]
    assert ends == [[float(value) for value in saw[at]] for at in (0, -1)]


def test_what_is_simple_stays_as_it_is() -> None:
    assert shapes.slimmed(BOX, 500) == {
        "type": "Polygon",
        "coordinates": [[[float(e), float(n)] for e, n in BOX["coordinates"][0]]],
    }


@pytest.mark.parametrize(
    "geometry",
    [
        None,
        {},
        {"type": "Circle", "coordinates": [2_600_000, 1_200_000]},
        {"type": ["Point"], "coordinates": [2_600_000, 1_200_000]},
        {"type": "Point"},
        {"type": "Point", "coordinates": [7.5, 47.2]},
        {"type": "Point", "coordinates": ["x", "y"]},
        {"type": "Point", "coordinates": [math.nan, math.inf]},
        {"type": "LineString", "coordinates": [[2_600_000, 1_200_000]]},
        {"type": "LineString", "coordinates": []},
        {"type": "Polygon", "coordinates": [2_600_000, 1_200_000]},
        {"type": "Polygon", "coordinates": [[[2_600_000, 1_200_000]] * 3]},
        {"type": "GeometryCollection", "geometries": []},
    ],
)
def test_what_cannot_be_drawn_is_no_geometry(geometry: dict[str, Any] | None) -> None:
    assert not is_geometry(geometry)


def test_all_kinds_of_geometries_have_an_extent() -> None:
    lines = {
        "type": "MultiLineString",
        "coordinates": [[[2_600_000, 1_200_000], [2_600_500, 1_200_000]]],
    }
    assert is_geometry(lines) and is_geometry(BOX) and is_geometry(point(2_600_000, 1_200_000))
    assert extent_of([lines, BOX]) == (2_600_000, 1_200_000, 2_600_500, 1_200_200)
    assert extent_of([]) is None
