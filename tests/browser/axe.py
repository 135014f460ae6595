"""WCAG 2.2 AA, as far as a machine can tell."""

from playwright.async_api import Page

from .screen import ROOT, Screen

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
VIOLATIONS = """([rules, part]) => axe.run(part ?? document, { runOnly: rules, resultTypes: ["violations"] })
  .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => [id, target.join(" "), failureSummary])))"""


async def check(screen: Screen) -> None:
    """No violation on the page as it is now."""
    found = await violations(screen.page)
    assert found == [], "\n".join(found)


async def violations(page: Page, part: str | None = None) -> list[str]:
    """On a page, or on a part of it, by a selector."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[list[str]] = await page.evaluate(VIOLATIONS, [RULES, part])
    return [" ".join(each) for each in found]
