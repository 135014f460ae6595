"""A tool service that stands still disappears from the list, and comes back."""

import asyncio

import pytest
from contracts.subjects import TOOL_REFRESH_S, TOOL_TTL_S

from .running import System, until

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.slow]

WISH = "Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519"
OEREB_TOOLS = {"oereb.egrid_by_xy", "oereb.extract_by_id"}


async def test_a_tool_whose_worker_is_gone_disappears_and_its_wish_gets_a_clear_answer(
    system: System,
) -> None:
    async def gone() -> bool:
        return not OEREB_TOOLS & await system.capabilities()

    async def back() -> bool:
        return await system.capabilities() >= OEREB_TOOLS

    talk = system.conversation()
    everything = await system.capabilities()
    assert everything >= OEREB_TOOLS
    with system.frozen("tools-oereb"):
        await until(gone, TOOL_TTL_S + 30)
        assert await system.capabilities() == everything - OEREB_TOOLS

        # The planner counts by itself from when it has heard of the tool last.
        await asyncio.sleep(1)
        refused = await talk.say(WISH)
        if refused["overallStatus"] == "error":
            # It had heard of it later; by the end of that turn it has forgotten it, too.
            refused = await talk.say(WISH)
        assert refused["overallStatus"] == "needs_clarification", refused
        (step,) = refused["steps"]
        assert step["message"].startswith("«ÖREB-Auszüge erstellen» geht im Moment nicht.")
        shown = await talk.say("Zeige mir Grundstück 198 in Messen")
        assert shown["overallStatus"] == "ok"
    await until(back, TOOL_REFRESH_S + 30)
    assert (await talk.say("Erstelle mir hier einen ÖREB-Auszug"))["overallStatus"] == "ok"
