"""Layers arranged by word, changes of the map taken back, and what a message tells of the map."""

import asyncio
import json
import re
from typing import Any

import pytest
from playwright.async_api import Locator, Route, expect

from .conftest import Visit
from .screen import LAYER, MAP_HOSTS, PATIENCE_MS, Coord, Screen, comes_true, patience_of, picture_of
from .scripted import action, told

pytestmark = pytest.mark.asyncio(loop_scope="session")

ZONES, AREAS, WELLS, SPRINGS = LAYERS = [
    f"ch.so.afu.gewaesserschutz.{part}" for part in ("schutzzonen", "schutzareale", "fassungen", "quellen")
]
NAME = "Grundwasserschutzzonen"
UNDONE = "Rückgängig gemacht."
SOLOTHURN: Coord = (2_607_500, 1_228_500)
FEATURES_INK = (0x0B, 0x5A, 0x73)


def undo_button(screen: Screen) -> Locator:
    return screen.page.get_by_role("button", name="Rückgängig", exact=True)


def layer_list(screen: Screen) -> Locator:
    return screen.page.get_by_role("region", name="Layer")


async def with_layers(screen: Screen) -> None:
    await screen.with_map_services()
    await screen.say("Lade den Gewässerschutzlayer")
    await screen.answered("Gewässerschutz-Layer geladen.")
    await screen.map_shows(layers=LAYERS)


async def by_word(screen: Screen, sentence: str) -> None:
    """Said to the system itself, and answered."""
    before = await screen.exchanges.count()
    await screen.say(sentence)
    await expect(screen.exchanges).to_have_count(before + 1)
    await screen.idle()


async def next_request(screen: Screen, text: str) -> dict[str, Any]:
    async with screen.page.expect_request("**/api/chat/stream") as asked:
        await screen.say(text)
    await screen.idle()
    body: dict[str, Any] = json.loads((await asked.value).post_data or "{}")
    return body


# -- undo ------------------------------------------------------------------------------------------


async def test_changes_by_word_and_by_hand_are_taken_back_by_button_and_by_key(screen: Screen) -> None:
    await expect(undo_button(screen)).to_be_disabled()
    await with_layers(screen)
    await screen.open_layers()
    await screen.page.get_by_role("button", name=f"{NAME} entfernen").click()
    await screen.map_shows(layers=LAYERS[1:])
    await screen.page.keyboard.press("Control+z")
    await screen.map_shows(layers=LAYERS)
    await expect(screen.said).to_contain_text(UNDONE)
    await undo_button(screen).click()
    await screen.map_shows(layers=[])
    await expect(undo_button(screen)).to_be_disabled()
    await expect(undo_button(screen)).to_be_focused()
    await screen.page.keyboard.press("Enter")
    await expect(screen.said).to_contain_text("Es gibt nichts rückgängig zu machen.")


async def test_a_drag_of_the_slider_is_one_step(screen: Screen) -> None:
    await with_layers(screen)
    await screen.open_layers()
    await layer_list(screen).get_by_role("button", name=NAME, exact=True).click()
    slider = screen.page.get_by_role("slider", name=f"Deckkraft von {NAME}")
    # It brings itself into sight when it is there, and moves the slider.
    await expect(screen.page.get_by_role("img", name=f"Legende: {NAME}")).to_be_visible()
    box = await slider.bounding_box()
    assert box is not None
    await screen.page.mouse.move(box["x"] + box["width"] - 8, box["y"] + box["height"] / 2)
    await screen.page.mouse.down()
    await screen.page.mouse.move(box["x"] + box["width"] / 3, box["y"] + box["height"] / 2, steps=12)
    await screen.page.mouse.up()
    assert 20 < int(await slider.input_value()) < 50
    await undo_button(screen).click()
    await expect(slider).to_have_value("100")
    await screen.map_shows(layers=LAYERS)


async def test_what_is_being_written_has_an_undo_of_its_own(screen: Screen) -> None:
    await with_layers(screen)
    await screen.message.fill("Wald")
    await screen.message.press("Control+z")
    await screen.map_shows(layers=LAYERS)
    await expect(undo_button(screen)).to_be_enabled()


async def test_the_view_goes_back_with_the_step_that_had_moved_it(screen: Screen) -> None:
    before = await screen.view()
    view = action("setView", center=SOLOTHURN, zoom=17, crs="EPSG:2056")
    await told(screen, "Da ist es.", view, action("addMarker", id="m", coord=SOLOTHURN, style="pin-default"))
    await screen.map_shows(center=SOLOTHURN, markers={"m": SOLOTHURN})
    await told(screen, "Zurückgenommen.", action("undo", steps=1))
    await screen.map_shows(center=before.center, resolution=before.resolution, markers={})


async def test_nothing_to_undo_is_said_with_the_step(screen: Screen) -> None:
    step = await told(screen, "Zurückgenommen.", action("undo", steps=1))
    await expect(step).to_contain_text("Auf der Karte nicht möglich: es gibt nichts rückgängig zu machen.")
    await expect(step.get_by_text("Nicht vollständig:")).to_have_count(1)


async def test_the_map_that_a_new_conversation_has_cleared_comes_back(screen: Screen) -> None:
    await with_layers(screen)
    await screen.chat.get_by_role("button", name="Neue Unterhaltung").click()
    await screen.map_shows(layers=[])
    await undo_button(screen).click()
    await screen.map_shows(layers=LAYERS)
    await expect(screen.exchanges).to_have_count(0)


# -- by word ---------------------------------------------------------------------------------------


async def test_layers_are_arranged_and_that_taken_back_in_words(screen: Screen) -> None:
    await with_layers(screen)
    await by_word(screen, f"Mach die {NAME} halb durchsichtig")
    await screen.open_layers()
    await layer_list(screen).get_by_role("button", name=NAME, exact=True).click()
    slider = screen.page.get_by_role("slider", name=f"Deckkraft von {NAME}")
    await expect(slider).to_have_value("50")
    await by_word(screen, f"Lege die {NAME} zuunterst")
    await screen.map_shows(layers=[AREAS, WELLS, SPRINGS, ZONES])
    await by_word(screen, "Mach das rückgängig")
    await screen.map_shows(layers=LAYERS)
    await by_word(screen, "Mach zwei Schritte rückgängig")
    await screen.map_shows(layers=[])
    await by_word(screen, "Mach das rückgängig")
    await expect(screen.exchanges.last).to_contain_text("es gibt nichts rückgängig zu machen.")


async def test_a_legend_is_opened_in_words(screen: Screen) -> None:
    await with_layers(screen)
    await by_word(screen, f"Zeige die Legende zu den {NAME}")
    await expect(layer_list(screen).get_by_role("img", name=f"Legende: {NAME}")).to_be_in_viewport()


async def test_a_legend_is_shown_by_word_and_one_that_there_is_not_is_said(screen: Screen) -> None:
    await with_layers(screen)
    bare = action(
        "addLayer", id="bare", type="wms", source={"url": "https://geo.so.ch/api/wms", "LAYERS": "bare"}
    )
    await told(screen, "Der auch.", bare)
    step = await told(screen, "Ohne Farben.", action("showLegend", id="bare"))
    await expect(step).to_contain_text("dieser Layer hat keine Legende.")
    await expect(layer_list(screen)).to_have_count(0)
    await told(screen, "Das sind die Farben.", action("showLegend", id=ZONES))
    await expect(layer_list(screen).get_by_role("img", name=f"Legende: {NAME}")).to_be_in_viewport()


async def test_a_group_is_hidden_and_folded_as_a_whole(screen: Screen) -> None:
    await with_layers(screen)
    await screen.open_layers()
    eye = layer_list(screen).get_by_role("button", name="Gewässerschutz anzeigen", exact=True)
    await expect(eye).to_have_attribute("aria-pressed", "true")
    await layer_list(screen).get_by_role("button", name=f"{NAME} anzeigen").click()
    await expect(eye).to_have_attribute("aria-pressed", "mixed")
    await eye.click()
    await screen.map_shows(layers=LAYERS)
    await eye.click()
    await screen.map_shows(layers=[])
    await undo_button(screen).click()
    await screen.map_shows(layers=LAYERS)
    await layer_list(screen).get_by_role("button", name="Gewässerschutz 4/4").click()
    await expect(layer_list(screen).get_by_role("slider")).to_have_count(0)
    await expect(layer_list(screen).get_by_role("button", name=NAME, exact=True)).to_be_hidden()


# -- how layers come -------------------------------------------------------------------------------


async def test_a_silent_service_is_told_asked_again_and_reported(visit: Visit) -> None:
    until_silent_ms = patience_of("packages/map-actions/src/arrival.ts", "SILENCE_MS")
    # On a busy machine it takes its time to look at what is told meanwhile.
    screen = await visit(patience={until_silent_ms: 15_000})
    is_silent = asyncio.Event()
    is_silent.set()

    async def answer(route: Route) -> None:
        if is_silent.is_set() and "GetMap" in route.request.url:
            return  # and never an answer
        await route.fulfill(body=picture_of(LAYER, (64, 64)), content_type="image/png")

    await screen.page.route(re.compile(rf"https://({'|'.join(map(re.escape, MAP_HOSTS))})/"), answer)
    await screen.say("Lade die Grundwasserschutzzonen")
    step = await screen.answered(f"{NAME}")
    await expect(step).to_contain_text("Wird geladen …")
    await expect(step.get_by_text("Erledigt:")).to_have_count(0)
    await screen.open_layers()
    await expect(layer_list(screen)).to_contain_text("Lädt …")
    nothing = f"Der Kartendienst liefert im Moment nichts: {NAME}"
    await expect(step).to_contain_text(nothing, timeout=3 * PATIENCE_MS)
    await expect(layer_list(screen)).to_contain_text("Antwortet nicht")
    body = await next_request(screen, "Was kannst du?")
    failed = {"type": "addLayer", "id": ZONES, "status": "failed", "reason": "layer_silent"}
    assert failed in body["mapResults"]

    is_silent.clear()
    await layer_list(screen).get_by_role("button", name=f"Nochmals versuchen: {NAME}").click()
    await expect(layer_list(screen)).to_contain_text("Geladen")
    await expect(step).to_contain_text("Auf der Karte zu sehen")
    await expect(step.get_by_text("Erledigt:")).to_have_count(1)


# -- what is told of the map -----------------------------------------------------------------------


async def test_a_message_tells_where_the_map_is_what_it_shows_and_what_was_clicked(screen: Screen) -> None:
    await with_layers(screen)
    await screen.open_layers()
    await screen.page.get_by_role("button", name=f"{NAME} anzeigen").click()
    await screen.close_layers()
    x, y = await screen.pixel((await screen.view()).center)
    await screen.page.mouse.click(x + 50, y)
    body = await next_request(screen, "Gehe nach Olten")
    told_map, free = body["map"], await screen.free_area()
    view = told_map["extent"]
    assert "mapLayers" not in body
    assert told_map["center"][0] == pytest.approx((view[0] + view[2]) / 2, abs=1)
    metres_a_pixel = told_map["scale"] * 0.0254 / 96
    assert (view[3] - view[1]) / metres_a_pixel == pytest.approx(free.height, rel=0.02)
    assert told_map["point"][0] == pytest.approx(told_map["center"][0] + 50 * metres_a_pixel, abs=30)
    assert [(each["id"], each["visible"], each["order"]) for each in told_map["layers"]] == [
        (SPRINGS, True, 0),
        (WELLS, True, 1),
        (AREAS, True, 2),
        (ZONES, False, 3),
    ]


async def test_found_features_are_drawn_stand_out_and_are_removed_with_the_marks(screen: Screen) -> None:
    view = action("setView", center=SOLOTHURN, zoom=17, crs="EPSG:2056")
    east, north = SOLOTHURN
    square = [[east + x, north + y] for x, y in ((-40, -40), (40, -40), (40, 40), (-40, 40), (-40, -40))]
    feature = {
        "type": "Feature",
        "id": "f1",
        "geometry": {"type": "Polygon", "coordinates": [square]},
        "properties": {"label": "Deponie"},
    }
    features = {"type": "FeatureCollection", "features": [feature]}
    await told(
        screen, "Eine.", view, action("addFeatures", id="t", label="Standorte", features=features, count=1)
    )
    await screen.map_shows(center=SOLOTHURN)

    async def is_drawn() -> bool:
        return FEATURES_INK in await screen.colors(await screen.free_area())

    await comes_true(is_drawn)
    x, y = await screen.pixel(SOLOTHURN)
    await screen.page.mouse.click(x + 10, y)
    await expect(screen.map).to_have_attribute("data-highlighted", "f1")
    await expect(screen.map).to_have_attribute("data-point", re.compile("^26075"))
    await told(screen, "Weg.", action("removeMarker", id="*"), action("removeFeatures", id="*"))
    await expect(screen.map).not_to_have_attribute("data-point", re.compile("."))
    assert json.loads(await screen.map.get_attribute("data-contents") or "{}")["features"] == []
