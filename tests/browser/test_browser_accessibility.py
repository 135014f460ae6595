"""What is said to screen readers, what the keyboard reaches, and what axe finds beside the states."""

import re

import pytest
from playwright.async_api import Route, expect

from .axe import check
from .conftest import Visit
from .screen import Screen, comes_true

pytestmark = pytest.mark.asyncio(loop_scope="session")

PHONE = {"width": 390, "height": 844}


async def test_after_a_turn_was_stopped(screen: Screen) -> None:
    with screen.system.frozen("tools-geo"):
        await screen.say("Gehe zur Langendorfstrasse 19b in Solothurn")
        await expect(screen.chat.get_by_text("Suche die Adresse …")).to_be_visible()
        await screen.stop.click()
        await screen.idle()
        await check(screen)


@pytest.mark.parametrize(
    ("language", "message"), [("Français", "Message"), ("Italiano", "Messaggio"), ("English", "Message")]
)
async def test_in_every_language(screen: Screen, language: str, message: str) -> None:
    await screen.chat.get_by_role("button", name="Einstellungen").click()
    await screen.page.get_by_role("radio", name=language).check()
    await expect(screen.page.get_by_role("textbox", name=message, exact=True)).to_be_visible()
    await check(screen)
    lang = await screen.page.locator("html").get_attribute("lang")
    assert lang == {"Français": "fr", "Italiano": "it", "English": "en"}[language]
    await screen.page.reload()
    await expect(screen.page.get_by_role("textbox", name=message, exact=True)).to_be_visible()


async def test_the_first_stops_of_the_keyboard_skip_to_message_and_map(screen: Screen) -> None:
    await screen.page.keyboard.press("Tab")
    await expect(screen.page.get_by_role("link", name="Zur Eingabe springen")).to_be_focused()
    await screen.page.keyboard.press("Enter")
    await expect(screen.message).to_be_focused()
    await screen.page.reload()
    await screen.map_is_ready()
    await screen.page.keyboard.press("Tab")
    await screen.page.keyboard.press("Tab")
    await expect(screen.page.get_by_role("link", name="Zur Karte springen")).to_be_focused()
    await screen.page.keyboard.press("Enter")
    await expect(screen.map).to_be_focused()


async def test_the_keyboard_alone_asks_and_moves_the_map(screen: Screen) -> None:
    await screen.message.focus()
    await screen.page.keyboard.type("Gehe zur Langendorfstrasse 19b in Solothurn")
    await screen.page.keyboard.press("Enter")
    await screen.answered("Adresse Langendorfstrasse 19b zentriert.")
    await screen.map_shows(center=(2605899, 1229278), resolution=1.0)
    await screen.map.focus()
    before = await screen.view()
    await screen.page.keyboard.press("+")
    await screen.map_shows(resolution=0.5)
    await screen.page.keyboard.press("-")
    await screen.map_shows(resolution=before.resolution)
    await screen.page.keyboard.press("ArrowRight")

    async def is_further_east() -> bool:
        return (await screen.view()).center[0] > before.center[0] + 10 * before.resolution

    await comes_true(is_further_east)


async def test_every_stop_of_the_keyboard_is_seen_and_named(screen: Screen) -> None:
    names: list[str] = []
    for _ in range(60):
        await screen.page.keyboard.press("Tab")
        focused = screen.page.locator(":focus")
        if await focused.count() == 0:
            break
        await expect(focused).to_be_visible()
        await expect(focused).to_be_in_viewport()
        name = await focused.evaluate("each => each.getAttribute('aria-label') ?? each.textContent ?? ''")
        names.append(name.strip() or await focused.evaluate("each => each.labels?.[0]?.textContent ?? ''"))
    assert all(names), names
    for expected in (
        "Karte teilen",
        "Einstellungen",
        "Nachricht",
        "Vergrössern",
        "Hintergrundkarte",
        "Layer öffnen",
    ):
        assert expected in names
    assert names.index("Nachricht") < names.index("Vergrössern"), "the chat comes before the map"


async def test_an_answer_and_a_choice_are_told_to_screen_readers(screen: Screen) -> None:
    await screen.say("Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519")
    await expect(screen.said).to_contain_text("Bitte wähle das betroffene Grundstück.")
    await expect(screen.said).to_contain_text("Auswahlmöglichkeiten: 2.")


async def test_the_progress_of_a_turn_is_told_to_screen_readers_step_by_step(screen: Screen) -> None:
    with screen.system.frozen("tools-geo"):
        await screen.say("Gehe zur Langendorfstrasse 19b in Solothurn und wechsle zum Luftbild")
        await expect(screen.said).to_contain_text("Suche die Adresse …")
        await screen.stop.wait_for()
    await expect(screen.said).to_contain_text("Erledigt: Adresse Langendorfstrasse 19b zentriert.")
    await screen.idle()
    told = await screen.said.locator("p").all_inner_texts()
    assert sum("zentriert" in each for each in told) == 1, told
    await expect(screen.said.locator("[lang=de]", has_text="zentriert")).to_have_count(1)


async def test_a_lost_connection_is_told_to_screen_readers(screen: Screen) -> None:
    await screen.page.context.set_offline(True)
    await expect(screen.said).to_contain_text("Du bist offline.")
    await screen.page.context.set_offline(False)
    with screen.system.frozen("tools-geo"):
        await screen.say("Gehe zur Langendorfstrasse 19b in Solothurn")
        await expect(screen.chat.get_by_text("Suche die Adresse …")).to_be_visible()
        screen.system.stack.kill("edge")
        await expect(screen.said).to_contain_text("Verbindung unterbrochen")
        await screen.system.stack.wait_ready("edge")
    await screen.answered("Adresse Langendorfstrasse 19b zentriert.")


async def test_an_answer_stays_in_the_language_in_which_it_was_asked_for(screen: Screen) -> None:
    await screen.say("Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519")
    await screen.answered("Bitte wähle das betroffene Grundstück.")
    await screen.chat.get_by_role("button", name="Einstellungen").click()
    await screen.page.get_by_role("radio", name="English").check()
    chat = screen.page.get_by_role("region", name="Conversation")
    language = "each => each.closest('[lang]').lang"
    option = chat.get_by_role("button", name="Grundstück 198")
    for german in (chat.get_by_text("Bitte wähle das betroffene Grundstück."), option.locator(".label")):
        assert await german.evaluate(language) == "de"
    assert await chat.get_by_text("Arrow keys").evaluate(language) == "en"
    message = screen.page.get_by_role("textbox", name="Message", exact=True)
    await message.fill("Suche Dokumente zur Besteuerung von Kryptowährungen")
    await message.press("Enter")
    instead = chat.get_by_role("listitem").filter(has_text="Try instead").last
    assert await instead.get_by_role("button").first.evaluate(language) == "en"
    assert await instead.get_by_role("heading", name="Try instead").evaluate(language) == "en"


async def test_the_first_visit_is_in_a_language_of_the_browser(visit: Visit) -> None:
    async def go_on(route: Route) -> None:
        await route.continue_()

    for locale, message in (("fr-CH", "Message"), ("ja-JP", "Nachricht")):
        screen = await visit(locale=locale, intercept=("**/favicon.svg", go_on))
        await expect(screen.page.get_by_role("textbox", name=message, exact=True)).to_be_visible()


async def test_nothing_glides_for_who_wants_no_motion(screen: Screen) -> None:
    await screen.say("Wie viel Trinkwasser verbraucht eine Person pro Tag?")
    step = await screen.answered("Ohne Sprachmodell fasse ich nichts zusammen.")
    await step.get_by_text("Dokumente geprüft").click()
    log = screen.chat.get_by_role("group", name="Unterhaltung")
    await log.evaluate("log => log.scrollTo(0, 0)")
    # Whoever looks at once sees the end: nothing was in between.
    left = await screen.chat.get_by_role("button", name="Nach unten").evaluate(
        """button => {
          const log = document.getElementById("log");
          button.click();
          return log.scrollHeight - log.clientHeight - log.scrollTop;
        }"""
    )
    assert left <= 1
    await log.evaluate("log => log.scrollTo(0, 0)")
    cited = step.get_by_role("button", name=re.compile(r"^Quelle \d+$")).last
    hidden = await cited.evaluate(
        """button => {
          const log = document.getElementById("log");
          log.style.maxHeight = "120px";
          button.scrollIntoView();
          button.click();
          return log.getBoundingClientRect().bottom - document.activeElement.getBoundingClientRect().bottom;
        }"""
    )
    assert hidden >= -1


async def test_targets_are_large_enough_for_a_finger(visit: Visit) -> None:
    screen = await visit(viewport=PHONE, has_touch=True, is_mobile=True)
    await screen.say("Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519")
    await screen.answered("Bitte wähle das betroffene Grundstück.")
    for button in await screen.page.get_by_role("button").all():
        box = await button.bounding_box()
        assert box is not None and box["width"] >= 24 and box["height"] >= 24, await button.inner_html()


async def test_axe_sees_what_is_wrong(screen: Screen) -> None:
    await screen.page.evaluate("document.querySelector('main').append(new Image(20, 20))")
    with pytest.raises(AssertionError, match="image-alt"):
        await check(screen)
