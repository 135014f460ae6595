"""Conversations stay: a new one can be taken back, earlier ones are opened and deleted, long ones page in."""

import asyncio

import pytest
from playwright.async_api import Locator, Route, expect

from .conftest import Visit
from .screen import PATIENCE_MS, Screen, comes_true, patience_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

ASKED = "Gehe zur Langendorfstrasse 19b in Solothurn"
ANSWER = "Adresse Langendorfstrasse 19b zentriert."
OTHER = "Gehe nach Grenchen"


ARE_KEPT = """count => new Promise((tell) => {
    const opened = indexedDB.open("ask.sogis");
    opened.onsuccess = () => {
        const all = opened.result.transaction("conversations").objectStore("conversations").getAll();
        all.onsuccess = () => {
            opened.result.close();
            tell(all.result.some((each) => each.exchanges?.length === count));
        };
    };
})"""


async def has_answered(screen: Screen, message: str, answer: str) -> None:
    await screen.say(message)
    await screen.answered(answer)
    await screen.idle()


async def begin_anew(screen: Screen) -> None:
    await screen.chat.get_by_role("button", name="Neue Unterhaltung").click()
    await expect(screen.exchanges).to_have_count(0)


async def earlier(screen: Screen) -> Locator:
    button = screen.chat.get_by_role("button", name="Frühere Unterhaltungen")
    await button.click()
    return screen.chat.get_by_role("group", name="Frühere Unterhaltungen")


async def test_a_new_conversation_is_taken_back(screen: Screen) -> None:
    await has_answered(screen, ASKED, ANSWER)
    markers = await screen.markers()
    await begin_anew(screen)
    await screen.map_shows(markers={})
    await expect(screen.said).to_contain_text("Neue Unterhaltung begonnen")
    await screen.chat.get_by_role("button", name="Zurück zur vorherigen").click()
    await expect(screen.exchanges).to_have_count(1)
    await screen.answered(ANSWER)
    await screen.map_shows(markers=markers)
    # It goes on where it was: the session is the same.
    await has_answered(screen, "Sorry, ich meinte Rötistrasse 4", "Adresse Rötistrasse 4 zentriert.")


async def test_earlier_ones_are_listed_opened_and_deleted(screen: Screen) -> None:
    await has_answered(screen, ASKED, ANSWER)
    await begin_anew(screen)
    await screen.say(OTHER)
    await screen.idle()
    # The offer to go back has gone with the first question.
    await expect(screen.chat.get_by_role("button", name="Zurück zur vorherigen")).to_have_count(0)
    await screen.page.reload()
    listed = await earlier(screen)
    await listed.get_by_role("button", name=ASKED).first.click()
    await screen.answered(ANSWER)
    await expect(screen.exchanges).to_have_count(1)
    await expect(listed).to_be_hidden()
    listed = await earlier(screen)
    await listed.get_by_role("button", name=f"«{OTHER}» löschen").click()
    async with screen.page.expect_request(lambda request: request.method == "DELETE") as deleted:
        await listed.get_by_role("button", name="Endgültig löschen").click()
    answered = await (await deleted.value).response()
    assert answered is not None and answered.status == 204
    await expect(screen.said).to_contain_text("Unterhaltung gelöscht.")
    await screen.page.reload()
    await screen.answered(ANSWER)
    await expect(screen.chat.get_by_text(OTHER)).to_have_count(0)


async def test_long_ones_page_in_and_outlive_a_reload(screen: Screen) -> None:
    for n in range(26):
        await screen.say(f"Leere die Karte {n}" if n == 0 else "Leere die Karte")
        await screen.idle()
    await expect(screen.exchanges).to_have_count(20)
    await screen.chat.get_by_role("button", name="6 frühere anzeigen").click()
    await expect(screen.exchanges).to_have_count(26)
    # The whole is kept a moment later than what a reload needs at once.
    await comes_true(lambda: screen.page.evaluate(ARE_KEPT, 26))
    await screen.page.reload()
    await expect(screen.chat.get_by_role("button", name="6 frühere anzeigen")).to_be_visible()


async def test_that_layers_are_loaded_is_said_when_they_are(visit: Visit) -> None:
    until_silent_ms = patience_of("packages/map-actions/src/arrival.ts", "SILENCE_MS")
    screen = await visit(patience={until_silent_ms: PATIENCE_MS})
    may_come = asyncio.Event()

    async def hold(route: Route) -> None:
        await may_come.wait()
        await route.fallback()

    await screen.page.route("**GetMap**", hold)
    await screen.say("Lade den Gewässerschutzlayer")
    await expect(screen.chat.get_by_text("Wird geladen …")).to_be_visible()
    await expect(screen.chat.get_by_text("Layer geladen.")).to_have_count(0)
    may_come.set()
    await screen.answered("Gewässerschutz-Layer geladen.")
    await expect(screen.said).to_contain_text("Gewässerschutz-Layer geladen.")
