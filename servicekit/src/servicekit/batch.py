"""Sends Redis commands of concurrent callers together."""

import asyncio
import hashlib
from functools import cache
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ConnectionError, NoScriptError, ResponseError

Command = tuple[Any, ...]


@cache
def _digest(script: str) -> str:
    return hashlib.sha1(script.encode(), usedforsecurity=False).hexdigest()


class Batch:
    """One connection, one pipeline at a time; what is asked for meanwhile goes with the next one.

    Under load a round trip is shared by many callers; alone, a caller pays for nothing but its own. It speaks
    through redis-py's connection, below the client: pooling and retrying each command cost more than the
    commands. A command may be sent twice when the connection breaks.
    """

    def __init__(self, redis: "Redis", timeout_s: float) -> None:
        self._redis = redis
        self._timeout_s = timeout_s
        self._connection: AbstractConnection | None = None
        self._waiting: list[tuple[Command, asyncio.Future[Any]]] = []
        self._sender: asyncio.Task[None] | None = None

    async def execute(self, *command: Any) -> Any:
        """The answer to one command. Raises what Redis or the connection to it says, or `TimeoutError`."""
        (answer,) = self._ask(command)
        return await answer

    async def run(self, script: str, keys: tuple[str, ...], *arguments: Any) -> Any:
        """The answer of a script; sent as a whole only to a server that does not know it yet."""
        called = len(keys), *keys, *arguments
        try:
            return await self.execute("EVALSHA", _digest(script), *called)
        except NoScriptError:
            return await self.execute("EVAL", script, *called)

    async def all(self, *commands: Command) -> list[Any]:
        """The answers to several commands, sent in this order."""
        return await asyncio.gather(*self._ask(*commands))

    def _ask(self, *commands: Command) -> list[asyncio.Future[Any]]:
        loop = asyncio.get_running_loop()
        answers = [loop.create_future() for _ in commands]
        self._waiting += zip(commands, answers, strict=True)
        if self._sender is None:
            self._sender = loop.create_task(self._send())
        return answers

    async def close(self) -> None:
        if self._connection is not None:
            await self._connection.disconnect()

    async def _send(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            try:
                async with asyncio.timeout(self._timeout_s):
                    results = await self._exchange([command for command, _ in batch])
            except Exception as error:
                results = [error] * len(batch)
            for (_, answer), result in zip(batch, results, strict=True):
                if answer.done():
                    continue
                if isinstance(result, BaseException):
                    answer.set_exception(result)
                else:
                    answer.set_result(result)
        self._sender = None

    async def _exchange(self, commands: list[Command]) -> list[Any]:
        try:
            return await self._once(commands)
        except ConnectionError:
            # A server that was restarted shows on the next use of the old connection.
            return await self._once(commands)

    async def _once(self, commands: list[Command]) -> list[Any]:
        if self._connection is None:
            self._connection = self._redis.connection_pool.make_connection()  # type: ignore[no-untyped-call]
            # A batch has a timeout of its own; those of the connection are a task and two timers each time.
            self._connection.socket_timeout = None
        connection = self._connection
        results: list[Any] = []
        try:
            await connection.connect()
            await connection.send_packed_command(connection.pack_commands(commands), check_health=False)
            for _ in commands:
                try:
                    results.append(await connection.read_response())
                except ResponseError as error:
                    results.append(error)
        except BaseException:
            # Answers that are still under way must not be taken for those of the next batch.
            await connection.disconnect(nowait=True)
            raise
        return results
