"""How many turns may be at work follows from how long they take."""

import heapq
from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from edge.pace import LEAST, Pace

FIRST = 32


def drive(pace: Pace, took: Callable[[int], float], turns: int) -> list[float]:
    """As many turns at work as it lets in, all the time; `took`: seconds of a turn among so many others."""
    now = 0.0
    at_work: list[tuple[float, float]] = []
    ended: list[float] = []
    while len(ended) < turns:
        while len(at_work) < pace.limit:
            pace.began(len(at_work), now)
            heapq.heappush(at_work, (now + took(len(at_work) + 1), now))
        now, began = heapq.heappop(at_work)
        pace.ended(now - began, len(at_work) + 1, now)
        ended.append(now - began)
    return ended


def shared(per_second: float) -> Callable[[int], float]:
    """A system that works off so many turns in a second, however many are at work."""
    return lambda at_work: at_work / per_second


def test_short_turns_soon_get_all_the_room_there_is() -> None:
    pace = Pace(FIRST, 512, target_s=10)
    drive(pace, lambda at_work: 0.05, 1_500)
    assert pace.limit == 512


def test_a_system_that_cannot_keep_up_is_given_what_it_ends_in_time() -> None:
    pace = Pace(FIRST, 512, target_s=10)
    ended = drive(pace, shared(per_second=8), 4_000)
    late = sorted(ended[1_000:])
    assert late[int(0.95 * len(late))] < 1.3 * 10
    # And it has enough to do.
    assert pace.limit > 0.2 * 8 * 10


def test_turns_that_are_slow_whatever_else_is_at_work_get_some_room_nevertheless() -> None:
    pace = Pace(FIRST, 512, target_s=10)
    drive(pace, lambda at_work: 25.0, 500)
    assert pace.limit == LEAST


def test_one_slow_turn_in_twenty_changes_nothing() -> None:
    pace = Pace(FIRST, FIRST, target_s=10)
    for n in range(400):
        pace.ended(30.0 if n % 25 == 0 else 0.1, FIRST, float(n))
    assert pace.limit == FIRST


def test_what_was_not_tried_out_is_not_believed() -> None:
    pace = Pace(FIRST, 512, target_s=10)
    for n in range(1_000):
        pace.ended(0.1, 3, float(n))
    assert pace.limit == FIRST


def test_after_a_rest_it_begins_anew() -> None:
    pace = Pace(FIRST, 512, target_s=10)
    drive(pace, lambda at_work: 0.01, 2_000)
    pace.began(0, 1_000.0)
    assert pace.limit == FIRST


@given(
    st.integers(1, 600),
    st.lists(st.tuples(st.floats(0, 60), st.integers(1, 600), st.floats(0, 20)), max_size=200),
)
def test_the_limit_stays_within_its_bounds(most: int, turns: list[tuple[float, int, float]]) -> None:
    pace, now = Pace(FIRST, most, target_s=10), 0.0
    for seconds, at_work, later in turns:
        now += later
        pace.began(at_work - 1, now)
        pace.ended(seconds, at_work, now)
        assert min(LEAST, most) <= pace.limit <= most
        assert pace.typical_s >= 0
