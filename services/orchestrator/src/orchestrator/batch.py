"""Sends Redis commands of concurrent callers together."""

import asyncio
from typing import Any

from redis.asyncio import Redis

Command = tuple[Any, ...]


class Batch:
    """One pipeline at a time; what is asked for meanwhile goes with the next one.

    Under load a round trip is shared by many callers; alone, a caller pays for nothing but its own.
    """

    def __init__(self, redis: "Redis", timeout_s: float) -> None:
        self._redis = redis
        self._timeout_s = timeout_s
        self._waiting: list[tuple[Command, asyncio.Future[Any]]] = []
        self._sender: asyncio.Task[None] | None = None

    async def execute(self, *command: Any) -> Any:
        """The answer to one command. Raises what Redis or the connection to it says."""
        (answer,) = await self.all(command)
        return answer

    async def all(self, *commands: Command) -> list[Any]:
        """The answers to several commands, sent in this order."""
        loop = asyncio.get_running_loop()
        answers = [loop.create_future() for _ in commands]
        self._waiting += zip(commands, answers, strict=True)
        if self._sender is None:
            self._sender = loop.create_task(self._send())
        return await asyncio.gather(*answers)

    async def _send(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                # One timeout for the batch; the client's own would be set and cleared for every answer.
                async with asyncio.timeout(self._timeout_s), self._redis.pipeline(transaction=False) as pipe:
                    for command, _ in batch:
                        pipe.execute_command(*command)
                    results = await pipe.execute(raise_on_error=False)
            except BaseException as error:
                results = [error] * len(batch)
            for (_, answer), result in zip(batch, results, strict=True):
                if answer.done():
                    continue
                if isinstance(result, BaseException):
                    answer.set_exception(result)
                else:
                    answer.set_result(result)
        self._sender = None
