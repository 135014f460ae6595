"""What breaks in mid-turn: the page, the server, the connection, the user's patience."""

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Request, Route, expect

from .screen import MAP_HOSTS, Coord, Screen, patience_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

ASKED = "Gehe zur Langendorfstrasse 19b in Solothurn"
ANSWER = "Adresse Langendorfstrasse 19b zentriert."
MARKERS: dict[str, Coord] = {"addr-623490242": (2605899, 1229278)}
AT_WORK = "Suche die Adresse …"
STREAM = "**/api/chat/stream"
FULL = "Die Warteschlange ist voll. Bitte versuche es in ein paar Sekunden noch einmal."
AGAIN = "Nochmals versuchen"


async def test_a_reload_in_mid_turn_reads_on(screen: Screen) -> None:
    with screen.system.frozen("tools-geo"):
        await screen.say(ASKED)
        await expect(screen.chat.get_by_text(AT_WORK)).to_be_visible()
        await screen.page.reload()
        await screen.map_is_ready()
        await expect(screen.chat.get_by_text(AT_WORK)).to_be_visible()
        await expect(screen.stop).to_be_visible()
    await screen.answered(ANSWER)
    await expect(screen.exchanges).to_have_count(1)
    await expect(screen.step(ANSWER)).to_have_count(1)
    await screen.map_shows(markers=MARKERS, center=(2605899, 1229278))


async def test_a_reload_keeps_the_conversation_and_the_map(screen: Screen) -> None:
    await screen.say(f"{ASKED} und lade den Gewässerschutzlayer")
    await screen.answered("Gewässerschutz-Layer geladen.")
    layers = await screen.layers()
    assert layers
    await screen.map_shows(markers=MARKERS, center=(2605899, 1229278))
    await screen.page.reload()
    await screen.map_is_ready()
    await expect(screen.step(ANSWER)).to_have_count(1)
    await screen.map_shows(markers=MARKERS, layers=layers, center=(2605899, 1229278))
    async with screen.page.expect_request(STREAM) as asked:
        await screen.say("Sorry, ich meinte Rötistrasse 4 in Solothurn")
    told = sent_by(await asked.value)
    # No map service answers here, and that may be known already.
    done = {each["status"] for each in told["mapResults"] if each.get("reason") != "layer_silent"}
    assert done == {"applied"}
    await screen.answered("Adresse Rötistrasse 4 zentriert.")


async def test_a_restart_of_the_edge_in_mid_stream_goes_unnoticed(screen: Screen) -> None:
    with screen.system.frozen("tools-geo"):
        await screen.say(ASKED)
        await expect(screen.chat.get_by_text(AT_WORK)).to_be_visible()
        screen.system.stack.kill("edge")
        # It may be there and gone before anybody looks.
        await expect(screen.said).to_contain_text("Verbindung unterbrochen")
        await screen.system.stack.wait_ready("edge")
        await expect(screen.chat.get_by_text("Verbindung unterbrochen")).to_have_count(0)
    await screen.answered(ANSWER)
    await expect(screen.exchanges).to_have_count(1)
    await expect(screen.step(ANSWER)).to_have_count(1)
    await screen.map_shows(markers=MARKERS, center=(2605899, 1229278))


async def test_a_server_that_says_late_who_asks_costs_nothing_of_the_conversation(screen: Screen) -> None:
    await screen.say(ASKED)
    await screen.answered(ANSWER)
    may_answer = asyncio.Event()

    async def answer_late(route: Route) -> None:
        await may_answer.wait()
        await route.continue_()

    await screen.page.route("**/api/me", answer_late)
    for _ in range(2):
        await screen.page.reload()
        await expect(screen.step(ANSWER)).to_be_visible()
    await screen.say("Sorry, ich meinte Rötistrasse 4 in Solothurn")
    await expect(screen.exchanges).to_have_count(2)
    may_answer.set()
    await screen.answered("Adresse Rötistrasse 4 zentriert.")
    await expect(screen.exchanges).to_have_count(2)


async def test_a_message_is_sent_again_when_the_edge_was_away(screen: Screen) -> None:
    with screen.system.frozen("edge"):
        await screen.say(ASKED)
        await expect(screen.stop).to_be_visible()
        screen.system.stack.kill("edge")
    await screen.system.stack.wait_ready("edge")
    await screen.answered(ANSWER)
    await expect(screen.exchanges).to_have_count(1)


async def test_a_server_that_does_not_come_is_tried_on_and_at_once_when_one_wants(screen: Screen) -> None:
    async def refuse(route: Route) -> None:
        # What the page tries by itself is refused as long as it takes.
        is_wanted = await screen.page.evaluate("window.isWanted")
        await (route.continue_() if is_wanted else route.abort())

    await screen.page.route(STREAM, refuse)
    await screen.say(ASKED)
    again = screen.chat.get_by_role("button", name=AGAIN)
    await screen.page.evaluate("document.addEventListener('click', () => { window.isWanted = true }, true)")
    await expect(again).to_be_visible()
    await expect(screen.chat.get_by_text("Verbindung unterbrochen")).to_be_visible()
    await expect(screen.stop).to_be_visible()
    await again.click()
    await expect(screen.chat.get_by_role("group", name="Unterhaltung")).to_be_focused()
    await screen.answered(ANSWER)
    await expect(screen.exchanges).to_have_count(1)


async def test_a_server_with_too_much_to_do_is_quoted_and_left_alone_as_long_as_it_says(
    screen: Screen,
) -> None:
    asked: list[Route] = []

    async def refuse(route: Route) -> None:
        asked.append(route)
        problem = {"status": 429, "code": "queue_full", "title": "Full", "detail": FULL}
        headers = {"Retry-After": "1"}
        await route.fulfill(
            status=429, json=problem, headers=headers, content_type="application/problem+json"
        )

    await screen.page.route(STREAM, refuse)
    await screen.say(ASKED)
    await expect(screen.chat.get_by_text(FULL)).to_be_visible()
    await expect(screen.chat.get_by_text("Verbindung unterbrochen")).to_have_count(0)
    await screen.idle()
    await expect(screen.chat.get_by_text(FULL)).to_be_visible()
    assert len(asked) == 2
    await screen.page.unroute(STREAM)
    await screen.chat.get_by_role("button", name=AGAIN).click()
    await expect(screen.chat.get_by_role("group", name="Unterhaltung")).to_be_focused()
    await screen.answered(ANSWER)
    await expect(screen.exchanges).to_have_count(1)


async def test_a_message_that_is_being_typed_stays(screen: Screen) -> None:
    typed = "Wie tief kann ich"
    await screen.message.fill(typed)
    await screen.page.get_by_role("button", name="Unterhaltung schliessen").click()
    await screen.page.get_by_role("button", name="Unterhaltung öffnen").click()
    await expect(screen.message).to_have_value(typed)
    await screen.message.focus()
    await screen.page.set_viewport_size({"width": 390, "height": 844})
    await expect(screen.message).to_have_value(typed)
    await expect(screen.message).to_be_focused()
    await screen.page.reload()
    await expect(screen.message).to_have_value(typed)


async def copied(screen: Screen) -> Screen:
    """A copy of the tab, which has what has been saved."""
    await screen.page.wait_for_function(
        "said => Object.values(sessionStorage).join().includes(said)", arg=ANSWER
    )
    async with screen.page.expect_popup() as opened:
        await screen.page.evaluate("void open(location.href)")
    return Screen(await opened.value, screen.system)


async def test_a_copy_of_the_tab_goes_on_in_a_session_of_its_own(screen: Screen) -> None:
    await screen.say(ASKED)
    await screen.answered(ANSWER)
    copy = await copied(screen)
    await expect(copy.step(ANSWER)).to_have_count(1)
    mine = await session_of(screen)
    await copy.page.wait_for_function(f"mine => {SESSION} !== mine", arg=mine)
    await copy.chat.get_by_role("button", name="Neue Unterhaltung").click()
    await expect(copy.exchanges).to_have_count(0)
    await copy.say("Leere die Karte")
    await copy.idle()
    assert await session_of(copy) != mine
    # The page itself stays what it is, also when it is reloaded.
    await screen.page.reload()
    await screen.say("Sorry, ich meinte Rötistrasse 4 in Solothurn")
    await screen.answered("Adresse Rötistrasse 4 zentriert.")
    assert await session_of(screen) == mine
    assert copy.complaints == []


async def test_a_copy_that_was_left_at_once_keeps_its_new_session(screen: Screen) -> None:
    await screen.say(ASKED)
    await screen.answered(ANSWER)
    copy = await copied(screen)
    await copy.chat.get_by_role("button", name="Neue Unterhaltung").click()
    await expect(copy.exchanges).to_have_count(0)

    async def session_asked_in() -> str:
        async with copy.page.expect_request(STREAM) as asked:
            await copy.say("Leere die Karte")
        await copy.idle()
        session: str = sent_by(await asked.value)["sessionId"]
        return session

    session = await session_asked_in()
    # Until the page knows whether the first one is its own.
    await asyncio.sleep(1 + patience_of("client/src/session/session-claim.ts", "PATIENCE_MS") / 1_000)
    assert await session_asked_in() == session != await session_of(screen)
    assert copy.complaints == []


def sent_by(request: Request) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(request.post_data or "")
    return found


SESSION = "JSON.parse(sessionStorage.getItem('ask.sogis/3')).sessionId"


async def session_of(screen: Screen) -> str:
    found: str = await screen.page.evaluate(SESSION)
    return found


async def test_stop_ends_the_turn(screen: Screen) -> None:
    with screen.system.frozen("tools-geo"):
        await screen.say(ASKED)
        await expect(screen.chat.get_by_text(AT_WORK)).to_be_visible()
        await screen.stop.click()
        await expect(screen.chat.get_by_text("Abgebrochen.").first).to_be_visible()
        await screen.idle()
    await expect(screen.message).to_be_focused()
    await screen.say("Leere die Karte")
    await screen.answered("Karte geleert.")
    await screen.map_shows(markers={}, layers=[])


async def test_escape_stops_too(screen: Screen) -> None:
    with screen.system.frozen("tools-geo"):
        await screen.say(ASKED)
        await expect(screen.chat.get_by_text(AT_WORK)).to_be_visible()
        await screen.message.press("Escape")
        await expect(screen.chat.get_by_text("Abgebrochen.").first).to_be_visible()
        await screen.idle()


async def test_being_offline_is_said_until_it_is_over(screen: Screen) -> None:
    offline = screen.chat.get_by_text("Du bist offline.")
    await screen.page.context.set_offline(True)
    await expect(offline).to_be_visible()
    await screen.page.context.set_offline(False)
    await expect(offline).to_have_count(0)


async def test_being_offline_is_said_once_while_a_turn_runs(screen: Screen) -> None:
    offline = screen.chat.get_by_text("Du bist offline.")
    with screen.system.frozen("tools-geo"):
        await screen.say(ASKED)
        await expect(screen.chat.get_by_text(AT_WORK)).to_be_visible()
        await screen.page.context.set_offline(True)
        # The stream still stands: nothing is interrupted yet.
        await expect(offline).to_have_count(1)
        await expect(screen.exchanges.get_by_text("Du bist offline.")).to_have_count(0)
        screen.system.stack.kill("edge")
        await expect(screen.exchanges.get_by_text("Du bist offline.")).to_be_visible()
        await expect(offline).to_have_count(1)
        await screen.system.stack.wait_ready("edge")
        await screen.page.context.set_offline(False)
        await expect(offline).to_have_count(0)
    await screen.answered(ANSWER)


async def test_who_loses_the_connection_in_mid_turn_reads_on_when_back(screen: Screen) -> None:
    offline = screen.chat.get_by_text("Du bist offline.")
    with screen.system.frozen("tools-geo"):
        await screen.say(ASKED)
        await expect(screen.chat.get_by_text(AT_WORK)).to_be_visible()
        await screen.page.context.set_offline(True)
        # Going offline does not cut a connection that stands.
        screen.system.stack.kill("edge")
        await expect(offline).to_be_visible()
        await screen.system.stack.wait_ready("edge")
    await screen.page.context.set_offline(False)
    await expect(offline).to_have_count(0)
    await screen.answered(ANSWER)
    await expect(screen.exchanges).to_have_count(1)
    await screen.map_shows(markers=MARKERS)


async def test_a_new_conversation_begins_anew_and_clears(screen: Screen) -> None:
    await screen.say(f"{ASKED} und lade den Gewässerschutzlayer")
    await screen.answered("Gewässerschutz-Layer geladen.")
    await screen.chat.get_by_role("button", name="Neue Unterhaltung").click()
    await expect(screen.exchanges).to_have_count(0)
    await screen.map_shows(markers={}, layers=[])
    await expect(screen.message).to_be_focused()
    await screen.say("Sorry, ich meinte 9")
    await expect(screen.exchanges).to_have_count(1)
    await screen.idle()
    assert await screen.markers() == {}


async def test_pictures_that_are_none_are_told_on_the_page_and_not_in_the_console(screen: Screen) -> None:
    heard: list[str] = []
    screen.page.on("console", lambda message: heard.append(message.text))

    async def answer(route: Route) -> None:
        await route.fulfill(body="<ServiceException/>", content_type="image/png")

    await screen.page.route(lambda url: urlsplit(url).hostname in MAP_HOSTS, answer)
    await screen.page.reload()
    await screen.map_is_ready()
    await expect(screen.map).to_have_attribute("data-tiles-down", "true")
    await screen.say("Lade den Gewässerschutzlayer")
    await expect(screen.chat.get_by_text("Der Kartendienst liefert im Moment nichts")).to_be_visible()
    await expect(screen.chat.get_by_text("Layer geladen.")).to_have_count(0)
    await screen.page.get_by_role("button", name="Layer öffnen").click()
    layers = screen.page.get_by_role("region", name="Layer")
    await expect(layers.get_by_text("Antwortet nicht")).to_have_count(len(await screen.layers()))
    assert [text for text in heard if not text.startswith("Failed to load resource")] == []
