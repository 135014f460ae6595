"""The page enlarged: by the zoom of the browser, which leaves it little room, or by larger letters."""

from typing import Any

import pytest
from playwright.async_api import Locator, expect

from .conftest import Visit
from .screen import Screen

pytestmark = pytest.mark.asyncio(loop_scope="session")

LOW = [(640, 400), (320, 256)]
"""A window of 1280 x 800 at 200 %, and one of 1280 x 1024 at 400 %."""
CONTROLS = ("Vergrössern", "Verkleinern", "Ganzer Kanton", "Rückgängig", "Hintergrundkarte", "Layer öffnen")
ANSWER = "Bitte wähle das betroffene Grundstück."


def sized(size: tuple[int, int]) -> dict[str, Any]:
    return {"viewport": dict(zip(("width", "height"), size, strict=True))}


async def is_free(thing: Locator) -> None:
    """Until all of it is on the page, and a pointer in its middle would hit it."""
    await expect(thing).to_be_in_viewport(ratio=1)
    await thing.hover(trial=True)


async def controls_are_free(screen: Screen) -> None:
    for name in CONTROLS:
        await is_free(screen.page.get_by_role("button", name=name, exact=True))


async def nothing_sticks_out(screen: Screen) -> None:
    await screen.page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("size", LOW)
async def test_a_low_page_shows_either_the_conversation_or_the_map(
    visit: Visit, size: tuple[int, int]
) -> None:
    screen = await visit(**sized(size))
    await screen.say("Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519")
    await screen.answered(ANSWER)
    # A function: the policy of the page lets no expression be evaluated twice.
    await screen.page.wait_for_function(
        "() => document.getElementById('log').clientHeight > 0.4 * innerHeight"
    )
    await is_free(screen.message)
    await nothing_sticks_out(screen)
    await expect(screen.page.get_by_role("button", name="Vergrössern", exact=True)).to_have_count(0)

    await screen.page.get_by_role("button", name="Unterhaltung verkleinern").click()
    await controls_are_free(screen)
    await is_free(screen.message)
    before = (await screen.view()).resolution
    await screen.page.get_by_role("button", name="Verkleinern", exact=True).click()
    await screen.page.wait_for_function(
        "([map, before]) => Number(map.dataset.resolution) > before",
        arg=[await screen.map.element_handle(), before],
    )
    await screen.page.get_by_role("button", name="Hintergrundkarte").click()
    for radio in await screen.page.get_by_role("radio").all():
        await is_free(radio.locator("xpath=.."))
    await screen.page.keyboard.press("Escape")

    await screen.page.get_by_role("button", name="Layer öffnen").click()
    await is_free(screen.page.get_by_role("button", name="Layer schliessen"))
    await screen.page.keyboard.press("Escape")
    await screen.page.get_by_role("button", name="Unterhaltung vergrössern").click()
    await expect(screen.chat.get_by_text(ANSWER)).to_be_visible()
    settings = screen.chat.get_by_role("button", name="Einstellungen")
    await settings.click()
    for radio in await screen.page.get_by_role("radio").all():
        await radio.scroll_into_view_if_needed()
        await is_free(radio)


async def test_the_keyboard_uncovers_the_map_of_a_low_page(visit: Visit) -> None:
    screen = await visit(**sized(LOW[1]))
    await screen.page.keyboard.press("Tab")
    await screen.page.keyboard.press("Tab")
    await screen.page.keyboard.press("Enter")
    await expect(screen.map).to_be_focused()
    await controls_are_free(screen)
    await screen.page.keyboard.press("Tab")
    await expect(screen.page.get_by_role("button", name="Vergrössern", exact=True)).to_be_focused()


@pytest.mark.parametrize("size", [(390, 560), (390, 667), (844, 390), (720, 300)])
async def test_no_control_of_the_map_is_behind_another_one(visit: Visit, size: tuple[int, int]) -> None:
    await controls_are_free(await visit(**sized(size)))


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
async def test_larger_letters_of_the_browser_are_larger_here_and_fit(
    visit: Visit, size: tuple[int, int]
) -> None:
    screen = await visit(**sized(size))
    await screen.say("Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519")
    step = await screen.answered(ANSWER)
    written = screen.page.locator("h1, h2, p, button, textarea, .label").locator("visible=true")
    texts = await written.element_handles()
    size_of = "(texts) => texts.map((each) => parseFloat(getComputedStyle(each).fontSize))"
    before: list[float] = await screen.page.evaluate(size_of, texts)
    await screen.page.evaluate("document.documentElement.style.fontSize = '200%'")
    await screen.page.wait_for_function(
        f"([texts, before]) => ({size_of})(texts).every((px, n) => px === 2 * before[n])", arg=[texts, before]
    )
    await nothing_sticks_out(screen)
    await is_free(screen.message)
    await controls_are_free(screen)
    taller = screen.page.get_by_role("button", name="Unterhaltung vergrössern")
    if await taller.count():
        await taller.click()
    for button in await screen.chat.get_by_role("button").all():
        if await button.is_visible():
            await button.scroll_into_view_if_needed()
            # A tall button may end on a fraction of a pixel, where scrolling cannot.
            await expect(button).to_be_in_viewport(ratio=0.99)
    clipped = await step.evaluate(
        """step => [...step.querySelectorAll("p, .label")]
          .filter((each) => !each.closest(".hidden") && each.scrollWidth > each.clientWidth + 1)
          .map((each) => each.outerHTML)"""
    )
    assert clipped == []
