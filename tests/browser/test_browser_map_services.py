"""The maps of the services as they are painted: each tile and picture in its place, and what happens without.

The services are local, under the names of the real ones: the system runs with its own settings.
"""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from map_services import (
    CANTON,
    FEDERAL_TILES,
    HOSTS,
    STRANGER,
    MapServices,
    legend_color,
)
from playwright.async_api import Browser, Locator, Request, Route, async_playwright, expect
from servicekit.http import AsgiApp

from .conftest import Visit, chromium
from .ground import Ground, link, over, shows, tiles
from .outages import WAYS, fail, no_answer, no_connection, no_success, recover
from .screen import PATIENCE_MS, Box, Color, Coord, Screen, comes_true

pytestmark = pytest.mark.asyncio(loop_scope="session")

SOLOTHURN: Coord = (2_607_090, 1_228_660)
LANGENDORFSTRASSE: Coord = (2_605_899, 1_229_278)
GREY, COLOURED, AERIAL = (f"ch.so.agi.hintergrundkarte_{name}" for name in ("sw", "farbig", "ortho"))
ZONES, FENS = "ch.so.afu.gewaesserschutz.schutzzonen", "ch.bafu.bundesinventare-flachmoore"
NATIONAL_MAP = "ch.swisstopo.pixelkarte-farbe"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def started(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[MapServices]:
    services = MapServices(tmp_path_factory.mktemp("map-services"))
    await services.start()
    yield services
    await services.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def services(started: MapServices) -> AsyncIterator[MapServices]:
    started.reset()
    yield started
    started.reset()
    await started.start()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def browser(started: MapServices) -> AsyncIterator[Browser]:
    """Finds the map services on this machine, whoever has signed their certificate, and nothing else."""
    rules = f"{started.resolver_rules} , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"
    expect.set_options(timeout=PATIENCE_MS)
    async with async_playwright() as driver:
        launched = await driver.chromium.launch(
            executable_path=chromium(),
            args=[f"--host-resolver-rules={rules}", "--ignore-certificate-errors"],
        )
        yield launched
        await launched.close()


async def zoom(screen: Screen, button: str, resolution: float) -> None:
    await screen.page.get_by_role("button", name=button).click()
    await screen.map_shows(resolution=resolution)


async def drag(screen: Screen, by: tuple[float, float]) -> None:
    before, free = await screen.view(), await screen.free_area()
    x, y = free.x + free.width / 2, free.y + free.height / 2
    await screen.page.mouse.move(x, y)
    await screen.page.mouse.down()
    await screen.page.mouse.move(x + by[0], y + by[1], steps=6)
    await screen.page.mouse.up()
    await screen.until_moved(before)


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
    await zoom(screen, "Vergrössern", 5)
    await zoom(screen, "Vergrössern", 2.5)
    await shows(screen, tiles(layer, 2.5))
    await drag(screen, (-260, 170))
    await shows(screen, tiles(layer, 2.5))
    assert {(asked.host, asked.path.split("/")[4]) for asked in services.asked} == {(CANTON, layer)}
    await expect(screen.page.get_by_text("Daten: Kanton Solothurn", exact=True)).to_be_visible()


async def test_between_two_levels_the_closer_one_is_painted(visit: Visit, services: MapServices) -> None:
    screen = await visit(link(SOLOTHURN, 6.8))
    await shows(screen, tiles(GREY, 5))


async def test_without_a_background_no_service_is_asked(visit: Visit, services: MapServices) -> None:
    screen = await visit(link(SOLOTHURN, 10, "none"))
    await zoom(screen, "Vergrössern", 5)
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
    await zoom(screen, "Vergrössern", 5)
    await shows(screen, tiles(layer, 5))
    await drag(screen, (230, -140))
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


async def open_panel(screen: Screen) -> None:
    await screen.page.get_by_role("button", name="Layer öffnen").click()


async def close_panel(screen: Screen) -> None:
    await screen.page.get_by_role("button", name="Layer schliessen").last.click()
    await screen.map_shows()


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
    await zoom(screen, "Verkleinern", 10)
    await shows(screen, over(tiles(GREY, 10), layer))
    await drag(screen, (210, 190))
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
    await zoom(screen, "Verkleinern", 10)
    await drag(screen, (-210, -190))
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
    await open_panel(screen)
    await screen.page.get_by_role("button", name="Grundwasserschutzzonen", exact=True).click()
    await screen.page.get_by_role("slider").fill("40")
    await close_panel(screen)
    await shows(screen, over(tiles(GREY, 5), ZONES, 0.4))
    await open_panel(screen)
    await screen.page.get_by_role("button", name="Grundwasserschutzzonen anzeigen").click()
    await close_panel(screen)
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
        await open_panel(screen)
        await screen.page.get_by_role("button", name=name, exact=True).click()
        legend = screen.page.get_by_role("img", name=f"Legende: {name}")
        await expect(legend).to_be_visible()
        await comes_true(partial(is_painted, screen, legend, legend_color(layer)))
        await close_panel(screen)


# -- when services are away ------------------------------------------------------------------------


async def is_drawn_by_itself(screen: Screen) -> None:
    """Until the page says that no map comes, names places, and shows where in the canton this is."""
    # A service that says nothing is given up after a while.
    gone = screen.page.get_by_text("Hintergrundkarte nicht erreichbar")
    await expect(gone).to_be_visible(timeout=3 * PATIENCE_MS)
    await expect(screen.page.locator("svg").filter(has_text="Grenchen")).to_be_visible()
    await screen.names_are_painted()
    await expect(screen.page.get_by_text("Daten:")).to_have_count(0)


async def comes_from_the_service(screen: Screen, ground: Ground) -> None:
    await expect(screen.page.get_by_text("Hintergrundkarte nicht erreichbar")).to_have_count(0)
    await shows(screen, ground)


@pytest.mark.parametrize("way", WAYS)
async def test_a_page_without_services_orients_and_recovers_by_itself(
    visit: Visit, services: MapServices, way: AsgiApp
) -> None:
    await fail(services, way)
    screen = await visit(link(SOLOTHURN, 10))
    await is_drawn_by_itself(screen)
    await recover(services)
    await comes_from_the_service(screen, tiles(GREY, 10))


@pytest.mark.parametrize("way", [no_success, no_answer, no_connection])
async def test_services_that_fail_on_the_way_are_noticed_and_come_back(
    visit: Visit, services: MapServices, way: AsgiApp
) -> None:
    screen = await visit(link(SOLOTHURN, 10))
    await shows(screen, tiles(GREY, 10))
    await fail(services, way)
    await zoom(screen, "Vergrössern", 5)
    await zoom(screen, "Vergrössern", 2.5)
    await drag(screen, (-400, 300))
    await is_drawn_by_itself(screen)
    await recover(services)
    await comes_from_the_service(screen, tiles(GREY, 2.5))


def without_canton(services: MapServices, way: AsgiApp) -> AsgiApp:
    async def answer(scope: Any, receive: Any, send: Any) -> None:
        is_canton = (b"host", CANTON.encode()) in scope["headers"]
        await (way if is_canton else services.app)(scope, receive, send)

    return answer


async def test_while_the_canton_fails_its_background_is_that_of_the_confederation(
    visit: Visit, services: MapServices
) -> None:
    services.instead = without_canton(services, no_success)
    screen = await visit(link(SOLOTHURN, 10, "color"))
    await shows(screen, tiles(NATIONAL_MAP, 10))
    await expect(screen.page.get_by_text("Daten: swisstopo", exact=True)).to_be_visible()
    await expect(screen.page.get_by_text("Hintergrundkarte nicht erreichbar")).to_have_count(0)
    await recover(services)
    await shows(screen, tiles(COLOURED, 10))
    await expect(screen.page.get_by_text("Daten: Kanton Solothurn")).to_be_visible()


async def test_a_canton_that_falls_silent_leaves_room_for_the_confederation(
    visit: Visit, services: MapServices
) -> None:
    screen = await visit(link(SOLOTHURN, 1, "color"))
    await shows(screen, tiles(COLOURED, 1))
    services.instead = without_canton(services, no_answer)
    # Coarser tiles of the surroundings may have come, and would stay.
    for _ in range(6):
        await drag(screen, (-500, 0))
    await expect(screen.page.get_by_text("Daten: swisstopo", exact=True)).to_be_visible(
        timeout=3 * PATIENCE_MS
    )
    await shows(screen, tiles(NATIONAL_MAP, 1))


@pytest.mark.parametrize("way", WAYS[:2])
async def test_a_layer_whose_service_fails_says_so_and_comes_back(
    visit: Visit, services: MapServices, way: AsgiApp
) -> None:
    screen = await visit(link(SOLOTHURN, 5))
    await shows(screen, tiles(GREY, 5))
    await fail(services, way)
    await screen.say("Lade die Grundwasserschutzzonen")
    await screen.map_shows(layers=[ZONES])
    await open_panel(screen)
    trouble = screen.page.get_by_text("Lädt im Moment nicht")
    await expect(trouble).to_be_visible()
    await recover(services)
    await expect(trouble).to_have_count(0)
    await close_panel(screen)
    await shows(screen, over(tiles(GREY, 5), ZONES))


async def test_a_single_lost_tile_is_asked_for_again(visit: Visit, services: MapServices) -> None:
    lost: set[str] = set()

    async def losing(scope: Any, receive: Any, send: Any) -> None:
        first = not lost
        lost.add(scope["path"])
        await (no_success if first else services.app)(scope, receive, send)

    services.instead = losing
    screen = await visit(link(SOLOTHURN, 10))
    await shows(screen, tiles(GREY, 10))


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
    await is_drawn_by_itself(screen)
    assert services.asked == []
    assert any("Content Security Policy" in each for each in screen.complaints)
    screen.complaints.clear()
