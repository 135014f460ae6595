"""One supervised process."""

import asyncio
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from ask.children import Child, Program, launch
from ask.events import Crashed, Event, Ready
from ask.guard import Guard
from ask.ports import Ports
from ask.probes import http_ready
from ask.process import NOT_FOUND, Process, StartFailed
from ask.services import Service

Make = Callable[[Service], Process]


@pytest.fixture
def events() -> list[Event]:
    return []


@pytest.fixture
def make(tmp_path: Path, events: list[Event]) -> Iterator[Make]:
    guard = Guard()
    ports = Ports()

    def process(service: Service) -> Process:
        port = ports.take()
        program = Program(service.name, service.argv, http_ready(port), {"HEALTH_PORT": str(port)})
        return Process(program, tmp_path / f"{service.name}.log", guard, events.append)

    yield process
    guard.close()


async def test_a_started_process_is_ready_and_a_stopped_one_is_gone(
    make: Make, fake: Callable[..., Service], events: list[Event]
) -> None:
    process = make(fake("geo"))
    await process.start(10)
    assert process.is_ready
    assert process.pid is not None
    pid = process.pid
    await process.stop(5)
    assert process.pid is None
    assert not psutil.pid_exists(pid)
    assert events == [Ready("geo", again=False)]


async def test_a_killed_process_is_started_again_after_growing_pauses(
    make: Make, fake: Callable[..., Service], events: list[Event]
) -> None:
    process = make(fake("geo"))
    await process.start(10)
    pids = set()
    for _ in range(3):
        pids.add(process.pid)
        process.kill()
        await process.wait_ready(10)
    pids.add(process.pid)
    await process.stop(5)
    assert len(pids) == 4
    crashes = [event for event in events if isinstance(event, Crashed)]
    assert [crash.restart_in_s for crash in crashes] == [0.2, 0.4, 0.8]
    assert {crash.exit_code for crash in crashes} == {-signal.SIGKILL}
    assert events[-1] == Ready("geo", again=True)


async def test_a_process_that_ignores_the_request_to_end_is_killed(
    make: Make, fake: Callable[..., Service]
) -> None:
    process = make(fake("geo", "stubborn"))
    await process.start(10)
    assert process.pid is not None
    pid = process.pid
    async with asyncio.timeout(60):
        await process.stop(0.3)
    assert not psutil.pid_exists(pid)


async def test_children_end_with_their_process(
    make: Make, fake: Callable[..., Service], nothing_left: Callable[..., None]
) -> None:
    process = make(fake("geo", "parent"))
    await process.start(10)
    family = [psutil.Process(process.pid), *psutil.Process(process.pid).children()]
    assert len(family) == 2
    await process.stop(5)
    nothing_left(family)


async def test_a_process_that_ends_before_it_is_ready_has_failed(
    make: Make, fake: Callable[..., Service]
) -> None:
    process = make(fake("geo", "broken"))
    with pytest.raises(StartFailed) as failure:
        await process.start(10)
    assert failure.value.exit_code == 1
    assert "this cannot work" in failure.value.log.read_text()
    assert process.pid is None


async def test_a_process_that_is_never_ready_has_failed_and_is_gone(make: Make) -> None:
    process = make(Service("geo", (sys.executable, "-c", "import time; time.sleep(60)")))
    start = asyncio.create_task(process.start(0.5))
    await asyncio.sleep(0.2)
    pid = process.pid
    with pytest.raises(StartFailed) as failure:
        await start
    assert failure.value.exit_code is None
    assert pid is not None
    assert not psutil.pid_exists(pid)


async def test_a_program_that_does_not_exist_has_failed(make: Make) -> None:
    with pytest.raises(StartFailed) as failure:
        await make(Service("geo", ("/no/such/program",))).start(10)
    assert failure.value.exit_code == NOT_FOUND


async def test_a_stop_in_the_pause_after_a_crash_starts_nothing(
    make: Make, fake: Callable[..., Service], events: list[Event]
) -> None:
    process = make(fake("geo"))
    await process.start(10)
    process.kill()
    while not any(isinstance(event, Crashed) for event in events):
        await asyncio.sleep(0.01)
    async with asyncio.timeout(1):
        await process.stop(5)
    assert process.pid is None
    assert process.restarts == 0


async def test_a_stop_while_the_next_process_is_launched_ends_it(
    fake: Callable[..., Service], tmp_path: Path
) -> None:
    launched: list[Child] = []
    launching, may_go_on = asyncio.Event(), asyncio.Event()

    async def slowly(program: Program, log: Path) -> Child:
        if launched:
            launching.set()
            await may_go_on.wait()
        launched.append(await launch(program, log))
        return launched[-1]

    guard, port, service = Guard(), Ports().take(), fake("geo")
    program = Program(service.name, service.argv, http_ready(port), {"HEALTH_PORT": str(port)})
    process = Process(program, tmp_path / "log", guard, lambda _: None, slowly)
    await process.start(10)
    process.kill()
    await launching.wait()
    stopping = asyncio.create_task(process.stop(5))
    await asyncio.sleep(0)
    may_go_on.set()
    await asyncio.wait_for(stopping, 10)
    assert launched[-1].exited.done() and process.pid is None
    guard.close()


async def test_a_paused_process_goes_on(make: Make, fake: Callable[..., Service]) -> None:
    process = make(fake("geo"))
    await process.start(10)
    process.kill(signal.SIGSTOP)
    process.kill(signal.SIGCONT)
    assert process.is_ready
    await process.stop(5)
    assert process.restarts == 0
