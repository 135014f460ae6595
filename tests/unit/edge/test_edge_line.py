"""A moment of waiting before the room at work, in fair order."""

import asyncio

import pytest

from edge.line import Line, TooLong
from edge.pace import Pace
from edge.places import Claim


def of(key: str) -> tuple[Claim, ...]:
    return (Claim("principal", key),)


def small(most: int, patience_s: float = 30) -> Line:
    return Line(Pace(most, most, target_s=10), patience_s)


async def queued(line: Line, *keys: str) -> list[asyncio.Task[float]]:
    tasks = []
    for key in keys:
        tasks.append(asyncio.create_task(line.enter(of(key))))
        await asyncio.sleep(0)
    return tasks


async def test_who_finds_no_room_in_time_is_told() -> None:
    line = small(1, patience_s=0.01)
    await line.enter(of("a"))
    with pytest.raises(TooLong):
        await line.enter(of("b"))


async def test_turns_of_one_that_never_end_leave_room_for_others() -> None:
    line = small(32, patience_s=0.01)
    stuck = [asyncio.create_task(line.enter(of("greedy"))) for _ in range(100)]
    ended = await asyncio.gather(*stuck, return_exceptions=True)
    assert sum(isinstance(each, float) for each in ended) == 17
    for n in range(8):
        line.leave(of(f"other-{n}"), await line.enter(of(f"other-{n}")))


async def test_next_is_who_has_the_fewest_at_work() -> None:
    line = small(3)
    began = [await line.enter(of(key)) for key in ("greedy", "greedy", "third")]
    greedy, other = await queued(line, "greedy", "other")
    line.leave(of("greedy"), began[0])
    await asyncio.sleep(0)
    assert other.done() and not greedy.done()
    line.leave(of("third"), began[2])
    await greedy


async def test_among_equals_the_first_comes_first() -> None:
    line = small(1)
    began = await line.enter(of("x"))
    first, second = await queued(line, "a", "b")
    line.leave(of("x"), began)
    await asyncio.sleep(0)
    assert first.done() and not second.done()
    line.leave(of("a"), first.result())
    await second


async def test_a_client_that_leaves_the_line_takes_no_room() -> None:
    line = small(1)
    began = await line.enter(of("x"))
    gone, waiting = await queued(line, "a", "b")
    gone.cancel()
    await asyncio.sleep(0)
    line.leave(of("x"), began)
    await waiting
    line.leave(of("b"), waiting.result())
    await asyncio.wait_for(line.enter(of("c")), 30)


async def test_room_that_is_given_to_somebody_who_leaves_at_that_moment_goes_to_the_next() -> None:
    line = small(1)
    began = await line.enter(of("x"))
    gone, waiting = await queued(line, "a", "b")
    line.leave(of("x"), began)
    gone.cancel()
    await asyncio.wait_for(waiting, 30)
    with pytest.raises(asyncio.CancelledError):
        await gone


async def test_a_turn_that_was_stopped_says_nothing_about_how_long_turns_take() -> None:
    line = small(4)
    line.leave(of("a"), await line.enter(of("a")), learn=False)
    assert line.pace.typical_s == 0
