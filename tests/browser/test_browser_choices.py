"""Choosing: by mouse, by keyboard and in words, with a look at the map before."""

import math
import re

import pytest
from playwright.async_api import expect

from .screen import Coord, Screen, comes_true

pytestmark = pytest.mark.asyncio(loop_scope="session")

ASKED = "Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519"
QUESTION = "Bitte wähle das betroffene Grundstück."
PARCEL = "Grundstück 198 Messen (Liegenschaft: der Boden selbst)"
RIGHT = "Grundstück 531 Messen (Baurecht: das Recht, auf fremdem Boden zu bauen)"
SECOND = "ÖREB-Auszug vom Grundstück 168 in Messen"
OLTEN: Coord = (2635014.5, 1243332.5)
"""The middle of its outline."""
PARCEL_AT: Coord = (2600565.1, 1215512.2)
RIGHT_AT: Coord = (2600528.7, 1215487.2)
RIGHT_CHOSEN = "ÖREB-Auszug für CH710620327442 bereit."


async def test_an_option_under_the_pointer_is_shown_on_the_map_until_it_leaves(screen: Screen) -> None:
    await screen.say(ASKED)
    await screen.answered(QUESTION)
    await screen.choice(PARCEL).hover()
    await screen.map_shows(markers={"choice-CH955832730623": PARCEL_AT})
    await screen.choice(RIGHT).hover()
    await screen.map_shows(markers={"choice-CH710620327442": RIGHT_AT})
    await screen.message.hover()
    await screen.map_shows(markers={})


async def test_a_click_chooses(screen: Screen) -> None:
    await screen.say(ASKED)
    await screen.answered(QUESTION)
    await screen.choice(RIGHT).click()
    await screen.answered(RIGHT_CHOSEN)
    await screen.map_shows(markers={"oereb-CH710620327442": RIGHT_AT})
    await expect(screen.choice(PARCEL)).to_have_count(0)


async def test_the_keyboard_looks_at_options_and_chooses(screen: Screen) -> None:
    await screen.say(ASKED)
    await screen.answered(QUESTION)
    await screen.message.focus()
    await screen.page.keyboard.press("ArrowUp")
    await expect(screen.choice(PARCEL)).to_be_focused()
    await screen.map_shows(markers={"choice-CH955832730623": PARCEL_AT})
    await screen.page.keyboard.press("ArrowDown")
    await expect(screen.choice(RIGHT)).to_be_focused()
    await screen.map_shows(markers={"choice-CH710620327442": RIGHT_AT})
    await screen.page.keyboard.press("ArrowDown")
    await expect(screen.choice(PARCEL)).to_be_focused()
    await screen.page.keyboard.press("End")
    await screen.page.keyboard.press("Enter")
    await screen.answered(RIGHT_CHOSEN)
    await screen.map_shows(markers={"oereb-CH710620327442": RIGHT_AT})


async def test_a_digit_chooses_its_option(screen: Screen) -> None:
    await screen.say(ASKED)
    await screen.answered(QUESTION)
    await screen.choice(PARCEL).focus()
    await screen.page.keyboard.press("2")
    await screen.answered(RIGHT_CHOSEN)


async def test_tab_leads_through_the_options_as_one_stop(screen: Screen) -> None:
    await screen.say(ASKED)
    await screen.answered(QUESTION)
    await screen.choice(RIGHT).focus()
    await screen.page.keyboard.press("Tab")
    await expect(screen.choice(PARCEL)).not_to_be_focused()
    await expect(screen.choice(RIGHT)).not_to_be_focused()
    await screen.page.keyboard.press("Shift+Tab")
    await expect(screen.choice(RIGHT)).to_be_focused()


async def test_words_choose_too(screen: Screen) -> None:
    await screen.say(ASKED)
    await screen.answered(QUESTION)
    await screen.say("die zweite")
    await screen.answered(RIGHT_CHOSEN)
    await screen.map_shows(markers={"oereb-CH710620327442": RIGHT_AT})
    await expect(screen.choice(PARCEL)).to_have_count(0)


async def test_the_confidence_of_each_option_is_told(screen: Screen) -> None:
    await screen.say(ASKED)
    await screen.answered(QUESTION)
    await expect(screen.choice(PARCEL)).to_have_accessible_name(re.compile("Übereinstimmung 90 %$"))


async def test_several_choices_stay_open_side_by_side(screen: Screen) -> None:
    await screen.say(ASKED)
    await screen.answered(QUESTION)
    await screen.say(SECOND)
    second = screen.exchanges.nth(1)
    await expect(second.get_by_role("button", name="Grundstück 168").first).to_be_visible()
    await screen.idle()
    await screen.exchanges.first.get_by_role("button", name=RIGHT).click()
    await screen.answered(RIGHT_CHOSEN)
    await second.get_by_role("button", name="Grundstück 168").first.click()
    await screen.answered("ÖREB-Auszug für CH")
    await screen.idle()

    async def are_two() -> bool:
        return len(await screen.markers()) == 2

    await comes_true(are_two)


async def test_an_option_of_an_older_question_is_brought_into_view_and_the_view_back(screen: Screen) -> None:
    await screen.say(ASKED)
    await screen.answered(QUESTION)
    await screen.say("Gehe nach Olten")
    await screen.idle()
    await screen.map_shows(center=OLTEN)
    markers = await screen.markers()
    await screen.choice(PARCEL).hover()
    await screen.map_shows(markers=markers | {"choice-CH955832730623": PARCEL_AT})

    async def is_in_view() -> bool:
        return math.dist((await screen.view()).center, PARCEL_AT) < 100

    await comes_true(is_in_view)
    view = await screen.view()
    await screen.choice(RIGHT).hover()
    await screen.map_shows(markers=markers | {"choice-CH710620327442": RIGHT_AT}, center=view.center)
    await screen.message.hover()
    await screen.map_shows(markers=markers, center=OLTEN)


async def test_the_keyboard_goes_from_the_newest_question_to_the_older_ones(screen: Screen) -> None:
    await screen.say(ASKED)
    await screen.answered(QUESTION)
    await screen.say(SECOND)
    options = screen.exchanges.nth(1).get_by_role("button", name="Grundstück 168")
    await expect(options.first).to_be_visible()
    await screen.idle()
    await screen.message.press("ArrowUp")
    await expect(options.first).to_be_focused()
    await screen.page.keyboard.press("ArrowUp")
    await expect(screen.choice(RIGHT)).to_be_focused()
    await screen.map_shows(markers={"choice-CH710620327442": RIGHT_AT})
    await screen.page.keyboard.press("ArrowDown")
    await expect(options.first).to_be_focused()
    await screen.page.keyboard.press("End")
    await screen.page.keyboard.press("ArrowDown")
    await expect(screen.choice(PARCEL)).to_be_focused()


async def test_a_look_at_an_option_does_not_outlive_a_reload(screen: Screen) -> None:
    await screen.say(ASKED)
    await screen.answered(QUESTION)
    await screen.message.press("ArrowUp")
    await screen.map_shows(markers={"choice-CH955832730623": PARCEL_AT})
    await screen.page.reload()
    await screen.map_is_ready()
    await expect(screen.choice(PARCEL)).to_be_visible()
    await screen.map_shows(markers={})


async def test_an_open_question_leaves_the_view_where_the_user_has_put_it(screen: Screen) -> None:
    await screen.say(ASKED)
    await screen.answered(QUESTION)
    before = await screen.view()
    await screen.page.get_by_role("button", name="Ganzer Kanton").click()
    await screen.until_moved(before)
    wanted = await screen.view()
    await screen.page.reload()
    await screen.map_is_ready()
    await expect(screen.choice(PARCEL)).to_be_visible()
    await screen.page.get_by_role("button", name="Unterhaltung schliessen").click()
    await screen.page.get_by_role("button", name="Unterhaltung öffnen").click()
    await expect(screen.choice(PARCEL)).to_be_visible()
    # A look at an option that is in sight comes after all that was to be done before.
    await screen.choice(PARCEL).focus()
    await screen.map_shows(markers={"choice-CH955832730623": PARCEL_AT}, resolution=wanted.resolution)


async def test_the_keyboard_is_not_lost_when_a_question_expires(screen: Screen) -> None:
    await screen.page.clock.install()
    await screen.say(ASKED)
    await screen.answered(QUESTION)
    await screen.choice(PARCEL).focus()
    await screen.page.clock.fast_forward("24:00:00")
    await expect(screen.chat.get_by_text("Diese Auswahl ist abgelaufen.")).to_be_visible()
    await expect(screen.chat.get_by_role("group", name="Unterhaltung")).to_be_focused()
    await screen.map_shows(markers={})
