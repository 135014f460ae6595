"""Which features touch an area. Shapely takes its time and memory: it is loaded where it is needed only."""

from collections.abc import Callable
from typing import Any

from contracts.items import Extent

_SLIVER_M = 1.0
"""Outlines of different surveys differ by so much: neighbours do not overlap because of it."""

Touches = Callable[[dict[str, Any] | None], bool]


def near(geometry: dict[str, Any], radius_m: float) -> Touches:
    """What is not farther from a geometry."""
    import shapely
    from shapely.geometry import shape

    wanted = shape(geometry)
    shapely.prepare(wanted)

    def touches(other: dict[str, Any] | None) -> bool:
        if other is None:
            return False
        found = shape(other)
        return bool(wanted.dwithin(found, radius_m) if radius_m else wanted.intersects(found))

    return touches


def inside(outline: dict[str, Any]) -> Touches:
    """What is not only a neighbour on the other side of a boundary."""
    from shapely.geometry import mapping, shape

    on_point, shrunk = near(outline, 0), near(mapping(shape(outline).buffer(-_SLIVER_M)), 0)
    return lambda other: (on_point if other and other["type"] == "Point" else shrunk)(other)


def box_of(geometry: dict[str, Any], margin_m: float = 0) -> Extent:
    from shapely.geometry import shape

    west, south, east, north = shape(geometry).bounds
    return west - margin_m, south - margin_m, east + margin_m, north + margin_m


def is_box(geometry: dict[str, Any] | None, box: Extent | None) -> bool:
    """Whether a geometry is nothing but its box."""
    if geometry is None or box is None or geometry.get("type") != "Polygon":
        return False
    rings = geometry["coordinates"]
    corners = {(x, y) for x in (box[0], box[2]) for y in (box[1], box[3])}
    return len(rings) == 1 and {(point[0], point[1]) for point in rings[0]} == corners
