"""A tool service of one's own: started while the system runs, used by both planners, gone when stopped."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from modelling_openai import API_KEY, ModellingOpenAI, Replies

from .running import System, action_types, running, until

pytestmark = pytest.mark.asyncio(loop_scope="session")

EXAMPLE = Path(__file__).parents[2] / "examples" / "tools-hello" / "tools_hello.py"
CAPABILITY = "maps.sheet"


@asynccontextmanager
async def hello(system: System) -> AsyncIterator[asyncio.subprocess.Process]:
    """The example as its reader starts it, until it is offered; then stopped cleanly."""
    environment = {**os.environ, "NATS_URL": system.stack.nats_url}
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(EXAMPLE), env=environment, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        await until(lambda: _offered(system))
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def _offered(system: System) -> bool:
    return CAPABILITY in await system.capabilities()


async def _gone(system: System) -> bool:
    return not await _offered(system)


async def test_a_new_tool_is_understood_by_its_phrases_and_is_gone_at_once_when_it_stops(
    system: System,
) -> None:
    talk = system.conversation()
    assert await _gone(system)
    async with hello(system) as process:
        shown = await talk.say("Zeige das Kartenblatt 1127")
        assert shown["overallStatus"] == "ok"
        (step,) = shown["steps"]
        assert step["intent"] == "maps_sheet"
        assert action_types(step) == ["setView", "addMarker"]
        assert step["mapActions"][1]["payload"]["label"] == "Kartenblatt 1127"
        unknown = await talk.say("Zeige das Kartenblatt 9999")
        assert unknown["overallStatus"] == "needs_clarification"
        async with Client(f"{system.stack.url}/mcp") as client:
            result = await client.call_tool("maps_sheet", {"sheet": "1127"})
            assert result.structured_content is not None
            assert result.structured_content["items"][0]["label"] == "Kartenblatt 1127"
        process.terminate()
        # Long before anything that is not renewed is forgotten.
        await until(lambda: _gone(system), 20)
    refused = await talk.say("Zeige das Kartenblatt 1127")
    assert refused["overallStatus"] != "ok"


async def test_a_model_plans_with_a_new_tool(tmp_path: Path) -> None:
    model = ModellingOpenAI()
    prompts: list[str] = []

    def plan(body: dict[str, Any]) -> Replies:
        prompts.append("\n".join(str(message["content"]) for message in body["messages"]))
        call = {"capability": CAPABILITY, "args": {"sheet": "1127"}}
        step = {"intent": "maps_sheet", "calls": [call], "args": None, "message": None, "respond": False}
        return Replies({"steps": [step], "choiceId": None})

    model.reply = plan
    variables = {"OPENAI_API_KEY": API_KEY, "OPENAI_BASE_URL": model.base_url, "NO_PROXY": "127.0.0.1"}
    try:
        async with running(tmp_path, **variables) as system, hello(system):
            shown = await system.conversation().say("Wo liegt Solothurn auf der Landeskarte?")
            assert shown["overallStatus"] == "ok", shown
            assert shown["steps"][0]["intent"] == "maps_sheet"
            planned = [e for e in await system.events(shown["requestId"]) if e.kind == "plan.ready"]
            assert planned[0].detail["planner"] == "gpt-5-mini"
    finally:
        model.stop()
    assert "Find a sheet of the Swiss national map 1:25 000 by its number." in prompts[0]
