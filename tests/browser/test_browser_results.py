"""The cards of what was found: what they say, what can be done with them, and what they lift on the map."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Locator, expect

from .axe import check
from .conftest import Visit
from .found_things import ADDRESS, HEIGHT, PARCEL, REAL, SAMPLE, ZONE
from .screen import LAYER, Screen, comes_true, patience_of
from .scripted import action, told
from .test_browser_sizes import SIZES, scheme

pytestmark = pytest.mark.asyncio(loop_scope="session")

Json = dict[str, Any]
WEST, SOUTH = 2_609_450, 1_226_150
MIDDLE = (WEST + 50, SOUTH + 50)


def square(west: float, south: float, side: float) -> Json:
    ring = [
        [west, south],
        [west + side, south],
        [west + side, south + side],
        [west, south + side],
        [west, south],
    ]
    return {"type": "Polygon", "coordinates": [ring]}


OUTLINE = square(WEST, SOUTH, 100)
AT: Json = {"coord": list(MIDDLE), "provenance": REAL}
HERE = ADDRESS | AT
GROUND = PARCEL | AT | {"extent": [WEST, SOUTH, WEST + 100, SOUTH + 100]}
MARKED = action(
    "addLayer", id="parcel-highlight-CH1", type="geojson", source={"data": OUTLINE, "style": "highlight"}
)
VIEW = action("setView", center=[WEST, SOUTH], zoom=17, crs="EPSG:2056")
AWAY = action("setView", center=[WEST + 20_000, SOUTH], zoom=17, crs="EPSG:2056")
FOREST: Json = {
    "type": "layer",
    "id": "ch.so.wald",
    "label": "Waldplan",
    "attribution": "Amt für Wald, Jagd und Fischerei",
    "legendUrl": "https://geo.so.ch/api/wms?REQUEST=GetLegendGraphic&LAYER=wald",
    "source": {"type": "wms", "url": "https://geo.so.ch/api/wms", "parameters": {"LAYERS": "ch.so.wald"}},
    "provenance": REAL,
}
PLAN: Json = {
    "type": "cadastral_plan",
    "id": "p1",
    "label": "Grundbuchplan von GB-Nr. 2084 in Biberist",
    "url": "/api/prints/0123456789abcdef0123456789abcdef",
    "scale": 500,
    "expiresAt": "2199-01-01T12:00:00Z",
} | AT
PROBE: Json = {
    "type": "geothermal_assessment",
    "id": "g1",
    "label": "Erdwärmesonde",
    "allowed": True,
    "text": "Möglich.",
    "maxDepthM": 180,
    "reportUrl": "https://geo.so.ch/api/report.pdf",
} | AT
MORE: list[Json] = [
    {
        "type": "municipality",
        "id": "2513",
        "label": "Gemeinde Biberist",
        "name": "Biberist",
        "bfsNumber": 2513,
    }
    | AT,
    {"type": "place", "id": "o", "label": "Bleichenberg", "kind": "Flurname"} | AT,
    {
        "type": "distance",
        "id": "d",
        "label": "Olten – Zürich HB",
        "metres": 34_860,
        "start": "Olten",
        "end": "Zürich HB",
        "geometry": {"type": "LineString", "coordinates": [[WEST, SOUTH], [WEST + 900, SOUTH + 400]]},
        "provenance": SAMPLE,
    },
    {"type": "coordinates", "id": "c", "label": "x", "lv03": [609_450, 226_150], "wgs84": [7.55, 47.18]} | AT,
    {"type": "layer_group", "id": "g", "label": "Naturgefahren", "layers": [FOREST, FOREST | {"id": "b"}]},
    {
        "type": "oereb_extract",
        "id": "e",
        "label": "x",
        "egrid": "CH9",
        "number": "77",
        "municipality": "Messen",
    }
    | {"pdfUrl": "https://geo.so.ch/oereb.pdf", "concernedThemes": ["Nutzungsplanung"], "areaM2": 1228}
    | AT,
    {"type": "feature_set", "id": "f", "label": "Standorte in Olten", "layer": "l", "layerLabel": "Standorte"}
    | {"count": 1204, "provenance": SAMPLE},
    {"type": "borehole", "id": "b", "label": "Bohrung 7", "provenance": SAMPLE, "depth": 12},
]


def card(screen: Screen, kind: str) -> Locator:
    return screen.chat.locator(f"[data-kind={kind}]")


def button(card: Locator, name: str) -> Locator:
    return card.get_by_role("button", name=re.compile(f"^{name}"))


async def lifted(screen: Screen, at: tuple[float, float] | None, has_shape: bool = False) -> None:
    if at is None:
        await expect(screen.map).not_to_have_attribute("data-lifted", re.compile("."))
        return
    await expect(screen.map).to_have_attribute("data-lifted", f"{at[0]} {at[1]}")
    await expect(screen.map).to_have_attribute("data-lifted-shape", str(has_shape).lower())


async def test_a_parcel_has_its_figure_its_source_and_what_can_be_done(screen: Screen) -> None:
    await told(screen, "Da ist es.", VIEW, MARKED, intent="show_parcel", items=[GROUND])
    parcel = card(screen, "parcel")
    await expect(parcel.get_by_role("heading", name="Parzelle 2084 in Biberist")).to_be_visible()
    for text in ("Grundstück", "Fläche", "1\u202f204 m²", "EGRID", "Amtliche Vermessung · 20.11.2026"):
        await expect(parcel).to_contain_text(text)
    await expect(parcel.get_by_role("button")).to_have_count(2)
    sizes: list[float] = await parcel.locator("dd, dt, h3, p, li").evaluate_all(
        "all => all.map((each) => parseFloat(getComputedStyle(each).fontSize))"
    )
    figure: float = await parcel.locator("dd").first.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
    assert sorted(sizes)[-2] < figure == max(sizes)


TRAVELS = """() => {
  window.ways = [];
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of [...addedNodes].filter(({ className }) => className === "traveller"))
        requestAnimationFrame(() => {
          const [{ effect }] = node.getAnimations();
          ways.push(effect.getKeyframes().map(({ translate }) => translate));
        });
  }).observe(document.body, { childList: true });
}"""


async def test_what_was_answered_is_led_to_its_place_once(visit: Visit) -> None:
    led_ms = patience_of("packages/ask-copilot/src/ui/ResultCard.svelte", "LED_MS")
    screen = await visit(reduced_motion="no-preference", patience={led_ms: 15_000})
    await screen.page.evaluate(TRAVELS)
    await told(screen, "Da ist es.", VIEW, MARKED, intent="show_parcel", items=[GROUND])
    await lifted(screen, MIDDLE, has_shape=True)
    await lifted(screen, None)
    ways: list[list[str]] = await screen.page.evaluate("window.ways")
    assert len(ways) == 1
    x, y = (float(each.removesuffix("px")) for each in ways[0][-1].split())
    assert (x, y) == pytest.approx(await screen.pixel(MIDDLE), abs=2)
    await screen.page.reload()
    await screen.page.evaluate(TRAVELS)
    await screen.map_is_ready()
    # What its pointer lifts has had the time to travel before.
    await card(screen, "parcel").hover()
    await lifted(screen, MIDDLE, has_shape=True)
    assert await screen.page.evaluate("window.ways") == []


async def test_nothing_travels_for_who_wants_no_motion(screen: Screen) -> None:
    await screen.page.evaluate(TRAVELS)
    await told(screen, "Da ist es.", VIEW, MARKED, intent="show_parcel", items=[GROUND])
    await screen.map_shows(center=(WEST, SOUTH))
    assert await screen.page.evaluate("window.ways") == []
    await lifted(screen, None)


async def test_a_card_under_the_pointer_or_with_the_focus_lifts_its_outline(screen: Screen) -> None:
    await told(screen, "Da ist es.", VIEW, MARKED, intent="show_parcel", items=[GROUND])
    parcel = card(screen, "parcel")
    await parcel.hover()
    await lifted(screen, MIDDLE, has_shape=True)
    await screen.message.hover()
    await lifted(screen, None)
    await button(parcel, "Zeigen").focus()
    await lifted(screen, MIDDLE, has_shape=True)
    await screen.message.focus()
    await lifted(screen, None)


async def test_what_is_lifted_is_drawn(screen: Screen) -> None:
    await told(screen, "Da ist sie.", VIEW, items=[HERE])
    x, y = await screen.pixel(MIDDLE)
    before = await screen.page.screenshot(clip={"x": x - 30, "y": y - 30, "width": 60, "height": 60})
    await card(screen, "address").hover()
    await lifted(screen, MIDDLE)

    async def is_drawn() -> bool:
        now = await screen.page.screenshot(clip={"x": x - 30, "y": y - 30, "width": 60, "height": 60})
        return now != before

    await comes_true(is_drawn)


async def test_the_thing_under_the_pointer_lifts_its_card(screen: Screen) -> None:
    await told(screen, "Da ist es.", VIEW, MARKED, intent="show_parcel", items=[GROUND])
    parcel = card(screen, "parcel")
    await expect(parcel).not_to_have_class(re.compile(r"\bmeant\b"))
    x, y = await screen.pixel((MIDDLE[0] + 40, MIDDLE[1] + 40))
    await screen.page.mouse.move(x, y)
    await expect(parcel).to_have_class(re.compile(r"\bmeant\b"))
    x, y = await screen.pixel((WEST - 40, SOUTH - 40))
    await screen.page.mouse.move(x, y)
    await expect(parcel).not_to_have_class(re.compile(r"\bmeant\b"))


async def test_what_is_out_of_sight_is_brought_into_view(screen: Screen) -> None:
    await told(screen, "Da ist sie.", AWAY, items=[HERE])
    await button(card(screen, "address"), "Zeigen").click()
    await screen.map_shows(center=MIDDLE)
    await lifted(screen, MIDDLE)


async def test_a_card_is_copied_with_its_links_and_its_source(visit: Visit) -> None:
    screen = await visit(permissions=["clipboard-read", "clipboard-write"])
    said = "Plan im Massstab 1:500."
    await told(screen, f"{said}\nPDF: {PLAN['url']}", intent="cadastral_plan", seen=said, items=[PLAN])
    plan = card(screen, "cadastral_plan")
    await expect(plan.get_by_role("link", name="Herunterladen")).to_have_attribute("href", PLAN["url"])
    await expect(plan).to_contain_text("Abrufbar bis")
    await expect(screen.chat.get_by_text("PDF:")).to_have_count(0)
    await button(plan, "Kopieren").click()
    await expect(screen.said).to_contain_text("Kopiert")
    copied = await screen.page.evaluate("navigator.clipboard.readText()")
    link = f"{screen.system.stack.url}{PLAN['url']}"
    for text in ("Grundbuchplan von GB-Nr. 2084 in Biberist", "Massstab: 1:500", link, "20.11.2026"):
        assert text in copied
    await screen.page.evaluate("navigator.clipboard.writeText('')")
    await screen.chat.get_by_role("button", name="Antwort kopieren").click()

    async def is_copied() -> bool:
        return link in await screen.page.evaluate("navigator.clipboard.readText()")

    await comes_true(is_copied)


async def test_a_layer_is_put_on_the_map_found_among_the_others_and_has_its_legend(screen: Screen) -> None:
    await screen.with_map_services()
    await told(screen, "Es gibt ihn.", intent="load_layer", items=[FOREST])
    layer = card(screen, "layer")
    await expect(layer).to_contain_text("Amt für Wald, Jagd und Fischerei")
    await button(layer, "Auf die Karte legen").click()
    await screen.map_shows(layers=["ch.so.wald"])
    await screen.painted(LAYER)
    legend = button(layer, "Legende")
    await legend.click()
    await expect(layer.get_by_role("img", name="Legende: Waldplan")).to_be_visible()
    await expect(legend).to_have_attribute("aria-expanded", "true")
    await button(layer, "Zum Layer").click()
    await expect(screen.page.get_by_role("button", name="Waldplan anzeigen")).to_be_visible()


async def test_a_layer_and_a_legend_of_a_stranger_are_not_loaded(screen: Screen) -> None:
    strange = FOREST | {
        "legendUrl": "https://evil.example/legend.png",
        "source": {"type": "wms", "url": "https://evil.example/wms", "parameters": {"LAYERS": "x"}},
    }
    await told(screen, "Es gibt ihn.", intent="load_layer", items=[strange])
    layer = card(screen, "layer")
    await button(layer, "Auf die Karte legen").click()
    await button(layer, "Legende").click()
    await expect(layer.get_by_text("Die Legende kann nicht geladen werden.")).to_be_visible()
    assert await screen.layers() == []


async def test_a_probe_says_in_words_whether_it_is_possible(screen: Screen) -> None:
    await told(screen, "So ist es.", items=[PROBE, PROBE | {"id": "2", "allowed": False, "maxDepthM": None}])
    first, second = card(screen, "geothermal_assessment").first, card(screen, "geothermal_assessment").last
    await expect(first).to_contain_text("180 m")
    await expect(first.get_by_text("Möglich", exact=True)).to_be_visible()
    await expect(second.get_by_text("Nicht möglich", exact=True)).to_be_visible()
    await expect(first.get_by_role("link", name="Bericht")).to_have_attribute("href", PROBE["reportUrl"])


async def test_what_nobody_knows_has_a_label_and_a_source_only(screen: Screen) -> None:
    await told(screen, "Gefunden.", items=[MORE[-1]])
    unknown = card(screen, "other")
    await expect(unknown).to_have_text(
        re.compile(r"^\s*Muster\s*Bohrung 7\s*Beispieldaten · 22.11.2026 · Muster\s*$")
    )


async def test_what_strangers_write_into_items_does_nothing(screen: Screen) -> None:
    evil = "<img src=x onerror=alert(1)>"
    items = [
        *(
            dict.fromkeys(("label", "kind", "number", "url", "pdfUrl", "reportUrl"), evil)
            | {"type": kind, "id": str(n)}
            for n, kind in enumerate(("address", "place", "parcel", "oereb_extract", "cadastral_plan", evil))
        ),
        {
            "type": "parcel",
            "id": "z",
            "label": evil,
            "coord": "x",
            "geometry": {"type": "Polygon", "coordinates": [[1]]},
        },
        None,
        7,
        {
            "type": "address",
            "label": "x",
            "geometry": {"type": "Sphere", "coordinates": [2_600_000, 1_200_000]},
        },
    ]
    step = await told(screen, "Gefunden.", items=items)
    await button(step, "4 weitere anzeigen").click()
    for each in await step.locator(".result").all():
        await each.hover()
    assert await step.evaluate("step => step.querySelectorAll('img, script, [onerror]').length") == 0
    await expect(step.get_by_role("link")).to_have_count(0)


async def test_cards_and_suggestions_outlive_a_reload(screen: Screen) -> None:
    sentence = "Wo liegt Olten?"
    await told(screen, "Da ist es.", VIEW, MARKED, items=[GROUND], suggestions=[sentence])
    await screen.page.reload()
    await screen.map_is_ready()
    await card(screen, "parcel").hover()
    await lifted(screen, MIDDLE, has_shape=True)
    await expect(card(screen, "parcel")).to_contain_text("1\u202f204 m²")
    async with screen.page.expect_request("**/api/chat/stream") as sent:
        await screen.chat.get_by_role("button", name=sentence).click()
    assert json.loads((await sent.value).post_data or "")["userMessage"] == sentence
    await screen.idle()


async def test_what_is_at_a_place_is_one_card(screen: Screen) -> None:
    said = "Hier liegt:\n\n- Rötistrasse 4\n- Schutzzone Dilitsch\n\nKein Eintrag: Wald."
    items = [HERE, GROUND, HEIGHT, ZONE]
    step = await told(screen, said, intent="identify", seen="Kein Eintrag: Wald.", items=items)
    await expect(step.locator(".result")).to_have_count(1)
    for text in (
        "Rötistrasse 4, 4500 Solothurn",
        "Parzelle 2084 in Biberist",
        "440 m ü. M.",
        "Schutzzone Dilitsch",
        "S2",
    ):
        await expect(step).to_contain_text(text)
    await expect(step.get_by_text("Hier liegt:")).to_have_count(0)


ANSWERED = {
    "address": ("Gehe zur Langendorfstrasse 19b in Solothurn", "Langendorfstrasse 19b, 4500 Solothurn"),
    "municipality": ("Gehe zur Gemeinde Biberist", "Gemeinde Biberist"),
    "parcel": ("Zeige mir Grundstück 198 in Messen", "Parzelle 198 in Messen"),
    "layer_group": ("Lade den Gewässerschutzlayer", "Gewässerschutz"),
    "height": ("Wie hoch liegt die Koordinate 2600513, 1215519?", "m ü. M."),
    "geothermal_assessment": (
        "Kann ich an der Langendorfstrasse 19b in Solothurn eine Erdwärmesonde bohren?",
        "öglich",
    ),
    "cadastral_plan": ("Grundbuchplan für Grundstück 198 in Messen", "1:"),
    "distance": ("Wie weit ist es von Olten nach Solothurn?", "km"),
}


@pytest.mark.parametrize("kind", ANSWERED)
async def test_answers_of_the_system_have_cards(screen: Screen, pictures: Path, kind: str) -> None:
    sentence, text = ANSWERED[kind]
    await screen.say(sentence)
    await expect(card(screen, kind)).to_contain_text(text)
    await screen.idle()
    await card(screen, kind).hover()
    await screen.page.screenshot(path=pictures / f"answered-{kind}.png")


async def test_a_plan_is_seen_before_it_is_opened(screen: Screen) -> None:
    await screen.say(ANSWERED["cadastral_plan"][0])
    picture = card(screen, "cadastral_plan").locator("img")
    await expect(picture).to_be_visible()
    await expect(picture).to_have_js_property("naturalWidth", 720)
    # Of one that is no longer there, there is no empty frame either.
    await told(screen, "Da ist er.", VIEW, intent="cadastral_plan", items=[PLAN])
    gone = card(screen, "cadastral_plan").last
    await expect(gone).to_contain_text("1:500")
    await expect(gone.locator("img")).to_have_count(0)


ASKED = "Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519"
QUESTION = "Bitte wähle das betroffene Grundstück."
RIGHT = "Grundstück 531 Messen (Baurecht: das Recht, auf fremdem Boden zu bauen)"
RIGHT_AT = (2600528.7, 1215487.2)


async def test_an_option_is_chosen_by_its_number_on_the_map(screen: Screen) -> None:
    await screen.say(ASKED)
    await screen.answered(QUESTION)
    await expect(screen.map).to_have_attribute("data-candidates", "2")
    x, y = await screen.pixel(RIGHT_AT)
    await screen.page.mouse.move(x, y)
    await expect(screen.choice(RIGHT)).to_have_class(re.compile(r"\blit\b"))
    await screen.page.mouse.click(x, y)
    await screen.answered("ÖREB-Auszug für CH710620327442 bereit.")
    await expect(screen.page.get_by_role("region", name="Was hier ist")).to_have_count(0)
    await expect(screen.map).to_have_attribute("data-candidates", "0")


async def test_on_a_phone_a_finger_chooses_it_too(visit: Visit) -> None:
    screen = await visit(**SIZES["phone"])
    await screen.say(ASKED)
    await screen.answered(QUESTION)
    x, y = await screen.pixel(RIGHT_AT)
    await screen.page.touchscreen.tap(x, y)
    await screen.answered("ÖREB-Auszug für CH710620327442 bereit.")


PICTURED: dict[str, list[Json]] = {
    "ground": [GROUND, HERE, HEIGHT | AT],
    "services": [PLAN, PROBE, PROBE | {"id": "2", "allowed": False, "maxDepthM": None, "reportUrl": None}],
    "layers": [FOREST, MORE[4], ZONE | AT],
    "places": MORE[:4],
    "others": MORE[5:],
}


@pytest.mark.parametrize("kind", PICTURED)
@pytest.mark.parametrize("size", ["phone", "desktop"])
@scheme
async def test_cards_fit(visit: Visit, pictures: Path, kind: str, size: str, scheme: str) -> None:
    screen = await visit(**SIZES[size], color_scheme=scheme)
    suggestions = ["Zeig die Gemeinde Biberist", "ÖREB-Auszug für Grundstück 2084 in Biberist"]
    step = await told(
        screen, "Das ist gefunden.", VIEW, MARKED, items=PICTURED[kind], suggestions=suggestions
    )
    if size == "desktop":
        await step.locator(".result").first.hover()
    for each in await step.locator(".result").all():
        assert await each.evaluate("card => card.scrollWidth <= card.clientWidth")
    await check(screen)
    await screen.page.screenshot(path=pictures / f"results-{kind}-{size}-{scheme}.png")
