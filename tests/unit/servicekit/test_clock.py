"""The time that all services share."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import nats.errors
import pytest
import virtual_time
from servicekit import clock, streams
from servicekit.bus import Bus
from servicekit.service import Service
from servicekit.settings import ServiceSettings


def told(off_s: float, took_s: float = 0) -> None:
    """NATS has said how far the clock of this machine was off, and it took so long to read that."""
    asked = datetime.now(UTC) - timedelta(seconds=took_s)
    clock.set_by(asked + timedelta(seconds=off_s), asked)


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    told(0)


@pytest.mark.parametrize("off_s", [-3600, -60, 60, 3600])
def test_a_clock_that_is_off_gives_way_to_that_of_nats(off_s: int) -> None:
    told(off_s)
    ahead_s = (clock.now() - datetime.now(UTC)).total_seconds()
    assert abs(ahead_s - off_s) < 1


@pytest.mark.parametrize("off_s", [-4, 0, 4])
def test_a_difference_of_seconds_is_none(off_s: int) -> None:
    told(3600)
    told(off_s)
    assert abs((clock.now() - datetime.now(UTC)).total_seconds()) < 1


@pytest.mark.parametrize(("off_s", "ahead_s"), [(0, 0), (20, 0), (-3600, -3600), (3600, 3580)])
def test_how_long_the_answer_was_under_way_is_no_difference(off_s: int, ahead_s: int) -> None:
    told(off_s, took_s=20)
    assert abs((clock.now() - datetime.now(UTC)).total_seconds() - ahead_s) < 1


def test_a_clock_that_goes_wrong_while_a_service_runs_is_noticed_and_told_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    answers: list[float | Exception] = [0, 90, nats.errors.TimeoutError(), 90, 0]
    seen: list[float] = []

    async def server_time(*_: Any) -> datetime:
        seen.append(round((clock.now() - datetime.now(UTC)).total_seconds()))
        match answers[len(seen) - 1]:
            case Exception() as error:
                raise error
            case ahead_s:
                return datetime.now(UTC) + timedelta(seconds=ahead_s)

    monkeypatch.setattr(streams, "server_time", server_time)
    monkeypatch.setattr(Bus, "connection", None)

    async def running() -> None:
        keeping = asyncio.create_task(Service("planner", ServiceSettings())._keep_time())
        while len(seen) < len(answers):
            await asyncio.sleep(1)
        keeping.cancel()

    took_s = virtual_time.run(running)
    assert took_s == pytest.approx(60 * len(answers), abs=2)
    assert seen == [0, 0, 90, 90, 90]
    assert [(record.msg, record.__dict__["behind_s"]) for record in caplog.records] == [
        ("the clock of this machine is off", 90),
        ("the clock of this machine is right again", 0),
    ]
