"""Ending tasks."""

import asyncio
from typing import Any

_AGAIN_S = 1.0
"""Long enough for what a task has to give back."""


async def end(*begun: asyncio.Task[Any] | None) -> None:
    """Cancel tasks until they have ended, whatever they end with; None is one that was never begun.

    Before Python 3.12 once is not enough: `asyncio.wait_for`, with which nats-py waits for answers, loses a
    cancellation that comes together with the answer.
    """
    tasks = [task for task in begun if task is not None]
    while running := [task for task in tasks if not task.done()]:
        for task in running:
            task.cancel()
        await asyncio.wait(running, timeout=_AGAIN_S)
    for task in tasks:
        if not task.cancelled():
            # Otherwise it would be logged as one that nobody has looked at.
            task.exception()
