"""Geometries of INTERLIS 2.4 in XML: surfaces bounded by polylines of straight segments and arcs."""

from collections.abc import Iterator
from math import acos, atan2, ceil, cos, hypot, isfinite, pi, sin
from xml.etree.ElementTree import Element

from swissgeo.lv95 import Point
from swissgeo.outlines import Polygon, Ring

NAMESPACE = "{http://www.interlis.ch/geometry/1.0}"
ARC_TOLERANCE_M = 0.01
"""How far a straight segment may be from the arc that it stands for: less than surveyors vouch for."""
_MAX_SEGMENTS = 1_000
_MAX_POINTS = 10_000
"""More than any parcel has, however winding its brook."""
_MAX_RADIUS_M = 1e7
"""The chord of a larger circle is the circle, in a parcel."""


def surfaces_in(element: Element) -> list[Polygon]:
    """The polygons of all surfaces inside an element, in metres.

    Some services write several outer boundaries into one surface: each begins a polygon. Raises `ValueError`
    for what is no such geometry.
    """
    polygons: list[Polygon] = []
    points = 0
    for surface in element.iter(f"{NAMESPACE}surface"):
        parts: list[Polygon] = []
        for boundary in surface:
            ring = _ring(boundary, _MAX_POINTS - points)
            points += len(ring)
            if boundary.tag == f"{NAMESPACE}exterior":
                parts.append([ring])
            elif boundary.tag == f"{NAMESPACE}interior" and parts:
                parts[-1].append(ring)
            else:
                raise ValueError(f"unexpected in a surface: {boundary.tag}")
        polygons += parts
    return polygons


def _ring(boundary: Element, max_points: int) -> Ring:
    ring: Ring = []
    for segment in _segments(boundary):
        end = (_number(segment, "c1"), _number(segment, "c2"))
        if segment.tag == f"{NAMESPACE}arc" and ring:
            # The radius, where it is sent, only repeats what the three points say.
            ring += arc_points(ring[-1], (_number(segment, "a1"), _number(segment, "a2")), end)
        elif segment.tag != f"{NAMESPACE}coord":
            raise ValueError(f"unexpected in a polyline: {segment.tag}")
        elif not ring or ring[-1] != end:
            ring.append(end)
        if len(ring) > max_points:
            raise ValueError("too many points")
    return ring


def _segments(boundary: Element) -> Iterator[Element]:
    for polyline in boundary.iter(f"{NAMESPACE}polyline"):
        yield from polyline


def _number(segment: Element, name: str) -> float:
    number = float(segment.findtext(f"{NAMESPACE}{name}") or "")
    if not isfinite(number):
        raise ValueError(f"{name} is no number")
    return number


def arc_points(start: Point, via: Point, end: Point, tolerance_m: float = ARC_TOLERANCE_M) -> list[Point]:
    """The points after `start` of an arc from `start` through `via` to `end`; both are among them.

    Segments between them are at most `tolerance_m` metres away from the arc. From a point back to itself is a
    whole circle, with `via` opposite; three points on a line are a line.
    """
    centre = _centre(start, via, end)
    if centre is None:
        return [via, end]
    leftwards = start == end or _cross(start, via, end) > 0
    points: list[Point] = []
    for a, b in ((start, via), (via, end)):
        points += _between(centre, a, b, tolerance_m, leftwards=leftwards)
        points.append(b)
    return points


def _centre(a: Point, b: Point, c: Point) -> Point | None:
    """The centre of the circle through three points; None when they are on a line."""
    if a == c:
        return ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2) if a != b else None
    # Relative to one point: the squares of whole LV95 coordinates lose centimetres.
    (bx, by), (cx, cy) = ((p[0] - a[0], p[1] - a[1]) for p in (b, c))
    doubled = 2 * (bx * cy - by * cx)
    b2, c2 = bx * bx + by * by, cx * cx + cy * cy
    east, north = cy * b2 - by * c2, bx * c2 - cx * b2
    if hypot(east, north) >= _MAX_RADIUS_M * abs(doubled):
        return None
    return a[0] + east / doubled, a[1] + north / doubled


def _cross(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


def _between(centre: Point, a: Point, b: Point, tolerance_m: float, *, leftwards: bool) -> Iterator[Point]:
    """The points strictly between two points of a circle."""
    radius = hypot(a[0] - centre[0], a[1] - centre[1])
    if 2 * radius <= tolerance_m:
        return
    first, last = (atan2(p[1] - centre[1], p[0] - centre[0]) for p in (a, b))
    turn = (last - first) % (2 * pi) if leftwards else -((first - last) % (2 * pi))
    # The middle of a chord over the angle w is r · (1 − cos(w / 2)) away from the arc.
    widest = 2 * acos(1 - tolerance_m / radius)
    segments = min(_MAX_SEGMENTS, max(1, ceil(abs(turn) / widest)))
    for n in range(1, segments):
        angle = first + turn * n / segments
        yield (
            round(centre[0] + radius * cos(angle), 4),
            round(centre[1] + radius * sin(angle), 4),
        )
