"""Questions about documents outlive the services that work on them."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from contracts.turns import TurnEventKind

from .research import QUESTION
from .running import System, running

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def mortal(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[System]:
    # The work of a dead process lies still for this long.
    async with running(tmp_path_factory.mktemp("documents"), ACK_WAIT_S="2") as started:
        yield started


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
