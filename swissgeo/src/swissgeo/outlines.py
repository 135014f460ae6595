"""Rings and polygons in LV95, as in GeoJSON."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from swissgeo.lv95 import Point

Ring = list[Point]
Polygon = list[Ring]
"""The outer ring, then the holes."""
Extent = tuple[float, float, float, float]
"""(min east, min north, max east, max north)."""


def polygons_of(geometry: dict[str, Any]) -> list[Polygon]:
    """The polygons of a GeoJSON Polygon or MultiPolygon, rings closed.

    Raises `ValueError` for another geometry or a degenerate ring.
    """
    kind, coordinates = geometry.get("type"), geometry.get("coordinates")
    if kind not in ("Polygon", "MultiPolygon") or not coordinates:
        raise ValueError(f"expected a Polygon or MultiPolygon, got {kind}")
    parts = [coordinates] if kind == "Polygon" else coordinates
    return [[_closed([(float(p[0]), float(p[1])) for p in ring]) for ring in rings] for rings in parts]


def geojson_of(polygons: Sequence[Polygon]) -> dict[str, Any]:
    """The GeoJSON geometry of one polygon or several."""
    coordinates = [[[list(point) for point in ring] for ring in polygon] for polygon in polygons]
    if len(coordinates) == 1:
        return {"type": "Polygon", "coordinates": coordinates[0]}
    return {"type": "MultiPolygon", "coordinates": coordinates}


def _closed(ring: Ring) -> Ring:
    if len(set(ring)) < 3:
        raise ValueError("a ring needs three different points")
    return ring if ring[0] == ring[-1] else [*ring, ring[0]]


def bounds_of(points: Iterable[Point]) -> Extent:
    """What contains all of the points. Raises `ValueError` when there are none."""
    easts, norths = zip(*points, strict=True)
    return min(easts), min(norths), max(easts), max(norths)


def extent_of(polygons: Sequence[Polygon]) -> Extent:
    """What contains all of the polygons. Raises `ValueError` when there are none."""
    return bounds_of(point for polygon in polygons for point in polygon[0])


def contains(polygons: Sequence[Polygon], point: Point) -> bool:
    """Whether a point lies inside; a point in a hole does not. On the boundary either answer is possible."""
    return any(
        _in_ring(outer, point) and not any(_in_ring(hole, point) for hole in holes)
        for outer, *holes in polygons
    )


def _in_ring(ring: Ring, point: Point) -> bool:
    east, north = point
    inside = False
    for (e1, n1), (e2, n2) in pairwise(ring):
        if (n1 > north) != (n2 > north) and east < (e2 - e1) * (north - n1) / (n2 - n1) + e1:
            inside = not inside
    return inside


def distance_m(polygons: Sequence[Polygon], point: Point) -> float:
    """Metres from a point to the nearest boundary; 0 inside."""
    if contains(polygons, point):
        return 0.0
    return min(
        _to_segment(a, b, point) for polygon in polygons for ring in polygon for a, b in pairwise(ring)
    )


def _to_segment(a: Point, b: Point, point: Point) -> float:
    (ae, an), (be, bn), (pe, pn) = a, b, point
    length_squared = (be - ae) ** 2 + (bn - an) ** 2
    along = ((pe - ae) * (be - ae) + (pn - an) * (bn - an)) / length_squared if length_squared else 0.0
    along = min(1.0, max(0.0, along))
    return math.hypot(pe - ae - along * (be - ae), pn - an - along * (bn - an))


def area_m2(polygons: Sequence[Polygon]) -> float:
    """Square metres, without the holes."""
    return sum(
        abs(_signed_area(outer)) - sum(abs(_signed_area(hole)) for hole in holes)
        for outer, *holes in polygons
    )


def inner_point(polygons: Sequence[Polygon]) -> Point:
    """A point inside the largest polygon, to the millimetre: its centroid where that is inside."""
    largest = max(polygons, key=lambda polygon: abs(_signed_area(polygon[0])))
    centroid = _centroid(largest[0])
    east, north = centroid if contains([largest], centroid) else _middle_of_widest_cut(largest)
    return round(east, 3), round(north, 3)


def _signed_area(ring: Ring) -> float:
    # Relative to the first vertex: the products of whole LV95 coordinates lose centimetres.
    e0, n0 = ring[0]
    return sum((a[0] - e0) * (b[1] - n0) - (b[0] - e0) * (a[1] - n0) for a, b in pairwise(ring)) / 2


def _centroid(ring: Ring) -> Point:
    (e0, n0), area = ring[0], _signed_area(ring)
    if area == 0:
        return ring[0]
    east = north = 0.0
    for (ae, an), (be, bn) in pairwise([(e - e0, n - n0) for e, n in ring]):
        cross = ae * bn - be * an
        east += (ae + be) * cross
        north += (an + bn) * cross
    return e0 + east / (6 * area), n0 + north / (6 * area)


def _middle_of_widest_cut(polygon: Polygon) -> Point:
    _, south, _, top = extent_of([polygon])
    north = (south + top) / 2
    crossings = sorted(e for ring in polygon for e in _crossings(ring, north))
    left, right = max(zip(crossings[::2], crossings[1::2], strict=True), key=lambda cut: cut[1] - cut[0])
    return (left + right) / 2, north


def _crossings(ring: Ring, north: float) -> Iterator[float]:
    for (e1, n1), (e2, n2) in pairwise(ring):
        if (n1 > north) != (n2 > north):
            yield e1 + (e2 - e1) * (north - n1) / (n2 - n1)
