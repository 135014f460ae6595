"""Every state of the page: axe finds nothing, and it looks as it did when somebody last looked at it."""

from pathlib import Path
from time import monotonic
from typing import Any, Literal

import pytest
from PIL import Image

from .axe import check
from .conftest import Visit
from .looks import differences, marked, read, reduced
from .screen import FOR_BACKGROUNDS, Screen
from .states import STATES

pytestmark = pytest.mark.asyncio(loop_scope="session")

KEPT = Path(__file__).parent / "pictures"
SIZES: dict[str, dict[str, Any]] = {
    "1440": {"viewport": {"width": 1440, "height": 900}},
    "390": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}
SCHEMES: dict[str, tuple[Literal["light", "dark"], ...]] = {"1440": ("light", "dark"), "390": ("light",)}
LOOKS = {f"{state}-{size}-{scheme}" for state in STATES for size in SIZES for scheme in SCHEMES[size]}
PATIENCE_S = 60
"""How long a page may take until it looks like what is kept, or like itself."""
WITHOUT_DATES = r"""() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const dateless = text.data.replace(/\d{1,2}\.(\d{1,2}\.| \p{L}+ )\d{4}(, \d\d:\d\d)?/gu, "1.1.2000");
    if (dateless !== text.data) text.data = dateless;
  }
}"""
"""The server tells the day; whether it is the right one is seen elsewhere."""

LETTERS = """() => [...document.querySelectorAll("body *")]
  .filter((each) => !each.closest("article.page") && [...each.childNodes].some(({ data }) => data?.trim()))
  .map((each) => parseFloat(getComputedStyle(each).fontSize))"""
"""The sizes of all letters but those of a sheet of paper, in pixels."""
FOUR = {12.5, 14.5, 16, 20}


@pytest.fixture(scope="session")
def is_renewed(request: pytest.FixtureRequest) -> bool:
    """Whether pictures are kept instead of compared."""
    return bool(request.config.getoption("--renew-pictures"))


async def picture(screen: Screen, path: Path) -> Image.Image:
    """Of the page as it is now; all of it is in a file for people."""
    # The pointer is in a corner of the map, which may not have listened before.
    for x in (2, 1):
        await screen.page.mouse.move(x, 1)
    await screen.page.evaluate(WITHOUT_DATES)
    return reduced(await screen.page.screenshot(path=path, animations="disabled", caret="hide"))


async def keep(screen: Screen, kept: Path, shown: Path) -> None:
    """As soon as it looks the same twice; what still looks as it did stays."""
    before, found, started = None, await picture(screen, shown), monotonic()
    while before is None or differences(found, before):
        assert monotonic() - started < PATIENCE_S, f"{kept.stem} does not come to rest"
        await screen.page.wait_for_timeout(500)
        before, found = found, await picture(screen, shown)
    if kept not in KEPT.iterdir() or differences(found, read(kept)):
        found.save(kept, lossless=True, quality=100, method=6)


async def compare(screen: Screen, kept: Path, shown: Path) -> None:
    """Until it looks like what is kept."""
    wanted, started = read(kept), monotonic()
    while squares := differences(found := await picture(screen, shown), wanted):
        if monotonic() - started > PATIENCE_S:
            told = shown.with_name(f"{shown.stem}-marked.png")
            marked(found, wanted, squares).save(told)
            pytest.fail(f"{kept.stem} differs in {len(squares)} squares: {told} (all of it: {shown})")
        await screen.page.wait_for_timeout(200)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", STATES)
async def test_a_state(visit: Visit, pictures: Path, is_renewed: bool, name: str, size: str) -> None:
    state = STATES[name]
    screen = await visit(**SIZES[size], has_backgrounds=state.has_backgrounds, patience=FOR_BACKGROUNDS)
    with screen.system.frozen(*state.still):
        await state.reach(screen)
        for scheme in SCHEMES[size]:
            await screen.page.emulate_media(color_scheme=scheme)
            look = f"{name}-{size}-{scheme}"
            await (keep if is_renewed else compare)(
                screen, KEPT / f"{look}.webp", pictures / f"look-{look}.png"
            )
            await check(screen)
        assert set(await screen.page.evaluate(LETTERS)) <= FOUR


CHANGES = {
    "a button that has moved": ("button[aria-label=Drucken]", "translate", "0 8px"),
    "an icon that is missing": ("button[aria-label=Drucken] svg", "visibility", "hidden"),
    "a line that is missing": ("#log p", "visibility", "hidden"),
    "a panel of another colour": ("#log", "background", "#f4f6f5"),
}


async def test_a_change_of_the_page_is_seen(visit: Visit, pictures: Path, is_renewed: bool) -> None:
    screen = await visit(**SIZES["1440"], has_backgrounds=True, patience=FOR_BACKGROUNDS)
    shown = pictures / "look-changed.png"
    if not is_renewed:
        await compare(screen, KEPT / "start-1440-light.webp", shown)
    kept = await picture(screen, shown)
    for what, (selector, style, value) in CHANGES.items():
        thing = screen.page.locator(selector).first
        await thing.evaluate("(thing, [style, value]) => { thing.style[style] = value }", [style, value])
        assert differences(await picture(screen, shown), kept), what
        await thing.evaluate("thing => thing.removeAttribute('style')")
    assert differences(await picture(screen, shown), kept) == []


async def test_no_picture_is_kept_of_what_is_no_state(is_renewed: bool) -> None:
    for path in KEPT.iterdir():
        if path.stem not in LOOKS and is_renewed:
            path.unlink()
    assert {path.stem for path in KEPT.iterdir()} <= LOOKS
    assert sum(path.stat().st_size for path in KEPT.iterdir()) <= 1_500_000
