"""Thumbs up and down: what a user thinks of an answer, with a reason."""

from datetime import timedelta
from pathlib import Path

import pytest
from contracts.feedback import Feedback, Reason, Verdict
from playwright.async_api import Locator, Route, expect

from ask import feedback

from .axe import check
from .conftest import Visit
from .screen import Screen, comes_true

pytestmark = pytest.mark.asyncio(loop_scope="session")

SENTENCE = "Gehe zur Langendorfstrasse 19b in Solothurn"
DESK, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


def up(screen: Screen) -> Locator:
    return screen.chat.get_by_role("button", name="Gute Antwort", exact=True)


def down(screen: Screen) -> Locator:
    return screen.chat.get_by_role("button", name="Keine gute Antwort", exact=True)


def form(screen: Screen) -> Locator:
    return screen.chat.get_by_role("form", name="Was war nicht gut?")


async def answered(screen: Screen) -> None:
    await screen.say(SENTENCE)
    await screen.answered("Adresse Langendorfstrasse 19b zentriert.")


async def kept(screen: Screen, comment: str | None) -> Feedback | None:
    """The one with the comment."""
    found = await feedback.read(
        screen.system.stack.redis_url, only_down=False, since=timedelta(hours=1), limit=1_000
    )
    return next((each for each in found if each.comment == comment), None)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("name", "viewport"), [("1440", DESK), ("390", PHONE)])
async def test_a_thumb_down_has_a_reason_that_arrives_and_stays(
    visit: Visit, pictures: Path, scheme: str, name: str, viewport: dict[str, int]
) -> None:
    screen = await visit(viewport=viewport, color_scheme=scheme, has_touch=viewport is PHONE)
    await answered(screen)
    await expect(down(screen)).to_have_attribute("aria-pressed", "false")
    await down(screen).press("Enter")
    await expect(down(screen)).to_have_attribute("aria-pressed", "true")
    await expect(screen.said).to_contain_text("Danke.")
    await expect(form(screen)).to_contain_text("90 Tage")
    await form(screen).get_by_role("button", name="Falscher Ort").press("Space")
    comment = f"Das ist in Olten ({scheme} {name})."
    await form(screen).get_by_role("textbox").fill(comment)
    await form(screen).get_by_role("button", name="Senden").scroll_into_view_if_needed()
    await screen.page.screenshot(path=pictures / f"feedback-{name}-{scheme}.png")
    await check(screen)
    await form(screen).get_by_role("button", name="Senden").press("Enter")
    await expect(form(screen)).to_have_count(0)
    await expect(down(screen)).to_be_focused()
    one = await kept(screen, comment)
    assert one is not None
    assert (one.verdict, one.reason, one.message) == (Verdict.DOWN, Reason.WRONG_PLACE, SENTENCE)

    await screen.page.reload()
    await expect(down(screen)).to_have_attribute("aria-pressed", "true")
    await expect(form(screen)).to_have_count(0)
    await check(screen)
    await down(screen).click()
    await expect(down(screen)).to_have_attribute("aria-pressed", "false")
    await expect(screen.said).to_contain_text("Zurückgenommen.")
    assert await kept(screen, comment) is None


async def test_of_two_thumbs_one_counts(screen: Screen) -> None:
    await answered(screen)
    await down(screen).click()
    await expect(form(screen)).to_be_visible()
    await up(screen).click()
    await expect(up(screen)).to_have_attribute("aria-pressed", "true")
    await expect(down(screen)).to_have_attribute("aria-pressed", "false")
    await expect(form(screen)).to_have_count(0)


async def test_what_does_not_get_through_is_said_and_nothing_is_lost(screen: Screen) -> None:
    await answered(screen)
    await down(screen).click()
    await form(screen).get_by_role("textbox").fill("Bleibt stehen.")
    send = form(screen).get_by_role("button", name="Senden")
    await screen.page.route("**/api/feedback", lambda route: route.abort())
    await send.click()
    await expect(screen.said).to_contain_text("Das ist nicht angekommen.")
    await expect(screen.chat).to_contain_text("Das ist nicht angekommen.")
    await expect(form(screen).get_by_role("textbox")).to_have_value("Bleibt stehen.")
    await screen.page.unroute("**/api/feedback")
    await send.click()
    await expect(form(screen)).to_have_count(0)

    async def has_arrived() -> bool:
        return await kept(screen, "Bleibt stehen.") is not None

    await comes_true(has_arrived)


async def test_a_server_that_keeps_none_is_not_offered_any(visit: Visit) -> None:
    async def without(route: Route) -> None:
        answer = await route.fetch()
        await route.fulfill(response=answer, json=await answer.json() | {"feedbackDays": 0})

    screen = await visit(intercept=("**/config.json", without))
    await screen.map_is_ready()
    await answered(screen)
    await expect(screen.chat.get_by_role("button", name="Antwort kopieren")).to_be_visible()
    await expect(down(screen)).to_have_count(0)
