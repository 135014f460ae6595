"""The page at an edge that wants to know who asks: visitors, people who sign in, and nobody."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import oidc_provider
import pytest
import pytest_asyncio
from edge_process import EdgeProcess, edge_process, free_port
from oidc_provider import CLIENT_ID, OidcProvider
from playwright.async_api import Browser, BrowserContext, Locator, Route, expect
from tests.e2e.running import System

from .conftest import DESKTOP, client_dir
from .screen import PATIENCE_MS, Screen, comes_true
from .test_browser_conversations import begin_anew, earlier

pytestmark = pytest.mark.asyncio(loop_scope="session")

ASKED = "Gehe zur Langendorfstrasse 19b in Solothurn"
ANSWERED = "Adresse Langendorfstrasse 19b zentriert."
CHOICE = "Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519"
QUESTION = "Bitte wähle das betroffene Grundstück."
RIGHT = "Grundstück 531 Messen (Baurecht: das Recht, auf fremdem Boden zu bauen)"
REFUSED = "Du bist nicht oder nicht mehr angemeldet."
SIGN_IN_FIRST = "Melde dich an, dann geht es weiter."

SHARED_WITH_WHOM = "Diese Karte siehst du, sobald du angemeldet bist."
SHARED = {
    "view": {"center": [2_607_500, 1_228_500], "resolution": 2.5},
    "background": "sw",
    "layers": [],
    "markers": [{"id": "m", "coord": [2_607_744, 1_228_431], "crs": "EPSG:2056", "label": "Hier"}],
    "features": [],
}
SHARE = """body => fetch("api/shares", {
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify(body),
}).then((answer) => answer.json())"""

Start = Callable[..., Awaitable[EdgeProcess]]
Open = Callable[..., Awaitable[Screen]]


@pytest.fixture(scope="module")
def provider() -> Iterator[OidcProvider]:
    with oidc_provider.running() as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def start(system: System, tmp_path: Path, provider: OidcProvider) -> AsyncIterator[Start]:
    """An edge with AUTH beside the one of the system."""
    async with AsyncExitStack() as stack:

        async def run(auth: str, **settings: str) -> EdgeProcess:
            port = free_port()
            public_url = f"http://127.0.0.1:{port}"
            provider.allow(public_url)
            return await stack.enter_async_context(
                edge_process(
                    system.stack.nats_url,
                    system.stack.redis_url,
                    tmp_path / "edge.log",
                    port=port,
                    **{
                        "AUTH": auth,
                        "EDGE_SECRET": "browser-tests-secret-of-32-characters",
                        "PUBLIC_URL": public_url,
                        "OIDC_ISSUER": provider.issuer,
                        "OIDC_CLIENT_ID": CLIENT_ID,
                        "API_KEYS_FILE": str(tmp_path / "keys.json"),
                        "CLIENT_DIR": str(client_dir()),
                    }
                    | settings,
                )
            )

        yield run


@pytest_asyncio.fixture(loop_scope="session")
async def visit(browser: Browser, system: System, provider: OidcProvider) -> AsyncIterator[Open]:
    """The page of an edge, in a browser of its own. Nobody but the edge and the provider may be asked."""
    contexts: list[BrowserContext] = []
    screens: list[tuple[Screen, str]] = []

    async def open_page(edge: EdgeProcess, path: str = "/", **options: Any) -> Screen:
        fixed: dict[str, Any] = {"viewport": DESKTOP, "locale": "de-CH", "reduced_motion": "reduce"}
        context = await browser.new_context(**fixed | {"base_url": edge.url} | options)
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        screen = Screen(await context.new_page(), system)
        screens.append((screen, edge.url))
        await screen.page.goto(path)
        await screen.map_is_ready()
        return screen

    yield open_page
    strange = [
        complaint
        for screen, own in screens
        for complaint in screen.complaints
        if not complaint.startswith((f"request: {own}/", f"request: {provider.issuer}/"))
    ]
    for context in contexts:
        await context.close()
    assert not strange


def banner(screen: Screen) -> Locator:
    return screen.chat.get_by_role("paragraph").filter(has_text=SIGN_IN_FIRST)


def settings(screen: Screen) -> Locator:
    return screen.page.get_by_role("button", name="Einstellungen")


async def sign_in(screen: Screen, person: str, button: Locator | None = None) -> None:
    """From the page to the provider and back."""
    await (button or screen.chat.get_by_role("button", name="Anmelden").last).click()
    await screen.page.get_by_role("button", name=person).click()
    await screen.map_is_ready()


async def test_who_has_to_sign_in_first_is_told_so_and_loses_nothing(
    start: Start, visit: Open, pictures: Path
) -> None:
    screen = await visit(await start("oidc"))
    await expect(banner(screen)).to_be_visible()
    await screen.say(ASKED)
    await expect(screen.chat.get_by_text(REFUSED)).to_be_visible()
    await screen.message.fill("Und noch nicht gesendet")
    await screen.page.screenshot(path=pictures / "sign-in-first.png")
    await sign_in(screen, "Anna Muster")
    await screen.answered(ANSWERED)
    await expect(screen.exchanges).to_have_count(1)
    await expect(screen.message).to_have_value("Und noch nicht gesendet")
    await expect(banner(screen)).to_have_count(0)
    await settings(screen).click()
    await expect(screen.page.get_by_text("Angemeldet als Anna Muster")).to_be_visible()
    await screen.page.screenshot(path=pictures / "signed-in.png")


async def test_a_link_is_opened_once_its_visitor_has_signed_in(start: Start, visit: Open) -> None:
    edge = await start("oidc")
    sender = await visit(edge)
    await sign_in(sender, "Anna Muster")
    shared: dict[str, str] = await sender.page.evaluate(SHARE, SHARED)
    screen = await visit(edge, f"/#share={shared['id']}")
    await expect(screen.page.get_by_text(SHARED_WITH_WHOM).first).to_be_visible()
    await sign_in(screen, "Beat Beispiel")
    await screen.map_shows(markers={"m": (2_607_744, 1_228_431)}, center=(2_607_500, 1_228_500))
    await expect(screen.page.get_by_text(SHARED_WITH_WHOM)).to_have_count(0)


async def test_a_sign_in_that_ends_in_the_middle_is_renewed_and_the_conversation_goes_on(
    start: Start, visit: Open
) -> None:
    screen = await visit(await start("oidc"))
    await sign_in(screen, "Anna Muster")
    await screen.say(CHOICE)
    await screen.answered(QUESTION)
    await screen.page.context.clear_cookies()
    await screen.choice(RIGHT).click()
    await expect(screen.chat.get_by_text(REFUSED)).to_be_visible()
    await expect(banner(screen)).to_be_visible()
    await sign_in(screen, "Anna Muster")
    await screen.answered("ÖREB-Auszug für CH710620327442 bereit.")


async def test_who_signs_in_in_another_tab_goes_on_in_this_one(start: Start, visit: Open) -> None:
    screen = await visit(await start("oidc"))
    await screen.say(ASKED)
    await expect(screen.chat.get_by_text(REFUSED)).to_be_visible()
    other = Screen(await screen.page.context.new_page(), screen.system)
    await other.page.goto("/")
    await sign_in(other, "Anna Muster")
    await other.page.close()
    # Headless pages are always visible: the event is all that coming back is.
    await screen.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    await screen.answered(ANSWERED)
    await expect(banner(screen)).to_have_count(0)


async def test_who_signs_out_leaves_nothing_behind(start: Start, visit: Open) -> None:
    screen = await visit(await start("anonymous,oidc"))
    await settings(screen).click()
    await sign_in(screen, "Anna Muster", screen.page.get_by_role("button", name="Anmelden"))
    await screen.say(ASKED)
    await screen.answered(ANSWERED)
    await screen.message.fill("Vertraulich")
    await settings(screen).click()
    # The page is emptied before it goes.
    async with screen.page.expect_event("load"):
        await screen.page.get_by_role("button", name="Abmelden").click()
    await expect(screen.exchanges).to_have_count(0)
    await screen.map_is_ready()
    await screen.map_shows(markers={}, layers=[])
    await expect(screen.message).to_have_value("")
    told = await screen.page.evaluate("fetch('/api/me').then((answer) => answer.json())")
    assert told["kind"] == "anonymous"
    assert "Langendorf" not in await screen.page.evaluate("JSON.stringify(sessionStorage)")


async def test_of_two_conversations_that_are_opened_the_last_one_stays(start: Start, visit: Open) -> None:
    screen = await visit(await start("oidc"))
    await sign_in(screen, "Anna Muster")
    for message in (ASKED, "Leere die Karte"):
        await screen.say(message)
        await screen.idle()
        await begin_anew(screen)
    held: asyncio.Future[Route] = asyncio.Future()

    async def hold(route: Route) -> None:
        if route.request.method != "GET" or held.done():
            await route.fallback()
        else:
            held.set_result(route)

    await screen.page.route("**/api/conversations/*", hold)
    listed = await earlier(screen)
    await listed.get_by_role("button", name=ASKED).first.click()
    slow = await asyncio.wait_for(held, PATIENCE_MS / 1_000)
    await listed.get_by_role("button", name="Leere die Karte").first.click()
    await screen.answered("Karte geleert.")
    async with screen.page.expect_response(slow.request.url):
        await slow.continue_()
    # What comes of it has come before another answer does.
    await screen.page.evaluate("fetch('/api/me').then((answer) => answer.json())")
    await expect(screen.exchanges).to_contain_text("Karte geleert.")


async def test_another_person_sees_no_choices_that_are_not_his(start: Start, visit: Open) -> None:
    screen = await visit(await start("oidc"))
    await sign_in(screen, "Anna Muster")
    await screen.say(CHOICE)
    await screen.answered(QUESTION)
    await screen.page.context.clear_cookies()
    await screen.page.reload()
    await sign_in(screen, "Beat Beispiel")
    await expect(screen.exchanges).to_have_count(1)
    await expect(screen.choice(RIGHT)).to_have_count(0)


async def test_a_visitor_needs_no_account_and_is_one_and_the_same(start: Start, visit: Open) -> None:
    screen = await visit(await start("anonymous"))
    given: list[str] = []

    async def is_known() -> bool:
        return bool(await screen.page.context.cookies())

    await comes_true(is_known)
    screen.page.on("response", lambda each: given.extend([each.url] if "set-cookie" in each.headers else []))
    await screen.say(CHOICE)
    await screen.answered(QUESTION)
    await screen.choice(RIGHT).click()
    await screen.answered("ÖREB-Auszug für CH710620327442 bereit.")
    await screen.page.reload()
    await screen.map_is_ready()
    await screen.say(ASKED)
    await screen.answered(ANSWERED)
    (cookie,) = await screen.page.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Lax")
    assert given == [], "one cookie, at the first answer"
    await settings(screen).click()
    await expect(screen.page.get_by_role("radio", name="Deutsch")).to_be_visible()
    await expect(screen.page.get_by_role("button", name="Anmelden")).to_have_count(0)


async def test_without_a_way_to_sign_in_the_page_says_so(start: Start, visit: Open) -> None:
    screen = await visit(await start("keys"))
    await expect(screen.chat.get_by_text("nur Programmen mit einem Schlüssel")).to_be_visible()
    await expect(screen.page.get_by_role("button", name="Anmelden")).to_have_count(0)


async def test_the_way_to_sign_in_fits_on_a_phone(start: Start, visit: Open, pictures: Path) -> None:
    screen = await visit(await start("oidc"), viewport={"width": 390, "height": 844})
    await expect(banner(screen)).to_be_visible()
    await expect(banner(screen)).to_contain_text(re.compile(SIGN_IN_FIRST))
    box = await banner(screen).bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 390
    await screen.page.screenshot(path=pictures / "sign-in-phone.png")
