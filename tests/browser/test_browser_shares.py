"""The address of the page follows the map, and short links lead to it."""

import json
import re
from math import floor
from pathlib import Path

import pytest
from contracts import keys
from playwright.async_api import Locator, expect
from redis.asyncio import Redis

from .axe import check
from .conftest import Visit
from .screen import PATIENCE_MS, Coord, Screen, comes_true, patience_of

pytestmark = pytest.mark.asyncio(loop_scope="session")

PATIENCE = {patience_of("client/src/session/links.svelte.ts", "SHARE_PATIENCE_MS"): PATIENCE_MS}
"""With the server: after it, a link is a long one."""

ZONES, WELLS = (f"ch.so.afu.gewaesserschutz.{part}" for part in ("schutzzonen", "fassungen"))
SOLOTHURN: Coord = (2_607_500, 1_228_500)
DESK, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
COPYING = ["clipboard-read", "clipboard-write"]
ADDRESS = re.compile(r"#map=\d+/\d+(\.\d)?/\d+(\.\d)?&bg=")


async def address_of(screen: Screen, *parts: str) -> str:
    """What follows the `#`, as soon as it is that of a map with all the parts."""
    found = ""

    async def is_there() -> bool:
        nonlocal found
        found = await screen.page.evaluate("location.hash")
        return ADDRESS.match(found) is not None and all(part in found for part in parts)

    await comes_true(is_there)
    return found[1:]


async def opens(screen: Screen, fragment: str) -> None:
    """As if it were typed."""
    await screen.page.evaluate("fragment => { location.hash = fragment }", fragment)


def note(screen: Screen) -> Locator:
    return screen.page.get_by_role("region", name="Hinweis zum Link")


async def share(screen: Screen) -> str:
    await screen.chat.get_by_role("button", name="Karte teilen").click()
    await expect(screen.said).to_contain_text("Link zur Karte kopiert")
    link: str = await screen.page.evaluate("navigator.clipboard.readText()")
    return link


async def test_the_address_follows_the_map_and_a_second_tab_shows_the_same(visit: Visit) -> None:
    screen = await visit()
    await screen.with_map_services()
    await address_of(screen)
    entries = await screen.page.evaluate("history.length")
    await screen.say("Gehe zur Langendorfstrasse 19b in Solothurn")
    await screen.answered("Adresse Langendorfstrasse 19b zentriert.")
    await screen.say("Lade den Gewässerschutzlayer")
    await screen.answered("Gewässerschutz-Layer geladen.")
    await screen.drag((140, 60))
    view = await screen.view()
    fragment = await address_of(screen, f"/{floor(view.center[0] + 0.5)}/", "&layers=")
    assert f"layers={ZONES}," in fragment and len(fragment) < 400
    # Neither what was asked nor who has asked.
    session = json.loads(await screen.page.evaluate("sessionStorage.getItem('ask.sogis/3')"))["sessionId"]
    assert "Langendorf" not in fragment and session not in fragment
    assert await screen.page.evaluate("history.length") == entries

    other = await visit(f"/#{fragment}")
    layers, markers = await screen.layers(), list((await screen.markers()).values())
    pins = {f"pin-{n}": coord for n, coord in enumerate(markers, 1)}
    await other.map_shows(layers=layers, markers=pins, resolution=view.resolution)
    shown = await other.view()
    assert shown.center == pytest.approx(view.center, abs=1)
    await expect(note(other)).to_have_count(0)
    await other.open_layers()
    await expect(other.page.get_by_role("button", name="Grundwasserschutzzonen", exact=True)).to_be_visible()
    assert await address_of(other) == fragment


async def test_a_reload_keeps_the_map_to_the_decimetre(visit: Visit) -> None:
    screen = await visit()
    await screen.drag((90, 40))
    view = await screen.view()
    # At once: what the address says may be older than what was saved.
    await screen.page.reload()
    await screen.map_shows(center=view.center, resolution=view.resolution)


async def test_what_is_typed_counts_and_back_leads_to_where_it_was(visit: Visit) -> None:
    screen = await visit()
    await screen.with_map_services()
    before = await address_of(screen)
    await opens(
        screen, f"map=10000/2607500/1228500&bg=ortho&layers={ZONES}:40,{WELLS}:off&pin=2607500/1228500"
    )
    await screen.map_shows(
        layers=[ZONES], markers={"pin-1": SOLOTHURN}, center=SOLOTHURN, resolution=2.65, background="ortho"
    )
    assert await screen.layers() == [ZONES, WELLS]
    await screen.page.go_back()
    await screen.map_shows(layers=[], markers={}, background="sw")
    assert await address_of(screen) == before
    await screen.page.go_forward()
    await screen.map_shows(layers=[ZONES], markers={"pin-1": SOLOTHURN}, center=SOLOTHURN)
    await screen.page.reload()
    await screen.map_shows(layers=[ZONES], markers={"pin-1": SOLOTHURN}, center=SOLOTHURN)


async def test_what_does_not_come_is_said_and_can_be_tried_again(visit: Visit, pictures: Path) -> None:
    for name, viewport in {"1440": DESK, "390": PHONE}.items():
        screen = await visit(
            f"/#map=10000/2607500/1228500&bg=sw&layers=ch.gibt.es.nicht,{ZONES}",
            color_scheme="dark",
            viewport=viewport,
        )
        await expect(note(screen)).to_contain_text("Nicht geladen: ch.gibt.es.nicht.")
        await expect(screen.said).to_contain_text("ch.gibt.es.nicht")
        await screen.map_shows(layers=[ZONES])
        assert "ch.gibt.es.nicht" in await address_of(screen)
        await screen.page.screenshot(path=pictures / f"link-missing-{name}-dark.png")
        await check(screen)
        await note(screen).get_by_role("button", name="Hinweis schliessen").press("Enter")
        await expect(note(screen)).to_have_count(0)
        await expect(screen.map).to_be_focused()


async def test_a_short_link_shows_the_map_to_somebody_else(visit: Visit, pictures: Path) -> None:
    screen = await visit(permissions=COPYING, viewport=DESK, patience=PATIENCE)
    await screen.say("Gehe zur Langendorfstrasse 19b in Solothurn")
    await screen.answered("Adresse Langendorfstrasse 19b zentriert.")
    link = await share(screen)
    await expect(screen.said).to_contain_text(re.compile(r"Er gilt bis \d+\.\d+\.\d{4}\."))
    await screen.page.screenshot(path=pictures / "share-1440-light.png")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/#share=[\w-]{16}", link)
    other = await visit(link)
    markers = await screen.markers()
    await other.map_shows(markers=markers, center=(await screen.view()).center)
    await expect(other.exchanges).to_have_count(0)
    # From here on the address is that of the map.
    assert (await address_of(other)).startswith("map=")


async def test_a_link_that_has_expired_is_said_and_the_page_works(visit: Visit, pictures: Path) -> None:
    sharing = await visit(permissions=COPYING, patience=PATIENCE)
    link = await share(sharing)
    async with Redis.from_url(sharing.system.stack.redis_url) as redis:
        assert await redis.delete(keys.share(link.rpartition("=")[2])) == 1
    for name, viewport in {"1440": DESK, "390": PHONE}.items():
        screen = await visit(link, viewport=viewport)
        await expect(note(screen)).to_contain_text("Dieser Link ist abgelaufen.")
        await screen.page.screenshot(path=pictures / f"link-expired-{name}-light.png")
        assert (await address_of(screen)).startswith("map=")
        await screen.say("Gehe zur Langendorfstrasse 19b in Solothurn")
        await screen.answered("Adresse Langendorfstrasse 19b zentriert.")


async def test_without_a_server_for_it_the_link_is_long_and_works(visit: Visit) -> None:
    screen = await visit(permissions=COPYING)
    await opens(screen, "map=10000/2607500/1228500&bg=ortho")
    await screen.map_shows(center=SOLOTHURN)
    await screen.page.route("**/api/shares", lambda route: route.abort())
    link = await share(screen)
    assert "#map=ey" in link
    other = await visit(link)
    await other.map_shows(center=SOLOTHURN, background="ortho")


async def test_a_phone_hands_the_link_to_other_apps(visit: Visit) -> None:
    screen = await visit(viewport=PHONE, patience=PATIENCE)
    await screen.page.evaluate("navigator.share = async (given) => { window.given = given }")
    await screen.chat.get_by_role("button", name="Karte teilen").click()
    await expect(screen.said).to_contain_text("Er gilt bis")
    assert "/#share=" in await screen.page.evaluate("window.given.url")
