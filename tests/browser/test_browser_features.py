"""Found features: their table, their places on the map, and the files they can be taken along in."""

import csv
import io
import json
from pathlib import Path

import pytest
from playwright.async_api import Locator, expect

from .axe import check
from .conftest import Visit
from .found_things import SITES, TABLE, finds_sites
from .screen import Screen
from .test_browser_sizes import SIZES, scheme, size

pytestmark = pytest.mark.asyncio(loop_scope="session")


def card_on(screen: Screen) -> Locator:
    return screen.chat.get_by_role("region", name=TABLE["label"])


async def rows(screen: Screen) -> list[str]:
    return await card_on(screen).locator("tbody th").all_inner_texts()


async def drawn(screen: Screen) -> list[str]:
    contents = json.loads(await screen.map.get_attribute("data-contents") or "")
    return [each["id"] for each in contents["features"]]


async def test_a_table_says_how_many_there_are_and_of_whom_it_knows(screen: Screen) -> None:
    await finds_sites(screen)
    card = card_on(screen)
    for text in ("12 Objekte", "die ersten 7", "Beispieldaten · 22.11.2026 · Muster"):
        await expect(card).to_contain_text(text)
    assert await rows(screen) == [f"Ablagerung {n}" for n in range(1, 6)]
    await card.get_by_role("button", name="Alle 7 Zeilen zeigen").click()
    assert len(await rows(screen)) == 7
    await expect(card.get_by_role("cell", name="41\u202f230")).to_be_visible()
    assert await drawn(screen) == ["features-sites"]


async def test_a_table_is_sorted_by_any_column(screen: Screen) -> None:
    await finds_sites(screen)
    card = card_on(screen)
    await card.get_by_role("button", name="Alle 7 Zeilen zeigen").click()
    heading = card.get_by_role("columnheader", name="Fläche")
    await heading.get_by_role("button").click()
    await expect(heading).to_have_attribute("aria-sort", "ascending")
    areas = sorted(SITES, key=lambda each: each["properties"]["Fläche"])
    assert await rows(screen) == [each["properties"]["label"] for each in areas]
    await heading.get_by_role("button").click()
    await expect(heading).to_have_attribute("aria-sort", "descending")
    assert await rows(screen) == [each["properties"]["label"] for each in reversed(areas)]
    await heading.get_by_role("button").click()
    assert (await rows(screen))[0] == "Ablagerung 1"


async def test_a_row_and_its_place_stand_out_together(screen: Screen) -> None:
    await finds_sites(screen)
    second = card_on(screen).get_by_role("button", name="Ablagerung 2")
    await second.hover()
    await expect(screen.map).to_have_attribute("data-highlighted", "s2")
    x, y = await screen.pixel(tuple(SITES[2]["geometry"]["coordinates"]))
    await screen.page.mouse.move(x, y)
    await expect(card_on(screen).locator("tr.lit")).to_contain_text("Ablagerung 3")
    await second.focus()
    await expect(screen.map).to_have_attribute("data-highlighted", "s2")
    await screen.page.keyboard.press("Enter")
    await screen.map_shows(center=tuple(SITES[1]["geometry"]["coordinates"]))
    before = await screen.view()
    await card_on(screen).get_by_role("button", name="Alle zeigen").click()
    await screen.until_moved(before)


async def test_features_are_taken_off_the_map_and_put_back(screen: Screen) -> None:
    await finds_sites(screen)
    await card_on(screen).get_by_role("button", name="Von der Karte nehmen").click()
    back = card_on(screen).get_by_role("button", name="Auf die Karte legen")
    await expect(back).to_be_visible()
    assert await drawn(screen) == []
    await expect(screen.said).to_contain_text("nicht mehr auf der Karte")
    await back.click()
    await expect(card_on(screen).get_by_role("button", name="Von der Karte nehmen")).to_be_visible()
    assert await drawn(screen) == ["features-sites"]


async def saved(screen: Screen, kind: str) -> tuple[str, str]:
    """The name and the text of a file."""
    await card_on(screen).get_by_role("button", name="Herunterladen").click()
    async with screen.page.expect_download() as download:
        await card_on(screen).get_by_role("button", name=kind, exact=True).click()
    file = await download.value
    await screen.page.keyboard.press("Escape")
    return file.suggested_filename, text_of(await file.path())


def text_of(file: Path) -> str:
    """As it is, but for the mark of its encoding."""
    return file.read_bytes().decode("utf-8-sig")


async def test_features_go_into_a_spreadsheet_without_doing_anything_there(screen: Screen) -> None:
    await finds_sites(screen)
    name, text = await saved(screen, "CSV")
    assert name == "belastete-standorte-in-solothurn.csv"
    lines = list(csv.DictReader(io.StringIO(text, newline="")))
    assert len(lines) == 7
    assert lines[1] == {
        "Bezeichnung": "Ablagerung 2",
        "Status": "saniert",
        "Fläche [m²]": "1204.5",
        "E": "2607200",
        "N": "1228420",
        "Quelle": "Beispieldaten",
        "Stand": "2026-11-22T10:00:00Z",
        "Muster": "x",
    }
    assert lines[2]["Status"] == '\'=HYPERLINK("http://evil.example")'


async def test_features_go_into_a_gis_with_their_coordinates(screen: Screen) -> None:
    await finds_sites(screen)
    name, text = await saved(screen, "GeoJSON")
    assert name == "belastete-standorte-in-solothurn.geojson"
    collection = json.loads(text)
    assert collection["crs"]["properties"]["name"] == "urn:ogc:def:crs:EPSG::2056"
    assert collection["features"] == SITES
    assert collection["provenance"]["sample"] is True


async def test_a_reload_keeps_the_table(screen: Screen) -> None:
    await finds_sites(screen)
    await screen.page.reload()
    await screen.map_is_ready()
    await expect(card_on(screen)).to_contain_text("12 Objekte")
    assert await drawn(screen) == ["features-sites"]


@size
@scheme
async def test_the_table_fits_its_page(visit: Visit, pictures: Path, size: str, scheme: str) -> None:
    screen = await visit(**SIZES[size], color_scheme=scheme)
    await screen.with_map_services()
    await finds_sites(screen)
    await card_on(screen).get_by_role("button", name="Ablagerung 1").focus()
    out = await screen.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert out <= 0
    await check(screen)
    await screen.page.screenshot(path=pictures / f"features-{size}-{scheme}.png")
