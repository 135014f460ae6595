"""Clients that stop waiting, turns that take too long, and choices that expire."""

import asyncio
from collections.abc import AsyncIterator
from typing import cast

import pytest
import pytest_asyncio
from contracts.turns import TurnEventKind

from .running import Conversation, Json, System, answer_of, option, problem_of, running, until

pytestmark = pytest.mark.asyncio(loop_scope="module")

# Of a test that waits for the end of one of them, the steps before it fit in on a slow machine.
CHOICE_TTL_S = 8.0
WAIT_TIMEOUT_S = 7.0
TURN_TIMEOUT_S = 16.0
MESSAGE = "Gehe zur Langendorfstrasse 19b in Solothurn"
OEREB = "Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[System]:
    async with running(
        tmp_path_factory.mktemp("time"),
        CHOICE_TTL_S=str(CHOICE_TTL_S),
        WAIT_TIMEOUT_S=str(WAIT_TIMEOUT_S),
        TURN_TIMEOUT_S=str(TURN_TIMEOUT_S),
    ) as started:
        yield started


@pytest.fixture
def talk(system: System) -> Conversation:
    return system.conversation()


async def gave_up(talk: Conversation, message: str, key: str | None = None) -> str:
    """Ask in vain; the request id to ask for later."""
    answered = await talk.post(key, userMessage=message)
    problem = problem_of(answered)
    assert (answered.status_code, problem["code"]) == (504, "turn_timeout")
    assert answered.headers["location"] == f"/api/chat/{problem['requestId']}"
    return cast("str", problem["requestId"])


async def answer_later(system: System, request_id: str) -> Json:
    async def answered() -> bool:
        return (await system.turn(request_id)).status_code == 200

    await until(answered, 60)
    return answer_of(await system.turn(request_id))


async def test_a_client_that_waited_in_vain_can_ask_later(system: System, talk: Conversation) -> None:
    with system.frozen("planner"):
        request_id = await gave_up(talk, MESSAGE)
        running = await system.turn(request_id)
    assert (running.status_code, running.json()["state"]) == (202, "running")
    response = await answer_later(system, request_id)
    assert response["steps"][0]["message"] == "Adresse Langendorfstrasse 19b zentriert."
    assert await system.count(request_id, TurnEventKind.FINISHED) == 1


async def test_a_client_that_waited_in_vain_can_repeat_its_request(
    system: System, talk: Conversation
) -> None:
    with system.frozen("planner"):
        request_id = await gave_up(talk, MESSAGE, key="again")
    response = await talk.say(MESSAGE, key="again")
    assert response["requestId"] == request_id
    assert await system.count(request_id, TurnEventKind.STARTED) == 1


async def test_a_turn_that_nobody_has_begun_can_be_looked_at(system: System, talk: Conversation) -> None:
    with system.frozen("orchestrator"):
        request_id = await gave_up(talk, MESSAGE)
        waiting = await system.turn(request_id)
    assert (waiting.status_code, waiting.json()["state"]) == (202, "running")
    assert (await answer_later(system, request_id))["overallStatus"] == "ok"


async def test_a_turn_that_nobody_plans_ends_at_its_deadline(system: System, talk: Conversation) -> None:
    with system.frozen("planner"):
        request_id = await gave_up(talk, MESSAGE)
        response = await answer_later(system, request_id)
    assert response["overallStatus"] == "error"
    assert "zu lange" in response["steps"][0]["message"]
    await system.settled()
    assert answer_of(await system.turn(request_id)) == response
    assert await system.count(request_id, TurnEventKind.FINISHED) == 1


async def test_only_the_step_that_took_too_long_is_an_error(system: System, talk: Conversation) -> None:
    with system.frozen("tools-oereb"):
        request_id = await gave_up(talk, f"{MESSAGE}, danach gehe nach Atlantis und {OEREB}")
        response = await answer_later(system, request_id)
    assert [s["status"] for s in response["steps"]] == ["ok", "needs_clarification", "error"]
    assert response["overallStatus"] == "error"
    assert "nicht rechtzeitig" in response["steps"][2]["message"]
    # The tool's late answer changes nothing.
    await system.settled()
    assert answer_of(await system.turn(request_id)) == response


async def test_a_choice_expires(system: System, talk: Conversation) -> None:
    offered = await talk.say(OEREB)
    await asyncio.sleep(CHOICE_TTL_S)
    for _ in range(2):
        refused = await talk.choose(option(offered, 0))
        assert refused["requestId"] == offered["requestId"]
        assert refused["overallStatus"] == "error"
        assert "abgelaufen" in refused["steps"][0]["message"]
    assert await system.count(offered["requestId"], TurnEventKind.CHOICE_MADE) == 0
    anew = await talk.say(OEREB)
    assert (await talk.choose(option(anew, 0)))["overallStatus"] == "ok"


async def test_words_do_not_mean_an_expired_choice(system: System, talk: Conversation) -> None:
    offered = await talk.say(OEREB)
    await asyncio.sleep(CHOICE_TTL_S)
    response = await talk.say("die zweite")
    assert response["overallStatus"] in ("needs_clarification", "error")
    assert await system.count(offered["requestId"], TurnEventKind.CHOICE_MADE) == 0


async def test_a_session_deleted_in_the_middle_of_a_turn_stays_deleted(
    system: System, talk: Conversation
) -> None:
    with system.frozen("tools-geo"):
        asked = asyncio.create_task(talk.post(userMessage="Zeige mir Grundstück 198 in Messen"))
        request_id = await system.begun(talk)
        await system.reached("tools-geo")
        await talk.forget()
        answered = await asked
    assert (answered.status_code, problem_of(answered)["code"]) == (410, "session_deleted")
    # At its deadline the turn comes up once more.
    await system.settled()
    assert await system.redis.keys(f"*{talk.inside}*") == []
    assert (await system.turn(request_id)).status_code == 404
    assert (await talk.say("Erstelle mir hier einen ÖREB-Auszug"))["overallStatus"] == "needs_clarification"
