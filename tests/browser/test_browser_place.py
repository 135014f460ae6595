"""A click on the map: what is there, and what can be done with it."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Locator, Route, expect

from .axe import check
from .conftest import Visit
from .found_things import ADDRESS, HEIGHT, IDENTIFIED, NOTE, PARCEL, SITES, ZONE, answers_with, finds_sites
from .screen import Screen, comes_true
from .test_browser_sizes import SIZES, scheme, size

pytestmark = pytest.mark.asyncio(loop_scope="session")

IDENTIFY = "**/api/identify"
Answer = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


async def is_asked(screen: Screen, answer: Answer | None = None) -> list[dict[str, Any]]:
    """From here on clicks have an answer; the questions, in their order."""
    asked: list[dict[str, Any]] = []

    async def fulfill(route: Route) -> None:
        question = json.loads(route.request.post_data or "")
        asked.append(question)
        told = await answer(question) if answer else IDENTIFIED
        await route.fulfill(json=told)

    await screen.page.route(IDENTIFY, fulfill)
    return asked


def card_on(screen: Screen) -> Locator:
    return screen.page.get_by_role("region", name="Was hier ist")


def action(screen: Screen, name: str) -> Locator:
    return card_on(screen).get_by_role("button", name=name)


async def click(screen: Screen, right: float = 0, down: float = 0) -> None:
    """In the middle of what is free, or beside it."""
    free = await screen.free_area()
    await screen.page.mouse.click(free.x + free.width / 2 + right, free.y + free.height / 2 + down)


async def nothing_is_marked(screen: Screen) -> None:
    await expect(card_on(screen)).to_have_count(0)
    assert await screen.map.get_attribute("data-point") is None


async def test_a_click_answers_at_once_and_the_card_fills_in(screen: Screen) -> None:
    may_answer = asyncio.Event()

    async def later(_: dict[str, Any]) -> dict[str, Any]:
        await may_answer.wait()
        return IDENTIFIED

    asked = await is_asked(screen, later)
    await click(screen)
    card = card_on(screen)
    await expect(card).to_contain_text("Markierte Stelle")
    await expect(card).to_contain_text("Schaue nach, was hier liegt")
    may_answer.set()
    await expect(card.get_by_role("heading", name="Rötistrasse 4, 4500 Solothurn")).to_be_visible()
    for text in ("Parzelle 2084 in Biberist", "1\u202f204", "440", "Schutzzone Dilitsch", "18.3.2014", NOTE):
        await expect(card).to_contain_text(text)
    await expect(card).to_contain_text("Beispieldaten · 22.11.2026 · Muster")
    await expect(screen.said).to_contain_text(
        "Hier: Rötistrasse 4, 4500 Solothurn. Parzelle 2084 in Biberist"
    )
    [question] = asked
    assert (question["layers"], question["language"]) == ([], "de")
    assert question["tolerance"] > 0
    point = await screen.map.get_attribute("data-point")
    assert point == f"{question['x']} {question['y']}".replace(".0", "")


async def test_only_the_last_of_several_clicks_is_answered(screen: Screen) -> None:
    first_may_answer = asyncio.Event()

    async def answer(question: dict[str, Any]) -> dict[str, Any]:
        if question is asked[0]:
            await first_may_answer.wait()
            return IDENTIFIED
        return IDENTIFIED | {"items": [PARCEL | {"number": "9"}]}

    asked: list[dict[str, Any]] = []
    asked = await is_asked(screen, answer)
    await click(screen)
    await expect(card_on(screen)).to_contain_text("Schaue nach")
    await click(screen, 150, -100)
    heading = card_on(screen).get_by_role("heading", name="Parzelle 9 in Biberist")
    await expect(heading).to_be_visible()
    first_may_answer.set()
    await expect(card_on(screen).get_by_text("Rötistrasse")).to_have_count(0)
    await expect(heading).to_be_visible()


async def test_two_quick_clicks_at_two_places_are_no_double_one(screen: Screen) -> None:
    await is_asked(screen)
    before = await screen.map.get_attribute("data-resolution")
    free = await screen.free_area()
    x, y = free.x + free.width / 2, free.y + free.height / 2
    await screen.page.mouse.click(x, y)
    first = await screen.map.get_attribute("data-point")
    await screen.page.mouse.click(x + 150, y - 100)
    await expect(card_on(screen).get_by_role("heading", name="Rötistrasse 4")).to_be_visible()
    assert await screen.map.get_attribute("data-point") != first
    assert await screen.map.get_attribute("data-resolution") == before


async def test_an_action_asks_the_chat_about_the_marked_place(screen: Screen) -> None:
    await is_asked(screen)
    await answers_with(screen, "ÖREB-Auszug bereit.", [], "oereb_extract")
    await click(screen)
    async with screen.page.expect_request("**/api/chat/stream") as sent:
        await action(screen, "ÖREB-Auszug").click()
    message = json.loads((await sent.value).post_data or "")
    assert message["userMessage"] == "ÖREB-Auszug an dieser Stelle"
    point = await screen.map.get_attribute("data-point")
    assert " ".join(str(metres) for metres in message["map"]["point"]) == point
    await screen.answered("ÖREB-Auszug bereit.")
    await expect(card_on(screen)).to_be_visible()


async def test_a_question_of_ones_own_says_what_it_is_about_until_that_is_taken_away(screen: Screen) -> None:
    await is_asked(screen)
    await click(screen)
    await action(screen, "Frag etwas dazu").click()
    await expect(screen.message).to_be_focused()
    chip = screen.chat.get_by_text("an der markierten Stelle", exact=True)
    await expect(chip).to_be_visible()
    await expect(screen.message).to_have_accessible_description("an der markierten Stelle")
    await screen.chat.get_by_role("button", name="Nicht mehr von der markierten Stelle sprechen").click()
    await expect(chip).to_have_count(0)
    await nothing_is_marked(screen)
    await expect(screen.message).to_be_focused()


async def test_the_card_closes_by_its_button_and_by_escape(screen: Screen) -> None:
    await is_asked(screen)
    await click(screen)
    await action(screen, "Schliessen und Markierung entfernen").click()
    await nothing_is_marked(screen)
    await expect(screen.map).to_be_focused()
    # However soon: with the button in between, this is no double click.
    await click(screen)
    await action(screen, "Grundbuchplan").focus()
    await screen.page.keyboard.press("Escape")
    await nothing_is_marked(screen)


async def test_the_keyboard_asks_for_the_middle_and_is_told(screen: Screen) -> None:
    asked = await is_asked(screen)
    await screen.map.focus()
    await screen.page.keyboard.press("Enter")
    await expect(screen.said).to_contain_text("Hier: Rötistrasse 4")
    center = (await screen.view()).center
    assert (asked[0]["x"], asked[0]["y"]) == center
    # What is said of it comes next.
    await screen.page.keyboard.press("Tab")
    await expect(action(screen, "Name und Koordinaten kopieren")).to_be_focused()
    await screen.map.focus()
    await screen.page.keyboard.press("Escape")
    await nothing_is_marked(screen)


async def test_a_place_of_which_nobody_can_tell_can_be_asked_again(screen: Screen) -> None:
    async def refuse(route: Route) -> None:
        problem = {"code": "tool_unavailable", "detail": "Dafür ist gerade kein Dienst da."}
        await route.fulfill(status=503, json=problem, content_type="application/problem+json")

    await screen.page.route(IDENTIFY, refuse)
    await click(screen)
    card = card_on(screen)
    await expect(card).to_contain_text("lässt sich gerade nicht nachschauen")
    await expect(card).to_contain_text("Dafür ist gerade kein Dienst da.")
    await expect(action(screen, "ÖREB-Auszug")).to_be_enabled()
    await screen.page.unroute(IDENTIFY)
    await is_asked(screen)
    await action(screen, "Nochmals versuchen").click()
    await expect(card.get_by_role("heading", name="Rötistrasse 4")).to_be_visible()


async def test_name_and_coordinates_can_be_taken_along(visit: Visit) -> None:
    screen = await visit(permissions=["clipboard-read", "clipboard-write"])
    await is_asked(screen)
    await click(screen)
    await expect(card_on(screen)).to_contain_text("Parzelle 2084")
    await action(screen, "Name und Koordinaten kopieren").click()
    await expect(screen.said).to_contain_text("Kopiert")
    taken = await screen.page.evaluate("navigator.clipboard.readText()")
    assert taken.splitlines()[:2] == ["Adresse: Rötistrasse 4, 4500 Solothurn", "Parzelle 2084 in Biberist"]
    assert "Quelle: Amtliche Vermessung, 20.11.2026" in taken
    assert taken.endswith(" (LV95)")


async def test_a_found_thing_that_is_clicked_comes_first(screen: Screen) -> None:
    await is_asked(screen)
    await finds_sites(screen)
    east, north = SITES[3]["geometry"]["coordinates"]
    await screen.page.mouse.click(*await screen.pixel((east, north)))
    card = card_on(screen)
    await expect(card.get_by_role("heading", name="Ablagerung 4")).to_be_visible()
    await expect(card).to_contain_text("Belastete Standorte in Solothurn")
    await expect(card).to_contain_text("41\u202f230\u00a0m²")
    await expect(card).to_contain_text("Parzelle 2084 in Biberist")


async def test_what_strangers_say_of_a_place_is_text(screen: Screen) -> None:
    hostile = "<img src=x onerror=alert(1)>"
    facts = [{"name": hostile, "value": hostile}, {"name": "Seite", "value": "javascript:alert(2)"}]
    items = [ADDRESS | {"label": hostile}, HEIGHT, ZONE | {"label": hostile, "attributes": facts}]

    async def answer(_: dict[str, Any]) -> dict[str, Any]:
        return IDENTIFIED | {"items": items, "note": hostile}

    await is_asked(screen, answer)
    await click(screen)
    card = card_on(screen)
    await expect(card.get_by_role("heading", name=hostile)).to_be_visible()
    await expect(card.get_by_text("javascript:alert(2)")).to_be_visible()
    assert await card.locator("img, a").count() == 0


@size
@scheme
async def test_the_card_leaves_room_to_write(visit: Visit, pictures: Path, size: str, scheme: str) -> None:
    screen = await visit(**SIZES[size], color_scheme=scheme)
    await screen.with_map_services()
    await is_asked(screen)
    free = await screen.free_area()
    x, y = free.x + free.width / 2, free.y + free.height / 2
    await (screen.page.touchscreen.tap(x, y) if "has_touch" in SIZES[size] else screen.page.mouse.click(x, y))
    card = card_on(screen)
    await expect(card.get_by_role("heading", name="Rötistrasse 4")).to_be_visible()
    await expect(screen.message).to_be_in_viewport(ratio=1)
    await expect(card).to_be_in_viewport(ratio=1)

    async def is_clear() -> bool:
        box, field = await card.bounding_box(), await screen.message.bounding_box()
        assert box is not None and field is not None
        beside = box["x"] >= field["x"] + field["width"]
        return beside or box["y"] + box["height"] <= field["y"]

    await comes_true(is_clear)
    await check(screen)
    await screen.page.screenshot(path=pictures / f"place-{size}-{scheme}.png")
