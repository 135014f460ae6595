"""The tiles of the two Swiss tile services in LV95. Both begin at one corner, and rows count downwards."""

from typing import Final

from contracts.items import Coord, TileGrid

_ORIGIN = (2_420_000.0, 1_350_000.0)
_EXTENT = (2_420_000.0, 1_030_000.0, 2_900_000.0, 1_350_000.0)


def _grid(*resolutions: float) -> TileGrid:
    ids = tuple(str(z) for z in range(len(resolutions)))
    return TileGrid(origin=_ORIGIN, resolutions=resolutions, matrix_ids=ids, extent=_EXTENT)


# fmt: off
CANTON: Final = _grid(4000, 2000, 1000, 500, 250, 100, 50, 20, 10, 5, 2.5, 1, 0.5, 0.25, 0.1)
"""The tile service of geo.so.ch."""
FEDERAL: Final = _grid(
    4000, 3750, 3500, 3250, 3000, 2750, 2500, 2250, 2000, 1750, 1500, 1250, 1000, 750, 650, 500, 250, 100, 50,
    20, 10, 5, 2.5, 2, 1.5, 1, 0.5, 0.25, 0.1,
)
"""The tile service of swisstopo. Few layers have the two finest levels."""
# fmt: on
FEDERAL_MAPS: Final = _grid(*FEDERAL.resolutions[:-2])
"""Of its maps: they end at half a metre a pixel. Closer in, whoever draws them enlarges the last level."""


def tile_at(grid: TileGrid, matrix_id: str, point: Coord) -> tuple[int, int]:
    """(column, row) of the tile with a point. Raises `ValueError` for a matrix that is not in the grid."""
    side_m = grid.resolutions[grid.matrix_ids.index(matrix_id)] * grid.tile_size
    return int((point[0] - grid.origin[0]) // side_m), int((grid.origin[1] - point[1]) // side_m)
