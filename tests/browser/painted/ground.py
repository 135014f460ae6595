"""What is painted at places of the map, compared with what belongs there."""

import io
import json
from base64 import urlsafe_b64encode
from collections.abc import Callable
from itertools import product

from map_services import square_color, tile_color
from PIL import Image
from tests.browser.screen import Color, Coord, Screen, comes_true

Ground = Callable[[Coord], Color]
"""The colour that belongs to a place."""

SOLOTHURN: Coord = (2_607_090, 1_228_660)
GREY, COLOURED, AERIAL = (f"ch.so.agi.hintergrundkarte_{name}" for name in ("sw", "farbig", "ortho"))
NATIONAL_MAP = "ch.swisstopo.pixelkarte-farbe"
ZONES = "ch.so.afu.gewaesserschutz.schutzzonen"

LINES_PX, STEP_PX = 43, 5
"""Between two lines along which is looked, and two places of a line: few pixels, so that edges are seen."""
EDGES_PX = (24, 150, 120, 24)
"""Where other things lie over the map, or may: top, right, bottom, left of what the chat leaves free."""
TOLERANCE = 6
"""Of a channel: photographs are compressed."""
LEAST_PLACES = 1_000


def link(center: Coord, resolution: float, background: str = "sw") -> str:
    """The path of a page that shows this part of the map first."""
    view = {"v": [*center, resolution], "b": background, "l": [], "m": []}
    return "/#map=" + urlsafe_b64encode(json.dumps(view).encode()).decode().rstrip("=")


def tiles(layer: str, resolution: float) -> Ground:
    return lambda coord: tile_color(layer, resolution, coord)


def over(below: Ground, layer: str, share: float = 1) -> Ground:
    """A layer of a WMS above something else."""

    def color(coord: Coord) -> Color:
        square = square_color(layer, coord)
        return below(coord) if square is None else _mixed(square, below(coord), share)

    return color


def _mixed(above: Color, below: Color, share: float) -> Color:
    """Of something that is painted over something else and lets it shine through."""
    red, green, blue = (round(a * share + b * (1 - share)) for a, b in zip(above, below, strict=True))
    return red, green, blue


async def shows(screen: Screen, ground: Ground) -> None:
    """Until every place of the map that can be seen has the colour that belongs there."""
    wrong: list[str] = []

    async def is_so() -> bool:
        wrong[:] = await _differences(screen, ground)
        return not wrong

    try:
        await comes_true(is_so)
    except TimeoutError:
        raise AssertionError(f"{len(wrong)} places look different:\n" + "\n".join(wrong[:8])) from None


async def _differences(screen: Screen, ground: Ground) -> list[str]:
    view, free = await screen.view(), await screen.free_area()
    x0, y0 = await screen.pixel(view.center)
    picture = Image.open(io.BytesIO(await screen.page.screenshot())).convert("RGB")
    top, right, bottom, left = EDGES_PX
    xs = range(round(free.x) + left, round(free.x + free.width) - right)
    ys = range(round(free.y) + top, round(free.y + free.height) - bottom)
    lines = {*product(xs[::STEP_PX], ys[::LINES_PX]), *product(xs[::LINES_PX], ys[::STEP_PX])}
    # The map tells a place to the metre; besides, edges are smoothed.
    unsure_m = max(3 * view.resolution, 1.5)
    wrong, places, colors = [], 0, set()
    for x, y in sorted(lines):
        east = view.center[0] + (x + 0.5 - x0) * view.resolution
        north = view.center[1] - (y + 0.5 - y0) * view.resolution
        around = {ground((east + e, north + n)) for e, n in product((-unsure_m, unsure_m), repeat=2)}
        if len(around) > 1:
            continue
        (expected,) = around
        places += 1
        colors.add(expected)
        found = picture.getpixel((x, y))
        assert isinstance(found, tuple)
        if any(abs(a - b) > TOLERANCE for a, b in zip(found, expected, strict=True)):
            wrong.append(f"{east:.0f} / {north:.0f}: {found} instead of {expected}")
    assert places >= LEAST_PLACES and len(colors) > 1, "hardly anything to compare"
    return wrong
