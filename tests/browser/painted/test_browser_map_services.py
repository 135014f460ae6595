"""The maps of the services as they are painted: each tile and picture in its place, from nobody else."""

from functools import partial
from urllib.parse import urlsplit

import pytest
from map_services import (
    CANTON,
    FEDERAL_TILES,
    HOSTS,
    STRANGER,
    MapServices,
    legend_color,
)
from playwright.async_api import Locator, Request, Route, expect
from tests.browser.conftest import Visit
from tests.browser.screen import FOR_BACKGROUNDS, Box, Color, Coord, Screen, comes_true

from .ground import AERIAL, COLOURED, GREY, NATIONAL_MAP, SOLOTHURN, ZONES, link, over, shows, tiles

pytestmark = pytest.mark.asyncio(loop_scope="session")

LANGENDORFSTRASSE: Coord = (2_605_899, 1_229_278)
FENS = "ch.bafu.bundesinventare-flachmoore"


@pytest.fixture
def visit(visit: Visit) -> Visit:
    return partial(visit, patience=FOR_BACKGROUNDS)


async def switch_background(screen: Screen, label: str) -> None:
    await screen.page.get_by_role("button", name="Hintergrundkarte").click()
    await screen.page.get_by_role("radio", name=label).check(force=True)
    await screen.page.keyboard.press("Escape")


# -- backgrounds -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("label", "layer"), [("Grau", GREY), ("Farbig", COLOURED), ("Luftbild", AERIAL)])
async def test_a_background_is_painted_in_place_at_every_level_and_after_a_move(
    visit: Visit, services: MapServices, label: str, layer: str
) -> None:
    screen = await visit(link(SOLOTHURN, 10, "none"))
    assert services.asked == []
    await switch_background(screen, label)
    await shows(screen, tiles(layer, 10))
    await screen.zoom("Vergrössern", 5)
    await screen.zoom("Vergrössern", 2.5)
    await shows(screen, tiles(layer, 2.5))
    await screen.drag((-260, 170))
    await shows(screen, tiles(layer, 2.5))
    assert {(asked.host, asked.path.split("/")[4]) for asked in services.asked} == {(CANTON, layer)}
    await expect(screen.page.get_by_text("Daten: Kanton Solothurn", exact=True)).to_be_visible()


async def test_between_two_levels_the_closer_one_is_painted(visit: Visit, services: MapServices) -> None:
    screen = await visit(link(SOLOTHURN, 6.8))
    await shows(screen, tiles(GREY, 5))


async def test_without_a_background_no_service_is_asked(visit: Visit, services: MapServices) -> None:
    screen = await visit(link(SOLOTHURN, 10, "none"))
    await screen.zoom("Vergrössern", 5)
    await screen.names_are_painted()
    await expect(screen.page.get_by_text("Daten:")).to_have_count(0)
    assert services.asked == []


@pytest.mark.parametrize(
    ("background", "layer"),
    [
        ("sw", "ch.swisstopo.pixelkarte-grau"),
        ("color", NATIONAL_MAP),
        ("ortho", "ch.swisstopo.swissimage"),
    ],
)
async def test_the_backgrounds_can_be_those_of_the_confederation(
    visit: Visit, services: MapServices, background: str, layer: str
) -> None:
    async def as_configured(route: Route) -> None:
        await route.fulfill(json={"backgrounds": dict.fromkeys(("sw", "color", "ortho"), "federal")})

    screen = await visit(link(SOLOTHURN, 10, background), intercept=("**/config.json", as_configured))
    await screen.map_is_ready()
    await shows(screen, tiles(layer, 10))
    await screen.zoom("Vergrössern", 5)
    await shows(screen, tiles(layer, 5))
    await screen.drag((230, -140))
    await shows(screen, tiles(layer, 5))
    assert {(asked.host, asked.path.split("/")[2]) for asked in services.asked} == {(FEDERAL_TILES, layer)}
    await expect(screen.page.get_by_text("Daten: swisstopo", exact=True)).to_be_visible()


async def test_a_map_without_the_finest_levels_is_enlarged(visit: Visit, services: MapServices) -> None:
    screen = await visit(link(SOLOTHURN, 0.25))
    await screen.say("Lade die Pixelkarte")
    await screen.map_shows(layers=[NATIONAL_MAP])
    await shows(screen, tiles(NATIONAL_MAP, 0.5))


async def test_a_photograph_is_painted_from_the_finest_level(visit: Visit, services: MapServices) -> None:
    screen = await visit(link(SOLOTHURN, 0.25, "ortho"))
    await shows(screen, tiles(AERIAL, 0.25))


# -- layers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "layer", "owner"),
    [
        ("Lade die Grundwasserschutzzonen", ZONES, "Kanton Solothurn"),
        ("Lade die Flachmoore", FENS, "Kanton Solothurn, Bundesamt für Umwelt"),
    ],
)
async def test_pictures_of_a_layer_are_painted_in_place(
    visit: Visit, services: MapServices, sentence: str, layer: str, owner: str
) -> None:
    screen = await visit(link(SOLOTHURN, 5))
    await screen.say(sentence)
    await screen.map_shows(layers=[layer])
    await shows(screen, over(tiles(GREY, 5), layer))
    await expect(screen.page.get_by_text(f"Daten: {owner}", exact=True)).to_be_visible()
    await screen.zoom("Verkleinern", 10)
    await shows(screen, over(tiles(GREY, 10), layer))
    await screen.drag((210, 190))
    await shows(screen, over(tiles(GREY, 10), layer))


@pytest.mark.parametrize(
    ("sentence", "layer", "owner"),
    [
        (f"Lade den Layer {AERIAL}", AERIAL, "Kanton Solothurn"),
        ("Lade die Pixelkarte", NATIONAL_MAP, "Kanton Solothurn, swisstopo"),
    ],
)
async def test_tiles_of_a_layer_are_painted_in_place(
    visit: Visit, services: MapServices, sentence: str, layer: str, owner: str
) -> None:
    screen = await visit(link(SOLOTHURN, 5))
    await screen.say(sentence)
    await screen.map_shows(layers=[layer])
    await shows(screen, tiles(layer, 5))
    await expect(screen.page.get_by_text(f"Daten: {owner}", exact=True)).to_be_visible()
    await screen.zoom("Verkleinern", 10)
    await screen.drag((-210, -190))
    await shows(screen, tiles(layer, 10))


async def test_layers_of_all_services_lie_over_each_other_in_the_order_of_the_panel(
    visit: Visit, services: MapServices
) -> None:
    screen = await visit(link(SOLOTHURN, 5))
    for sentence in ("Lade die Pixelkarte", "Lade die Grundwasserschutzzonen", "Lade die Flachmoore"):
        await screen.say(sentence)
        await screen.idle()
    await screen.map_shows(layers=[FENS, ZONES, NATIONAL_MAP])
    await shows(screen, over(over(tiles(NATIONAL_MAP, 5), ZONES), FENS))


async def test_opacity_and_visibility_take_effect(visit: Visit, services: MapServices) -> None:
    screen = await visit(link(SOLOTHURN, 5))
    await screen.say("Lade die Grundwasserschutzzonen")
    await screen.map_shows(layers=[ZONES])
    await screen.open_layers()
    await screen.page.get_by_role("button", name="Grundwasserschutzzonen", exact=True).click()
    await screen.page.get_by_role("slider").fill("40")
    await screen.close_layers()
    await shows(screen, over(tiles(GREY, 5), ZONES, 0.4))
    await screen.open_layers()
    await screen.page.get_by_role("button", name="Grundwasserschutzzonen anzeigen").click()
    await screen.close_layers()
    await shows(screen, tiles(GREY, 5))


async def is_painted(screen: Screen, thing: Locator, color: Color) -> bool:
    """Whether a colour covers its middle."""
    box = await thing.bounding_box()
    assert box is not None
    middle = Box(box["x"] + box["width"] / 2 - 3, box["y"] + box["height"] / 2 - 3, 6, 6)
    return await screen.colors(middle) == {color}


async def test_the_legend_is_the_one_of_the_layer(visit: Visit, services: MapServices) -> None:
    screen = await visit(link(SOLOTHURN, 5))
    for sentence, layer, name in (
        ("Lade die Grundwasserschutzzonen", ZONES, "Grundwasserschutzzonen"),
        ("Lade die Flachmoore", FENS, "Flachmoore von nationaler Bedeutung (Quelle Bund)"),
    ):
        await screen.say(sentence)
        await screen.idle()
        await screen.open_layers()
        await screen.page.get_by_role("button", name=name, exact=True).click()
        legend = screen.page.get_by_role("img", name=f"Legende: {name}")
        await expect(legend).to_be_visible()
        await comes_true(partial(is_painted, screen, legend, legend_color(layer)))
        await screen.close_layers()


# -- nobody else -----------------------------------------------------------------------------------


async def test_nobody_but_the_map_services_is_asked(visit: Visit, services: MapServices) -> None:
    origins: set[str] = set()
    screen = await visit(link(SOLOTHURN, 5))

    def note(request: Request) -> None:
        asked = urlsplit(request.url)
        origins.add(f"{asked.scheme}://{asked.netloc}")

    screen.page.context.on("request", note)
    await screen.page.reload()
    await screen.map_is_ready()
    for sentence in ("Lade die Pixelkarte", "Lade die Grundwasserschutzzonen", "Lade die Flachmoore"):
        await screen.say(sentence)
        await screen.idle()
    await shows(screen, over(over(tiles(NATIONAL_MAP, 5), ZONES), FENS))
    await switch_background(screen, "Luftbild")
    await screen.say("Gehe zur Langendorfstrasse 19b in Solothurn")
    await screen.map_shows(center=LANGENDORFSTRASSE, background="ortho")
    await screen.pin_stands_at(LANGENDORFSTRASSE)
    assert origins == {screen.system.stack.url, *(f"https://{host}" for host in HOSTS)}


async def test_a_service_that_is_not_configured_is_not_asked(visit: Visit, services: MapServices) -> None:
    async def of_another(route: Route) -> None:
        url = f"https://{STRANGER}/{{TileMatrix}}/{{TileRow}}/{{TileCol}}"
        await route.fulfill(json={"backgrounds": {"sw": {"url": url}}})

    screen = await visit(link(SOLOTHURN, 10), intercept=("**/config.json", of_another))
    await expect(screen.page.get_by_text("Hintergrundkarte nicht erreichbar")).to_be_visible()
    assert services.asked == []
    assert any("Content Security Policy" in each for each in screen.complaints)
    screen.complaints.clear()
