"""How a client has a turn with a contestant: over HTTP, the same for all, and over the raw chain."""

import asyncio
import json
import secrets
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, Self

from drivers import ChainDriver, HttpDriver
from peers import work

_PATIENCE_S = 60.0


@dataclass(frozen=True)
class Work:
    """What is asked for in a turn: `one` tool, a `choice` between what it finds, or `ten` tools at once."""

    kind: str
    pause_ms: int = 0

    @property
    def name(self) -> str:
        return {"one": "one tool", "choice": "choice, pause and resume", "ten": "ten tools at once"}[
            self.kind
        ] + (f" of {self.pause_ms} ms" if self.pause_ms else "")


@dataclass(frozen=True)
class Paths:
    """Where messages and choices go; `{key}` stands for that of the turn."""

    chat: str = "/api/chat"
    choose: str = "/api/chat"


class Client(Protocol):
    """Somebody who has one turn after the other."""

    async def turn(self, wanted: Work, key: str, *, again: bool = False) -> None: ...

    async def reconnect(self) -> None: ...

    async def close(self) -> None: ...


class HttpClient:
    """One keep-alive connection. Every turn has a key, with which it can be asked for `again`."""

    def __init__(self, driver: HttpDriver, port: int, paths: Paths) -> None:
        self._driver, self._port, self._paths = driver, port, paths
        self._session = driver.session

    @classmethod
    async def at(cls, port: int, paths: Paths) -> Self:
        return cls(await HttpDriver.connect("127.0.0.1", port), port, paths)

    async def reconnect(self) -> None:
        """The same user on another connection. Raises `OSError` when nobody listens."""
        await self.close()
        self._driver = await HttpDriver.connect("127.0.0.1", self._port)

    async def turn(self, wanted: Work, key: str, *, again: bool = False) -> None:
        """Raises `RuntimeError` for any other answer than the wanted one."""
        path = self._paths.chat.format(key=key)
        said = {"userMessage": f"{wanted.kind} {wanted.pause_ms} {key}"}
        answer = await self._ask(path, said, key, again)
        if wanted.kind == "choice":
            choices = json.loads(answer)["steps"][0]["choices"]
            path = self._paths.choose.format(key=key)
            answer = await self._ask(path, {"choiceId": choices[-1]["id"]}, f"{key}-choice", again)
        if b'"overallStatus":"ok"' not in answer and b'"overallStatus": "ok"' not in answer:
            raise RuntimeError(answer[:300].decode())

    async def _ask(self, path: str, said: dict[str, str], key: str, again: bool) -> bytes:
        headers = f"idempotency-key: {key}\r\n" + ("x-again: 1\r\n" if again else "")
        async with asyncio.timeout(_PATIENCE_S):
            status, answer = await self._driver.post(path, {"sessionId": self._session, **said}, headers)
        if status != 200:
            raise RuntimeError(f"{status}: {answer[:300].decode()}")
        return answer

    async def close(self) -> None:
        with suppress(OSError):
            await self._driver.close()


class ChainClient:
    """Puts documents on the chain. It knows neither choices nor calls at once."""

    def __init__(self, driver: ChainDriver) -> None:
        self._driver = driver

    async def turn(self, wanted: Work, key: str, *, again: bool = False) -> None:
        (call,) = work.plan(f"{wanted.kind} {wanted.pause_ms} {key}")
        async with asyncio.timeout(_PATIENCE_S):
            await self._driver.turn(call=call)

    async def reconnect(self) -> None:
        """The connection is that of all, and to the server, which lives on."""

    async def close(self) -> None:
        """Not for one alone."""


def new_key() -> str:
    return secrets.token_hex(8)
