"""WCAG 2.2 AA, as far as a machine can tell."""

from .conftest import ROOT
from .screen import Screen

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
VIOLATIONS = """rules => axe.run(document, { runOnly: rules, resultTypes: ["violations"] })
  .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => [id, target.join(" "), failureSummary])))"""


async def check(screen: Screen) -> None:
    """No violation on the page as it is now."""
    if not await screen.page.evaluate("'axe' in window"):
        await screen.page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[list[str]] = await screen.page.evaluate(VIOLATIONS, RULES)
    assert found == [], "\n".join(" ".join(each) for each in found)
