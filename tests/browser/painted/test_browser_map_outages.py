"""What the map shows when its services fail, on the way or from the beginning, and when they come back."""

from typing import Any

import pytest
from map_services import CANTON, MapServices
from playwright.async_api import expect
from servicekit.http import AsgiApp
from tests.browser.conftest import Visit
from tests.browser.screen import PATIENCE_MS, Screen

from .ground import COLOURED, GREY, NATIONAL_MAP, SOLOTHURN, ZONES, Ground, link, over, shows, tiles
from .outages import WAYS, fail, no_answer, no_connection, no_success, recover

pytestmark = pytest.mark.asyncio(loop_scope="session")


BY_ITSELF_MS = 4 * PATIENCE_MS
"""What has been away for long is asked for less often."""


async def is_drawn_by_itself(screen: Screen) -> None:
    """Until the page says that no map comes, names places, and shows where in the canton this is."""
    # A service that says nothing is given up after a while.
    gone = screen.page.get_by_text("Hintergrundkarte nicht erreichbar")
    await expect(gone).to_be_visible(timeout=3 * PATIENCE_MS)
    await expect(screen.page.locator("svg").filter(has_text="Olten")).to_be_visible()
    await screen.names_are_painted()
    await expect(screen.page.get_by_text("Daten:")).to_have_count(0)


async def comes_from_the_service(screen: Screen, ground: Ground) -> None:
    gone = screen.page.get_by_text("Hintergrundkarte nicht erreichbar")
    await expect(gone).to_have_count(0, timeout=BY_ITSELF_MS)
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
    await screen.zoom("Vergrössern", 5)
    await screen.zoom("Vergrössern", 2.5)
    await screen.drag((-400, 300))
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
        await screen.drag((-500, 0))
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
    await screen.open_layers()
    trouble = screen.page.get_by_text("Antwortet nicht")
    await expect(trouble).to_be_visible()
    await recover(services)
    await expect(trouble).to_have_count(0, timeout=BY_ITSELF_MS)
    await screen.close_layers()
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
