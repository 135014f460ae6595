"""The client that awaits."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from types import TracebackType
from typing import Self, TypeVar, Unpack

import httpx
from ask_sogis import wire
from ask_sogis.access import TokenStore
from ask_sogis.asking import PATIENCE_S, Asking, Options
from ask_sogis.documents import DocumentAnswer
from ask_sogis.events import Event, Told
from ask_sogis.exchange import Call, Do, Flow, Heard, Pause
from contracts.chat import ChatResponse, Choice
from contracts.identify import Identified
from contracts.suggest import Suggestions
from contracts.tools import ToolList
from contracts.turns import TurnProgress

_T = TypeVar("_T")


class AsyncClient:
    """A `Client` whose methods are awaited. Questions may be asked at the same time."""

    def __init__(
        self,
        url: str | None = None,
        *,
        token: str | None = None,
        session_id: str | None = None,
        language: str | None = None,
        patience_s: float = PATIENCE_S,
        store: TokenStore | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._asking = Asking(url, session_id, patience_s)
        self.access = wire.access(self.url, token, store)
        self._http = httpx.AsyncClient(**wire.options(self.url, self.access, language), transport=transport)

    @property
    def url(self) -> str:
        return self._asking.url

    @property
    def session_id(self) -> str:
        """The name of the conversation."""
        return self._asking.session_id

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def chat(self, message: str, **options: Unpack[Options]) -> ChatResponse:
        return await self._run(self._asking.chat(message, None, options))

    async def choose(self, choice: Choice | str, **options: Unpack[Options]) -> ChatResponse:
        return await self._run(self._asking.chat(None, choice, options))

    async def stream(
        self,
        message: str | None = None,
        *,
        choice: Choice | str | None = None,
        **options: Unpack[Options],
    ) -> AsyncGenerator[Event]:
        flow = self._asking.stream(message, choice, options)
        heard: Heard = None
        async with _Line(self._http) as line:
            while True:
                try:
                    do = flow.send(heard)
                except StopIteration:
                    return
                if isinstance(do, Told):
                    yield do
                    heard = None
                else:
                    heard = await line.do(do)

    async def documents(self, question: str, **options: Unpack[Options]) -> DocumentAnswer:
        return await self._run(self._asking.documents(question, options))

    async def turn(self, request_id: str) -> ChatResponse | TurnProgress:
        return await self._run(self._asking.turn(request_id))

    async def cancel(self, request_id: str) -> None:
        await self._run(self._asking.cancel(request_id))

    async def delete_session(self, session_id: str | None = None) -> None:
        await self._run(self._asking.delete_session(session_id))

    async def tools(self) -> ToolList:
        return await self._run(self._asking.tools())

    async def identify(
        self, east: float, north: float, *, layers: tuple[str, ...] = (), tolerance_m: float | None = None
    ) -> Identified:
        return await self._run(self._asking.identify(east, north, layers, tolerance_m))

    async def suggest(self, written: str, limit: int = 6) -> Suggestions:
        return await self._run(self._asking.suggest(written, limit))

    async def _run(self, flow: Flow[_T]) -> _T:
        heard: Heard = None
        async with _Line(self._http) as line:
            while True:
                try:
                    heard = await line.do(flow.send(heard))
                except StopIteration as end:
                    answer: _T = end.value
                    return answer


class _Line:
    """Does what a flow wants, and holds the answer that it reads piece by piece."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http
        self._open: httpx.Response | None = None
        self._pieces: AsyncIterator[bytes]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._open is not None:
            await self._open.aclose()

    async def do(self, do: Do) -> Heard:
        began = time.monotonic()
        try:
            if isinstance(do, Call):
                return await self._sent(do, began)
            if isinstance(do, Pause):
                await asyncio.sleep(do.seconds)
                return None
            return await anext(self._pieces, b"")
        except httpx.HTTPError as error:
            return wire.lost(error, time.monotonic() - began)

    async def _sent(self, call: Call, began: float) -> Heard:
        await self.__aexit__()
        response = await self._http.send(wire.request(self._http, call), stream=True)
        self._open = response
        if wire.is_to_be_read(call, response):
            self._pieces = (piece async for piece in response.aiter_bytes() if piece)
            return wire.reply(response, time.monotonic() - began)
        content = await response.aread()
        return wire.reply(response, time.monotonic() - began, content)
