"""A store is lost while a turn is at work: what was accepted is answered when it is back."""

import asyncio
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
import pytest_asyncio

from .running import System, action_types, answer_of, problem_of, running, until

pytestmark = pytest.mark.asyncio(loop_scope="module")

GOTO = "Gehe zur Langendorfstrasse 19b in Solothurn"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[System]:
    async with running(tmp_path_factory.mktemp("system")) as started:
        yield started


@contextmanager
def killed(system: System, server: str) -> Any:
    system.stack.kill(server)
    yield


def silent(system: System, server: str) -> AbstractContextManager[None]:
    return system.frozen(server)


@pytest.mark.parametrize("server", ["redis-server", "nats-server"])
@pytest.mark.parametrize("lost", [silent, killed])
async def test_a_turn_that_was_accepted_is_answered_when_the_store_is_back(
    system: System, lost: Callable[[System, str], AbstractContextManager[None]], server: str
) -> None:
    await system.ready()
    conversation = system.conversation()
    with system.frozen("tools-geo"):
        accepted = asyncio.create_task(conversation.post(userMessage=GOTO))
        await system.reached("tools-geo")
        request_id = await system.begun(conversation)
        with lost(system, server):
            if lost is silent:
                await system.ready(False)
                refused = await system.conversation().post(userMessage=GOTO)
                problem_of(refused)
                assert refused.status_code == 503
                # Results come while nobody can keep them.
                system.stack.kill("tools-geo", signal.SIGCONT)
                await asyncio.sleep(1)
    response = answer_of(await accepted)
    assert (response["requestId"], response["overallStatus"]) == (request_id, "ok")
    assert action_types(response["steps"][0]) == ["setView", "addMarker"]
    await system.ready()
    after = await system.conversation().say(GOTO)
    assert after["overallStatus"] == "ok"


@pytest.mark.parametrize("server", ["redis-server", "nats-server"])
async def test_a_store_that_is_away_for_longer_than_a_turn_may_take_is_a_clear_error(
    tmp_path_factory: pytest.TempPathFactory, server: str
) -> None:
    folder = tmp_path_factory.mktemp("short")
    async with running(folder, TURN_TIMEOUT_S="8", WAIT_TIMEOUT_S="10") as system:
        with system.frozen("tools-geo"):
            accepted = asyncio.create_task(system.conversation().post(userMessage=GOTO))
            await system.reached("tools-geo")
            with system.frozen(server):
                told = await accepted
        problem = problem_of(told)
        assert (told.status_code, problem["code"]) == (504, "turn_timeout")
        # It can be asked for later, and then it has ended, too.
        await system.ready()
        ended: dict[str, Any] = {}

        async def has_ended() -> bool:
            answered = await system.turn(problem["requestId"])
            ended.update(answered.json())
            return answered.status_code == 200

        await until(has_ended, 30)
        assert ended["overallStatus"] == "error"
