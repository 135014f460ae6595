"""The whole system on a NATS that lets every service do only what the table of the bus says."""

import json
import os
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import commands
import httpx
import nats
import nats_users
import pytest
import pytest_asyncio
from contracts.subjects import TOOL_FAMILIES
from servicekit.access import options

from ask.stack import Stack

from .running import CLIENT_TIMEOUT_S, Conversation, action_types, option, until

pytestmark = pytest.mark.asyncio(loop_scope="module")


class Guarded:
    """The running system, and what its server has written."""

    def __init__(self, stack: Stack, http: httpx.AsyncClient, log: Path) -> None:
        self.stack = stack
        self.http = http
        self.log = log

    def talk(self, name: str) -> Conversation:
        return Conversation(self.http, name)

    def refusals(self) -> list[str]:
        return [line for line in self.log.read_text().splitlines() if "Permissions Violation" in line]

    def ask(self, *arguments: str, **passwords: str) -> subprocess.CompletedProcess[str]:
        """The command, with all passwords in its environment unless some are given."""
        given = passwords or nats_users.variables()
        variables = {**os.environ, **given, "NATS_URL": self.stack.nats_url}
        return commands.ask(*arguments, environment=variables)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def guarded(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Guarded]:
    folder = tmp_path_factory.mktemp("guarded")
    with nats_users.serving(folder) as (url, log):
        passwords = nats_users.PASSWORDS
        async with (
            Stack(folder / "data", nats_url=url, passwords=passwords, workers={"tools-geo": 2}) as stack,
            httpx.AsyncClient(base_url=stack.url, timeout=CLIENT_TIMEOUT_S) as http,
        ):
            yield Guarded(stack, http, log)


async def test_the_three_flows_work(guarded: Guarded) -> None:
    talk = guarded.talk("three")
    first = await talk.say("Gehe zur Langendorfstrasse 19b in Solothurn")
    assert action_types(first["steps"][0]) == ["setView", "addMarker"]
    both = await talk.say("Gehe zur Langendorfstrasse 19b in Solothurn und lade den Gewässerschutzlayer")
    assert action_types(both["steps"][1]) == ["addLayer"] * 4
    offered = await talk.say("Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519")
    chosen = await talk.choose(option(offered, 0))
    assert chosen["overallStatus"] == "ok"
    await talk.forget()


async def test_a_question_is_answered_from_documents(guarded: Guarded) -> None:
    answered = await guarded.talk("documents").post(userMessage="Was sagt der Regierungsrat zum Velo?")
    (step,) = answered.json()["steps"]
    assert (step["intent"], step["status"]) == ("search_documents", "ok"), step
    assert "[1]" in step["message"]


async def test_a_turn_is_streamed(guarded: Guarded) -> None:
    body = {"sessionId": "stream", "userMessage": "Gehe zur Langendorfstrasse 19b in Solothurn"}
    async with guarded.http.stream("POST", "/api/chat/stream", json=body) as answered:
        assert answered.status_code == 200
        lines = [line async for line in answered.aiter_lines()]
    events = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    assert len(events) > 2
    final = json.loads([line for line in lines if line.startswith("data: ")][-1].removeprefix("data: "))
    assert final


async def test_all_tools_are_announced_and_come_back_after_a_crash(guarded: Guarded) -> None:
    async def announced() -> set[str]:
        return {tool["capability"] for tool in (await guarded.http.get("/api/tools")).json()["tools"]}

    before = await announced()
    assert {name.partition(".")[0] for name in before} == {
        family
        for service, families in TOOL_FAMILIES.items()
        if service in guarded.stack.processes
        for family in families
    }
    guarded.stack.kill("tools-oereb")
    await guarded.stack.wait_ready("tools-oereb")

    async def complete() -> bool:
        return await announced() == before

    await until(complete)


async def test_the_declaration_is_repeatable_and_sees_what_has_drifted(guarded: Guarded) -> None:
    in_order = guarded.ask("bus", "apply", "--check")
    assert (in_order.returncode, in_order.stderr) == (0, ""), in_order.stdout
    connection = await nats.connect(**options(guarded.stack.nats_url, nats_users.access("ask")))
    js = connection.jetstream()
    config = (await js.stream_info("EVENTS")).config
    await js.update_stream(config.evolve(max_age=1_800))
    drifted = guarded.ask("bus", "apply", "--check")
    assert drifted.returncode == 1
    assert "EVENTS" in drifted.stdout and "max_age" in drifted.stdout and "1800 s" in drifted.stdout
    listed = guarded.ask("bus", "apply", "--check", "--json")
    (drift,) = [json.loads(line) for line in listed.stdout.splitlines()]
    assert (listed.returncode, drift["name"], drift["isMissing"]) == (1, "EVENTS", False)
    assert drift["differs"]["max_age"]["found"] == 1_800 * 1_000_000_000
    assert "EVENTS" in guarded.ask("bus", "apply").stdout
    assert (await js.stream_info("EVENTS")).config.max_age == 3_600
    assert guarded.ask("bus", "apply", "--check").returncode == 0
    await connection.close()


async def test_a_dead_letter_is_sent_again_in_the_name_of_its_sender_and_another_one_is_dropped(
    guarded: Guarded,
) -> None:
    connection = await nats.connect(**options(guarded.stack.nats_url, nats_users.access("orchestrator")))
    headers = {"Ask-Origin": "plan.ready.req-1", "Ask-Request-Id": "req-1", "Nats-Msg-Id": "dead/EVENTS/0"}
    await connection.jetstream().publish("dead.orchestrator.req-1", b"{}", headers=headers)
    await connection.close()
    assert "plan.ready" in guarded.ask("dead", "list").stdout
    alone = guarded.ask("dead", "replay", "1", NATS_PASSWORD_ASK=nats_users.PASSWORDS["ask"])
    assert alone.returncode == 1
    assert "plan.ready" in alone.stderr and "NATS_PASSWORD" in alone.stderr
    # Nobody can read it, so it comes back.
    sent = guarded.ask("dead", "replay", "1")
    assert (sent.returncode, sent.stderr) == (1, "")
    assert "jetzt Eintrag 2" in sent.stdout
    shown = json.loads(guarded.ask("dead", "show", "2").stdout)
    assert (shown["service"], shown["reason"], shown["requestId"]) == ("orchestrator", "unreadable", "req-1")
    assert shown["error"].startswith("Unreadable: ") and shown["deliveries"] == 1
    dropped = guarded.ask("dead", "drop", "2", NATS_PASSWORD_ASK=nats_users.PASSWORDS["ask"])
    assert (dropped.returncode, dropped.stderr) == (0, "")
    assert guarded.ask("dead", "list", "--json").stdout == ""


async def test_nothing_that_the_system_does_is_refused(guarded: Guarded) -> None:
    """Last in this module: all that came before counts."""
    assert guarded.refusals() == []
