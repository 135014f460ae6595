"""Turns whose commands a broken version of a service could not handle, and an operator at his terminal."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from .running import Conversation, Json, System, action_types, answer_of, running, until
from .shell import Shell

pytestmark = pytest.mark.asyncio(loop_scope="module")

EXAMPLE = Path(__file__).parents[2] / "examples" / "tools-hello" / "tools_hello.py"
BROKEN = """
import runpy, sys
from servicekit.tools import Toolbox

async def answer(toolbox, command):
    raise LookupError(f"no atlas at redis://:s3cret@host/0 for {command.args}")

Toolbox._answer = answer
runpy.run_path(sys.argv[1], run_name="__main__")
"""
MAX_DELIVER = "3"
"""As with the usual twelve, but in a second and not in a minute."""
ACK_WAIT_S = "10"
"""Who only stands still has not failed."""
SENTENCE = "Zeige das Kartenblatt 1127"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def system(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[System]:
    folder = tmp_path_factory.mktemp("dead-turns")
    async with running(
        folder, MAX_DELIVER=MAX_DELIVER, ACK_WAIT_S=ACK_WAIT_S, TURN_TIMEOUT_S="120"
    ) as started:
        started.http.timeout = 120
        yield started


@pytest.fixture
def shell(system: System, tmp_path: Path) -> Shell:
    return Shell(system.stack.data_dir, tmp_path)


@asynccontextmanager
async def sheets(system: System, *command: str) -> AsyncIterator[None]:
    """A version of the service that finds sheets, from when its tool is offered until it is stopped."""
    bus = {"NATS_URL": system.stack.nats_url, "MAX_DELIVER": MAX_DELIVER, "ACK_WAIT_S": ACK_WAIT_S}
    environment = {**os.environ, **bus}
    process = await asyncio.create_subprocess_exec(
        sys.executable, *command, str(EXAMPLE), env=environment, stderr=asyncio.subprocess.DEVNULL
    )

    async def offered() -> bool:
        return "maps.sheet" in await system.capabilities()

    async def gone() -> bool:
        return not await offered()

    try:
        await until(offered, 60)
        yield
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
        await until(gone, 60)


async def buried(system: System, shell: Shell) -> Json:
    """The one entry, as the operator sees it."""

    async def there() -> bool:
        return (await system.js.stream_info("DEAD")).state.messages == 1

    await until(there, 60)
    document: Json = json.loads((await shell.ask("dead", "list", "--json")).out)
    return document


async def died(system: System, shell: Shell) -> tuple[asyncio.Task[httpx.Response], str, Json]:
    """A question whose command has died, its turn, and the entry."""
    talk = system.conversation()
    async with sheets(system, "-c", BROKEN):
        asked = asyncio.create_task(talk.post(userMessage=SENTENCE))
        entry = await buried(system, shell)
    return asked, await system.begun(talk), entry


async def test_a_turn_is_completed_when_its_command_is_replayed_to_a_repaired_version(
    system: System, shell: Shell
) -> None:
    asked, request_id, entry = await died(system, shell)
    assert entry["requestId"] == request_id
    assert (entry["service"], entry["reason"], entry["deliveries"]) == ("tools-hello", "failed", 3)
    assert (entry["stream"], entry["subject"]) == ("COMMANDS", "tool.call.maps.sheet")
    assert entry["error"] == "LookupError: no atlas at redis://host/0 for {'sheet': '...'}"
    listed = (await shell.ask("dead", "list")).out.splitlines()
    assert len(listed) == 2
    assert "tools-hello" in listed[1] and "failed" in listed[1] and "LookupError" in listed[1]
    shown = (await shell.ask("dead", "show", str(entry["entry"]))).json()
    assert shown["message"]["args"] == {"sheet": "1127"}
    assert shown["headers"]["Ask-Request-Id"] == request_id and shown["headers"]["Ask-Deadline"]

    async with sheets(system):
        replayed = await shell.ask("dead", "replay", str(entry["entry"]))
    assert (replayed.code, replayed.err) == (0, "")
    assert f"Die Anfrage {request_id} ist beendet: ok." in replayed.out
    response = answer_of(await asked)
    assert response["overallStatus"] == "ok"
    assert action_types(response["steps"][0]) == ["setView", "addMarker"]
    assert response["steps"][0]["mapActions"][1]["payload"]["label"] == "Kartenblatt 1127"
    assert (await system.js.stream_info("DEAD")).state.messages == 0


async def test_of_a_turn_that_is_over_the_operator_is_told_so_and_nothing_is_sent(
    system: System, shell: Shell
) -> None:
    asked, request_id, entry = await died(system, shell)
    assert (await system.http.delete(f"/api/chat/{request_id}")).is_success
    await asked
    await system.settled()
    replayed = await shell.ask("dead", "replay", "--all")
    assert (replayed.code, replayed.err) == (0, "")
    assert f"Eintrag {entry['entry']}: Die Anfrage {request_id} ist seit" in replayed.out
    assert "Nichts wurde gesendet" in replayed.out
    # Nobody is there who could have taken it.
    assert (await system.js.stream_info("COMMANDS")).state.messages == 0
    assert (await system.js.stream_info("DEAD")).state.messages == 0


async def test_what_is_dropped_is_gone_and_unknown_numbers_are_an_error(system: System, shell: Shell) -> None:
    talk: Conversation = system.conversation()
    async with sheets(system, "-c", BROKEN):
        asked = asyncio.create_task(talk.post(userMessage=SENTENCE))
        number = str((await buried(system, shell))["entry"])
    asked.cancel()
    dropped = await shell.ask("dead", "drop", number)
    assert (dropped.code, dropped.out) == (0, f"Eintrag {number} ist gelöscht.\n")
    for command in ("show", "replay", "drop"):
        unknown = await shell.ask("dead", command, number)
        assert (unknown.code, unknown.out) == (1, "")
        assert unknown.err == f"Den Eintrag {number} gibt es nicht (mehr).\n"
