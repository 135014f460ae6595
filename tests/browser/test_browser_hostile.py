"""What users and links bring in: it is shown as text, and the page stays in shape."""

import base64
import json
from typing import Any

import pytest
from playwright.async_api import expect

from .conftest import Visit
from .screen import Screen

pytestmark = pytest.mark.asyncio(loop_scope="session")

HOSTILE = (
    '<script>alert(1)</script><img src=x onerror="alert(2)"> [Knopf](javascript:alert(3)) '
    "<a href='javascript:alert(4)'>hier</a> **fett** {{7*7}} ${alert(5)}"
)
REFUSED = "Dabei kann ich nicht helfen"
UNKNOWN = "kenne ich weder als Ort noch als Layer"


def shared_layer(layer_id: str, url: str, **more: str) -> dict[str, Any]:
    source = {"url": url, "LAYERS": "x"}
    return {"id": layer_id, "type": "wms", "visible": True, "opacity": 1, "source": source, **more}


async def nothing_is_wider_than_the_page(screen: Screen) -> None:
    too_wide = await screen.page.evaluate(
        """() => [document.documentElement, ...document.querySelectorAll("[role=group], article")]
            .filter((each) => each.scrollWidth > each.clientWidth + 1)
            .map((each) => each.outerHTML.slice(0, 200))"""
    )
    assert too_wide == []


async def test_a_message_is_shown_letter_by_letter(screen: Screen) -> None:
    await screen.say(HOSTILE)
    await screen.answered(REFUSED)
    for _ in range(2):
        asked = screen.exchanges.first
        await expect(asked).to_contain_text(HOSTILE)
        assert await asked.evaluate("each => each.querySelectorAll('script, img, a, strong').length") == 0
        await screen.page.reload()


@pytest.mark.parametrize(
    "letters", ["x" * 4000, "Wort " * 800, "\N{FAMILY}" * 2000, "\u202e" + "abc " * 100, "\n" * 300 + "x"]
)
async def test_a_huge_message_keeps_the_page_in_shape(screen: Screen, letters: str) -> None:
    await screen.say(letters)
    await expect(screen.exchanges).to_have_count(1)
    await screen.idle()
    await nothing_is_wider_than_the_page(screen)
    await expect(screen.message).to_be_in_viewport(ratio=1)


async def test_no_more_can_be_written_than_can_be_sent(screen: Screen) -> None:
    await screen.message.fill("x" * 5000)
    await expect(screen.message).to_have_value("x" * 4000)
    await screen.send.click()
    await screen.answered(UNKNOWN)


async def test_a_link_brings_no_script_and_no_stranger(visit: Visit) -> None:
    wms = "https://geo.so.ch/api/wms"
    shared = {
        "v": [2605899, 1229278, 1],
        "b": "sw",
        "l": [
            shared_layer("a", "https://evil.example/wms"),
            shared_layer("b", "javascript:alert(1)"),
            shared_layer("c", wms, label=HOSTILE),
            shared_layer("d", wms, legendUrl="https://evil.example/legend.png"),
        ],
        "m": [{"id": "m", "coord": [2605899, 1229278], "label": HOSTILE}, {"id": "n", "coord": ["x", None]}],
    }
    encoded = base64.urlsafe_b64encode(json.dumps(shared).encode()).decode().rstrip("=")
    screen = await visit(f"/#map={encoded}")
    await screen.map_shows(layers=["c"], markers={"m": (2605899, 1229278)}, center=(2605899, 1229278))
    await screen.page.get_by_role("button", name="Layer öffnen").click()
    await expect(screen.page.get_by_role("button", name=f"{HOSTILE} anzeigen")).to_be_visible()
    await nothing_is_wider_than_the_page(screen)


@pytest.mark.parametrize("fragment", ["#map=", "#map=%%%", "#map=e30", "#map=bnVsbA", "#" + "x" * 20_000])
async def test_a_broken_link_is_an_empty_map(visit: Visit, fragment: str) -> None:
    screen = await visit(f"/{fragment}")
    await screen.map_shows(layers=[], markers={})
    await expect(screen.message).to_be_visible()
