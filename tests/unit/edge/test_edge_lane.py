"""Heavy work in its lane."""

import threading
from concurrent.futures import Future

import pytest

from edge import lane
from edge.lane import Lane


class Clock:
    """Time passes only for those who work and those who sleep."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(lane, "monotonic", clock.monotonic)
    monkeypatch.setattr(lane, "sleep", clock.sleep)
    return clock


def test_work_takes_its_share_of_the_time_and_no_more(clock: Clock) -> None:
    heavy = Lane("test", share=0.2)

    def work(seconds: float) -> float:
        clock.now += seconds
        return seconds

    def failing() -> None:
        clock.now += 2
        raise ValueError

    assert heavy.submit(lambda: work(1)).result() == 1
    assert heavy.submit(lambda: work(0.5)).result() == 0.5
    with pytest.raises(ValueError):
        heavy.submit(failing).result()
    heavy.submit(lambda: work(0)).result()
    assert clock.slept == [0, 4, 2, 8]
    clock.now += 60
    heavy.submit(lambda: work(1)).result()
    assert clock.slept[-1] == 0


def test_one_comes_after_the_other_and_who_has_gone_not_at_all() -> None:
    heavy = Lane("test", share=1.0)
    begun, go_on = threading.Event(), threading.Event()
    done: list[int] = []

    def first() -> None:
        begun.set()
        go_on.wait(10)
        done.append(1)

    def later(n: int) -> Future[None]:
        return heavy.submit(lambda: done.append(n))

    running = heavy.submit(first)
    waiting = [later(n) for n in (2, 3, 4)]
    assert begun.wait(10)
    assert waiting[1].cancel()
    assert done == []
    go_on.set()
    for each in (running, waiting[0], waiting[2]):
        each.result(10)
    assert done == [1, 2, 4]
