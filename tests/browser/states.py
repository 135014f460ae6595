"""What one can see of the page: each state is reached from a new visit, and looks the same every time."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from playwright.async_api import expect

from .found_things import TABLE, finds_sites
from .screen import Screen, picture_of
from .scripted import told
from .test_browser_choices import ASKED as AMBIGUOUS
from .test_browser_choices import PARCEL_AT, QUESTION
from .test_browser_conversations import begin_anew, earlier, has_answered
from .test_browser_documents import ANSWER
from .test_browser_documents import QUESTION as ABOUT_WATER
from .test_browser_extract import CONTENT, ORIGIN, shown
from .test_browser_interruptions import ASKED, AT_WORK, FULL, STREAM
from .test_browser_layers import with_layers
from .test_browser_maptools import open_sheet, panel
from .test_browser_place import card_on, click, is_asked
from .test_browser_results import PLAN, PROBE, VIEW
from .test_browser_shares import note, opens


@dataclass(frozen=True)
class State:
    reach: Callable[[Screen], Awaitable[None]]
    still: tuple[str, ...] = ()
    """Services that stand still from the visit on."""
    has_backgrounds: bool = True


async def start(screen: Screen) -> None:
    await screen.map_is_ready()


async def without_maps(screen: Screen) -> None:
    """Names stand in for the background, above the outline of the canton."""
    await expect(screen.page.get_by_text("Hintergrundkarte nicht erreichbar")).to_be_visible()


async def at_work(screen: Screen) -> None:
    await screen.say(ASKED)
    await expect(screen.chat.get_by_text(AT_WORK)).to_be_visible()


async def address(screen: Screen) -> None:
    await screen.say(f"{ASKED} und lade den Gewässerschutzlayer")
    await screen.answered("Gewässerschutz-Layer geladen.")
    await screen.map_shows(center=(2605899, 1229278), resolution=1.0)
    await screen.a_pin_is_in_sight()


async def choice(screen: Screen) -> None:
    await screen.say(AMBIGUOUS)
    await screen.answered(QUESTION)
    await screen.message.press("ArrowUp")
    await screen.map_shows(markers={"choice-CH955832730623": PARCEL_AT})


async def extract(screen: Screen) -> None:
    await shown(screen, content=CONTENT, provenance=ORIGIN | {"sample": True})


async def themes(screen: Screen) -> None:
    card = await shown(screen, content=CONTENT)
    await card.get_by_text("Keine Daten").click()


async def plan(screen: Screen) -> None:
    drawn = picture_of((214, 226, 233), (509, 720))
    await screen.page.route(
        "**/api/prints/*/picture", lambda route: route.fulfill(body=drawn, content_type="image/png")
    )
    step = await told(screen, "Plan im Massstab 1:500.", VIEW, intent="cadastral_plan", items=[PLAN, PROBE])
    await expect(step.locator("img").first).to_have_js_property("naturalWidth", 509)


async def place(screen: Screen) -> None:
    await is_asked(screen)
    await click(screen)
    await expect(card_on(screen).get_by_role("heading", name="Rötistrasse 4")).to_be_visible()


async def features(screen: Screen) -> None:
    await finds_sites(screen)
    await screen.chat.get_by_role("region", name=TABLE["label"]).get_by_text("Ablagerung 2").focus()
    await expect(screen.map).to_have_attribute("data-highlighted", "s2")


async def documents(screen: Screen) -> None:
    await screen.say(ABOUT_WATER)
    step = await screen.answered(ANSWER)
    await step.get_by_text("Dokumente geprüft").click()


async def layers(screen: Screen) -> None:
    await with_layers(screen)
    await screen.open_layers()
    await expect(screen.page.get_by_role("region", name="Layer").get_by_text("Geladen")).to_have_count(4)


async def layer(screen: Screen) -> None:
    await layers(screen)
    await screen.page.get_by_role("button", name="Grundwasserschutzzonen", exact=True).click()
    await expect(screen.page.get_by_role("img", name="Legende: Grundwasserschutzzonen")).to_be_visible()


async def backgrounds(screen: Screen) -> None:
    await screen.page.get_by_role("button", name="Hintergrundkarte").click()
    await expect(screen.page.get_by_role("radio")).to_have_count(4)


async def settings(screen: Screen) -> None:
    await screen.chat.get_by_role("button", name="Einstellungen").click()
    await expect(screen.page.get_by_role("radio", name="English")).to_be_visible()


async def conversations(screen: Screen) -> None:
    await has_answered(screen, "Gehe nach Grenchen", "Grenchen")
    await begin_anew(screen)
    await has_answered(screen, ASKED, "Adresse Langendorfstrasse 19b zentriert.")
    await screen.page.reload()
    await screen.map_is_ready()
    listed = await earlier(screen)
    await expect(listed.get_by_role("listitem")).to_have_count(1)


async def measuring(screen: Screen) -> None:
    await screen.page.get_by_role("button", name="Messen", exact=True).click()
    await panel(screen).get_by_text("Fläche").click()
    free = await screen.free_area()
    x, y = free.x + free.width * 0.4, free.y + free.height * 0.55
    for right, down in ((0, 0), (90, 10), (60, 120), (-40, 90), (-40, 90)):
        await screen.page.mouse.click(x + right, y + down)
    await expect(panel(screen).get_by_role("button", name="Kopieren")).to_be_visible()


async def sheet(screen: Screen) -> None:
    await with_layers(screen)
    await open_sheet(screen)


async def refused(screen: Screen) -> None:
    problem = {"status": 429, "code": "queue_full", "title": "Full", "detail": FULL}
    kind = "application/problem+json"
    await screen.page.route(STREAM, lambda route: route.fulfill(status=429, json=problem, content_type=kind))
    await screen.say(ASKED)
    await expect(screen.chat.get_by_text(FULL)).to_be_visible()
    await screen.idle()


async def lost_link(screen: Screen) -> None:
    await opens(screen, f"share={'A' * 16}")
    await expect(note(screen)).to_contain_text("Dieser Link ist abgelaufen.")


STATES = {
    "start": State(start),
    "without-maps": State(without_maps, has_backgrounds=False),
    "at-work": State(at_work, still=("tools-geo",)),
    "address": State(address),
    "choice": State(choice),
    "extract": State(extract),
    "themes": State(themes),
    "plan": State(plan),
    "place": State(place),
    "features": State(features),
    "documents": State(documents),
    "layers": State(layers),
    "layer": State(layer),
    "backgrounds": State(backgrounds),
    "settings": State(settings),
    "conversations": State(conversations),
    "measuring": State(measuring),
    "sheet": State(sheet),
    "refused": State(refused),
    "lost-link": State(lost_link),
}
