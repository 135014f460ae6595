"""The page on a phone, a tablet and a desktop, light and dark. The pictures are for people to look at."""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import expect

from .conftest import Visit
from .screen import Screen, comes_true

pytestmark = pytest.mark.asyncio(loop_scope="session")

SIZES: dict[str, dict[str, Any]] = {
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "has_touch": True,
        "is_mobile": True,
        "device_scale_factor": 2,
    },
    "tablet": {"viewport": {"width": 820, "height": 1180}, "has_touch": True},
    "desktop": {"viewport": {"width": 1440, "height": 900}},
}

size = pytest.mark.parametrize("size", SIZES)
scheme = pytest.mark.parametrize("scheme", ["light", "dark"])


async def fits(screen: Screen) -> None:
    """Nothing sticks out, and one can always write."""
    await expect(screen.message).to_be_in_viewport(ratio=1)

    async def has_room() -> bool:
        free = await screen.free_area()
        width, height, out = await screen.page.evaluate(
            "[innerWidth, innerHeight, document.documentElement.scrollWidth - innerWidth]"
        )
        return bool(out <= 0 and free.width * free.height > 0.2 * width * height)

    await comes_true(has_room)


@size
@scheme
async def test_start(visit: Visit, pictures: Path, size: str, scheme: str) -> None:
    screen = await visit(**SIZES[size], color_scheme=scheme)
    await fits(screen)
    await screen.page.screenshot(path=pictures / f"start-{size}-{scheme}.png")


@size
@scheme
async def test_address_and_layer(visit: Visit, pictures: Path, size: str, scheme: str) -> None:
    screen = await visit(**SIZES[size], color_scheme=scheme)
    await screen.say("Gehe zur Langendorfstrasse 19b in Solothurn und lade den Gewässerschutzlayer")
    await screen.answered("Gewässerschutz-Layer geladen.")
    await screen.map_shows(center=(2605899, 1229278), resolution=1.0)
    await fits(screen)
    await screen.a_pin_is_in_sight()
    await screen.page.screenshot(path=pictures / f"address-{size}-{scheme}.png")


@size
@scheme
async def test_choice(visit: Visit, pictures: Path, size: str, scheme: str) -> None:
    screen = await visit(**SIZES[size], color_scheme=scheme)
    await screen.say("Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519")
    await screen.answered("Bitte wähle das betroffene Grundstück.")
    for option in ("Grundstück 198", "Grundstück 531"):
        await expect(screen.choice(option)).to_be_in_viewport(ratio=1)
    await fits(screen)
    await screen.page.screenshot(path=pictures / f"choice-{size}-{scheme}.png")
    await screen.choice("Grundstück 198").click()
    await screen.answered("ÖREB-Auszug für CH955832730623 bereit.")
    await screen.a_pin_is_in_sight()
    await screen.chat.get_by_role("link", name="PDF öffnen").scroll_into_view_if_needed()
    await screen.page.screenshot(path=pictures / f"extract-{size}-{scheme}.png")


@size
@scheme
async def test_documents(visit: Visit, pictures: Path, size: str, scheme: str) -> None:
    screen = await visit(**SIZES[size], color_scheme=scheme)
    await screen.say("Wie viel Trinkwasser verbraucht eine Person pro Tag?")
    await screen.answered("Ohne Sprachmodell fasse ich nichts zusammen.")
    await fits(screen)
    await screen.page.screenshot(path=pictures / f"documents-{size}-{scheme}.png")


@size
async def test_layers(visit: Visit, pictures: Path, size: str) -> None:
    screen = await visit(**SIZES[size])
    await screen.say("Lade den Gewässerschutzlayer")
    await screen.answered("Gewässerschutz-Layer geladen.")
    await screen.page.get_by_role("button", name="Layer öffnen").click()
    await expect(
        screen.page.get_by_role("button", name="Grundwasserschutzzonen entfernen")
    ).to_be_in_viewport()
    await screen.page.screenshot(path=pictures / f"layers-{size}.png")


async def test_layers_on_a_phone_have_room_and_leave_some_to_the_map(visit: Visit, pictures: Path) -> None:
    screen = await visit(**SIZES["phone"])
    await screen.say("Lade den Gewässerschutzlayer")
    await screen.answered("Gewässerschutz-Layer geladen.")
    await screen.page.get_by_role("button", name="Layer öffnen").tap()
    panel = screen.page.get_by_role("region", name="Layer")
    rows = panel.locator("li:not(:has(li))")
    await expect(rows).to_have_count(4)
    for row in await rows.all():
        await expect(row).to_be_in_viewport(ratio=1)

    async def leaves_room() -> bool:
        free, box = await screen.free_area(), await panel.bounding_box()
        return box is not None and box["y"] + box["height"] + 100 < free.y + free.height

    await comes_true(leaves_room)
    # What is asked from here on is seen on the map: the layers make room.
    await screen.say("Gehe zur Langendorfstrasse 19b in Solothurn")
    await expect(panel).to_have_count(0)
    await screen.answered("Adresse Langendorfstrasse 19b zentriert.")
    await screen.a_pin_is_in_sight()


async def test_a_list_that_goes_on_says_so(visit: Visit, pictures: Path) -> None:
    screen = await visit(**SIZES["phone"] | {"viewport": {"width": 390, "height": 560}})
    await screen.say("Lade den Gewässerschutzlayer")
    await screen.answered("Gewässerschutz-Layer geladen.")
    await screen.page.get_by_role("button", name="Layer öffnen").tap()
    panel = screen.page.get_by_role("region", name="Layer")
    rows = panel.locator("li:not(:has(li))")
    await rows.first.get_by_role("button", expanded=False).tap()
    goes_on = panel.locator("[data-below]")
    await expect(goes_on).to_have_count(1)
    assert await goes_on.evaluate("list => getComputedStyle(list).boxShadow") != "none"
    await screen.page.screenshot(path=pictures / "layers-short-phone.png")
    await rows.last.scroll_into_view_if_needed()
    await expect(goes_on).to_have_count(0)


async def test_the_sheet_of_a_phone_is_pulled_up_and_pushed_down(visit: Visit) -> None:
    screen = await visit(**SIZES["phone"])
    half = await screen.free_area()
    await screen.page.get_by_role("button", name="Unterhaltung vergrössern").tap()
    await expect(screen.page.get_by_role("button", name="Unterhaltung verkleinern")).to_be_visible()
    await screen.page.get_by_role("button", name="Unterhaltung verkleinern").tap()
    await expect(screen.page.get_by_role("button", name="Unterhaltung vergrössern")).to_be_visible()
    await screen.page.get_by_role("button", name="Unterhaltung vergrössern").press("ArrowDown")
    await expect(screen.message).to_be_in_viewport()

    async def is_lower() -> bool:
        return (await screen.free_area()).height > half.height

    await comes_true(is_lower)


@pytest.mark.parametrize(("before", "after"), [((390, 844), (844, 390)), ((1280, 800), (390, 800))])
async def test_a_window_that_changes_its_shape_keeps_its_map(
    visit: Visit, before: tuple[int, int], after: tuple[int, int]
) -> None:
    screen = await visit(viewport=dict(zip(("width", "height"), before, strict=True)))
    await screen.say("Gehe nach Olten")
    await screen.idle()
    await screen.map_shows(center=(2635014.5, 1243332.5))
    await screen.page.set_viewport_size({"width": after[0], "height": after[1]})
    await screen.map_is_ready()
    await screen.say("Gehe zur Langendorfstrasse 19b in Solothurn")
    await screen.answered("Adresse Langendorfstrasse 19b zentriert.")
    await screen.map_shows(center=(2605899, 1229278), resolution=1.0)
    await screen.a_pin_is_in_sight()
