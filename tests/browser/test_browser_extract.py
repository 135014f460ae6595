"""The card of an extract: what it says and does not say, its layers, and what strangers put into it."""

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Locator, Route, expect

from .axe import check
from .conftest import Visit
from .screen import BACKGROUND, LAYER, Screen, picture_of
from .test_browser_sizes import SIZES, scheme, size

pytestmark = pytest.mark.asyncio(loop_scope="session")

EGRID = "CH807306583219"
PDF = f"https://geo.so.ch/api/oereb/extract/pdf/?EGRID={EGRID}"
SAID = f"ÖREB-Auszug für {EGRID}."
VIEW = {"center": [2609500, 1226200], "zoom": 18, "crs": "EPSG:2056"}
ON_MAP = "Auf der Karte zeigen"


def symbol(red: int, green: int, blue: int) -> str:
    pixels = base64.b64encode(picture_of((red, green, blue), (36, 18))).decode()
    return f"data:image/png;base64,{pixels}"


def theme(title: str, code: str = "") -> dict[str, str]:
    return {"code": code or f"ch.{title}", "title": title}


def wms(layers: str, host: str = "geo.so.ch") -> str:
    picture = "CRS=EPSG:2056&BBOX=2609450,1226150,2609550,1226250&WIDTH=500&HEIGHT=500&FORMAT=image/png"
    return (
        f"https://{host}/api/wms?SERVICE=WMS&REQUEST=GetMap&VERSION=1.3.0&LAYERS={layers}&STYLES=&{picture}"
    )


ZONES, PLANS, WATER, SITES = (
    theme("Nutzungsplanung (kantonal/kommunal)"),
    theme("Projektierungszonen Eisenbahnanlagen"),
    theme("Grundwasserschutzzonen"),
    theme("Kataster der belasteten Standorte"),
)
COMMUNE = {"name": "Gemeinde Biberist", "url": "https://www.biberist.ch"}
CONTENT: dict[str, Any] = {
    "createdAt": "2026-11-22T09:30:00Z",
    "updatedAt": "2026-11-02T00:00:00Z",
    "concerned": [ZONES, WATER],
    "notConcerned": [
        PLANS,
        theme("Baulinien Nationalstrassen"),
        theme("Waldgrenzen"),
        theme("Waldabstandslinien"),
    ],
    "withoutData": [SITES, theme("Lärmempfindlichkeitsstufen (in Nutzungszonen)")],
    "restrictions": [
        {
            "theme": ZONES,
            "text": "Wohnzone 2-geschossig W2",
            "lawStatus": "inForce",
            "areaM2": 1204,
            "percent": 100,
            "symbol": symbol(255, 255, 0),
            "office": COMMUNE,
            "documents": [0, 1, 2],
            "map": {"wmsUrl": wms("ch.SO.Nutzungsplanung"), "opacity": 0.6},
        },
        {
            "theme": ZONES,
            "text": "Zentrumszone (Ortsplanungsrevision)",
            "lawStatus": "changeWithPreEffect",
            "areaM2": 498.4,
            "percent": 41.4,
            "symbol": symbol(200, 80, 60),
            "office": COMMUNE,
            "documents": [1, 3],
            "map": {"wmsUrl": wms("ch.SO.Nutzungsplanung")},
        },
        {
            "theme": WATER,
            "text": "Grundwasserschutzzone S3",
            "lawStatus": "inForce",
            "areaM2": 0.04,
            "percent": 0.01,
            "lengthM": 12.5,
            "points": 1,
            "symbol": symbol(0, 150, 255),
            "office": {"name": "Amt für Umwelt"},
            "documents": [2],
            "map": {"wmsUrl": wms("ch.SO.Grundwasserschutz", "wms.elsewhere.example")},
        },
    ],
    "documents": [
        {
            "kind": "LegalProvision",
            "title": "Zonenreglement Biberist",
            "officialNumber": "RRB 2003/214",
            "url": "https://geo.so.ch/docs/zonenreglement.pdf",
            "lawStatus": "inForce",
        },
        {
            "kind": "Law",
            "title": "Planungs- und Baugesetz",
            "abbreviation": "PBG",
            "officialNumber": "711.1",
            "articles": ["§ 14", "§ 15"],
            "url": "https://bgs.so.ch/app/de/texts_of_law/711.1",
        },
        {
            "kind": "Law",
            "title": "Gewässerschutzgesetz",
            "abbreviation": "GSchG",
            "url": "https://www.fedlex.admin.ch",
        },
        {"kind": "LegalProvision", "title": "Zonenplan Revision", "lawStatus": "changeWithPreEffect"},
    ],
    "authority": {"name": "Amt für Geoinformation", "url": "https://agi.so.ch"},
    "disclaimers": [
        {"title": "Haftungsausschluss", "text": "Der Kanton haftet nicht, siehe https://geo.so.ch/haftung."}
    ],
    "glossary": [{"title": "Baulinie", "text": "Linie, hinter der gebaut werden darf."}],
}
ORIGIN = {"source": "ÖREB-Kataster Kanton Solothurn", "license": "", "retrievedAt": "2026-11-22T09:30:00Z"}
FACTS: dict[str, Any] = {
    "egrid": EGRID,
    "url": PDF,
    "mapUrl": f"https://geo.so.ch/map/?oereb_egrid={EGRID}",
    "number": "2084",
    "municipality": "Biberist",
    "kind": "Liegenschaft",
    "areaM2": 1204,
    "provenance": ORIGIN,
}


async def shown(screen: Screen, **facts: Any) -> Locator:
    """The card of an extract, as if the server had answered with it."""
    actions = [
        {"type": "setView", "payload": VIEW},
        {"type": "showOerebExtract", "payload": FACTS | facts},
    ]
    step = {"intent": "oereb_extract", "status": "ok", "message": SAID, "mapActions": actions, "choices": []}
    events: list[tuple[str, dict[str, Any]]] = [
        ("plan.ready", {"detail": {"steps": [{"intent": "oereb_extract"}]}}),
        ("step.finished", {"step": 0, "answer": step, "apply": [{"step": 0, "mapActions": actions}]}),
        ("turn.finished", {"detail": {}, "response": {"steps": [step]}}),
    ]
    frames = (
        f"id: {n}\nevent: {name}\ndata: {json.dumps({'requestId': 'req-1', **data})}\n\n"
        for n, (name, data) in enumerate(events, 1)
    )

    async def answer(route: Route) -> None:
        await route.fulfill(body="".join(frames), content_type="text/event-stream")

    await screen.page.route("**/api/chat/stream", answer)
    await screen.say("ÖREB-Auszug für Grundstück 2084 in Biberist")
    await screen.answered(SAID)
    return card_on(screen)


def card_on(screen: Screen) -> Locator:
    return screen.chat.get_by_role("group", name=re.compile("^ÖREB-Auszug"))


def in_card(card: Locator, text: str) -> Locator:
    return card.get_by_role("listitem").filter(has_text=text).first


async def test_a_card_says_whose_extract_it_is_and_what_restricts_the_parcel(screen: Screen) -> None:
    card = await shown(screen, content=CONTENT)
    await expect(card.get_by_role("heading", name="Parzelle 2084 in Biberist")).to_be_visible()
    for text in (EGRID, "1\u202f204 m²", "Auszug vom", "22.11.2026", "Amtliche Vermessung", "2.11.2026"):
        await expect(card).to_contain_text(text)
    zone = in_card(card, "Wohnzone 2-geschossig W2")
    await expect(zone).to_contain_text(re.compile("In Kraft.*100\\s%.*1\\s204\\sm²"))
    await expect(zone.get_by_role("link", name="Gemeinde Biberist")).to_have_attribute("href", COMMUNE["url"])
    image = zone.get_by_role("img", name="Symbol: Wohnzone 2-geschossig W2")
    assert await image.evaluate("image => image.decode().then(() => image.naturalWidth)") == 36
    await expect(in_card(card, "Grundwasserschutzzone S3")).to_contain_text(
        re.compile("< 0.1\\s%.*< 0.1\\sm².*12.5\\sm.*1 Punkt")
    )


async def test_what_is_planned_is_said_to_be_planned(screen: Screen) -> None:
    card = await shown(screen, content=CONTENT)
    plan, law = in_card(card, "Zentrumszone"), in_card(card, "Wohnzone 2-geschossig W2")
    await expect(plan).to_contain_text("Geplant")
    await expect(plan).to_contain_text("Mit Vorwirkung: Was der Planung widerspricht")
    await expect(plan).not_to_contain_text("In Kraft")
    await expect(law).not_to_contain_text("Geplant")
    summaries = card.locator("summary")
    await expect(summaries.filter(has_text=ZONES["title"])).to_contain_text("Zum Teil geplant")
    await expect(summaries.filter(has_text=WATER["title"])).not_to_contain_text("geplant")


async def test_what_nobody_knows_does_not_look_like_what_does_not_concern(screen: Screen) -> None:
    card = await shown(screen, content=CONTENT)
    unknown, others = card.get_by_text("Keine Daten (2)"), card.get_by_text("Nicht betroffen (4)")
    assert await unknown.evaluate("e => getComputedStyle(e).color") != await others.evaluate(
        "e => getComputedStyle(e).color"
    )
    await unknown.click()
    await expect(
        card.get_by_text("Ob diese Themen das Grundstück betreffen, ist nicht bekannt.")
    ).to_be_visible()
    await expect(card.get_by_text(SITES["title"])).to_be_visible()
    await expect(card.get_by_text("Waldgrenzen")).to_be_hidden()
    await others.click()
    await expect(card.get_by_text("Waldgrenzen")).to_be_visible()


async def test_nothing_is_said_to_concern_no_parcel_while_data_are_missing(screen: Screen) -> None:
    missing = {"withoutData": CONTENT["withoutData"], "notConcerned": CONTENT["notConcerned"]}
    card = await shown(screen, content=missing)
    await expect(card.get_by_text(SITES["title"])).to_be_visible()
    await expect(card).not_to_contain_text("Keines der")


async def test_where_an_extract_contradicts_itself_nothing_is_taken_for_certain(screen: Screen) -> None:
    card = await shown(screen, content=CONTENT | {"notConcerned": [WATER]})
    await expect(card.get_by_text("Zu diesen Themen widerspricht sich der Auszug.")).to_be_visible()
    await expect(card.get_by_text("Nicht betroffen")).to_have_count(0)
    # Its share comes next, and no law status.
    await expect(in_card(card, "Grundwasserschutzzone S3")).to_contain_text(re.compile("S3\\s*< 0.1\\s%"))


async def test_no_theme_concerns_a_parcel_when_all_are_known_not_to(screen: Screen) -> None:
    card = await shown(screen, content={"notConcerned": CONTENT["notConcerned"]})
    await expect(
        card.get_by_text("Keines der 4 Themen im Auszug betrifft dieses Grundstück.")
    ).to_be_visible()


async def test_the_laws_of_a_theme_and_the_words_of_the_cadastre_can_be_read(screen: Screen) -> None:
    card = await shown(screen, content=CONTENT)
    await card.get_by_text("Vorschriften und Gesetze (4)").click()
    law = card.get_by_role("link", name="Planungs- und Baugesetz")
    await expect(law).to_have_attribute("href", "https://bgs.so.ch/app/de/texts_of_law/711.1")
    await expect(law).to_have_attribute("rel", "noopener noreferrer")
    await expect(in_card(card, "Planungs- und Baugesetz").last).to_contain_text("PBG · 711.1 · § 14, § 15")
    await card.get_by_text("Hinweise und Haftung (1)").click()
    await expect(card.get_by_role("link", name="https://geo.so.ch/haftung", exact=True)).to_be_visible()
    await card.get_by_text("Begriffe (1)").click()
    await expect(card.get_by_text("Linie, hinter der gebaut werden darf.")).to_be_visible()


async def test_a_layer_of_a_theme_is_switched_on_and_off_and_is_one_like_all(screen: Screen) -> None:
    await screen.with_map_services()
    card = await shown(screen, content=CONTENT)
    switch = card.get_by_role("button", name=f"{ZONES['title']}: {ON_MAP}")
    await expect(switch).to_have_attribute("aria-pressed", "false")
    await switch.focus()
    await screen.page.keyboard.press("Space")
    await expect(switch).to_have_attribute("aria-pressed", "true")
    (layer,) = await screen.layers()
    red, green, blue = (round(0.6 * a + 0.4 * b) for a, b in zip(LAYER, BACKGROUND, strict=True))
    await screen.painted((red, green, blue))
    asked = screen.pictures[-1]
    assert (asked["LAYERS"], asked["CRS"]) == ("ch.SO.Nutzungsplanung", "EPSG:2056")
    assert asked["WIDTH"] != "500"
    await screen.open_layers()
    await expect(screen.page.get_by_text(f"ÖREB: {ZONES['title']}")).to_be_visible()
    await screen.page.get_by_role("button", name=f"ÖREB: {ZONES['title']} anzeigen").click()
    await expect(switch).to_have_attribute("aria-pressed", "false")
    await switch.click()
    await screen.map_shows(layers=[layer])
    await switch.click()
    await screen.map_shows(layers=[])
    await expect(switch).to_have_attribute("aria-pressed", "false")
    await expect(screen.page.get_by_text("Noch keine Layer geladen.")).to_be_visible()


async def test_a_layer_of_a_stranger_is_refused_and_one_that_does_not_come_says_so(visit: Visit) -> None:
    screen = await visit(has_layers=False)
    card = await shown(screen, content=CONTENT)
    refused = card.get_by_role("button", name=f"{WATER['title']}: {ON_MAP}")
    await refused.click()
    await expect(
        card.get_by_text(re.compile("von diesem Server lädt die Seite keine Karten"))
    ).to_be_visible()
    await expect(refused).to_have_attribute("aria-pressed", "false")
    assert await screen.layers() == []
    await card.get_by_role("button", name=f"{ZONES['title']}: {ON_MAP}").click()
    await expect(
        card.get_by_text(f"Der Kartendienst liefert im Moment nichts: ÖREB: {ZONES['title']}")
    ).to_be_visible()


async def test_a_card_and_its_layer_outlive_a_reload(screen: Screen) -> None:
    card = await shown(screen, content=CONTENT)
    await card.get_by_role("button", name=f"{ZONES['title']}: {ON_MAP}").click()
    layers = await screen.layers()
    assert layers
    await screen.page.reload()
    await screen.map_is_ready()
    await screen.map_shows(layers=layers)
    await expect(card_on(screen).get_by_role("button", name=f"{ZONES['title']}: {ON_MAP}")).to_have_attribute(
        "aria-pressed", "true"
    )


async def test_a_sample_says_that_it_is_one(screen: Screen) -> None:
    card = await shown(screen, content=CONTENT, provenance=ORIGIN | {"sample": True})
    await expect(card.get_by_text("Muster", exact=True)).to_be_visible()
    await expect(card.get_by_text("Daten zum Ausprobieren. Verlass dich nicht darauf.")).to_be_visible()


async def test_a_real_one_does_not_say_that_it_is_a_sample(screen: Screen) -> None:
    await expect((await shown(screen, content=CONTENT)).get_by_text("Muster")).to_have_count(0)


async def test_the_extract_of_a_sentence_is_a_card_with_layers(screen: Screen) -> None:
    await screen.say("ÖREB-Auszug für Grundstück 2084 in Biberist")
    await screen.answered("CH727994320611")
    card = card_on(screen)
    await expect(card.get_by_role("heading", name="Parzelle 2084 in Biberist")).to_be_visible()
    await expect(card.get_by_text("Muster", exact=True)).to_be_visible()
    zone = in_card(card, "Wohnzone zweigeschossig (W2)")
    await expect(zone).to_contain_text(re.compile("In Kraft.*100\\s%.*618\\sm²"))
    picture = zone.get_by_role("img")
    assert await picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    await card.get_by_role("button", name=f"{ZONES['title']}: {ON_MAP}").click()
    await expect(card.get_by_role("button", pressed=True)).to_have_count(1)
    async with screen.page.expect_request("**/api/chat/stream") as asked:
        await screen.say(f"Entferne den Layer ÖREB: {ZONES['title']}")
    told = (await asked.value).post_data_json
    assert told and [layer["label"] for layer in told["map"]["layers"]] == [f"ÖREB: {ZONES['title']}"]
    await expect(card.get_by_role("button", pressed=True)).to_have_count(0)


async def test_an_extract_that_was_not_read_is_a_link_and_says_nothing_of_themes(screen: Screen) -> None:
    card = await shown(screen)
    await expect(card.get_by_text("Der Inhalt konnte nicht gelesen werden.")).to_be_visible()
    await expect(card.get_by_role("link", name="PDF öffnen")).to_have_attribute("href", PDF)
    await expect(card).not_to_contain_text(re.compile("Thema|Themen|betroffen"))
    await expect(card.locator("details")).to_have_count(0)


async def test_what_strangers_write_into_an_extract_does_nothing(screen: Screen) -> None:
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    svg = "data:image/svg+xml;base64," + base64.b64encode(b"<svg onload='alert(3)'/>").decode()
    names = {"name": evil, "url": "javascript:alert(4)"}
    strange = {"wmsUrl": "https://evil.example/?LAYERS=x", "legendUrl": svg}
    hostile = {
        "concerned": [theme(evil), theme("x")],
        "withoutData": [theme(evil)],
        "restrictions": [
            {"theme": theme(evil), "text": evil, "symbol": svg, "map": {"wmsUrl": "javascript:alert(5)"}},
            {"theme": theme(evil), "text": evil, "office": names, "documents": [0], "map": strange},
            {"theme": theme("x"), "text": "y", "symbol": "https://evil.example/pixel.png"},
        ],
        "documents": [{"kind": evil, "title": evil, "url": "data:text/html,<script>alert(6)</script>"}],
        "authority": names,
        "disclaimers": [{"title": evil, "text": f"{evil} javascript:alert(7)"}],
        "glossary": [{"title": evil, "text": evil}],
    }
    card = await shown(screen, content=hostile, mapUrl="javascript:alert(8)", kind=evil, number=evil)
    await card.locator("details").evaluate_all("all => all.forEach((each) => (each.open = true))")
    assert await card.evaluate("card => card.querySelectorAll('script, img, iframe, [onerror]').length") == 0
    links = await card.get_by_role("link").evaluate_all("links => links.map((link) => link.href)")
    assert set(links) == {PDF}
    await card.get_by_role("button", name=ON_MAP).first.click()
    assert await screen.layers() == []
    await expect(card.get_by_role("heading").first).to_have_text(re.compile("^<script>"))


@size
@scheme
async def test_a_card_fits(visit: Visit, pictures: Path, size: str, scheme: str) -> None:
    screen = await visit(**SIZES[size], color_scheme=scheme)
    await screen.with_map_services()
    sample = ORIGIN | {"sample": True}
    card = await shown(screen, content=CONTENT, provenance=sample)
    for summary in ("Keine Daten", "Vorschriften und Gesetze (4)"):
        await card.get_by_text(summary).click()
    await card.get_by_role("button", name=ON_MAP).first.click()
    assert await card.evaluate("card => card.scrollWidth <= card.clientWidth")
    await check(screen)
    await screen.page.screenshot(path=pictures / f"card-{size}-{scheme}.png")
