"""GeoJSON geometries of any kind, in LV95, as plain data."""

from collections.abc import Iterable, Iterator
from typing import Any

from contracts.items import Coord, Extent
from swissgeo.lv95 import is_lv95
from swissgeo.outlines import bounds_of, polygons_of

DEPTHS = {
    "Point": 0,
    "MultiPoint": 1,
    "LineString": 1,
    "MultiLineString": 2,
    "Polygon": 2,
    "MultiPolygon": 3,
}
"""How deep the points are in the coordinates."""
_LEAST_POINTS = {"LineString": 2, "MultiLineString": 2, "Polygon": 4, "MultiPolygon": 4}
"""Of a line, and of a ring, which ends where it begins."""


def is_geometry(geometry: dict[str, Any] | None) -> bool:
    """Whether it is a geometry with points of Switzerland that can be drawn."""
    kind = (geometry or {}).get("type")
    if geometry is None or not isinstance(kind, str) or kind not in DEPTHS:
        return False
    try:
        paths = [list(path) for path in _paths(geometry["coordinates"], DEPTHS[kind])]
    except (TypeError, ValueError, IndexError, KeyError):
        return False
    least = _LEAST_POINTS.get(kind, 1)
    return bool(paths) and all(len(path) >= least and all(map(is_lv95, path)) for path in paths)


def is_outline(geometry: dict[str, Any]) -> bool:
    """Whether it is a geometry with an area."""
    if not is_geometry(geometry):
        return False
    try:
        return bool(polygons_of(geometry))
    except (ValueError, TypeError, LookupError):
        return False


def points_of(geometry: dict[str, Any]) -> Iterator[Coord]:
    """All its points. Raises `ValueError`, `TypeError`, `IndexError` or `KeyError` for something else."""
    for path in _paths(geometry["coordinates"], DEPTHS[geometry["type"]]):
        yield from path


def extent_of(geometries: Iterable[dict[str, Any]]) -> Extent | None:
    """What contains all of them; None for none."""
    points = [point for geometry in geometries for point in points_of(geometry)]
    return bounds_of(points) if points else None


def polygon_of(extent: Extent) -> dict[str, Any]:
    """An extent as an outline."""
    west, south, east, north = extent
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    return {"type": "Polygon", "coordinates": [ring]}


def _paths(coordinates: Any, depth: int) -> Iterator[Iterator[Coord]]:
    """Lines, rings or single points, each as the points along it."""
    if depth == 0:
        yield iter([_point(coordinates)])
    elif depth == 1:
        yield map(_point, coordinates)
    else:
        for part in coordinates:
            yield from _paths(part, depth - 1)


def _point(position: Any) -> Coord:
    return float(position[0]), float(position[1])
