"""The layers on the map: their panel by keyboard, and what of the map goes into a link."""

import re

import pytest
from playwright.async_api import Route, expect

from .conftest import Visit
from .screen import LAYER, Coord, Screen

pytestmark = pytest.mark.asyncio(loop_scope="session")

ZONES, AREAS, WELLS, SPRINGS = LAYERS = [
    f"ch.so.afu.gewaesserschutz.{part}" for part in ("schutzzonen", "schutzareale", "fassungen", "quellen")
]
NAME = "Grundwasserschutzzonen"
LANGENDORFSTRASSE: Coord = (2605899, 1229278)
EACH_FOR_ONE_FRAME = """async (radios) => {
  for (let n = 0; n < 20; n++) {
    radios[n % radios.length].click();
    await Promise.resolve();
    await new Promise(requestAnimationFrame);
  }
}"""
"""The next one is taken after the map has drawn the one before, and before any timer of that drawing."""


async def with_layers(screen: Screen) -> None:
    await screen.with_map_services()
    await screen.say("Lade den Gewässerschutzlayer")
    await screen.answered("Gewässerschutz-Layer geladen.")
    await screen.map_shows(layers=LAYERS)


async def open_panel(screen: Screen) -> None:
    await screen.page.get_by_role("button", name="Layer öffnen").focus()
    await screen.page.keyboard.press("Enter")
    await expect(screen.page.get_by_role("button", name="Layer schliessen")).to_be_focused()


async def test_the_keyboard_orders_layers(screen: Screen) -> None:
    await with_layers(screen)
    await open_panel(screen)
    handle = screen.page.get_by_role("button", name=re.compile(f"^{NAME} verschieben"))
    await handle.focus()
    await screen.page.keyboard.press("ArrowDown")
    await screen.map_shows(layers=[AREAS, ZONES, WELLS, SPRINGS])
    await expect(handle).to_be_focused()
    await expect(screen.said).to_contain_text(f"{NAME} ist nun an Position 2 von 4.")
    await screen.page.keyboard.press("ArrowUp")
    await screen.map_shows(layers=LAYERS)


async def test_the_pointer_drags_layers(screen: Screen) -> None:
    await with_layers(screen)
    await open_panel(screen)
    handles = screen.page.get_by_role("button", name=re.compile("verschieben, Position"))
    await handles.nth(3).hover()
    last = await handles.nth(3).bounding_box()
    assert last is not None
    await handles.nth(0).hover()
    await screen.page.mouse.down()
    await screen.page.mouse.move(last["x"] + 5, last["y"] + last["height"] + 30, steps=8)
    await screen.page.mouse.up()
    await screen.map_shows(layers=[AREAS, WELLS, SPRINGS, ZONES])


async def test_the_keyboard_hides_fades_and_removes_a_layer(screen: Screen) -> None:
    await with_layers(screen)
    await open_panel(screen)
    shown = screen.page.get_by_role("button", name=f"{NAME} anzeigen")
    await shown.focus()
    await screen.page.keyboard.press("Space")
    await expect(shown).to_have_attribute("aria-pressed", "false")
    await screen.map_shows(layers=LAYERS[1:])
    await screen.page.keyboard.press("Space")
    await screen.map_shows(layers=LAYERS)

    await screen.page.keyboard.press("Tab")
    await screen.page.keyboard.press("Enter")
    fade = screen.page.get_by_role("slider", name=f"Deckkraft von {NAME}")
    await fade.focus()
    await screen.page.keyboard.press("Home")
    await expect(fade).to_have_value("0")

    await screen.page.get_by_role("button", name=f"{NAME} entfernen").focus()
    await screen.page.keyboard.press("Enter")
    await screen.map_shows(layers=LAYERS[1:])
    await expect(screen.said).to_contain_text(f"{NAME} entfernt.")
    await expect(screen.page.locator(":focus")).to_have_role("button")


async def test_a_layer_may_go_while_its_legend_arrives(screen: Screen) -> None:
    await with_layers(screen)
    await open_panel(screen)
    row = screen.page.locator(f"[data-layer='{ZONES}']")
    await row.locator("[aria-expanded]").click()
    await expect(row.locator("img")).to_have_count(1)
    await row.evaluate(
        """(row, name) => {
            row.querySelector("img").dispatchEvent(new Event("load"));
            row.querySelector(`[aria-label="${name} entfernen"]`).click();
        }""",
        NAME,
    )
    await screen.map_shows(layers=LAYERS[1:])
    await expect(screen.said).to_contain_text(f"{NAME} entfernt.")


async def test_a_hidden_layer_is_not_painted(screen: Screen) -> None:
    await with_layers(screen)
    await screen.painted(LAYER)
    await open_panel(screen)
    await screen.page.get_by_role("button", name="Gewässerschutz anzeigen", exact=True).click()
    await screen.map_shows(layers=[])
    await screen.painted(LAYER, painted=False)


async def test_a_layer_tells_its_legend_and_where_it_is_from(screen: Screen) -> None:
    await with_layers(screen)
    await open_panel(screen)
    await screen.page.get_by_role("button", name=NAME, exact=True).click()
    legend = screen.page.get_by_role("img", name=f"Legende: {NAME}")
    await expect(legend).to_be_visible()
    assert await legend.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    await expect(screen.page.get_by_text("Quelle: Kanton Solothurn")).to_be_visible()
    await expect(screen.page.get_by_text(re.compile("^Daten: .*Kanton Solothurn.*BFS"))).to_be_visible()


async def test_layers_are_removed_by_chat(screen: Screen) -> None:
    await with_layers(screen)
    await screen.say("Entferne den Gewässerschutzlayer")
    await expect(screen.exchanges).to_have_count(2)
    await screen.map_shows(layers=[])


async def test_escape_and_closing_bring_the_focus_back(screen: Screen) -> None:
    await open_panel(screen)
    await expect(screen.page.get_by_text("Noch keine Layer geladen.")).to_be_visible()
    await screen.page.keyboard.press("Enter")
    await expect(screen.page.get_by_role("button", name="Layer öffnen")).to_be_focused()
    await open_panel(screen)
    await screen.page.keyboard.press("Escape")
    await expect(screen.page.get_by_role("button", name="Layer öffnen")).to_be_focused()


async def test_a_layer_that_the_page_may_not_load_is_refused_and_its_step_is_not_ticked(visit: Visit) -> None:
    async def of_the_confederation_only(route: Route) -> None:
        await route.fulfill(json={"layerHosts": ["https://wms.geo.admin.ch"]})

    screen = await visit(intercept=("**/config.json", of_the_confederation_only))
    await screen.map_is_ready()
    await screen.say("Lade die Grundwasserschutzzonen")
    step = screen.step(
        f"Auf der Karte nicht möglich ({NAME}): von diesem Server lädt die Seite keine Karten."
    )
    await expect(step).to_be_visible()
    await screen.idle()
    await expect(step.get_by_text("Nicht vollständig:")).to_have_count(1)
    await expect(step.get_by_text("Erledigt:")).to_have_count(0)
    await screen.map_shows(layers=[])
    async with screen.page.expect_request("**/api/chat/stream") as asked:
        await screen.say("Gehe nach Olten")
    told = (await asked.value).post_data_json
    assert told and told["mapResults"] == [
        {"type": "addLayer", "id": ZONES, "status": "failed", "reason": "foreign_host"}
    ]
    await screen.idle()


async def test_a_step_says_once_that_its_layers_do_not_come(visit: Visit) -> None:
    screen = await visit(has_layers=False)
    await screen.say("Lade den Gewässerschutzlayer")
    trouble = screen.chat.get_by_text(re.compile("^Der Kartendienst liefert im Moment nichts: "))
    await expect(trouble).to_have_count(1)
    await expect(trouble).to_contain_text(NAME)
    await expect(screen.said).to_contain_text("Der Kartendienst liefert im Moment nichts")


async def test_the_background_is_switched_by_hand_and_by_chat(screen: Screen) -> None:
    await screen.page.get_by_role("button", name="Hintergrundkarte").click()
    await screen.page.get_by_role("radio", name="Farbig").check(force=True)
    await screen.map_shows(background="color")
    await screen.say("Wechsle zum Luftbild")
    await screen.map_shows(background="ortho")


async def test_a_background_can_be_left_in_the_frame_that_draws_it(screen: Screen) -> None:
    await screen.page.get_by_role("button", name="Hintergrundkarte").click()
    radios = screen.page.get_by_role("radio")
    await expect(radios).to_have_count(4)
    await radios.evaluate_all(EACH_FOR_ONE_FRAME)
    await radios.first.check(force=True)
    await screen.map_shows(background="none")


async def test_a_link_shows_the_same_map_to_somebody_else(visit: Visit) -> None:
    screen = await visit(permissions=["clipboard-read", "clipboard-write"])
    await with_layers(screen)
    await screen.say("Gehe zur Langendorfstrasse 19b in Solothurn")
    await screen.answered("Adresse Langendorfstrasse 19b zentriert.")
    await screen.say("Wechsle zum Luftbild")
    await screen.map_shows(background="ortho", center=LANGENDORFSTRASSE)
    view = await screen.view()
    await screen.chat.get_by_role("button", name="Karte teilen").click()
    await expect(screen.said).to_contain_text("Link zur Karte kopiert")
    link = await screen.page.evaluate("navigator.clipboard.readText()")
    other = await visit(link)
    await other.map_shows(
        layers=LAYERS,
        markers={"addr-623490242": LANGENDORFSTRASSE},
        center=LANGENDORFSTRASSE,
        resolution=view.resolution,
        background="ortho",
    )
    await expect(other.exchanges).to_have_count(0)
    await other.pin_stands_at(LANGENDORFSTRASSE)
    await other.say("Entferne den Gewässerschutzlayer")
    await other.map_shows(layers=[])
