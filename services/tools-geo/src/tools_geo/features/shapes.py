"""Sizes, distances and what touches what, of GeoJSON geometries in LV95.

Shapely is imported with the first question: a worker that nobody asks for features is smaller without it.
"""

from typing import Any

from contracts.items import Coord

from tools_geo.features.geojson import points_of
from tools_geo.gateways import Area

_FINE_M, _COARSEST_M = 0.5, 500.0
"""A simpler outline begins with the one, and is given up for its box beyond the other."""
_ROUGH = 4
"""How many times too fine an outline may be before points are left away unseen."""
_LEAST = 8
"""Points that are kept of each line."""
_DECIMALS = 2

Geometry = dict[str, Any]


def area_m2(geometry: Geometry | None) -> float:
    return float(_shape(geometry).area) if geometry else 0.0


def length_m(geometry: Geometry | None) -> float:
    """Along the lines; of an outline nothing."""
    if not geometry or geometry["type"] not in ("LineString", "MultiLineString"):
        return 0.0
    return float(_shape(geometry).length)


def distance_m(geometry: Geometry, point: Coord) -> float:
    """From a point to the nearest of it; 0 inside."""
    return float(_shape(geometry).distance(_shape({"type": "Point", "coordinates": point})))


def inner_point(geometry: Geometry) -> Coord:
    """A point on it."""
    import shapely

    point = shapely.point_on_surface(_shape(geometry))
    return round(point.x, _DECIMALS), round(point.y, _DECIMALS)


class Reach:
    """An area that many features are compared with."""

    def __init__(self, area: Area) -> None:
        self._shape = _shape(area.geometry) if area.geometry else None
        self._radius_m = area.radius_m

    def touches(self, geometry: Geometry | None) -> bool:
        """Whether some of it lies in the area; of what has no geometry only everywhere."""
        if self._shape is None:
            return True
        import shapely

        return bool(geometry and shapely.dwithin(self._shape, _shape(geometry), self._radius_m))


def slimmed(geometry: Geometry, most_points: int) -> Geometry:
    """With no more points than that, and none finer than a centimetre."""
    import shapely

    shape, tolerance_m = _shape(_thinned(geometry, most_points)), _FINE_M
    while shapely.get_num_coordinates(shape) > most_points:
        if tolerance_m > _COARSEST_M:
            shape = shapely.envelope(shape)
            break
        shape, tolerance_m = shapely.simplify(shape, tolerance_m), tolerance_m * 2
    plain = shapely.geometry.mapping(shape)
    return {"type": plain["type"], "coordinates": _rounded(plain["coordinates"])}


def _thinned(geometry: Geometry, most_points: int) -> Geometry:
    """Without many points of what has far too many: weighing each takes up to the square of their number."""
    count = sum(1 for _ in points_of(geometry))
    step = count // (_ROUGH * most_points) + 1
    if step == 1 or geometry["type"] == "Point":
        return geometry
    return {**geometry, "coordinates": _every(step, geometry["coordinates"])}


def _every(step: int, coordinates: Any) -> Any:
    """Each line and ring with its ends, and enough points to be one."""
    if not isinstance(coordinates[0][0], int | float):
        return [_every(step, part) for part in coordinates]
    if len(coordinates) <= _LEAST * step:
        return coordinates
    return [*coordinates[:-1:step], coordinates[-1]]


def _shape(geometry: Geometry) -> Any:
    """What is broken is mended; lines that are left over of an outline are left away."""
    import shapely

    shape = shapely.geometry.shape(geometry)
    return shape if shape.is_valid else shapely.make_valid(shape, method="structure", keep_collapsed=False)


def _rounded(coordinates: Any) -> Any:
    if isinstance(coordinates, int | float):
        return round(float(coordinates), _DECIMALS)
    return [_rounded(part) for part in coordinates]
