"""docs/runbook.md holds: a running system is broken in each of its ways, its commands are typed as they stand
there, and what comes is what the page says."""

import asyncio
import os
import re
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pages
import pytest
import pytest_asyncio
from contracts.subjects import TOOL_TTL_S
from recorded.environment import environment
from tests.chaos import disks
from tests.chaos.disks import Disk
from tests.chaos.faults import FAKETIME
from tests.chaos.world import cluster

from ask.backoff import Backoff
from ask.permissions import ADMIN, OPERATOR, password_variable, users
from ask.servers import NATS, REDIS
from ask.services import EDGE, SERVICES, compacted, needed
from ask.stack import Stack

from .research import QUESTION
from .running import System, problem_of, running, until

pytestmark = pytest.mark.asyncio(loop_scope="module")

PAGE = pages.ROOT / "docs" / "runbook.md"
GOTO = "Gehe zur Langendorfstrasse 19b in Solothurn"
OEREB = "Lade den ÖREB-Auszug an der Koordinate 2600513, 1215519"
NOWHERE = "http://127.0.0.1:9"
"""Nobody listens there."""
SEEN_S = 60.0
TIMES = {"TURN_TIMEOUT_S": "8", "WAIT_TIMEOUT_S": "9"}

RUNBOOK = pages.sections(PAGE)
WHERE, FIRST = "Where", "First"


def missing(wanted: str, came: str) -> str | None:
    """The first line of the page that did not come behind the ones before; others may be between."""
    lines = iter(came.splitlines())
    return next((line for line in wanted.splitlines() if not any(alike(line, each) for each in lines)), None)


def alike(wanted: str, came: str) -> bool:
    """Whether it is this line: `…` is anything, and how much space there is does not matter."""
    parts = re.split(r"(…|\s+)", wanted.strip())
    pattern = "".join({"…": ".*"}.get(part, r"\s+" if part.isspace() else re.escape(part)) for part in parts)
    return re.fullmatch(pattern, came.strip()) is not None


class Terminal:
    """Of somebody who has the page open at a situation."""

    def __init__(self, data_dir: Path, situation: str, home: Path) -> None:
        part = RUNBOOK[situation]
        self._said = " ".join(part.prose.split())
        self._left = list(part.blocks)
        self._environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("ASK_", "NATS_", "LC_", "LANG"))},
            "ASK_DATA_DIR": str(data_dir),
            "XDG_STATE_HOME": str(home),
            "COLUMNS": "200",
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }

    def reads(self, *symptoms: str) -> None:
        """The page says that this is seen."""
        for symptom in symptoms:
            assert symptom in self._said, symptom

    async def types(self, **variables: str) -> None:
        """The next block of commands; the last of them again until what comes is what the page shows."""
        *commands, last = self._next("sh").splitlines()
        wanted = self._next("text") if self._left and self._left[0].language == "text" else ""
        before = "".join([await self._run(command, variables) for command in commands])
        came = ""

        async def seen() -> bool:
            nonlocal came
            came = before + await self._run(last, variables)
            return missing(wanted, came) is None

        try:
            await until(seen, SEEN_S)
        except TimeoutError:
            raise AssertionError(f"{missing(wanted, came)!r} is not in\n{came}") from None

    def _next(self, language: str) -> str:
        block = self._left.pop(0)
        assert block.language == language, block
        return block.text

    async def _run(self, command: str, variables: dict[str, str]) -> str:
        (where,) = RUNBOOK[WHERE].blocks
        process = await asyncio.create_subprocess_exec(
            "bash",
            "-c",
            f"set -u\n{where.text}\n{command}",
            cwd=pages.ROOT,
            env=self._environment | variables,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        out, _ = await asyncio.wait_for(process.communicate(), 60)
        return out.decode()

    def is_done(self) -> bool:
        return not self._left


class Operator(Terminal):
    """Sits at a running system."""

    def __init__(self, system: System, disks: dict[str, Disk], situation: str, home: Path) -> None:
        super().__init__(system.stack.data_dir, situation, home)
        self.system = system
        self._disks = disks

    def disk_of(self, server: str) -> Disk:
        if server not in self._disks:
            pytest.skip("needs root, loop devices and e2fsprogs")
        return self._disks[server]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def living(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[System, dict[str, Disk]]]:
    """A system, and the disks of its servers where this machine can have such."""
    folder = tmp_path_factory.mktemp("runbook")
    async with AsyncExitStack() as exits:
        found: dict[str, Disk] = {}
        for server in (NATS, REDIS) if disks.available() else ():
            name = server.removesuffix("-server")
            found[server] = Disk(folder / f"{name}.img", folder / "data" / name)
            await found[server].mount_new()
            exits.push_async_callback(found[server].unmount)
        yield await exits.enter_async_context(running(folder, **TIMES)), found


async def told(operator: Operator, sentence: str, words: str) -> None:
    """Answers say so; and the page says that they do."""
    operator.reads(f"`{words}`")

    async def is_so() -> bool:
        answered = await operator.system.conversation().post(userMessage=sentence)
        return answered.status_code == 200 and any(
            words in step["message"] for step in answered.json()["steps"]
        )

    await until(is_so, SEEN_S)


async def refused(operator: Operator, status: int, code: str) -> None:
    """Turns are refused like that, as soon as the edge knows; and the page says so."""
    operator.reads(f"{status} `{code}`")

    async def is_so() -> bool:
        answered = await operator.system.conversation().post(userMessage=GOTO)
        return answered.status_code == status and bool(problem_of(answered)["code"] == code)

    await until(is_so, SEEN_S)


async def fails(operator: Operator, *checks: str, reason: str = "") -> None:
    """Until these checks fail, and no others, for that reason; and the page says so."""
    for check in checks:
        operator.reads(f'"{check}": "{reason}"' if reason else f'"{check}"')

    found: dict[str, str] = {}

    async def is_so() -> bool:
        nonlocal found
        found = (await operator.system.http.get("/readyz")).json()["failures"]
        return found.keys() == {*checks} and (not reason or {*found.values()} == {reason})

    try:
        await until(is_so, SEEN_S)
    except TimeoutError:
        raise AssertionError(found) from None


@asynccontextmanager
async def started_with(system: System, name: str, *prefix: str, **variables: str) -> AsyncIterator[None]:
    """From here on a process has other variables; in the end it has those of before, and runs."""
    process = system.stack.processes[name]
    real = process.program
    process.program = replace(real, environment={**real.environment, **variables}, argv=(*prefix, *real.argv))
    process._backoff = Backoff()
    before = process.pid
    system.stack.kill(name, signal.SIGTERM)

    async def is_another() -> bool:
        return process.pid not in (None, before)

    await until(is_another, SEEN_S)
    try:
        yield
    finally:
        process.program = real
        process._backoff = Backoff()
        if process.pid is not None:
            system.stack.kill(name, signal.SIGKILL)
        await until_ready(system, name)


@asynccontextmanager
async def filled(disk: Disk) -> AsyncIterator[None]:
    await disk.fill()
    try:
        yield
    finally:
        disk.free()


async def started(system: System, name: str) -> bool:
    return system.stack.processes[name].pid is not None


async def is_gone(system: System, capability: str) -> bool:
    return capability not in await system.capabilities()


async def until_ready(system: System, name: str) -> None:
    await system.stack.wait_ready(name, SEEN_S)


# -- how to break it ---------------------------------------------------------------------------------


async def first(operator: Operator) -> None:
    await operator.types()


async def redis_silent(operator: Operator) -> None:
    with operator.system.frozen(REDIS):
        await fails(operator, "redis", reason="no answer")
        await refused(operator, 503, "state_unavailable")
        await operator.types()


async def nats_silent(operator: Operator) -> None:
    with operator.system.frozen(NATS):
        await fails(operator, "nats", "streams")
        await refused(operator, 503, "bus_unavailable")
        await operator.types()


async def redis_full(operator: Operator) -> None:
    await operator.system.redis.config_set("maxmemory", 1_000_000)
    await fails(operator, "stores", reason="redis is full")
    await refused(operator, 503, "store_full")
    operator.reads('ask_store_fullness{store="redis"}')
    await operator.types()


async def disk_of_redis_full(operator: Operator) -> None:
    async with filled(operator.disk_of(REDIS)):
        await refused(operator, 503, "store_full")
        await fails(operator, "stores", reason="redis is full")
        await operator.types()
    await operator.types()


async def disk_of_jetstream_full(operator: Operator) -> None:
    async with filled(operator.disk_of(NATS)):
        await refused(operator, 503, "bus_unavailable")
        await fails(operator, "streams")
        operator.reads('"streams": "takes nothing"', '"no answer"')
        await operator.types()
    await operator.types()
    await operator.types()


async def nats_empty(operator: Operator) -> None:
    nats = operator.system.stack.processes[NATS]
    real, nats.program = nats.program, replace(nats.program, argv=("/bin/sleep", "3600"))
    operator.system.stack.kill(NATS)
    await operator.system.ready(False)
    shutil.rmtree(operator.system.stack.data_dir / "nats" / "store")
    nats.program = real
    await until(lambda: started(operator.system, NATS), SEEN_S)
    operator.system.stack.kill(NATS)
    await fails(operator, "streams", reason="not declared")
    await refused(operator, 503, "bus_unavailable")
    await operator.types()


async def password_wrong(operator: Operator) -> None:
    processes = operator.system.stack.processes
    of_planner, of_nats = processes["planner"].program, processes[NATS].program
    fresh = "s0123456789abcdef"
    variables = {**of_planner.environment, "NATS_PASSWORD": fresh}
    processes["planner"].program = replace(of_planner, environment=variables)
    operator.system.stack.kill("planner")
    operator.reads("`given up`", "`NATS does not let it in`")
    await operator.types()
    # Somebody gives NATS the new one too, as the page says.
    variables = {**of_nats.environment, "NATS_PASSWORD_PLANNER": fresh}
    processes[NATS].program = replace(of_nats, environment=variables)
    await operator.types()


async def keeps_ending(operator: Operator) -> None:
    async with started_with(operator.system, "tools-oereb", MAX_CONCURRENCY="viele"):
        operator.reads("`abgestürzt`")
        await operator.types()
        await operator.types()
    await operator.types()


async def dead_letters(operator: Operator) -> None:
    headers = {"Nats-Msg-Id": "of-another-version"}
    await operator.system.js.publish("plan.requested", b"{}", headers=headers)

    async def buried() -> bool:
        return (await operator.system.js.stream_info("DEAD")).state.messages == 1

    await until(buried, SEEN_S)
    await operator.types()
    await operator.types()


async def turns_time_out(operator: Operator) -> None:
    system, talk = operator.system, operator.system.conversation()
    with system.frozen("planner"):
        answered = await talk.post(userMessage=GOTO)
        document = answered.json()
        if answered.status_code != 504:
            (step,) = document["steps"]
            assert "zu lange" in step["message"]
        operator.reads("`zu lange`", "504 `turn_timeout`")
        await operator.types()
        await operator.types(REQUEST=document["requestId"])
        await operator.types()


async def tool_missing(operator: Operator) -> None:
    system = operator.system
    with system.frozen("tools-oereb"):
        await until(lambda: is_gone(system, "oereb.extract_by_id"), TOOL_TTL_S + SEEN_S)
        await told(operator, OEREB, "geht im Moment nicht")
        await operator.types()
        await operator.types()


async def clock_off(operator: Operator) -> None:
    if FAKETIME is None:
        pytest.skip("needs faketime")
    clock = (f"LD_PRELOAD={FAKETIME}", "FAKETIME=+60s", "FAKETIME_DONT_FAKE_MONOTONIC=1")
    async with started_with(operator.system, "planner", "/usr/bin/env", *clock):
        operator.reads("`the clock of this machine is off`")
        await operator.types()


async def model_fails(operator: Operator) -> None:
    variables = {"OPENAI_API_KEY": "sk-for-tests-only", "OPENAI_BASE_URL": NOWHERE}
    async with started_with(operator.system, "responder", **variables):
        await until_ready(operator.system, "responder")
        await told(operator, QUESTION, "Das Sprachmodell hat")
        await operator.types()


async def source_fails(operator: Operator) -> None:
    async with started_with(operator.system, "tools-geo", **environment(NOWHERE)):
        await until_ready(operator.system, "tools-geo")
        await told(operator, GOTO, "nicht erreichbar")
        await operator.types()


async def edge_refuses(operator: Operator) -> None:
    system, talk = operator.system, operator.system.conversation()
    async with started_with(system, EDGE, TURNS_AT_FIRST="1", MAX_WAITING_TURNS="1"):
        await until_ready(system, EDGE)
        with system.frozen("planner"):
            asked = [asyncio.create_task(talk.post(userMessage=GOTO)) for _ in range(5)]
            done, _ = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            told = done.pop().result()
            assert (told.status_code, problem_of(told)["code"]) == (429, "too_many_turns")
            operator.reads("429 `too_many_turns`")
            await operator.types()
        await asyncio.gather(*asked)
        await operator.types()


OF_THREE = "One of three NATS servers is lost"
"""In a system of its own."""
BROKEN: dict[str, Callable[[Operator], Awaitable[None]]] = {
    FIRST: first,
    "Redis does not answer": redis_silent,
    "NATS does not answer": nats_silent,
    "Redis is full": redis_full,
    "The disk of Redis is full": disk_of_redis_full,
    "The disk of JetStream is full": disk_of_jetstream_full,
    "NATS has lost its disk": nats_empty,
    "A password is wrong": password_wrong,
    "A service keeps ending": keeps_ending,
    "Dead letters": dead_letters,
    "Turns time out": turns_time_out,
    "A tool is missing": tool_missing,
    "A clock is off": clock_off,
    "A model fails": model_fails,
    "A source fails": source_fails,
    "The edge refuses": edge_refuses,
}


@pytest.mark.parametrize(
    ("wanted", "came", "is_there"),
    [
        ("planner COMMANDS 0 0", "  planner COMMANDS      0   0  ", True),
        ("made … now", "made by hand now", True),
        ("OK", "first\nOK\nlast", True),
        ("OK", "not OK", False),
        ("0", "10", False),
        ("1\n2", "2\n1", False),
    ],
)
async def test_what_does_not_come_is_noticed(wanted: str, came: str, is_there: bool) -> None:
    assert (missing(wanted, came) is None) is is_there


async def test_every_situation_is_tried() -> None:
    assert {"", WHERE, OF_THREE, *BROKEN} == RUNBOOK.keys()


async def test_every_situation_is_found_from_what_is_seen() -> None:
    rows = pages.table(PAGE, FIRST, "seen")
    linked = {anchor for row in rows for anchor in re.findall(r"\(#([\w-]+)\)", row["see"])}
    assert linked == pages.anchors(PAGE) - {"runbook", WHERE.lower(), FIRST.lower()}


@pytest.mark.parametrize("name", BROKEN)
async def test_what_the_page_says_to_type_helps(
    living: tuple[System, dict[str, Disk]], name: str, tmp_path: Path
) -> None:
    system, found = living
    await works(system)
    operator = Operator(system, found, name, tmp_path)
    await BROKEN[name](operator)
    assert operator.is_done()
    await works(system)


async def works(system: System) -> None:
    """Every process is there again, and turns are answered."""
    await system.ready(timeout_s=SEEN_S)
    for name in system.stack.processes:
        await until_ready(system, name)

    async def is_so() -> bool:
        answered = await system.conversation().post(userMessage=GOTO)
        return answered.status_code == 200 and answered.json()["overallStatus"] == "ok"

    await until(is_so, SEEN_S)


async def test_one_of_three_servers_is_not_missed(tmp_path: Path) -> None:
    passwords = {user.name: f"s{user.name}0123456789".replace("-", "") for user in (*users(), ADMIN)}
    services = compacted(needed(SERVICES, {}))
    async with cluster(tmp_path, passwords) as members:
        url = ",".join(f"nats://127.0.0.1:{member.port}" for member in members)
        async with Stack(tmp_path / "data", nats_url=url, passwords=passwords, services=services):
            terminal = Terminal(tmp_path / "data", OF_THREE, tmp_path)
            rights = {password_variable(OPERATOR): passwords[OPERATOR]}
            await terminal.types(**rights)
            members[0].kill()
            await terminal.types(**rights)
    assert terminal.is_done()
