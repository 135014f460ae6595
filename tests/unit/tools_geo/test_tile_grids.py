"""The tile grids, checked against what the two services document."""

import math

import pytest
from contracts.items import TileGrid
from hypothesis import given
from hypothesis import strategies as st

from tools_geo.layers.tile_grids import CANTON, FEDERAL, tile_at

SOLOTHURN = (2_607_096.6, 1_228_655.6)


@pytest.mark.parametrize("grid", [CANTON, FEDERAL], ids=["canton", "federal"])
def test_a_grid_has_an_id_for_each_resolution_and_gets_finer(grid: TileGrid) -> None:
    assert grid.matrix_ids == tuple(map(str, range(len(grid.resolutions))))
    assert list(grid.resolutions) == sorted(grid.resolutions, reverse=True)
    assert (grid.origin, grid.tile_size) == ((2_420_000, 1_350_000), 256)


def test_the_levels_are_those_of_the_services() -> None:
    assert (len(CANTON.resolutions), CANTON.resolutions[0], CANTON.resolutions[-1]) == (15, 4000, 0.1)
    assert (len(FEDERAL.resolutions), FEDERAL.resolutions[0], FEDERAL.resolutions[-1]) == (29, 4000, 0.1)


def test_matrix_7_of_the_canton_is_level_19_of_the_confederation() -> None:
    assert CANTON.resolutions[CANTON.matrix_ids.index("7")] == 20
    assert FEDERAL.resolutions[FEDERAL.matrix_ids.index("19")] == 20
    assert tile_at(CANTON, "7", SOLOTHURN) == tile_at(FEDERAL, "19", SOLOTHURN)


def test_every_resolution_of_the_canton_is_one_of_the_confederation() -> None:
    assert set(CANTON.resolutions) <= set(FEDERAL.resolutions)


def test_the_documented_tile_of_the_confederation_is_where_bern_is() -> None:
    # .../3857/9/266/180.jpeg: level 9 of the web's own grid, the column before the row.
    half = math.pi * 6_378_137
    web = TileGrid(
        origin=(-half, half),
        resolutions=tuple(2 * half / 256 / 2**z for z in range(20)),
        matrix_ids=tuple(map(str, range(20))),
    )
    longitude, latitude = math.radians(7.44), math.radians(46.95)
    bern = (6_378_137 * longitude, 6_378_137 * math.log(math.tan(math.pi / 4 + latitude / 2)))
    assert tile_at(web, "9", bern) == (266, 180)


def test_columns_count_from_the_west_and_rows_from_the_north() -> None:
    # 20 m a pixel: a tile is 5120 m wide. Solothurn is 187096.6 m = 36.5 tiles east of the corner, and
    # 121344.4 m = 23.7 tiles south of it.
    assert tile_at(CANTON, "7", SOLOTHURN) == (36, 23)
    assert tile_at(CANTON, "7", CANTON.origin) == (0, 0)
    assert tile_at(CANTON, "7", (2_420_000 + 5_120, 1_350_000 - 5_120)) == (1, 1)


def test_one_tile_of_the_coarsest_level_covers_the_extent() -> None:
    for grid in (CANTON, FEDERAL):
        assert grid.extent is not None
        west, south, east, north = grid.extent
        assert tile_at(grid, "0", (west, north)) == tile_at(grid, "0", (east - 1, south + 1)) == (0, 0)


@given(east=st.floats(2_480_000, 2_840_000), north=st.floats(1_070_000, 1_300_000))
def test_a_point_is_in_its_tile_at_every_level(east: float, north: float) -> None:
    for grid in (CANTON, FEDERAL):
        for matrix_id, resolution in zip(grid.matrix_ids, grid.resolutions, strict=True):
            column, row = tile_at(grid, matrix_id, (east, north))
            side = resolution * grid.tile_size
            assert 0 <= east - grid.origin[0] - column * side <= side
            assert 0 <= grid.origin[1] - north - row * side <= side


def test_a_matrix_that_is_not_in_the_grid_is_an_error() -> None:
    with pytest.raises(ValueError, match="not in"):
        tile_at(CANTON, "15", SOLOTHURN)
