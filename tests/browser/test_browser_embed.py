"""The copilot in pages and on maps that are not ours: OpenLayers in web mercator, and MapLibre."""

import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Route, expect
from tests.e2e.running import SECRET, System, running

from . import axe
from .conftest import DESKTOP
from .embedding import GROUND, Host, Server, built, served
from .screen import LAYER, PATIENCE_MS, comes_true

LANGENDORFSTRASSE = (2605899.0, 1229278.0)
SENTENCE = "Gehe zur Langendorfstrasse 19b in Solothurn und lade den Gewässerschutzlayer"
CORS = {"Access-Control-Allow-Origin": "*"}
ENTRIES = ("index.html", "maplibre.html")

pytestmark = pytest.mark.asyncio(loop_scope="session")


@dataclass
class Place:
    server: Server
    system: System


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served(built(tmp_path_factory.mktemp("pages"))) as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def place(pages: Server, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Place]:
    """A system whose visitors are somebody each, and which knows the page."""
    settings = {"AUTH": "anonymous", "EDGE_SECRET": SECRET, "ALLOWED_ORIGINS": pages.origin}
    async with running(tmp_path_factory.mktemp("embedding"), **settings) as system:
        pages.endpoint = system.stack.url
        yield Place(pages, system)


@pytest_asyncio.fixture(loop_scope="session", params=ENTRIES)
async def host(request: pytest.FixtureRequest, place: Place, browser: Browser) -> AsyncIterator[Host]:
    settings: dict[str, Any] = {"viewport": DESKTOP, "locale": "de-CH", "reduced_motion": "reduce"}
    context = await browser.new_context(**settings)
    context.set_default_timeout(PATIENCE_MS)
    visited = Host(await context.new_page(), place.system, request.param.removesuffix(".html"))
    await visited.open(f"{place.server.origin}/{request.param}")
    yield visited
    complaints = visited.complaints
    await context.close()
    assert complaints == []


in_openlayers = pytest.mark.parametrize("host", ["index.html"], indirect=True)


async def test_the_map_of_the_page_goes_where_the_sentence_says_and_back(host: Host, pictures: Path) -> None:
    home = await host.view()
    await host.say(SENTENCE)
    await host.answered("Langendorfstrasse 19b")
    await host.answered("geladen")
    await host.is_at(LANGENDORFSTRASSE)
    assert (await host.view()).resolution == pytest.approx(1, rel=0.3)
    await host.painted(LAYER)
    assert {each["LAYERS"].split(".")[3] for each in host.pictures} == {"gewaesserschutz"}
    await host.page.screenshot(path=pictures / f"embedded-{host.name}.png")

    # One answer is one step.
    await host.button("Rückgängig").click()
    await host.is_at(home.center)
    await host.painted(GROUND)
    await expect(host.button("Rückgängig")).to_have_attribute("aria-disabled", "true")
    await expect(host.button("Rückgängig")).to_be_focused()


async def test_what_became_of_the_actions_is_told_with_the_next_message(host: Host) -> None:
    await host.say("Zeige das Luftbild")
    await host.answered("diesen Hintergrund hat die Karte nicht")
    await expect(host.copilot.locator("article")).not_to_contain_text("gewechselt")
    await host.say("Gehe nach Buchegg")
    await host.answered("Buchegg")
    first, second = host.sent
    assert "mapResults" not in first
    assert second["mapResults"] == [{"type": "setBackground", "status": "failed", "reason": "no_background"}]
    assert first["map"]["layers"] == [] and first["map"]["crs"] == "EPSG:2056"
    # Whoever has no cookie is the same visitor all the same.
    assert len(host.bearers) == 1 and None not in host.bearers


async def test_a_choice_is_made_by_its_number_on_the_map_of_the_page(host: Host) -> None:
    await host.say("Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519")
    choices = host.copilot.locator("button.choice")
    await expect(choices.first).to_be_visible()
    assert await choices.count() > 1

    async def is_chosen() -> bool:
        # The numbers come a moment after the list.
        await host.click_a_number()
        return len(host.sent) > 1

    await comes_true(is_chosen)
    await host.answered(re.compile("ÖREB"))
    assert host.sent[-1]["choiceId"]


async def test_a_question_is_answered_from_documents(host: Host) -> None:
    await host.say("Welche Pflichten gelten beim Schutz des Grundwassers?")
    await host.answered("Quellen")
    await host.copilot.get_by_role("button", name=re.compile("^Quelle 1")).first.click()
    # The element takes the keyboard along to the source, within its shadow.
    focused = await host.page.evaluate("document.querySelector('ask-copilot').shadowRoot.activeElement.id")
    assert focused.endswith("-source-1")


@in_openlayers
async def test_layers_are_listed_hidden_and_removed(host: Host) -> None:
    await host.say("Lade den Gewässerschutzlayer")
    await host.answered("geladen")
    await host.button("Zum Layer").first.click()
    await expect(host.copilot.get_by_role("heading", name=re.compile("^Layer"))).to_be_visible()
    await host.painted(LAYER)
    remove = host.copilot.get_by_role("button", name=re.compile("entfernen$"))
    for left in range(await remove.count(), 0, -1):
        await expect(remove).to_have_count(left)
        await remove.first.click()
    await host.painted(GROUND)


@pytest.mark.parametrize("host", ["own-chat.html"], indirect=True)
async def test_a_page_with_a_chat_of_its_own(host: Host) -> None:
    message = host.page.get_by_label("Nachricht")
    await message.fill(SENTENCE)
    await message.press("Enter")
    await expect(host.page.locator("output")).to_contain_text("Langendorfstrasse 19b")
    await host.painted(LAYER)
    await host.page.get_by_role("button", name="Rückgängig").click()
    await host.painted(GROUND)

    await message.fill("Zeige das Luftbild")
    await message.press("Enter")
    await expect(host.page.locator("output")).to_contain_text("Luftbild")
    assert [each["status"] for each in host.sent[1]["mapResults"]] == ["applied"] * 6
    assert host.sent[1]["map"]["layers"] == []


async def test_it_can_be_used_without_seeing_it(host: Host) -> None:
    await host.say("Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519")
    choice = host.copilot.locator("button.choice").first
    await expect(choice).to_be_visible()
    assert await axe.violations(host.page, "ask-copilot") == []
    # From the empty message to the options, and with a digit to one of them.
    await host.message.press("ArrowDown")
    await expect(choice).to_be_focused()
    await host.page.keyboard.press("1")
    await host.answered(re.compile("ÖREB"))
    assert await axe.violations(host.page, "ask-copilot") == []


@in_openlayers
async def test_the_styles_of_the_page_and_of_the_copilot_leave_each_other_alone(host: Host) -> None:
    look = "getComputedStyle(document.querySelector('ask-copilot').shadowRoot.querySelector('{}')).{}"
    looks = [look.format("h2", "fontSize"), look.format("textarea", "color")]
    before = [await host.page.evaluate(each) for each in looks]
    await host.page.evaluate(
        """() => {
          const sheet = new CSSStyleSheet();
          sheet.replaceSync("* { color: hotpink; text-transform: uppercase } h2 { font-size: 99px }");
          document.adoptedStyleSheets = [sheet];
        }"""
    )
    after = [await host.page.evaluate(each) for each in looks]
    assert after == before
    assert await host.page.evaluate(look.format("h2", "textTransform")) == "none"
    await host.page.evaluate("document.querySelector('ask-copilot').setAttribute('theme', 'dark')")

    async def is_dark() -> bool:
        return bool(await host.page.evaluate(look.format(".copilot", "backgroundColor")) == "rgb(21, 25, 27)")

    await comes_true(is_dark)


@in_openlayers
async def test_what_the_page_says_counts_whenever_it_says_it(host: Host) -> None:
    """After it was put into the page, and wrongly at first."""
    element = "document.querySelector('ask-copilot')"
    await host.page.evaluate(
        """() => {
          const before = document.querySelector("ask-copilot");
          const { map } = before;
          const endpoint = before.getAttribute("endpoint");
          before.remove();
          const late = document.createElement("ask-copilot");
          late.setAttribute("endpoint", "https://");
          document.body.append(late);
          late.setAttribute("language", "fr");
          late.setAttribute("language", "de-CH");
          late.setAttribute("endpoint", endpoint);
          late.ask("Gehe nach Buchegg");
          Object.assign(window, { late, mapOfThePage: map });
        }"""
    )
    assert host.complaints and all("is not where a server is" in each for each in host.complaints)
    host.complaints.clear()
    await host.answered("Gemeinde Buchegg zentriert")
    # The answer waits for the map.
    await host.page.evaluate("late.map = mapOfThePage")
    await expect(host.button("Rückgängig")).to_have_attribute("aria-disabled", "false")
    await host.say("Gehe nach Olten")
    await host.answered("Olten")
    assert {each["status"] for each in host.sent[1]["mapResults"]} == {"applied"}
    await host.page.evaluate(f"{element}.hidden = true")
    await expect(host.copilot).to_be_hidden()


@in_openlayers
async def test_what_the_page_said_before_the_element_was_loaded_counts(host: Host) -> None:
    await host.page.add_init_script(
        """new MutationObserver((_, all) => {
          const early = document.querySelector("ask-copilot:not(:defined)");
          if (!early) return;
          all.disconnect();
          // Who is taken is ended when the page says another one.
          const map = { background: null, camera: null, end: () => Object.assign(window, { isTaken: true }) };
          Object.assign(early, { token: "said-early", map });
        }).observe(document, { childList: true, subtree: true })"""
    )
    await host.page.reload()
    await host.page.wait_for_function("() => window.isTaken")
    host.bearers.clear()
    await host.say("Gehe nach Buchegg")
    await expect(host.copilot).to_contain_text("Du bist nicht oder nicht mehr angemeldet.")
    host.complaints.clear()
    assert host.bearers == {"Bearer said-early"}


@in_openlayers
async def test_a_visit_that_is_over_begins_anew(host: Host) -> None:
    await host.say("Gehe nach Buchegg")
    await host.answered("Buchegg")
    (before,) = host.bearers
    problem = {"code": "invalid_token", "title": "x", "status": 401, "detail": "x"}

    async def end(route: Route) -> None:
        if route.request.headers.get("authorization") == before:
            await route.fulfill(status=401, json=problem, headers=CORS)
        else:
            await route.fallback()

    await host.page.route("**/api/chat/stream", end)
    await host.say("Gehe nach Olten")
    await host.answered("Olten")
    assert len(host.bearers) == 2


@in_openlayers
async def test_a_plan_is_kept_though_a_link_could_not_open_it(host: Host) -> None:
    await host.say("Grundbuchplan vom Grundstück 2084 in Biberist")
    await host.answered("Biberist")
    async with host.page.expect_download() as kept:
        await host.copilot.locator("a[href^='/api/prints/']").first.click()
    assert (await kept.value).suggested_filename.endswith(".pdf")


@in_openlayers
async def test_who_is_taken_away_leaves_the_map_as_it_was(host: Host) -> None:
    before = await host.page.evaluate(f"{host.MAP}.getLayers().getLength()")
    await host.say("Gehe nach Buchegg")
    await host.answered("Buchegg")
    assert await host.page.evaluate(f"{host.MAP}.getLayers().getLength()") > before
    await host.page.evaluate("window.left = document.querySelector('ask-copilot'); left.remove()")
    assert await host.page.evaluate("left.map.map.getLayers().getLength()") == 1

    # Put back, it begins anew, on the same map; moved within the page it stays what it was.
    await host.page.evaluate("document.body.append(left)")
    await expect(host.copilot.locator("article")).to_have_count(0)
    await host.say(SENTENCE)
    await host.answered("geladen")
    await host.painted(LAYER)
    await host.page.evaluate("document.body.prepend(left)")
    await host.answered("geladen")
    await host.painted(LAYER)
