"""The time that all services share."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from servicekit import clock


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    clock.set_by(datetime.now(UTC))


@pytest.mark.parametrize("off_s", [-3600, -60, 60, 3600])
def test_a_clock_that_is_off_gives_way_to_that_of_nats(off_s: int) -> None:
    clock.set_by(datetime.now(UTC) + timedelta(seconds=off_s))
    ahead_s = (clock.now() - datetime.now(UTC)).total_seconds()
    assert abs(ahead_s - off_s) < 1


@pytest.mark.parametrize("off_s", [-4, 0, 4])
def test_a_difference_of_seconds_is_none(off_s: int) -> None:
    clock.set_by(datetime.now(UTC) + timedelta(hours=1))
    clock.set_by(datetime.now(UTC) + timedelta(seconds=off_s))
    assert abs((clock.now() - datetime.now(UTC)).total_seconds()) < 1
