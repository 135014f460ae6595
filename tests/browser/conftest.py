"""The whole system, and a browser that looks at it. Nothing but this machine can be reached."""

import json
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Route, async_playwright, expect
from tests.e2e.running import System, running

from .screen import PATIENCE_MS, PATIENT, ROOT, Screen

PICTURES = ROOT / "artefacts" / "screenshots"
CHROMIUMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first has no windows, and opens a page in half of the time."""
LIKE_A_WINDOW = "--font-render-hinting=slight"
"""Without windows, letters are drawn as in one."""
DESKTOP = {"width": 1280, "height": 800}
NO_MORE: Mapping[int, int] = {}

Visit = Callable[..., Awaitable[Screen]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--renew-pictures", action="store_true", help="keep pictures, compare none")


def chromium() -> str:
    named = os.environ.get("CHROMIUM")
    found = named or next(filter(None, map(shutil.which, CHROMIUMS)), None)
    if found is None:
        pytest.fail(
            "No Chromium: apt install chromium-headless-shell, or name one by CHROMIUM.", pytrace=False
        )
    return found


def client_dir() -> Path:
    """The built page."""
    folder = Path(os.environ.get("CLIENT_DIR") or ROOT / "client" / "dist")
    if not (folder / "index.html").is_file():
        pytest.fail(f"No page in {folder}: make client", pytrace=False)
    return folder


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def system(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[System]:
    # A turn that a test holds up, with a restart in it, has time for both.
    environment = {"CLIENT_DIR": str(client_dir()), "TURN_TIMEOUT_S": "120", "WAIT_TIMEOUT_S": "125"}
    async with running(tmp_path_factory.mktemp("system"), **environment) as started:
        yield started


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    expect.set_options(timeout=PATIENCE_MS)
    async with async_playwright() as driver:
        launched = await driver.chromium.launch(
            executable_path=chromium(),
            args=["--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", LIKE_A_WINDOW],
        )
        yield launched
        await launched.close()


@pytest.fixture
def is_painted() -> bool:
    """Whether all of the map is looked at, as map services of the test paint it."""
    return False


@pytest_asyncio.fixture(loop_scope="session")
async def visit(system: System, browser: Browser, is_painted: bool) -> AsyncIterator[Visit]:
    """Opens the page as a new visitor; keywords are those of a browser context. In the end nothing may be
    complained about. `intercept` is a pattern of addresses and what is done with requests for them; where any
    are watched, the browser keeps nothing it has (`has_layers`: those for pictures of layers are;
    `has_backgrounds`: also those for what is below them). `patience`: in the place of so many milliseconds
    the page waits so many, where a busy machine would change what there is to see."""
    contexts: list[BrowserContext] = []
    screens: list[Screen] = []

    async def open_page(
        path: str = "/",
        *,
        intercept: tuple[str, Callable[[Route], Awaitable[None]]] | None = None,
        has_layers: bool = True,
        has_backgrounds: bool = False,
        patience: Mapping[int, int] = NO_MORE,
        **options: Any,
    ) -> Screen:
        settings: dict[str, Any] = {
            "viewport": DESKTOP,
            "locale": "de-CH",
            "reduced_motion": "reduce",
            "base_url": system.stack.url,
        }
        context = await browser.new_context(**settings | options)
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        screen = Screen(await context.new_page(), system)
        screens.append(screen)
        if is_painted:
            # Nothing is drawn over it.
            await screen.page.route("**/outline.geojson", lambda route: route.fulfill(json={}))
        elif has_layers:
            # Without their pictures no layer would ever be there.
            await screen.with_map_services(backgrounds=has_backgrounds)
        if intercept is not None:
            await screen.page.route(*intercept)
        if patience:
            await screen.page.add_init_script(f"({PATIENT})({json.dumps(patience)})")
        await screen.page.goto(path)
        if intercept is None:
            await screen.map_is_ready()
        return screen

    yield open_page
    complaints = [screen.complaints for screen in screens]
    for context in contexts:
        await context.close()
    assert not any(complaints), complaints


@pytest_asyncio.fixture(loop_scope="session")
async def screen(visit: Visit) -> Screen:
    """The page on a desktop."""
    return await visit()


@pytest.fixture(scope="session")
def pictures() -> Path:
    PICTURES.mkdir(parents=True, exist_ok=True)
    return PICTURES
