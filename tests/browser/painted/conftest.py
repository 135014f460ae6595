"""Map services on this machine, under the names of the real ones: the system runs with its own settings."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from map_services import MapServices
from playwright.async_api import Browser, async_playwright, expect
from tests.browser.conftest import LIKE_A_WINDOW, chromium
from tests.browser.screen import PATIENCE_MS


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def started(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[MapServices]:
    services = MapServices(tmp_path_factory.mktemp("map-services"))
    await services.start()
    yield services
    await services.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def services(started: MapServices) -> AsyncIterator[MapServices]:
    started.reset()
    yield started
    started.reset()
    await started.start()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def browser(started: MapServices) -> AsyncIterator[Browser]:
    """Finds the map services on this machine, whoever has signed their certificate, and nothing else."""
    rules = f"{started.resolver_rules} , MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"
    expect.set_options(timeout=PATIENCE_MS)
    async with async_playwright() as driver:
        launched = await driver.chromium.launch(
            executable_path=chromium(),
            args=[f"--host-resolver-rules={rules}", "--ignore-certificate-errors", LIKE_A_WINDOW],
        )
        yield launched
        await launched.close()


@pytest.fixture
def is_painted() -> bool:
    return True
