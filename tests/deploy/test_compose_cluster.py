"""Three NATS servers: streams are on all of them, and one may be missing."""

import asyncio

import pytest

from .conftest import Running

pytestmark = pytest.mark.asyncio(loop_scope="module")

FILES = ("compose.yaml", "compose.cluster.yaml")
_BOTH = "Gehe zur Langendorfstrasse 19b in Solothurn und lade den Gewässerschutzlayer"


async def test_turns_go_on_while_any_one_server_is_gone(system: Running) -> None:
    check = ("run", "--rm", "ask", "bus", "apply", "--check", "--replicas", "3")
    assert await asyncio.to_thread(system.project, *check)
    for member in ("nats", "nats-2", "nats-3"):
        await asyncio.to_thread(system.project.kill, member)
        answers = await asyncio.gather(*(system.say(f"{member}-{n}", userMessage=_BOTH) for n in range(4)))
        assert [answer.json()["overallStatus"] for answer in answers] == ["ok"] * 4, answers[0].text
        await asyncio.to_thread(system.project, "up", "-d")
        await system.healthy()
