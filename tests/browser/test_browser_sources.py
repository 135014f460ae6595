"""Where in a document an answer has its words from, and that the documents are invented."""

from pathlib import Path

import pytest
from playwright.async_api import expect

from .axe import check
from .conftest import Visit
from .screen import Screen
from .scripted import told
from .test_browser_documents import ANSWER, QUESTION

pytestmark = pytest.mark.asyncio(loop_scope="session")

DESK, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
LONG = "Kantonsbeitrag an die Ausscheidung der Grundwasserschutzzonen und die Bewirtschaftungseinschränkungen"


async def cites(screen: Screen) -> None:
    """An answer with a source that leads to three places; the documents are on the server of the page."""
    url = f"{screen.system.stack.url}/dokumente/schutzzonen.pdf"
    places = [
        {"section": "Kosten", "page": 3, "url": f"{url}#page=3"},
        {"section": LONG, "page": 12, "url": f"{url}#page=12"},
        {"section": "Anhang", "url": "javascript:alert(1)"},
    ]
    source = {"n": 1, "id": "a", "name": "Botschaft Schutzzonen", "url": url, "date": "2023-05-02"}
    research = {
        "userQuery": "q",
        "initialQuestion": "q",
        "sources": [source | {"places": places, "sample": True}],
    }
    said, seen = "Das kostet 2,4 Mio. Franken [1].", "Das kostet 2,4 Mio. Franken"
    await told(screen, said, intent="search_documents", seen=seen, research=research)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("name", "viewport"), [("1440", DESK), ("390", PHONE)])
async def test_a_source_leads_to_its_pages_also_by_the_keyboard(
    visit: Visit, pictures: Path, scheme: str, name: str, viewport: dict[str, int]
) -> None:
    screen = await visit(viewport=viewport, color_scheme=scheme)
    await cites(screen)
    source = screen.chat.locator("[id$='-source-1']")
    await expect(source.get_by_role("link")).to_have_count(3)
    await expect(source.get_by_text("Abschnitt «Anhang»")).to_be_visible()
    await source.get_by_role("link", name="Botschaft Schutzzonen").focus()
    await screen.page.keyboard.press("Tab")
    link = source.get_by_role("link", name="Abschnitt «Kosten», Seite 3")
    await expect(link).to_be_focused()
    for each in await source.get_by_role("listitem").get_by_role("link").all():
        box = await each.bounding_box()
        assert box is not None and box["height"] >= 24
        assert box["x"] + box["width"] <= viewport["width"]
    await screen.page.screenshot(path=pictures / f"sources-{name}-{scheme}.png")
    await check(screen)
    async with screen.page.context.expect_page() as opened:
        await screen.page.keyboard.press("Enter")
    assert (await opened.value).url.endswith("/dokumente/schutzzonen.pdf#page=3")


async def test_the_sample_is_called_one_in_the_answer_and_beside_its_documents(
    visit: Visit, pictures: Path
) -> None:
    screen = await visit(viewport=DESK)
    await screen.say(QUESTION)
    step = await screen.answered(ANSWER)
    await expect(step).to_contain_text("Durchsucht wurden Beispieldokumente eines erfundenen Kantons")
    await expect(step.get_by_role("heading", name="Quellen Muster")).to_be_visible()
    await expect(step.get_by_text("Abschnitt «").first).to_be_visible()
    await step.get_by_text("Dokumente geprüft").click()
    await expect(step.locator("summary").filter(has_text="Muster")).to_have_count(
        await step.locator("summary").count()
    )
    await step.get_by_role("heading", name="Quellen").scroll_into_view_if_needed()
    await screen.page.screenshot(path=pictures / "sources-sample.png")
