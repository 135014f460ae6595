"""Processes and servers that die in the middle of a turn: the answer is right, and there is one."""

import asyncio

import httpx
import pytest
from contracts.turns import TurnEventKind

from .running import Conversation, Json, System, option

pytestmark = pytest.mark.asyncio(loop_scope="session")

SENTENCE = "Zeige das Grundstück 198 in Messen und erstelle einen ÖREB-Auszug davon"
"""Needs every service."""


@pytest.fixture
def system(mortal: System) -> System:
    return mortal


async def check(system: System, response: Json) -> None:
    """The right answer, once."""
    shown, extract = response["steps"]
    assert shown["message"].startswith("Grundstück 198 in Messen")
    assert extract["message"].startswith("ÖREB-Auszug für CH955832730623 bereit.")
    await check_once(system, response)


async def check_once(system: System, response: Json, rounds: int = 1) -> None:
    await system.settled()
    events = await system.events(response["requestId"])
    assert sorted(event.n for event in events) == list(range(len(events)))
    finished = [event for event in events if event.kind is TurnEventKind.FINISHED]
    assert [event.round for event in finished] == list(range(rounds))
    assert finished[-1].response is not None
    assert finished[-1].response.model_dump(mode="json", exclude_none=True) == response


@pytest.mark.parametrize("victim", ["orchestrator", "planner", "actionplanner", "tools-geo", "tools-oereb"])
async def test_the_turn_goes_on_after_a_service_was_killed(
    system: System, talk: Conversation, victim: str
) -> None:
    with system.frozen(victim):
        asked = asyncio.create_task(talk.say(SENTENCE))
        await system.reached(victim)
        system.stack.kill(victim)
        await check(system, await asked)
    await system.stack.wait_ready(victim)


async def test_the_turn_goes_on_when_the_orchestrator_dies_while_a_tool_works(
    system: System, talk: Conversation
) -> None:
    with system.frozen("tools-geo"):
        asked = asyncio.create_task(talk.say(SENTENCE))
        await system.reached("tools-geo")
        system.stack.kill("orchestrator")
    await check(system, await asked)
    await system.stack.wait_ready("orchestrator")


@pytest.mark.parametrize("server", ["nats-server", "redis-server"])
async def test_the_turn_goes_on_after_a_server_was_killed(
    system: System, talk: Conversation, server: str
) -> None:
    with system.frozen("tools-geo"):
        asked = asyncio.create_task(talk.say(SENTENCE))
        await system.reached("tools-geo")
        system.stack.kill(server)
        await system.stack.wait_ready(server)
    await check(system, await asked)
    await system.ready()


@pytest.mark.parametrize("victim", ["orchestrator", "tools-oereb", "redis-server", "nats-server"])
async def test_a_choice_outlives_a_kill_before_and_after_it_is_made(
    system: System, talk: Conversation, victim: str
) -> None:
    offered = await talk.say("Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519")
    system.stack.kill(victim)
    await system.stack.wait_ready(victim)
    await system.ready()
    with system.frozen("tools-oereb"):
        chosen = asyncio.create_task(talk.choose(option(offered, 1)))
        await system.reached("tools-oereb")
        system.stack.kill(victim)
        await system.stack.wait_ready(victim)
    response = await chosen
    await system.ready()
    assert response["steps"][0]["message"].startswith("ÖREB-Auszug für CH710620327442 bereit.")
    assert await system.count(response["requestId"], TurnEventKind.CHOICE_MADE) == 1
    await check_once(system, response, rounds=2)


async def test_a_client_that_lost_its_edge_gets_the_answer_of_the_same_turn(
    system: System, talk: Conversation
) -> None:
    with system.frozen("planner"):
        asked = asyncio.create_task(talk.post("retried", userMessage=SENTENCE))
        request_id = await system.begun(talk)
        system.stack.kill("edge")
        with pytest.raises(httpx.TransportError):
            await asked
        await system.stack.wait_ready("edge")
    response = await talk.say(SENTENCE, key="retried")
    assert response["requestId"] == request_id
    await check(system, response)
    assert await system.count(request_id, TurnEventKind.STARTED) == 1
    assert (await system.turn(request_id)).json() == response
