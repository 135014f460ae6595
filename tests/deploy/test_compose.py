"""The flows through containers that are killed, scaled and restarted meanwhile. In the order of this file."""

import asyncio

import httpx
import pytest
from docker_compose import SERVICES, run

from . import flows
from .conftest import Running

pytestmark = pytest.mark.asyncio(loop_scope="module")

FILES = ("compose.yaml",)


async def test_containers_are_confined(system: Running) -> None:
    flows.confined(system, {*SERVICES} - {"tools-mcp"})


async def test_the_flows_work(system: Running) -> None:
    await flows.work(system)


async def test_the_command_looks_into_the_system(system: Running) -> None:
    assert await asyncio.to_thread(system.project, "run", "--rm", "ask", "bus", "apply", "--check")
    listed = system.project("run", "--rm", "ask", "tools", "--json")
    assert "geolocation.geocode" in listed


async def test_who_asks_is_known_and_sees_only_his_own(system: Running) -> None:
    mine = await flows.answer(system, "mine", userMessage=flows.ADDRESS)
    path = f"/api/chat/{mine['requestId']}"
    assert (await system.http.get(path)).status_code == 200
    async with httpx.AsyncClient(base_url=system.project.url, timeout=60) as somebody_else:
        assert (await somebody_else.get(path)).status_code == 404


async def test_keys_that_the_command_makes_and_revokes_count_at_once(system: Running) -> None:
    made = system.project("run", "--rm", "ask", "keys", "create", "--name", "reports")
    key = made.split()[-1]

    async def kind() -> str | None:
        async with httpx.AsyncClient(base_url=system.project.url, timeout=60) as http:
            told = await http.get("/api/me", headers={"Authorization": f"Bearer {key}"})
            found: str | None = told.json()["kind"]
            return found

    async def becomes(wanted: str | None) -> None:
        async with asyncio.timeout(60):
            while await kind() != wanted:
                await asyncio.sleep(0.5)

    await becomes("key")
    system.project("run", "--rm", "ask", "keys", "revoke", key.split("_")[1])
    await becomes(None)


async def test_turns_survive_kills_and_scaling(system: Running) -> None:
    await asyncio.to_thread(system.project, "up", "-d", "--scale", "tools-geo=3")
    await system.healthy()
    assert len(system.project.containers("tools-geo")) == 3
    disturbed = asyncio.Event()

    async def client(number: int) -> list[str]:
        statuses: list[str] = []
        while len(statuses) < 6 or not disturbed.is_set():
            answer = await flows.answer(system, f"load-{number}", userMessage=flows.BOTH)
            statuses.append(answer["overallStatus"])
        return statuses

    async def disturb() -> None:
        try:
            for service in ("tools-geo", "planner", "orchestrator", "actionplanner", "tools-oereb"):
                victim = await asyncio.to_thread(system.project.kill, service)
                await asyncio.sleep(1)
                await asyncio.to_thread(run, "docker", "start", victim)
            await asyncio.to_thread(system.project, "up", "-d", "--scale", "tools-geo=1")
            await asyncio.to_thread(system.project, "up", "-d", "--scale", "tools-geo=2")
        finally:
            disturbed.set()

    *turns, _ = await asyncio.gather(*(client(n) for n in range(6)), disturb())
    assert {status for statuses in turns for status in statuses or ()} == {"ok"}
    await system.healthy()


async def test_a_restart_of_nats_and_redis_loses_nothing(system: Running) -> None:
    offered = await flows.answer(system, "kept", userMessage=flows.EXTRACT)
    pending = [
        asyncio.create_task(flows.answer(system, f"on-{n}", userMessage=flows.BOTH)) for n in range(12)
    ]
    await asyncio.sleep(0.2)
    victim = await asyncio.to_thread(system.project.kill, "nats")
    await asyncio.to_thread(run, "docker", "start", victim)
    answers = await asyncio.gather(*pending)
    assert {answer["overallStatus"] for answer in answers} == {"ok"}

    await asyncio.to_thread(system.project, "restart", "--timeout", "10", "redis")
    await system.healthy()
    for answer in answers:
        path = f"/api/chat/{answer['requestId']}"
        async with asyncio.timeout(30):
            # The edge may not know yet that Redis is back.
            while (kept := await system.http.get(path)).status_code == 503:
                await asyncio.sleep(0.2)
        assert kept.status_code == 200, kept.text
    chosen = await flows.answer(system, "kept", choiceId=offered["steps"][0]["choices"][0]["id"])
    assert chosen["overallStatus"] == "ok"


async def test_nats_has_refused_nothing_and_nobody_died_of_himself(system: Running) -> None:
    flows.nothing_was_refused_and_nobody_died_of_himself(system)
