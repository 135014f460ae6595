"""The page as a file among others: what may run on it, and what it does when the map does not come."""

import pytest
from playwright.async_api import Route, expect

from .conftest import Visit
from .screen import Screen

pytestmark = pytest.mark.asyncio(loop_scope="session")

MAX_JS_BYTES = 350 * 1024


async def test_scripts_of_others_do_not_run(screen: Screen) -> None:
    policy = await screen.page.evaluate(
        "fetch('/').then((answer) => answer.headers.get('content-security-policy'))"
    )
    assert "script-src 'self';" in policy
    ran = await screen.page.evaluate(
        """() => new Promise((resolve) => {
            document.addEventListener("securitypolicyviolation", () => resolve("refused"), { once: true });
            const script = document.createElement("script");
            script.textContent = "window.ran = true";
            document.head.append(script);
            if (window.ran) resolve("ran");
        })"""
    )
    assert ran == "refused"
    assert len(screen.complaints) == 1 and "Content Security Policy" in screen.complaints.pop()


async def test_the_scripts_weigh_little(visit: Visit) -> None:
    screen = await visit()
    sizes = await screen.page.evaluate(
        """() => performance.getEntriesByType("resource").filter((each) => each.name.endsWith(".js"))
            .map((each) => [each.decodedBodySize, each.encodedBodySize])"""
    )
    assert sizes and all(encoded < decoded / 2 for decoded, encoded in sizes), "not compressed"
    assert sum(encoded for _, encoded in sizes) < MAX_JS_BYTES


async def test_a_second_visit_asks_for_nothing_that_it_has(visit: Visit) -> None:
    screen = await visit(has_layers=False)
    await screen.page.reload()
    await screen.map_is_ready()
    again = await screen.page.evaluate(
        """() => performance.getEntriesByType("resource").filter((each) => each.name.includes("/assets/"))
            .map((each) => each.transferSize)"""
    )
    assert again and set(again) == {0}


async def test_the_chat_works_before_the_map_is_there(visit: Visit) -> None:
    held: list[Route] = []

    async def hold(route: Route) -> None:
        held.append(route)

    screen = await visit(intercept=("**/assets/drawing*.js", hold))
    await screen.say("Gehe zur Langendorfstrasse 19b in Solothurn")
    await screen.answered("Adresse Langendorfstrasse 19b zentriert.")
    await expect(screen.map).to_have_attribute("data-ready", "false")
    for route in held:
        await route.continue_()
    await screen.map_is_ready()
    await screen.map_shows(center=(2605899, 1229278), markers={"addr-623490242": (2605899, 1229278)})


async def test_a_map_that_does_not_come_is_said_and_the_chat_goes_on(visit: Visit) -> None:
    async def refuse(route: Route) -> None:
        await route.abort()

    screen = await visit(intercept=("**/assets/drawing*.js", refuse))
    await expect(screen.page.get_by_role("alert")).to_contain_text("Die Karte konnte nicht geladen werden.")
    await screen.say("Was kannst du?")
    await expect(screen.exchanges).to_have_count(1)
    await screen.idle()


async def test_without_map_services_the_map_still_orients(screen: Screen) -> None:
    await expect(screen.page.get_by_text("Hintergrundkarte nicht erreichbar")).to_be_visible()
    await screen.names_are_painted()
