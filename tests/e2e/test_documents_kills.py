"""Questions about documents outlive the services that work on them."""

import asyncio

import pytest
from contracts.turns import TurnEventKind

from .research import QUESTION
from .running import System

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.parametrize("victim", ["tools-docs", "responder", "orchestrator"])
async def test_a_question_outlives_the_death_of_a_service(mortal: System, victim: str) -> None:
    talk = mortal.conversation()
    expected = (await talk.say(QUESTION))["steps"][0]["message"]
    with mortal.frozen(victim):
        asked = asyncio.create_task(mortal.conversation().say(QUESTION))
        await mortal.reached(victim)
        mortal.stack.kill(victim)
        response = await asked
    assert response["steps"][0]["message"] == expected
    events = await mortal.events(response["requestId"])
    assert sum(event.kind is TurnEventKind.FINISHED for event in events) == 1
    await mortal.stack.wait_ready(victim)
