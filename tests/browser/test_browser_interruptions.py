"""What breaks in mid-turn: the page, the server, the connection, the user's patience."""

import pytest
from playwright.async_api import expect

from .screen import Coord, Screen

pytestmark = pytest.mark.asyncio(loop_scope="session")

ASKED = "Gehe zur Langendorfstrasse 19b in Solothurn"
ANSWER = "Adresse Langendorfstrasse 19b zentriert."
MARKERS: dict[str, Coord] = {"addr-623490242": (2605899, 1229278)}
AT_WORK = "Suche die Adresse …"


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
    await screen.say("Sorry, ich meinte Rötistrasse 4 in Solothurn")
    await screen.answered("Adresse Rötistrasse 4 zentriert.")


async def test_a_restart_of_the_edge_in_mid_stream_goes_unnoticed(screen: Screen) -> None:
    with screen.system.frozen("tools-geo"):
        await screen.say(ASKED)
        await expect(screen.chat.get_by_text(AT_WORK)).to_be_visible()
        screen.system.stack.kill("edge")
        await expect(screen.chat.get_by_text("Verbindung unterbrochen")).to_be_visible()
        await screen.system.stack.wait_ready("edge")
        await expect(screen.chat.get_by_text("Verbindung unterbrochen")).to_have_count(0)
    await screen.answered(ANSWER)
    await expect(screen.exchanges).to_have_count(1)
    await expect(screen.step(ANSWER)).to_have_count(1)
    await screen.map_shows(markers=MARKERS, center=(2605899, 1229278))


async def test_a_message_is_sent_again_when_the_edge_was_away(screen: Screen) -> None:
    with screen.system.frozen("edge"):
        await screen.say(ASKED)
        await expect(screen.stop).to_be_visible()
        screen.system.stack.kill("edge")
    await screen.system.stack.wait_ready("edge")
    await screen.answered(ANSWER)
    await expect(screen.exchanges).to_have_count(1)


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


async def test_a_new_conversation_forgets_and_clears(screen: Screen) -> None:
    await screen.say(f"{ASKED} und lade den Gewässerschutzlayer")
    await screen.answered("Gewässerschutz-Layer geladen.")
    async with screen.page.expect_request(lambda request: request.method == "DELETE") as deleted:
        await screen.chat.get_by_role("button", name="Neue Unterhaltung").click()
    answered = await (await deleted.value).response()
    assert answered is not None and answered.status == 204
    await expect(screen.exchanges).to_have_count(0)
    await screen.map_shows(markers={}, layers=[])
    await expect(screen.message).to_be_focused()
    await screen.say("Sorry, ich meinte 9")
    await expect(screen.exchanges).to_have_count(1)
    await screen.idle()
    assert await screen.markers() == {}
