"""The guardian: processes end with their supervisor."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import psutil
import pytest

from ask.guard import Guard

Sleeper = Callable[..., psutil.Process]


@pytest.fixture
def sleeper() -> Iterator[Sleeper]:
    """Starts processes that would run for a minute."""
    started = []

    def start(code: str = "pass") -> psutil.Process:
        program = f"import signal, time; {code}; print(flush=True); time.sleep(60)"
        process = subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, start_new_session=True
        )
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        started.append(process)
        # Somebody has to take note of its end, as the init process does for orphans.
        threading.Thread(target=process.wait, daemon=True).start()
        return psutil.Process(process.pid)

    yield start
    for process in started:
        process.kill()
        process.wait()


def test_what_is_watched_ends_with_the_guard(sleeper: Sleeper, nothing_left: Callable[..., None]) -> None:
    guard = Guard()
    watched, also = sleeper(), sleeper()
    guard.watch(watched.pid)
    guard.watch(also.pid)
    guard.close()
    nothing_left([watched, also])


def test_what_is_forgotten_stays(sleeper: Sleeper) -> None:
    guard = Guard()
    forgotten = sleeper()
    guard.watch(forgotten.pid)
    guard.forget(forgotten.pid)
    guard.close()
    assert forgotten.status() != psutil.STATUS_ZOMBIE


def test_a_process_that_will_not_end_is_killed(sleeper: Sleeper, nothing_left: Callable[..., None]) -> None:
    guard = Guard()
    stubborn = sleeper("signal.signal(signal.SIGTERM, signal.SIG_IGN)")
    guard.watch(stubborn.pid)
    guard.close()
    nothing_left([stubborn])


def test_a_killed_guardian_has_a_successor_that_knows_everything(
    sleeper: Sleeper, nothing_left: Callable[..., None]
) -> None:
    guard = Guard()
    before, after = sleeper(), sleeper()
    guard.watch(before.pid)
    first = psutil.Process(guard.pid)
    first.kill()
    while first.status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)
    guard.watch(after.pid)
    assert guard.pid != first.pid
    guard.close()
    nothing_left([before, after])
