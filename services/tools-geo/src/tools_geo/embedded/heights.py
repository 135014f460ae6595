"""Heights between places whose height is known: an estimate, and told to be one."""

import math
from collections.abc import Sequence

from contracts.items import Height

from tools_geo.embedded.datafiles import HeightRow
from tools_geo.embedded.sources import Origin
from tools_geo.gateways import Found, Remark
from tools_geo.terrain import height_at

_REACH_M = 8_000.0
_NEIGHBOURS = 4
_AT_M = 1.0
_ROUND_TO_M = 10


class EmbeddedHeights:
    def __init__(self, known: Sequence[HeightRow], *, origin: Origin) -> None:
        self._known = tuple(known)
        self._origin = origin

    async def height(self, east: float, north: float) -> Found[Height]:
        """The mean of the nearest known heights, weighted by the inverse square of their distance."""
        near = sorted(
            ((math.hypot(row.east - east, row.north - north), row.height_m) for row in self._known),
        )[:_NEIGHBOURS]
        if not near or near[0][0] > _REACH_M:
            return Found((), Remark.BEYOND_SAMPLE)
        weights = [1 / max(distance, _AT_M) ** 2 for distance, _ in near]
        estimate = sum(w * height for w, (_, height) in zip(weights, near, strict=True)) / sum(weights)
        # More digits would look as if somebody had measured.
        height_m = float(round(estimate / _ROUND_TO_M) * _ROUND_TO_M)
        point = (east, north)
        return Found((height_at(point, height_m, self._origin("heights", exact=False)),))
