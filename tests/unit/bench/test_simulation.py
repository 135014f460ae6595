"""The prediction of workers agrees with what is known of queues."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import simulation
from simulation import Pool, Stage, arrivals, passed, percentile, queued, served, turns, workers_needed

MOMENTS = st.lists(st.floats(min_value=0, max_value=100), min_size=1, max_size=60)


def erlang_wait_s(rate: float, takes_s: float, slots: int) -> float:
    """The mean wait of an M/M/c queue (Erlang C)."""
    load = rate * takes_s
    waiting = load**slots / math.factorial(slots) * slots / (slots - load)
    all_states = sum(load**n / math.factorial(n) for n in range(slots)) + waiting
    return waiting / all_states * takes_s / (slots - load)


@pytest.mark.parametrize(("rate", "slots"), [(1.5, 4), (3.0, 4), (3.6, 4), (15.0, 20)])
def test_the_mean_wait_is_that_of_the_formula(rate: float, slots: int) -> None:
    begun = arrivals(rate, 200_000, seed=3)
    source = random.Random(4)
    waits = queued(begun, [source.expovariate(1) for _ in begun], slots)
    expected = erlang_wait_s(rate, 1, slots)
    assert sum(waits) / len(waits) == pytest.approx(expected, rel=0.1, abs=0.002)


def test_a_slot_does_one_after_the_other() -> None:
    assert served([0, 0, 0, 10], [1, 2, 3, 1], 1) == [1, 3, 6, 11]
    assert served([0, 0, 0, 10], [1, 2, 3, 1], 2) == [1, 2, 4, 11]


def test_who_arrives_first_is_served_first() -> None:
    assert served([5, 0], [1, 10], 1) == [11, 10]


@given(moments=MOMENTS, slots=st.integers(1, 8))
def test_nobody_is_done_before_its_time_and_more_slots_are_never_slower(
    moments: list[float], slots: int
) -> None:
    takes_s = [1.0] * len(moments)
    few, more = served(moments, takes_s, slots), served(moments, takes_s, slots + 1)
    assert all(done >= moment + 1 for done, moment in zip(few, moments, strict=True))
    assert all(b <= a + 1e-9 for a, b in zip(few, more, strict=True))


def test_a_turn_that_nobody_holds_up_lasts_as_long_as_its_stages() -> None:
    stages = [Stage("planner", 0.5, 64), Stage("tool", 0.2, 64)]
    assert turns([0, 10, 20], stages, 0.01) == pytest.approx([0.71] * 3)


def test_too_few_slots_bound_the_turns_per_second() -> None:
    begun = arrivals(40, 2_000)
    lasted = turns(begun, [Stage("tool", 0.2, 4)], 0)
    end = max(start + seconds for start, seconds in zip(begun, lasted, strict=True))
    assert len(begun) / end == pytest.approx(20, rel=0.01)


@pytest.mark.parametrize(("rate", "takes_s"), [(0.5, 0.1), (50, 2), (100, 0.5), (30, 4)])
def test_the_workers_needed_are_the_fewest(rate: float, takes_s: float) -> None:
    needed = workers_needed(rate, takes_s, 64)
    assert needed * 64 > rate * takes_s
    more_patient = workers_needed(rate, takes_s, 64, queued_s=1_000)
    assert more_patient <= needed


def test_the_rate_of_arrivals_is_that_which_was_asked_for() -> None:
    begun = arrivals(25, 50_000)
    assert begun == sorted(begun)
    assert len(begun) / begun[-1] == pytest.approx(25, rel=0.02)
    assert simulation.arrivals(25, 10) == begun[:10]


def test_a_percentile_is_one_of_the_values() -> None:
    values = [float(n) for n in range(1, 101)]
    assert (percentile(values, 50), percentile(values, 95), percentile(values, 100)) == (50, 95, 100)
    assert percentile([7.0], 50) == 7


@pytest.mark.parametrize(("rate", "slots"), [(1.5, 4), (3.0, 4)])
def test_visits_of_one_pool_wait_as_the_formula_says(rate: float, slots: int) -> None:
    begun = arrivals(rate, 100_000, seed=5)
    path = ((Pool(slots), 1.0),)
    done = passed(begun, [path] * len(begun), seed=6)
    lasted = sum(end - start for start, end in zip(begun, done, strict=True)) / len(begun)
    assert lasted == pytest.approx(1 + erlang_wait_s(rate, 1, slots), rel=0.05)


def test_a_pool_begins_nothing_while_it_is_away() -> None:
    pool = Pool(1, away=(1.0, 3.0))
    assert [pool.serve(now, 0.5) for now in (0.0, 0.9, 2.0, 2.0, 9.0)] == [0.5, 1.4, 3.5, 4.0, 9.5]
    assert pool.busy_s == 2.5


def test_turns_on_paths_of_their_own_do_not_wait_for_each_other() -> None:
    slow, quick = ((Pool(1, away=(0.0, 100.0)), 1.0),), ((Pool(1), 1.0), (Pool(1), 1.0))
    done = passed([0.0, 0.0], [slow, quick], seed=1)
    assert done[0] > 100 > 50 > done[1]
