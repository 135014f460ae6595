"""What the processes of a running system count, and `ask top`, which shows it."""

import asyncio
import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from servicekit.lag import PENDING, UNACKNOWLEDGED

from ask import folder

from .running import System, running, until

pytestmark = pytest.mark.asyncio(loop_scope="session")

ADDRESS = "Gehe zur Langendorfstrasse 19b in Solothurn"
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


async def scraped(system: System, process: str) -> Samples:
    """What a process tells on its health port."""
    url = folder.read(system.stack.data_dir).metrics[process]
    async with httpx.AsyncClient(timeout=60) as http:
        body = (await http.get(url)).text
    samples = (s for family in text_string_to_metric_families(body) for s in family.samples)
    return {(s.name, tuple(sorted(s.labels.items()))): s.value for s in samples}


def at(samples: Samples, name: str, **labels: str) -> float:
    return samples.get((name, tuple(sorted(labels.items()))), 0.0)


async def test_a_turn_is_counted_by_interface_intent_and_tool(system: System) -> None:
    names = ("edge", "orchestrator", "tools-geo")
    before = dict(zip(names, [await scraped(system, name) for name in names], strict=True))
    await system.conversation().say(ADDRESS)
    streamed = {"sessionId": f"e2e-{uuid4()}", "userMessage": ADDRESS}
    await system.http.post("/api/chat/stream", json=streamed)
    counted = {
        "edge": [
            ("ask_turns_total", {"interface": "chat", "status": "ok"}, 1),
            ("ask_turns_total", {"interface": "stream", "status": "ok"}, 1),
            ("ask_turn_seconds_count", {"interface": "chat"}, 1),
        ],
        "orchestrator": [
            ("ask_steps_total", {"intent": "goto_address", "status": "ok"}, 2),
            ("ask_step_seconds_count", {"intent": "goto_address"}, 2),
        ],
        "tools-geo": [
            ("ask_tool_calls_total", {"capability": "geolocation.geocode", "status": "ok"}, 2),
            ("ask_tool_seconds_count", {"capability": "geolocation.geocode"}, 2),
        ],
    }

    async def differences() -> dict[str, float]:
        found: dict[str, float] = {}
        for process, expected in counted.items():
            after = await scraped(system, process)
            for name, labels, n in expected:
                grown = at(after, name, **labels) - at(before[process], name, **labels)
                found |= {f"{name} {labels}": grown} if grown != n else {}
        return found

    async def counted_all() -> bool:
        # A reply can come after the log has told the end.
        return not await differences()

    with suppress(TimeoutError):
        await until(counted_all)
    assert await differences() == {}


async def test_the_age_of_the_oldest_turn_and_what_waits_are_measured(system: System) -> None:
    with system.frozen("planner"):
        turn = asyncio.create_task(system.conversation().say(ADDRESS))
        await system.reached("planner")

        async def seen() -> bool:
            edge, orchestrator = await scraped(system, "edge"), await scraped(system, "orchestrator")
            where = {"stream": "COMMANDS", "consumer": "planner"}
            lag = at(orchestrator, PENDING._name, **where) + at(orchestrator, UNACKNOWLEDGED._name, **where)
            return lag >= 1 and at(edge, "ask_turn_oldest_seconds") > 1

        await until(seen, 25)
    assert (await turn)["overallStatus"] == "ok"
    assert at(await scraped(system, "edge"), "ask_turn_oldest_seconds") == 0
    measured = {labels for name, labels in await scraped(system, "orchestrator") if name == PENDING._name}
    assert {dict(labels)["consumer"] for labels in measured} >= {"orchestrator", "planner", "tools-geo"}


async def test_the_running_system_is_shown_in_one_frame_and_as_json(tmp_path: Path) -> None:
    async with running(tmp_path) as system:
        await system.conversation().say(ADDRESS)
        environment = {"ASK_DATA_DIR": str(system.stack.data_dir), "LC_ALL": "de_CH.UTF-8"}

        async def top(*options: str) -> str:
            command = [str(Path(sys.executable).with_name("ask")), "top", *options]
            return await asyncio.to_thread(
                lambda: (
                    subprocess.run(
                        command, env=environment, capture_output=True, text=True, check=True, timeout=60
                    ).stdout
                )
            )

        async def unreachable(*names: str) -> dict[str, Any]:
            """What is seen as soon as these do not answer, and all others do; a busy one is given up soon."""
            seen: dict[str, Any] = {}

            async def is_so() -> bool:
                seen.update(json.loads(await top("--json", "--interval", "0.2")))
                return bool(seen["unreachable"] == [*names])

            await until(is_so)
            return seen

        shown = await top("--once", "--interval", "0.2")
        assert "Anfragen/s" in shown and "geolocation.geocode" in shown and "goto_address" in shown
        seen = await unreachable()
        (chat,) = seen["interfaces"]
        assert (chat["name"], chat["calls"], chat["failed"]) == ("chat", 1, 0)
        assert chat["p50S"] > 0
        assert {each["consumer"] for each in seen["waiting"]} >= {"planner", "tools-geo", "responder"}
        with system.frozen("planner"):
            await unreachable("planner")


async def test_who_finds_no_system_is_told_what_to_do(tmp_path: Path) -> None:
    command = [str(Path(sys.executable).with_name("ask")), "top", "--once"]
    environment = {"ASK_DATA_DIR": str(tmp_path), "LC_ALL": "de_CH.UTF-8"}
    done = await asyncio.to_thread(
        subprocess.run, command, env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("In diesem Ordner läuft kein System.")
