"""What the comparison of pictures sees and what it overlooks, without a browser."""

import random
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageDraw

from .looks import REDUCED, SQUARE, Square, differences, marked, read

PAPER, CARD, INK, ACCENT = (255, 255, 255), (236, 240, 239), (30, 36, 40), (11, 90, 115)


def page(
    *,
    button: tuple[int, int] = (420, 40),
    card: tuple[int, int, int] = CARD,
    lines: int = 4,
    has_icon: bool = True,
) -> Image.Image:
    """A card with lines of words, and a button with an icon of thin strokes."""
    drawn = Image.new("RGB", (720, 450), PAPER)
    pen = ImageDraw.Draw(drawn)
    pen.rounded_rectangle((40, 40, 360, 240), 12, fill=card)
    for line in range(lines):
        pen.text((60, 60 + 24 * line), "Grundwasserschutzzonen in Solothurn", fill=INK, font_size=15)
    x, y = button
    pen.rounded_rectangle((x, y, x + 40, y + 40), 8, outline=(190, 200, 200))
    if has_icon:
        pen.ellipse((x + 11, y + 11, x + 27, y + 27), outline=ACCENT, width=2)
        pen.line((x + 25, y + 25, x + 31, y + 31), fill=ACCENT, width=2)
    return drawn


def kept(picture: Image.Image) -> Image.Image:
    return picture.reduce(REDUCED)


BEFORE = page()
SEEN = {
    "a button that has moved by 8 pixels": page(button=(428, 40)),
    "a button that has moved by 4 pixels": page(button=(420, 44)),
    "a card of another colour": page(card=(240, 236, 228)),
    "a line of text that is missing": page(lines=3),
    "an icon that is missing": page(has_icon=False),
    "everything a few pixels lower": ImageChops.offset(BEFORE, 0, 5),
}


@pytest.mark.parametrize("what", SEEN)
def test_it_sees(what: str) -> None:
    assert differences(kept(SEEN[what]), kept(BEFORE))


def test_it_sees_a_small_card_of_another_colour_where_it_is() -> None:
    other = BEFORE.copy()
    side = REDUCED * SQUARE
    ImageDraw.Draw(other).rectangle(
        (side * 10, side * 12, side * 11 - 1, side * 13 - 1), fill=(248, 249, 252)
    )
    assert differences(kept(other), kept(BEFORE)) == [Square(10, 12)]


def test_it_sees_a_page_of_another_size() -> None:
    assert len(differences(kept(BEFORE.crop((0, 0, 720, 432))), kept(BEFORE))) == 30 * 18


def smoothed(shift: float) -> Image.Image:
    """As another machine draws it: letters stand a part of a pixel beside where they stood."""
    return BEFORE.transform(
        BEFORE.size, Image.Transform.AFFINE, (1, 0, shift, 0, 1, 0), Image.Resampling.BILINEAR
    )


def noisy() -> Image.Image:
    chance = random.Random(7)
    noise = Image.frombytes("RGB", BEFORE.size, chance.randbytes(BEFORE.width * BEFORE.height * 3))
    return ImageChops.add(BEFORE, noise.point(lambda level: level % 7), offset=-3)


OVERLOOKED = {
    "itself": BEFORE,
    "noise": noisy(),
    "letters a third of a pixel to the left": smoothed(0.33),
    "letters a third of a pixel to the right": smoothed(-0.33),
}


@pytest.mark.parametrize("what", OVERLOOKED)
def test_it_overlooks(what: str) -> None:
    assert differences(kept(OVERLOOKED[what]), kept(BEFORE)) == []


def test_the_differences_are_marked_beside_what_was_kept() -> None:
    found = kept(SEEN["an icon that is missing"])
    sheet = marked(found, kept(BEFORE), differences(found, kept(BEFORE)))
    assert sheet.size == (found.width * 4, found.height * 2)
    assert sheet != marked(found, kept(BEFORE), [])


def test_what_is_not_kept_is_named(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="No picture of start-1440-light is kept: make pictures"):
        read(tmp_path / "start-1440-light.webp")
