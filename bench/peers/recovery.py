"""What becomes of turns at work when every process of the application is killed and started again at once.

Half of the clients ask again, with the same key, as soon as they are cut off. The others say nothing until
it is seen whether their turns go on by themselves; then they ask too.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from time import perf_counter

from peers.clients import Client, Work, new_key
from peers.contestants import Contestant
from peers.measuring import clients

IN_FLIGHT = 50
WANTED = Work("one", 200)
BEFORE_S = 1.5
ALONE_S = 12.0
"""How long a turn may take to go on by itself: somewhat longer than an ack wait."""
PATIENCE_S = 45.0
_PAUSE_S = 0.05


@dataclass
class Recovery:
    """Of the turns that were at work; seconds since the kill."""

    at_work: int
    alone: int
    """Went on by themselves, of `silent` ones."""
    silent: int
    lost: int
    """Not answered to who asked again."""
    doubled: int
    """Had their effect more than once."""
    first_s: float | None
    all_s: float | None
    """Until all were answered who asked at once."""


class Asking:
    """A client that has turns until it is cut off, and asks for the last of them again."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.key = ""
        self.answered_at: float | None = None

    async def until(self, killed: asyncio.Event, wait_s: float) -> None:
        """From then on. Who is not cut off gets the answer of the turn that was at work."""
        await asyncio.sleep(wait_s)
        with suppress(OSError, EOFError, RuntimeError):
            while not killed.is_set():
                self.key = new_key()
                await self._client.turn(WANTED, self.key)
            self.answered_at = perf_counter()

    async def again(self) -> None:
        """Until there is an answer, or no patience left."""
        until = perf_counter() + PATIENCE_S
        while self.answered_at is None and perf_counter() < until:
            try:
                await self._client.reconnect()
                await self._client.turn(WANTED, self.key, again=True)
                self.answered_at = perf_counter()
            except (OSError, EOFError, RuntimeError):
                await asyncio.sleep(_PAUSE_S)


async def recover(contestant: Contestant) -> Recovery:
    killed, seen = asyncio.Event(), asyncio.Event()
    contestant.forget()
    async with clients(contestant, IN_FLIGHT) as made:
        asking = [Asking(client) for client in made]
        loud, silent = asking[::2], asking[1::2]

        async def at_once(one: Asking, wait_s: float) -> None:
            await one.until(killed, wait_s)
            await one.again()

        async def in_the_end(one: Asking, wait_s: float) -> None:
            await one.until(killed, wait_s)
            await seen.wait()
            await one.again()

        async with asyncio.TaskGroup() as group:
            # Spread over the time of a tool, so that the kill meets turns wherever they can be.
            for n, (one, other) in enumerate(zip(loud, silent, strict=True)):
                wait_s = WANTED.pause_ms / 1000 * n / len(loud)
                group.create_task(at_once(one, wait_s))
                group.create_task(in_the_end(other, wait_s))
            await asyncio.sleep(BEFORE_S)
            killed.set()
            killed_at = perf_counter()
            await contestant.crash()
            # Nobody is up again yet: these are effects of those who were killed.
            done = {_turn_of(effect) for effect in contestant.counted()}
            open_keys = {one.key for one in silent} - done
            alone = await _going_on(contestant, open_keys)
            seen.set()
    # Those whose tool was through may have been answered by who was killed.
    asked = [one for one in loud if one.key not in done]
    answered = [one.answered_at - killed_at for one in asked if one.answered_at is not None]
    counts = contestant.counted()
    return Recovery(
        at_work=len(asking),
        alone=alone,
        silent=len(open_keys),
        lost=sum(one.answered_at is None for one in asking),
        doubled=sum(counts.get(f"{one.key}/0", 0) > 1 for one in asking),
        first_s=min(answered, default=None),
        all_s=max(answered) if answered and len(answered) == len(asked) else None,
    )


async def _going_on(contestant: Contestant, keys: set[str]) -> int:
    """How many of these turns have their effect without being asked for."""
    until = perf_counter() + ALONE_S
    while True:
        had = {_turn_of(effect) for effect in contestant.counted()}
        if keys <= had or perf_counter() > until:
            return len(keys & had)
        await asyncio.sleep(0.2)


def _turn_of(effect: str) -> str:
    return effect.split("/")[0]
