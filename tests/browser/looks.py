"""Pictures of the page beside those that are kept of it: what somebody would see is found, how a machine
smooths its letters is not. No browser."""

import io
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageChops, ImageDraw

REDUCED = 3
"""Pixels of the page in one of a kept picture: edges are smoothed away, strokes of an icon are not."""
SQUARE = 8
"""Pixels of a kept picture at the side of a square, 24 of the page: about a button."""
FAR = 36
"""Levels of 255 in one channel from which on a pixel is another one."""
MANY = 0.1
"""Share of other pixels from which on a square is another one: what has moved, has come or has gone."""
TINTED = 4
"""Levels between the means of two squares from which on one is another one: what has another colour."""
MARK = (230, 0, 120)


class Square(NamedTuple):
    """Column and row."""

    column: int
    row: int


def reduced(picture: bytes) -> Image.Image:
    """As it is kept and compared."""
    return Image.open(io.BytesIO(picture)).convert("RGB").reduce(REDUCED)


def read(path: Path) -> Image.Image:
    """What is kept; without it an AssertionError says how to keep it."""
    assert path.is_file(), f"No picture of {path.stem} is kept: make pictures"
    with Image.open(path) as picture:
        return picture.convert("RGB")


def differences(found: Image.Image, kept: Image.Image) -> list[Square]:
    """The squares in which two reduced pictures differ; all of them if they differ in size."""
    columns, rows = -(-found.width // SQUARE), -(-found.height // SQUARE)
    if found.size != kept.size:
        return [Square(column, row) for row in range(rows) for column in range(columns)]
    other = _strongest(ImageChops.difference(found, kept)).point(lambda level: 255 * (level >= FAR))
    moved = other.reduce(SQUARE).point(lambda level: 255 * (level >= 255 * MANY))
    tinted = _strongest(ImageChops.difference(found.reduce(SQUARE), kept.reduce(SQUARE)))
    seen = ImageChops.lighter(moved, tinted.point(lambda level: 255 * (level >= TINTED)))
    return [Square(n % columns, n // columns) for n, level in enumerate(seen.tobytes()) if level]


def marked(found: Image.Image, kept: Image.Image, squares: list[Square]) -> Image.Image:
    """What was kept beside what was found, each with a frame around the squares; twice as large."""
    sheet = Image.new("RGB", (kept.width + found.width, max(kept.height, found.height)), "white")
    sheet.paste(kept, (0, 0))
    sheet.paste(found, (kept.width, 0))
    sheet = sheet.resize((sheet.width * 2, sheet.height * 2), Image.Resampling.NEAREST)
    pen, side = ImageDraw.Draw(sheet), SQUARE * 2
    for left in (0, kept.width * 2):
        for column, row in squares:
            x, y = left + column * side, row * side
            pen.rectangle((x, y, x + side - 1, y + side - 1), outline=MARK)
    return sheet


def _strongest(picture: Image.Image) -> Image.Image:
    """Of the channels."""
    red, green, blue = picture.split()
    return ImageChops.lighter(ImageChops.lighter(red, green), blue)
