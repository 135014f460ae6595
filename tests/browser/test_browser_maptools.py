"""What one does with a map without asking it: seeing where one is, and measuring."""

import re
from pathlib import Path

import pytest
from PIL import Image
from playwright.async_api import Geolocation, Locator, Route, expect

from .axe import check
from .conftest import Visit
from .screen import BACKGROUND, LAYER, Box, Screen, comes_true
from .test_browser_sizes import SIZES, scheme, size

pytestmark = pytest.mark.asyncio(loop_scope="session")

SOLOTHURN: Geolocation = {"latitude": 47.2085, "longitude": 7.5372, "accuracy": 40}
SOLOTHURN_LV95 = (2607467.9, 1228622.7)
OLTEN: Geolocation = {"latitude": 47.352, "longitude": 7.9078, "accuracy": 25}
VIENNA: Geolocation = {"latitude": 48.2082, "longitude": 16.3738, "accuracy": 20}
DOT = (0x0B, 0x5A, 0x73)
AS_DRAWN_M = 2.0
"""As exact as the formulas and the decimetres of the view."""


def locate(screen: Screen) -> Locator:
    return screen.page.get_by_role("button", name="Mein Standort")


def panel(screen: Screen) -> Locator:
    return screen.page.get_by_role("region", name="Messen")


def result(screen: Screen) -> Locator:
    return panel(screen).locator("[data-result]")


async def is_centred(screen: Screen, place: tuple[float, float]) -> None:
    async def is_there() -> bool:
        east, north = (await screen.view()).center
        return abs(east - place[0]) < AS_DRAWN_M and abs(north - place[1]) < AS_DRAWN_M

    await comes_true(is_there)


async def middle(screen: Screen) -> tuple[float, float]:
    """Of what is free of the map, in pixels of the page."""
    return await screen.pixel((await screen.view()).center)


# -- where one is ------------------------------------------------------------------------------------


async def test_the_own_place_is_shown_and_followed_until_the_map_is_moved(visit: Visit) -> None:
    screen = await visit(geolocation=SOLOTHURN, permissions=["geolocation"])
    asked: list[str] = []
    screen.page.on("request", lambda request: asked.append(request.url + (request.post_data or "")))
    await locate(screen).click()
    await expect(locate(screen)).to_have_attribute("aria-pressed", "true")
    await is_centred(screen, SOLOTHURN_LV95)
    await expect(screen.said).to_contain_text("Dein Standort ist auf der Karte, auf etwa 40 m genau.")
    x, y = await middle(screen)

    async def is_drawn() -> bool:
        return await screen.colors(Box(x - 2, y - 2, 4, 4)) == {DOT}

    await comes_true(is_drawn)
    assert not [each for each in asked if "/api/" in each and ("7.53" in each or "26074" in each)]

    await screen.page.context.set_geolocation(OLTEN)
    await is_centred(screen, (2635449.5, 1244677.9))

    await screen.drag((160, 40))
    moved = await screen.view()
    await screen.page.context.set_geolocation(SOLOTHURN)
    await screen.page.wait_for_timeout(600)
    assert (await screen.view()).center == moved.center

    await locate(screen).click()
    await expect(locate(screen)).to_have_attribute("aria-pressed", "false")
    await expect(screen.said).to_contain_text("nicht mehr auf der Karte")


async def test_who_is_abroad_is_told_so(visit: Visit) -> None:
    screen = await visit(geolocation=VIENNA, permissions=["geolocation"])
    before = await screen.view()
    await locate(screen).click()
    await expect(screen.page.locator(".trouble")).to_contain_text("Du bist ausserhalb der Schweiz")
    await expect(screen.said).to_contain_text("Du bist ausserhalb der Schweiz")
    await expect(locate(screen)).to_have_attribute("aria-pressed", "false")
    assert await screen.view() == before
    await check(screen)
    await screen.page.get_by_role("button", name="Hinweis schliessen").click()
    await expect(locate(screen)).to_be_focused()


async def test_a_refusal_says_what_can_be_done(visit: Visit) -> None:
    screen = await visit(permissions=[])
    await locate(screen).click()
    await expect(screen.page.locator(".trouble")).to_contain_text("Erlaube es in seinen Einstellungen")
    await expect(screen.said).to_contain_text("Erlaube es in seinen Einstellungen")


# -- measuring ---------------------------------------------------------------------------------------


def metres(text: str) -> float:
    value, unit = re.sub(r"[\s\u202f\u00a0]+(?=\d)", "", text).split("\u00a0")
    return float(value) * {"m": 1, "km": 1_000, "m²": 1, "ha": 10_000, "km²": 1_000_000}[unit]


async def test_the_mouse_measures_a_distance_and_an_area(screen: Screen) -> None:
    x, y = await middle(screen)
    side = 100 * (await screen.view()).resolution
    await screen.page.get_by_role("button", name="Messen", exact=True).click()
    await expect(panel(screen)).to_be_visible()
    before = await screen.view()
    for right, down in ((0, 0), (100, 0), (100, 100)):
        await screen.page.mouse.click(x + right, y + down)
    assert metres(await result(screen).inner_text()) == pytest.approx(2 * side, rel=0.01)
    # What would come next is counted, and not said.
    await screen.page.mouse.move(x + 100, y + 200)
    await expect(screen.said).to_contain_text("3 Punkte:")

    async def follows() -> bool:
        return metres(await result(screen).inner_text()) == pytest.approx(3 * side, rel=0.01)

    await comes_true(follows)
    await panel(screen).get_by_text("Fläche").click()
    await screen.page.mouse.dblclick(x, y + 100)
    await expect(panel(screen).get_by_role("button", name="Kopieren")).to_be_visible()
    assert metres(await result(screen).inner_text()) == pytest.approx(side * side, rel=0.02)
    await expect(panel(screen)).to_contain_text("Umfang")
    # Nothing was marked, and the double click did not zoom.
    assert await screen.map.get_attribute("data-point") is None
    assert await screen.view() == before

    # The result stays; clicks are clicks again.
    await screen.page.route("**/api/identify", lambda route: route.abort())
    await screen.page.mouse.click(x + 40, y - 60)
    await expect(screen.map).to_have_attribute("data-point", re.compile(r"\d+"))
    await expect(result(screen)).to_be_visible()
    await panel(screen).get_by_role("button", name="Messung entfernen").click()
    await expect(panel(screen)).to_have_count(0)
    await expect(screen.page.get_by_role("button", name="Messen", exact=True)).to_be_focused()


async def test_the_keyboard_measures(visit: Visit) -> None:
    screen = await visit(permissions=["clipboard-read", "clipboard-write"])
    keyboard = screen.page.keyboard
    await screen.page.get_by_role("button", name="Messen", exact=True).focus()
    await keyboard.press("Enter")
    await expect(screen.map).to_be_focused()
    first = await screen.view()
    await keyboard.press("Enter")
    await expect(screen.said).to_contain_text("Der erste Punkt ist gesetzt.")
    await keyboard.press("ArrowRight")
    await screen.until_moved(first)
    await screen.page.wait_for_timeout(300)
    way = (await screen.view()).center[0] - first.center[0]
    await keyboard.press("Enter")
    assert metres(await result(screen).inner_text()) == pytest.approx(way, rel=0.01)
    await keyboard.press("Backspace")
    await expect(result(screen)).to_have_text("0\u00a0m")
    await keyboard.press("Enter")
    # Twice at the same place ends it.
    await keyboard.press("Enter")
    copy = panel(screen).get_by_role("button", name="Kopieren")
    await copy.click()
    await expect(screen.said).to_contain_text("Kopiert")
    copied = await screen.page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("Strecke: ") and len(re.findall(r"\d{7}\.\d / \d{7}\.\d", copied)) == 2
    assert await screen.map.get_attribute("data-point") is None
    await copy.press("Escape")
    await expect(panel(screen)).to_have_count(0)


@size
@scheme
async def test_how_it_looks(visit: Visit, pictures: Path, size: str, scheme: str) -> None:
    screen = await visit(
        **SIZES[size], color_scheme=scheme, geolocation=SOLOTHURN, permissions=["geolocation"]
    )
    await locate(screen).click()
    await is_centred(screen, SOLOTHURN_LV95)
    await screen.page.get_by_role("button", name="Messen", exact=True).click()
    await panel(screen).get_by_text("Fläche").click()
    await screen.page.wait_for_timeout(300)
    free = await screen.free_area()
    x, y = free.x + free.width * 0.4, free.y + free.height * 0.55
    for right, down in ((0, 0), (90, 10), (60, 120), (-40, 90), (-40, 90)):
        await screen.page.mouse.click(x + right, y + down)
    await expect(panel(screen).get_by_role("button", name="Kopieren")).to_be_visible()
    await check(screen)
    await screen.page.screenshot(path=pictures / f"measure-{size}-{scheme}.png")


# -- on paper ----------------------------------------------------------------------------------------


def sheet(screen: Screen) -> Locator:
    return screen.page.get_by_role("dialog", name="Drucken")


async def open_sheet(screen: Screen) -> Locator:
    await screen.page.get_by_role("button", name="Drucken", exact=True).click()
    await is_laid(screen)
    return sheet(screen)


async def is_laid(screen: Screen) -> None:
    await expect(sheet(screen).locator("[data-stage]")).to_have_attribute("data-stage", "there")


async def with_a_layer(screen: Screen) -> None:
    await screen.with_map_services()
    await screen.say("Gehe zur Langendorfstrasse 19b in Solothurn und lade den Gewässerschutzlayer")
    await screen.answered("Gewässerschutz-Layer geladen.")
    await screen.map_shows(center=(2605899, 1229278), resolution=1.0)


async def test_the_sheet_has_what_a_map_on_paper_needs(screen: Screen) -> None:
    await with_a_layer(screen)
    paper = await open_sheet(screen)
    await paper.get_by_role("textbox", name="Titel").fill("Brunnen im Quartier")
    await expect(paper.get_by_role("heading", level=1)).to_have_text("Brunnen im Quartier")
    for said in ("Kein amtlicher Auszug", "Kanton Solothurn", "Grundwasserschutzzonen"):
        await expect(paper.get_by_role("article")).to_contain_text(said)
    await expect(paper.get_by_role("img", name="Norden ist oben")).to_be_visible()
    await paper.get_by_label("Massstab").select_option("1:5\u202f000")
    await is_laid(screen)
    # What was asked for is as wide as the paper at this scale, and sharp.
    asked = screen.pictures[-1]
    west, _, east, _ = map(float, asked["BBOX"].split(","))
    assert (east - west) / 5 == pytest.approx(190, abs=1)
    assert int(asked["WIDTH"]) / (190 / 25.4) >= 150
    bar = paper.locator("[data-bar]")
    assert await bar.evaluate("bar => bar.style.width") == "40mm"
    await expect(bar.locator("xpath=..")).to_contain_text("200\u00a0m")
    await check(screen)
    await screen.page.keyboard.press("Escape")
    await expect(paper).to_have_count(0)
    await expect(screen.page.get_by_role("button", name="Drucken", exact=True)).to_be_focused()


@pytest.mark.parametrize(
    ("orientation", "width", "height"), [("portrait", 595, 842), ("landscape", 842, 595)]
)
async def test_the_browser_prints_the_sheet_alone(
    screen: Screen, pictures: Path, orientation: str, width: int, height: int
) -> None:
    await with_a_layer(screen)
    paper = await open_sheet(screen)
    await paper.get_by_label("Format").select_option(orientation)
    await is_laid(screen)
    printed = await screen.page.pdf(prefer_css_page_size=True, print_background=True)
    (pictures / f"print-{orientation}.pdf").write_bytes(printed)
    boxes = re.findall(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)", printed)
    assert {(round(float(w)), round(float(h))) for w, h in boxes} == {(width, height)}
    # The map, and its legend.
    assert len(boxes) == 2
    await screen.page.emulate_media(media="print")
    await expect(paper.get_by_role("button", name="Als Bild (PNG)")).to_be_hidden()
    await expect(screen.chat).to_be_hidden()
    box = await paper.locator(".sheet-map").bounding_box()
    assert box is not None
    assert box["width"] * 25.4 / 96 == pytest.approx(190 if width < height else 277, abs=0.5)
    await screen.page.emulate_media(media="screen")


async def test_the_map_is_saved_as_a_picture(screen: Screen, pictures: Path) -> None:
    await with_a_layer(screen)
    paper = await open_sheet(screen)
    async with screen.page.expect_download() as coming:
        await paper.get_by_role("button", name="Als Bild (PNG)").click()
    saved = await coming.value
    assert saved.suggested_filename.endswith(".png")
    path = pictures / "map.png"
    await saved.save_as(path)
    with Image.open(path) as picture:
        assert picture.width > 190 / 25.4 * 150 and picture.height > picture.width
        colors = picture.convert("RGB")
        painted = colors.getpixel((picture.width // 2 + 200, picture.width // 2 + 200))
        legend = colors.getpixel((100, picture.height - 100))
    assert (painted, legend) == (LAYER, BACKGROUND)


async def test_a_service_that_does_not_release_its_map_is_named_and_printing_stays(screen: Screen) -> None:
    await with_a_layer(screen)
    paper = await open_sheet(screen)

    async def refuse(route: Route) -> None:
        # As browsers do with pictures of a service without permission.
        if route.request.headers.get("sec-fetch-mode") == "cors" or "origin" in route.request.headers:
            await route.abort()
        else:
            await route.fallback()

    await screen.page.route(lambda url: "GetMap" in url, refuse)
    await paper.get_by_role("button", name="Als Bild (PNG)").click()
    await expect(paper.get_by_role("status")).to_contain_text("Kein Bild: Der Dienst gibt seine Karte")
    await expect(paper.get_by_role("status")).to_contain_text("Grundwasserschutzzonen")
    await expect(paper.get_by_role("button", name="Drucken oder als PDF")).to_be_enabled()


@size
@scheme
async def test_how_the_sheet_looks(visit: Visit, pictures: Path, size: str, scheme: str) -> None:
    screen = await visit(**SIZES[size], color_scheme=scheme)
    await screen.with_map_services()
    await screen.say("Gehe zur Langendorfstrasse 19b in Solothurn")
    await screen.answered("Adresse Langendorfstrasse 19b zentriert.")
    await open_sheet(screen)
    await check(screen)
    await screen.page.screenshot(path=pictures / f"sheet-{size}-{scheme}.png")
