"""Tasks that do not hear at once that they are to end."""

import asyncio

from servicekit.tasks import end


async def deaf(times: int) -> None:
    """Loses so many cancellations, as `asyncio.wait_for` can."""
    while times:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            times -= 1
    await asyncio.Event().wait()


async def test_a_task_that_loses_a_cancellation_is_cancelled_again() -> None:
    task = asyncio.create_task(deaf(1))
    await asyncio.sleep(0)
    async with asyncio.timeout(30):
        await end(task)
    assert task.cancelled()


async def test_what_a_task_ends_with_is_its_own_matter() -> None:
    async def fail() -> None:
        raise ValueError

    async def give() -> int:
        return 1

    tasks = [asyncio.create_task(fail()), asyncio.create_task(give())]
    await asyncio.sleep(0)
    await end(*tasks)
    assert isinstance(tasks[0].exception(), ValueError)
    assert tasks[1].result() == 1
