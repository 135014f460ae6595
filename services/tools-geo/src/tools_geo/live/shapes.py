"""Geometries as services send them, and as items have them: GeoJSON in LV95."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from contracts.items import Coord, Extent
from swissgeo.lv95 import from_wgs84, is_lv95
from swissgeo.outlines import bounds_of, inner_point, polygons_of

from tools_geo.features.geojson import DEPTHS, points_of

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
    geometry = {"type": kind, "coordinates": _mapped(coordinates, DEPTHS[kind])}
    points = list(points_of(geometry))
    if not 0 < len(points) <= _MAX_POINTS:
        return None
    box = bounds_of(points)
    # Of a line, and of several points, one in the middle.
    coord = inner_point(polygons_of(geometry)) if "Polygon" in kind else points[len(points) // 2]
    return Shape(geometry, coord, box if box[:2] != box[2:] else None)


def _mapped(value: Any, depth: int) -> list[Any]:
    return _in_lv95(value) if depth == 0 else [_mapped(each, depth - 1) for each in value]


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
