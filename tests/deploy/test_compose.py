"""The flows through containers that are killed, scaled and restarted meanwhile. In the order of this file."""

import asyncio
from typing import Any

import httpx
import pytest
from docker_compose import SERVICES, run

from .conftest import Running

pytestmark = pytest.mark.asyncio(loop_scope="module")

FILES = ("compose.yaml",)
_ADDRESS = "Gehe zur Langendorfstrasse 19b in Solothurn"
_BOTH = f"{_ADDRESS} und lade den Gewässerschutzlayer"
_EXTRACT = "Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519"
_QUESTION = "Was sagt der Regierungsrat zum Velo?"


async def _answer(system: Running, session: str, **asked: str) -> dict[str, Any]:
    answered = await system.say(session, **asked)
    assert answered.status_code == 200, answered.text
    found: dict[str, Any] = answered.json()
    return found


async def test_containers_are_confined(system: Running) -> None:
    containers = system.project.containers(everything=True)
    by_service = {each["Config"]["Labels"]["com.docker.compose.service"]: each for each in containers}
    assert by_service.keys() == {*SERVICES, "nats", "redis", "streams", "volumes"} - {"tools-mcp"}
    for service, each in by_service.items():
        host = each["HostConfig"]
        assert host["ReadonlyRootfs"] and host["CapDrop"] == ["ALL"], service
        assert host["SecurityOpt"] == ["no-new-privileges:true"], service
        assert not host["Privileged"]
        assert (each["Config"]["User"].partition(":")[0] not in ("", "0")) is (service != "volumes"), service
        if service in SERVICES:
            assert host["Memory"] > 0 and host["PidsLimit"] > 0
    for once in ("streams", "volumes"):
        assert by_service[once]["State"]["ExitCode"] == 0
    published = {service for service, each in by_service.items() if each["HostConfig"]["PortBindings"]}
    assert published == {"edge"}


async def test_the_flows_work(system: Running) -> None:
    assert (await _answer(system, "one", userMessage=_ADDRESS))["overallStatus"] == "ok"
    both = await _answer(system, "two", userMessage=_BOTH)
    assert [step["intent"] for step in both["steps"]] == ["goto_address", "load_layer"]
    assert both["overallStatus"] == "ok"
    offered = await _answer(system, "three", userMessage=_EXTRACT)
    chosen = await _answer(system, "three", choiceId=offered["steps"][0]["choices"][0]["id"])
    assert chosen["overallStatus"] == "ok"
    said = await _answer(system, "four", userMessage=_QUESTION)
    assert (said["overallStatus"], said["steps"][0]["intent"]) == ("ok", "search_documents")
    page = await system.http.get("/")
    assert page.status_code == 200 and "<html" in page.text


async def test_the_command_looks_into_the_system(system: Running) -> None:
    assert await asyncio.to_thread(system.project, "run", "--rm", "ask", "bus", "apply", "--check")
    listed = system.project("run", "--rm", "ask", "tools", "--json")
    assert "geolocation.geocode" in listed


async def test_who_asks_is_known_and_sees_only_his_own(system: Running) -> None:
    mine = await _answer(system, "mine", userMessage=_ADDRESS)
    path = f"/api/chat/{mine['requestId']}"
    assert (await system.http.get(path)).status_code == 200
    async with httpx.AsyncClient(base_url=system.project.url) as somebody_else:
        assert (await somebody_else.get(path)).status_code == 404


async def test_keys_that_the_command_makes_and_revokes_count_at_once(system: Running) -> None:
    made = system.project("run", "--rm", "ask", "keys", "create", "--name", "reports")
    key = made.split()[-1]

    async def kind() -> str | None:
        async with httpx.AsyncClient(base_url=system.project.url) as http:
            told = await http.get("/api/me", headers={"Authorization": f"Bearer {key}"})
            found: str | None = told.json()["kind"]
            return found

    async def becomes(wanted: str | None) -> None:
        async with asyncio.timeout(30):
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
            answer = await _answer(system, f"load-{number}", userMessage=_BOTH)
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
    offered = await _answer(system, "kept", userMessage=_EXTRACT)
    pending = [asyncio.create_task(_answer(system, f"on-{n}", userMessage=_BOTH)) for n in range(12)]
    await asyncio.sleep(0.2)
    victim = await asyncio.to_thread(system.project.kill, "nats")
    await asyncio.to_thread(run, "docker", "start", victim)
    answers = await asyncio.gather(*pending)
    assert {answer["overallStatus"] for answer in answers} == {"ok"}

    await asyncio.to_thread(system.project, "restart", "--timeout", "10", "redis")
    await system.healthy()
    for answer in answers:
        kept = await system.http.get(f"/api/chat/{answer['requestId']}")
        assert kept.status_code == 200, kept.text
    chosen = await _answer(system, "kept", choiceId=offered["steps"][0]["choices"][0]["id"])
    assert chosen["overallStatus"] == "ok"


async def test_nats_has_refused_nothing_and_nobody_died_of_himself(system: Running) -> None:
    nats = system.project("logs", "--no-color", "nats")
    assert "Permissions Violation" not in nats
    for each in system.project.containers():
        service = each["Config"]["Labels"]["com.docker.compose.service"]
        assert each["RestartCount"] == 0, system.project("logs", "--no-color", service)[-6000:]
        assert not each["State"]["OOMKilled"], each["Name"]
