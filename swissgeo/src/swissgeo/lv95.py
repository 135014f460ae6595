"""Points of Switzerland in LV95 (EPSG:2056), metres, and what other systems call them."""

Point = tuple[float, float]
"""East before north."""

MIN_EAST, MAX_EAST = 2_480_000, 2_840_000
MIN_NORTH, MAX_NORTH = 1_070_000, 1_300_000
_LV03_EAST, _LV03_NORTH = 2_000_000.0, 1_000_000.0
"""What LV95 has more, so that nobody takes one for the other."""
_MAX_LV03 = 1_000_000


def is_lv95(point: Point) -> bool:
    """Whether it can be a point of Switzerland."""
    east, north = point
    return MIN_EAST <= east <= MAX_EAST and MIN_NORTH <= north <= MAX_NORTH


def to_lv95(one: float, other: float) -> Point | None:
    """The point that two numbers name in LV95, LV03 (metres) or WGS84 (degrees), whatever their order.

    The order is recognised by the ranges, which do not overlap in Switzerland.
    """
    for east, north in ((one, other), (other, one)):
        candidates = [(float(east), float(north))]
        if east < _MAX_LV03:
            candidates.append(from_lv03(east, north))
        if 5 < east < 11 and 45 < north < 48:
            candidates.append(from_wgs84(longitude=east, latitude=north))
        if inside := next(filter(is_lv95, candidates), None):
            return inside
    return None


def from_lv03(east: float, north: float) -> Point:
    """Exact to about 1.6 m: by so much the two frames differ at most."""
    return east + _LV03_EAST, north + _LV03_NORTH


def to_lv03(point: Point) -> Point:
    """Exact to about 1.6 m, too."""
    return point[0] - _LV03_EAST, point[1] - _LV03_NORTH


def to_wgs84(point: Point) -> Point:
    """Longitude and latitude in degrees, six decimals (0.1 m).

    Source and accuracy as of `from_wgs84`.
    """
    y, x = (point[0] - 2_600_000) / 1_000_000, (point[1] - 1_200_000) / 1_000_000
    longitude = 2.6779094 + 4.728982 * y + 0.791484 * y * x + 0.1306 * y * x**2 - 0.0436 * y**3
    latitude = (
        16.9023892 + 3.238272 * x - 0.270978 * y**2 - 0.002528 * x**2 - 0.0447 * y**2 * x - 0.0140 * x**3
    )
    return round(longitude / 0.36, 6), round(latitude / 0.36, 6)


def from_wgs84(longitude: float, latitude: float) -> Point:
    """Degrees to LV95, rounded to 0.1 m.

    Source: swisstopo, "Approximate formulas for the transformation between Swiss projection
    coordinates and WGS84". They are accurate to about 1 m in Switzerland.
    """
    phi = (latitude * 3_600 - 169_028.66) / 10_000
    lam = (longitude * 3_600 - 26_782.5) / 10_000
    east = 2_600_072.37 + 211_455.93 * lam - 10_938.51 * lam * phi - 0.36 * lam * phi**2 - 44.54 * lam**3
    north = (
        1_200_147.07
        + 308_807.95 * phi
        + 3_745.25 * lam**2
        + 76.63 * phi**2
        - 194.56 * lam**2 * phi
        + 119.79 * phi**3
    )
    return round(east, 1), round(north, 1)
