"""Names are completed while a message is written: with the keyboard, by a click, and never in the way."""

import contextlib
import re
from pathlib import Path

import pytest
from playwright.async_api import Locator, Route, expect

from .axe import check
from .conftest import Visit
from .screen import Screen, comes_true
from .test_browser_accessibility import PHONE
from .test_browser_sizes import scheme

pytestmark = pytest.mark.asyncio(loop_scope="session")

COMPLETED = "Gehe zur Langendorfstrasse 19b, 4500 Solothurn"
SUGGEST = "**/api/suggest?*"


def names_of(screen: Screen) -> Locator:
    return screen.page.get_by_role("listbox", name="Namen zum Ergänzen").get_by_role("option")


async def offered(message: Locator, names: Locator) -> None:
    """The edge does not wait long for names; who writes on asks again, and so does this."""
    for _ in range(20):
        with contextlib.suppress(AssertionError):
            await expect(names.first).to_be_visible(timeout=2_000)
            return
        await message.dispatch_event("input")
    raise AssertionError("no names")


async def write(screen: Screen, message: str) -> Locator:
    """At once: there are names for its beginnings, too. Returns what is offered for it."""
    names = names_of(screen)
    await screen.message.fill(message)
    await offered(screen.message, names)
    return names


async def test_a_name_is_taken_with_the_keyboard_and_then_sent(screen: Screen) -> None:
    names = await write(screen, "Gehe zur Langendorfstr")
    await expect(names).to_have_count(2)
    await expect(screen.said).to_contain_text("Vorschläge: 2")
    assert await screen.message.get_attribute("aria-activedescendant") is None
    await screen.message.press("ArrowDown")
    await screen.message.press("ArrowDown")
    await expect(names.nth(1)).to_have_attribute("aria-selected", "true")
    active = await screen.message.get_attribute("aria-activedescendant")
    assert active == await names.nth(1).get_attribute("id")
    assert await names.nth(1).evaluate("each => each.parentElement.id") == await screen.message.get_attribute(
        "aria-controls"
    )
    await screen.message.press("Enter")
    await expect(screen.message).to_have_value(COMPLETED)
    await expect(names).to_have_count(0)
    await expect(screen.message).to_be_focused()
    await expect(screen.exchanges).to_have_count(0)
    await screen.message.press("Enter")
    await expect(screen.message).to_have_value("")
    await screen.answered("Solothurn")


async def test_enter_sends_and_tab_goes_on_as_long_as_no_name_is_chosen(screen: Screen) -> None:
    await write(screen, "Gehe nach Olt")
    await screen.message.press("Tab")
    await expect(screen.send).to_be_focused()
    await expect(names_of(screen)).to_have_count(0)
    await expect(screen.message).to_have_value("Gehe nach Olt")
    await write(screen, "Gehe nach Olte")
    await screen.message.press("Enter")
    await expect(screen.exchanges).to_have_count(1)
    await expect(screen.exchanges.first).to_contain_text("Gehe nach Olte")
    await screen.idle()
    await expect(names_of(screen)).to_have_count(0)


async def test_tab_takes_the_chosen_name_and_escape_leaves_what_is_written(screen: Screen) -> None:
    names = await write(screen, "Gehe nach Grenc")
    await expect(names.first).to_contain_text("Grenchen")
    await screen.message.press("Escape")
    await expect(names).to_have_count(0)
    await expect(screen.message).to_have_value("Gehe nach Grenc")
    await write(screen, "Gehe nach Grench")
    await expect(names.first).to_contain_text("Grenchen")
    await screen.message.press("ArrowDown")
    await screen.message.press("Tab")
    await expect(screen.message).to_have_value("Gehe nach Grenchen")
    await expect(screen.message).to_be_focused()


async def test_a_click_takes_a_name(screen: Screen) -> None:
    names = await write(screen, "Zeige Parzelle 198")
    await names.filter(has_text="Grundstück 198 in Messen").click()
    await expect(screen.message).to_have_value("Zeige Grundstück 198 in Messen")
    await expect(screen.message).to_be_focused()


async def test_what_names_nothing_shows_nothing_and_neither_does_a_failure(screen: Screen) -> None:
    async with screen.page.expect_response(SUGGEST):
        await screen.message.press_sequentially("qqqqq")
    await expect(names_of(screen)).to_have_count(0)
    await screen.page.route(SUGGEST, lambda route: route.fulfill(json={"items": "x", "from": -1}))
    async with screen.page.expect_response(SUGGEST):
        await screen.message.fill("Olt")
    await expect(names_of(screen)).to_have_count(0)


async def test_nothing_is_asked_while_an_input_method_is_at_work(screen: Screen) -> None:
    asked: list[str] = []

    async def count(route: Route) -> None:
        asked.append(route.request.url)
        await route.continue_()

    await screen.page.route(SUGGEST, count)
    await screen.message.focus()
    keyboard = await screen.page.context.new_cdp_session(screen.page)
    for text in ("Gr", "Gren", "Grench"):
        composed = {"text": text, "selectionStart": len(text), "selectionEnd": len(text)}
        await keyboard.send("Input.imeSetComposition", composed)
    await screen.page.wait_for_timeout(300)
    assert asked == []
    async with screen.page.expect_response(SUGGEST):
        await keyboard.send("Input.insertText", {"text": "Grench"})
    assert len(asked) == 1
    names = names_of(screen)
    await offered(screen.message, names)
    await expect(names.first).to_contain_text("Grenchen")


@scheme
@pytest.mark.parametrize("viewport", [{"width": 1440, "height": 900}, PHONE], ids=["desktop", "phone"])
async def test_the_names_are_in_sight_and_without_barriers(
    visit: Visit, pictures: Path, scheme: str, viewport: dict[str, int]
) -> None:
    screen = await visit(color_scheme=scheme, viewport=viewport)
    names = await write(screen, "Lade Grundwasser")
    await expect(names).to_have_count(5)
    await screen.message.press("ArrowDown")
    await check(screen)
    for name in (names.first, names.last):
        await expect(name).to_be_in_viewport(ratio=1)

        async def is_on_top(name: Locator = name) -> bool:
            found: bool = await name.evaluate(
                """each => { const { x, y, width, height } = each.getBoundingClientRect();
                     return each.contains(document.elementFromPoint(x + width / 2, y + height / 2)); }"""
            )
            return found

        await comes_true(is_on_top)
    assert await screen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await screen.page.screenshot(path=pictures / f"suggest-{viewport['width']}-{scheme}.png")


async def test_they_are_in_the_language_of_the_page(visit: Visit) -> None:
    async def go_on(route: Route) -> None:
        await route.continue_()

    # The map has another name there: nobody waits for it.
    screen = await visit(locale="fr-CH", intercept=(SUGGEST, go_on))
    message = screen.page.get_by_role("textbox", name="Message")
    await message.press_sequentially("parcelle 198")
    await offered(message, screen.page.get_by_role("option", name=re.compile("la parcelle 198 à Messen")))
