"""How a cadastral plan lies on its sheet: which scale, which part of the map, which grid."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.items import Extent

FRAME_M = (0.196, 0.244)
"""Width and height of the map on an upright A4 sheet."""

# In ascending order: what the land register prints.
SCALES = (
    *(100, 150, 200, 250, 500, 750),
    *(1_000, 2_000, 2_500, 3_000, 4_000, 5_000, 7_500),
    *(10_000, 20_000, 25_000, 50_000),
    *(100_000, 200_000, 250_000, 500_000, 1_000_000),
)
GRID_INTERVALS_M = (
    *(10, 20, 25, 50),
    *(100, 200, 250, 300, 400, 500, 750),
    *(1_000, 1_500, 2_000, 2_500, 3_000, 4_000, 5_000, 7_500),
    *(10_000, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000),
)
_GRID_LINES = 3
"""At most so many grid lines across the sheet: enough to read a coordinate, few enough to see the plan."""


@dataclass(frozen=True)
class PlanLayout:
    """`extent` fills the frame at `scale`; lines of the coordinate grid are `grid_interval_m` apart."""

    extent: Extent
    scale: int
    """The number after `1:`."""
    grid_interval_m: int


def layout_of(
    extent: Extent, scales: Sequence[int] = SCALES, grid_intervals_m: Sequence[int] = GRID_INTERVALS_M
) -> PlanLayout:
    """The largest plan on which all of `extent` (LV95, metres) has room, around its centre.

    What is too large for every scale is cut off at the sides. Raises `ValueError` for an extent without
    width or height.
    """
    west, south, east, north = extent
    width, height = east - west, north - south
    if not (width > 0 and height > 0 and math.isfinite(width) and math.isfinite(height)):
        raise ValueError(f"no area to draw: {extent}")
    needed = math.ceil(max(width / FRAME_M[0], height / FRAME_M[1]))
    # The next larger one, so that nothing touches the frame.
    scale = scales[min(bisect_right(scales, needed), len(scales) - 1)]
    half_width, half_height = (side * scale / 2 for side in FRAME_M)
    centre_east, centre_north = west + width / 2, south + height / 2
    grid = bisect_left(grid_intervals_m, math.ceil(2 * half_width / _GRID_LINES))
    return PlanLayout(
        extent=(
            centre_east - half_width,
            centre_north - half_height,
            centre_east + half_width,
            centre_north + half_height,
        ),
        scale=scale,
        grid_interval_m=grid_intervals_m[min(grid, len(grid_intervals_m) - 1)],
    )
