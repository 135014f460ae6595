"""Three NATS servers: streams are on all of them, and one may be missing."""

import asyncio

import pytest
from contracts.subjects import TOOL_REFRESH_S
from docker_compose import run

from .conftest import Running

pytestmark = pytest.mark.asyncio(loop_scope="module")

FILES = ("compose.yaml", "compose.cluster.yaml")
_BOTH = "Gehe zur Langendorfstrasse 19b in Solothurn und lade den Gewässerschutzlayer"


async def test_turns_go_on_while_any_one_server_is_gone(system: Running) -> None:
    check = ("run", "--rm", "ask", "bus", "apply", "--check", "--replicas", "3")
    assert await asyncio.to_thread(system.project, *check)
    for lost, member in enumerate(("nats", "nats-2", "nats-3")):
        if lost:
            # One loss at a time: what could not be announced during the last one has been announced again.
            await asyncio.sleep(2 * TOOL_REFRESH_S)
        victim = await asyncio.to_thread(system.project.kill, member)
        answers = await asyncio.gather(*(system.say(f"{member}-{n}", userMessage=_BOTH) for n in range(4)))
        assert [answer.json()["overallStatus"] for answer in answers] == ["ok"] * 4, answers[0].text
        await asyncio.to_thread(run, "docker", "start", victim)
        await system.healthy()
