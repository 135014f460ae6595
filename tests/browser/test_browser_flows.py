"""The three flows, from a sentence to what the map then shows."""

from pathlib import Path

import pytest
from playwright.async_api import expect

from .screen import LAYER, Coord, Screen

pytestmark = pytest.mark.asyncio(loop_scope="session")

LANGENDORFSTRASSE: Coord = (2605899, 1229278)
WATER_PROTECTION = [
    f"ch.so.afu.gewaesserschutz.{part}" for part in ("schutzzonen", "schutzareale", "fassungen", "quellen")
]
AT_A_HOUSE_M = 1.0
"""Metres a pixel at zoom 17 of web maps, in the steps of the Swiss grids."""


async def test_an_address_is_in_the_middle_of_what_the_chat_leaves_free(screen: Screen) -> None:
    await screen.say("Gehe zur Langendorfstrasse 19b in Solothurn")
    await screen.answered("Adresse Langendorfstrasse 19b zentriert.")
    await screen.map_shows(
        markers={"addr-623490242": LANGENDORFSTRASSE},
        center=LANGENDORFSTRASSE,
        resolution=AT_A_HOUSE_M,
        layers=[],
    )
    await screen.pin_stands_at(LANGENDORFSTRASSE)


async def test_an_address_and_a_layer_come_in_one_answer(screen: Screen) -> None:
    await screen.with_map_services()
    await screen.say("Gehe zur Langendorfstrasse 19b in Solothurn und lade den Gewässerschutzlayer")
    await screen.answered("Adresse Langendorfstrasse 19b zentriert.")
    await screen.answered("Gewässerschutz-Layer geladen.")
    await screen.map_shows(
        markers={"addr-623490242": LANGENDORFSTRASSE}, center=LANGENDORFSTRASSE, layers=WATER_PROTECTION
    )
    await screen.painted(LAYER)
    await screen.pin_stands_at(LANGENDORFSTRASSE)
    for layer in WATER_PROTECTION:
        west, south, east, north = await screen.extent_asked_for(layer)
        assert west < LANGENDORFSTRASSE[0] < east
        assert south < LANGENDORFSTRASSE[1] < north


async def test_an_extract_is_asked_about_chosen_and_linked(screen: Screen) -> None:
    await screen.say("Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519")
    await screen.answered("Bitte wähle das betroffene Grundstück.")
    await screen.map_shows(markers={})
    await screen.choice("Grundstück 198 Messen").click()
    await screen.answered("ÖREB-Auszug für CH955832730623 bereit.")
    extract = screen.chat.get_by_role("group", name="ÖREB-Auszug Parzelle 198 in Messen")
    await expect(extract.get_by_role("link", name="PDF öffnen")).to_have_attribute(
        "href", "https://geo.so.ch/api/oereb/extract/pdf/?EGRID=CH955832730623"
    )
    await screen.map_shows(markers={"oereb-CH955832730623": (2600565.1, 1215512.2)})
    await screen.pin_stands_at((2600565.1, 1215512.2))


async def test_a_municipality_is_drawn_with_its_outline(screen: Screen, pictures: Path) -> None:
    await screen.say("Zeige die Gemeinde Olten")
    await screen.answered("Gemeinde Olten zentriert.")
    await screen.map_shows(markers={}, layers=["municipality-highlight-2581"])
    await screen.page.screenshot(path=pictures / "municipality.png")
