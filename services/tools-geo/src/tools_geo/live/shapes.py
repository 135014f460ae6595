"""Geometries as services send them, and as items have them: GeoJSON in LV95."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from contracts.items import Coord, Extent
from swissgeo.lv95 import from_wgs84, is_lv95
from swissgeo.outlines import inner_point, polygons_of

_DEPTHS = {
    "Point": 0,
    "MultiPoint": 1,
    "LineString": 1,
    "MultiLineString": 2,
    "Polygon": 2,
    "MultiPolygon": 3,
}
"""How deep the points are in the coordinates."""
_MAX_POINTS = 100_000


@dataclass(frozen=True)
class Shape:
    geometry: dict[str, Any]
    coord: Coord
    """A point of it."""
    extent: Extent | None
    """None for a point."""


def shape_of(geometry: Any) -> Shape | None:
    """A GeoJSON geometry in LV95, or in degrees as GeoJSON has it; None for what cannot be drawn."""
    try:
        return _shape(geometry["type"], geometry["coordinates"])
    except (TypeError, ValueError, LookupError, ArithmeticError):
        return None


def _shape(kind: str, coordinates: Any) -> Shape | None:
    mapped = _mapped(coordinates, _DEPTHS[kind])
    points = list(_points(mapped, _DEPTHS[kind]))
    if not 0 < len(points) <= _MAX_POINTS:
        return None
    geometry = {"type": kind, "coordinates": mapped}
    easts, norths = zip(*points, strict=True)
    box = (min(easts), min(norths), max(easts), max(norths))
    # Of a line, and of several points, one in the middle.
    coord = inner_point(polygons_of(geometry)) if "Polygon" in kind else tuple(points[len(points) // 2])
    return Shape(geometry, (coord[0], coord[1]), box if box[:2] != box[2:] else None)


def _mapped(value: Any, depth: int) -> list[Any]:
    return _in_lv95(value) if depth == 0 else [_mapped(each, depth - 1) for each in value]


def _points(value: list[Any], depth: int) -> Iterator[list[float]]:
    if depth == 0:
        yield value
    else:
        for each in value:
            yield from _points(each, depth - 1)


def _in_lv95(point: Any) -> list[float]:
    """Raises `ValueError` for a point that is not in Switzerland."""
    east, north = float(point[0]), float(point[1])
    if not is_lv95((east, north)):
        east, north = from_wgs84(longitude=east, latitude=north)
    if not is_lv95((east, north)):
        raise ValueError("not in Switzerland")
    return [round(east, 3), round(north, 3)]


def shape_of_wkt(written: str) -> Shape | None:
    """`POINT(2600000 1200000)`, `Polygon ((…))`; also with heights."""
    if not written or len(written) > _MAX_POINTS * 20:
        return None
    # Takes its time and memory: only who needs it shall have it.
    import shapely
    from shapely.geometry import mapping

    read: Callable[[Any], dict[str, Any]] = mapping
    try:
        return shape_of(read(shapely.from_wkt(written)))
    except (shapely.errors.ShapelyError, TypeError, ValueError):
        return None
