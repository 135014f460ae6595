"""The page that shows the API description: everything on it comes from this server, and nothing is inline."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect
from tests.e2e.running import System, running

from .screen import PATIENCE_MS

pytestmark = pytest.mark.asyncio(loop_scope="session")

LISTEN = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
  window.violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`));
"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def bare(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[System]:
    """A system whose map client was never built."""
    async with running(tmp_path_factory.mktemp("bare")) as started:
        yield started


@pytest_asyncio.fixture(loop_scope="session")
async def page(browser: Browser, bare: System) -> AsyncIterator[Page]:
    """In the end nothing was blocked, nothing was asked elsewhere, nothing was complained about."""
    context = await browser.new_context(base_url=bare.stack.url)
    context.set_default_timeout(PATIENCE_MS)
    opened = await context.new_page()
    await opened.add_init_script(LISTEN)
    complaints: list[str] = []
    opened.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on(
        "request",
        lambda asked: (
            None if asked.url.startswith((bare.stack.url, "data:")) else complaints.append(asked.url)
        ),
    )
    await opened.goto("/docs")
    yield opened
    violations = await opened.evaluate("window.violations")
    await context.close()
    assert (complaints, violations) == ([], [])


async def test_every_operation_is_shown_and_can_be_tried(page: Page, bare: System) -> None:
    description = (await bare.http.get("/openapi.json")).json()
    operations = [each for path in description["paths"].values() for each in path]
    await expect(page.locator(".opblock")).to_have_count(len(operations))
    tools = page.locator(".opblock", has=page.locator("[data-path='/api/tools']"))
    await tools.locator(".opblock-summary-control").click()
    await tools.get_by_role("button", name="Try it out").click()
    await tools.get_by_role("button", name="Execute").click()
    await expect(tools.locator(".live-responses-table .response-col_status").last).to_contain_text("200")
    await expect(tools.locator(".live-responses-table")).to_contain_text("geolocation.geocode")


async def test_a_body_and_its_examples_are_shown(page: Page) -> None:
    chat = page.locator(".opblock-post", has=page.locator("[data-path='/api/chat']"))
    await chat.locator(".opblock-summary-control").click()
    await expect(chat.locator(".opblock-section-request-body")).to_contain_text("Langendorfstrasse")
    await expect(chat.locator(".responses-wrapper")).to_contain_text("idempotency_key_reused")


async def test_what_is_inline_does_not_run(browser: Browser, bare: System) -> None:
    context = await browser.new_context(base_url=bare.stack.url)
    opened = await context.new_page()
    await opened.add_init_script(LISTEN)
    await opened.goto("/docs")
    await opened.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.ran = true";
            document.body.append(script);
            document.body.append(Object.assign(new Image(), {src: "https://evil.example/x.png"}));
        }"""
    )
    await opened.wait_for_function("() => window.violations.length >= 2")
    assert await opened.evaluate("window.ran") is None
    await context.close()
