"""Arcs become segments: near enough to the circle, on the right side, and through the given points."""

import math
from fractions import Fraction
from itertools import pairwise
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from swissgeo.lv95 import Point
from swissgeo.outlines import extent_of, geojson_of, polygons_of

from tools_oereb.formats.interlis import ARC_TOLERANCE_M, NAMESPACE, arc_points, surfaces_in

angles = st.floats(0, 2 * math.pi)
sweeps = st.floats(0.05, 2 * math.pi - 0.05)
shares = st.floats(0.1, 0.9)
radii = st.floats(0.5, 2_000)
centres = st.tuples(st.floats(2_500_000, 2_800_000), st.floats(1_080_000, 1_290_000))


def on_circle(centre: Point, radius: float, angle: float) -> Point:
    """As services send it: to the millimetre."""
    return (
        round(centre[0] + radius * math.cos(angle), 3),
        round(centre[1] + radius * math.sin(angle), 3),
    )


def exact_centre(a: Point, b: Point, c: Point) -> Point:
    """Where the perpendicular bisectors of two chords meet, in fractions."""
    (ax, ay), (bx, by), (cx, cy) = ((Fraction(x), Fraction(y)) for x, y in (a, b, c))
    (ux, uy), (vx, vy) = (bx - ax, by - ay), (cx - bx, cy - by)
    u2, v2 = (bx * bx + by * by - ax * ax - ay * ay) / 2, (cx * cx + cy * cy - bx * bx - by * by) / 2
    determinant = ux * vy - uy * vx
    return float((u2 * vy - v2 * uy) / determinant), float((ux * v2 - vx * u2) / determinant)


@given(centres, radii, angles, sweeps, shares, st.sampled_from([1, -1]))
def test_an_arc_stays_on_its_circle_and_within_the_tolerance(
    near: Point, size: float, first: float, sweep: float, share: float, turn: int
) -> None:
    assume(size * sweep * min(share, 1 - share) > 1)
    start, via, end = (on_circle(near, size, first + turn * a) for a in (0, share * sweep, sweep))
    centre = exact_centre(start, via, end)
    radius = math.dist(start, centre)
    points = [start, *arc_points(start, via, end)]
    assert (points[-1], via in points) == (end, True)
    for (e1, n1), (e2, n2) in pairwise(points):
        assert math.dist((e1, n1), centre) == pytest.approx(radius, abs=0.0002)
        middle = (e1 + e2) / 2, (n1 + n2) / 2
        assert radius - math.dist(middle, centre) <= ARC_TOLERANCE_M + 0.0002


@given(centres, radii, angles, sweeps, shares, st.sampled_from([1, -1]))
def test_an_arc_turns_one_way_all_along(
    centre: Point, radius: float, first: float, sweep: float, share: float, turn: int
) -> None:
    """Leftwards when `via` is to the left of where it comes from, also for more than half a circle."""
    assume(radius * sweep * min(share, 1 - share) > 1)
    start, via, end = (on_circle(centre, radius, first + turn * a) for a in (0, share * sweep, sweep))
    points = [start, *arc_points(start, via, end)]
    bearings = [math.atan2(n - centre[1], e - centre[0]) for e, n in points]
    turned = [(b - a + math.pi) % (2 * math.pi) - math.pi for a, b in pairwise(bearings)]
    assert all(turn * step > 0 for step in turned)
    assert sum(turned) == pytest.approx(turn * sweep, abs=0.02)


@given(centres, st.floats(0.5, 500), angles, sweeps, shares)
def test_an_arc_the_other_way_round_is_the_same_arc(
    centre: Point, radius: float, first: float, sweep: float, share: float
) -> None:
    assume(radius * sweep > 1)
    start, via, end = (on_circle(centre, radius, first + a) for a in (0, share * sweep, sweep))
    there = [start, *arc_points(start, via, end)]
    back = [end, *arc_points(end, via, start)]
    assert len(there) == len(back)
    for (e1, n1), (e2, n2) in zip(there, reversed(back), strict=True):
        assert (e1, n1) == pytest.approx((e2, n2), abs=0.001)


@given(centres, st.floats(1, 500), angles)
def test_from_a_point_back_to_itself_is_a_whole_circle(centre: Point, radius: float, first: float) -> None:
    start, opposite = on_circle(centre, radius, first), on_circle(centre, radius, first + math.pi)
    ring = [start, *arc_points(start, opposite, start)]
    e0, n0 = centre
    twice = sum((e1 - e0) * (n2 - n0) - (e2 - e0) * (n1 - n0) for (e1, n1), (e2, n2) in pairwise(ring))
    assert abs(twice) / 2 == pytest.approx(math.pi * radius**2, rel=0.05 if radius < 10 else 0.01)


@pytest.mark.parametrize(
    ("via", "end"),
    [
        ((2600050.0, 1200000.0), (2600100.0, 1200000.0)),
        ((2600100.0, 1200000.0), (2600050.0, 1200000.0)),
        ((2600000.0, 1200000.0), (2600100.0, 1200000.0)),
        ((2600100.0, 1200000.0), (2600100.0, 1200000.0)),
        ((2600000.0, 1200000.0), (2600000.0, 1200000.0)),
        ((2650000.0, 1200000.0), (2700000.0, 1200000.001)),
    ],
    ids=["in order", "beyond", "no middle", "no end", "one point", "nearly"],
)
def test_three_points_on_a_line_are_a_line(via: Point, end: Point) -> None:
    assert arc_points((2600000.0, 1200000.0), via, end) == [via, end]


def test_a_circle_smaller_than_the_tolerance_has_no_points_between() -> None:
    start, via = (2480000.0, 1070000.0), (2480000.0000000005, 1070000.0)
    assert arc_points(start, via, start) == [via, start]


@given(st.tuples(*[st.floats(2_480_000, 2_840_000)] * 3), st.tuples(*[st.floats(1_070_000, 1_300_000)] * 3))
def test_any_three_points_give_a_bounded_number_of_finite_points(
    easts: tuple[float, ...], norths: tuple[float, ...]
) -> None:
    start, via, end = zip(easts, norths, strict=True)
    points = arc_points(start, via, end)
    assert 2 <= len(points) <= 2_000
    assert all(map(math.isfinite, (value for point in points for value in point)))


def test_the_finer_the_tolerance_the_more_points() -> None:
    start, via, end = (2600000.0, 1200000.0), (2600010.0, 1200010.0), (2600020.0, 1200000.0)
    counts = [len(arc_points(start, via, end, tolerance_m)) for tolerance_m in (100, 1, 0.1, 0.01)]
    assert counts == sorted(counts)
    assert counts[0] == 2 < counts[-1]


# -- in XML ---------------------------------------------------------------------------------------


def surface(*segments: str) -> str:
    xmlns = NAMESPACE.strip("{}")
    boundary = "".join(segments)
    return (
        f'<limit xmlns:g="{xmlns}"><g:surface><g:exterior><g:polyline>{boundary}</g:polyline></g:exterior>'
        "</g:surface></limit>"
    )


def coordinate(east: float, north: float) -> str:
    return f"<g:coord><g:c1>{east}</g:c1><g:c2>{north}</g:c2></g:coord>"


def arc(end: Point, via: Point, radius: str = "") -> str:
    return (
        f"<g:arc><g:c1>{end[0]}</g:c1><g:c2>{end[1]}</g:c2><g:a1>{via[0]}</g:a1><g:a2>{via[1]}</g:a2>"
        f"{radius}</g:arc>"
    )


@pytest.mark.parametrize("radius", ["", "<g:r>10</g:r>", "<g:r>-10</g:r>"])
def test_an_arc_bulges_out_of_the_parcel_with_or_without_its_radius(radius: str) -> None:
    """A square of 20 m with a half circle on its northern side."""
    limit = surface(
        coordinate(2600000, 1200000),
        coordinate(2600020, 1200000),
        coordinate(2600020, 1200020),
        arc((2600000, 1200020), via=(2600010, 1200030), radius=radius),
        coordinate(2600000, 1200000),
    )
    (polygon,) = polygons_of(geojson_of(surfaces_in(fromstring(limit))))
    assert extent_of([polygon]) == (2600000, 1200000, 2600020, 1200030)
    (e0, n0), twice = polygon[0][0], 0.0
    for (e1, n1), (e2, n2) in pairwise(polygon[0]):
        twice += (e1 - e0) * (n2 - n0) - (e2 - e0) * (n1 - n0)
    assert twice / 2 == pytest.approx(400 + math.pi * 50, abs=0.3)


@pytest.mark.parametrize(
    "segments",
    [
        (arc((2600000, 1200020), (2600010, 1200030)), coordinate(2600000, 1200000)),
        (coordinate(2600000, 1200000), "<g:arc><g:c1>2600000</g:c1><g:c2>1200020</g:c2></g:arc>"),
        (coordinate(2600000, 1200000), "<g:coord><g:c1>2600000</g:c1></g:coord>"),
    ],
    ids=["begins with an arc", "without a point on it", "half a coordinate"],
)
def test_a_broken_polyline_is_refused(segments: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"polyline|float"):
        surfaces_in(fromstring(surface(*segments)))


def test_many_arcs_do_not_become_more_points_than_a_parcel_has() -> None:
    far = (arc((2480000 + n % 2, 1200020), (2840000, 1250000)) for n in range(100))
    with pytest.raises(ValueError, match="too many points"):
        surfaces_in(fromstring(surface(coordinate(2480000, 1200000), *far)))
