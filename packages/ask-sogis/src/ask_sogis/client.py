"""The client that blocks."""

import time
from collections.abc import Generator, Iterator
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


class Client:
    """One edge of ask.sogis, and one conversation with it. Every method raises an `AskError`.

    A program that serves several people names a `session_id` for each of them. `url` is `ASK_URL` unless
    given, else this machine; `token` is `ASK_TOKEN`, else what the edge hands out to visitors, kept in
    `store`. `patience_s` is how long one question may be lost, late, or refused for a while, until it is
    given up.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        token: str | None = None,
        session_id: str | None = None,
        language: str | None = None,
        patience_s: float = PATIENCE_S,
        store: TokenStore | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._asking = Asking(url, session_id, patience_s)
        self.access = wire.access(self.url, token, store)
        self._http = httpx.Client(**wire.options(self.url, self.access, language), transport=transport)

    @property
    def url(self) -> str:
        return self._asking.url

    @property
    def session_id(self) -> str:
        """The name of the conversation."""
        return self._asking.session_id

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def chat(self, message: str, **options: Unpack[Options]) -> ChatResponse:
        """Say something, and wait for the answer."""
        return self._run(self._asking.chat(message, None, options))

    def choose(self, choice: Choice | str, **options: Unpack[Options]) -> ChatResponse:
        """Take one of the choices that an answer offers, or its id."""
        return self._run(self._asking.chat(None, choice, options))

    def stream(
        self,
        message: str | None = None,
        *,
        choice: Choice | str | None = None,
        **options: Unpack[Options],
    ) -> Generator[Event]:
        """Say something, or take a choice, and read along. The last event is `Finished`; a connection that
        breaks meanwhile is made anew, and nothing is missing or told twice."""
        flow = self._asking.stream(message, choice, options)
        heard: Heard = None
        with _Line(self._http) as line:
            while True:
                try:
                    do = flow.send(heard)
                except StopIteration:
                    return
                if isinstance(do, Told):
                    yield do
                    heard = None
                else:
                    heard = line.do(do)

    def documents(self, question: str, **options: Unpack[Options]) -> DocumentAnswer:
        """Ask the agent that answers from documents only."""
        return self._run(self._asking.documents(question, options))

    def turn(self, request_id: str) -> ChatResponse | TurnProgress:
        """The latest answer of a turn; how far it is while it runs."""
        return self._run(self._asking.turn(request_id))

    def cancel(self, request_id: str) -> None:
        """End a turn, with what is done. Whoever waits for it gets that."""
        self._run(self._asking.cancel(request_id))

    def delete_session(self, session_id: str | None = None) -> None:
        """Delete all that is kept of a conversation, of that of the client unless named."""
        self._run(self._asking.delete_session(session_id))

    def tools(self) -> ToolList:
        """The tools that are alive, and sentences to try."""
        return self._run(self._asking.tools())

    def identify(
        self, east: float, north: float, *, layers: tuple[str, ...] = (), tolerance_m: float | None = None
    ) -> Identified:
        """What is at a point (LV95), and which features these layers have there."""
        return self._run(self._asking.identify(east, north, layers, tolerance_m))

    def suggest(self, written: str, limit: int = 6) -> Suggestions:
        """Names that the end of an unfinished message may become."""
        return self._run(self._asking.suggest(written, limit))

    def _run(self, flow: Flow[_T]) -> _T:
        heard: Heard = None
        with _Line(self._http) as line:
            while True:
                try:
                    heard = line.do(flow.send(heard))
                except StopIteration as end:
                    answer: _T = end.value
                    return answer


class _Line:
    """Does what a flow wants, and holds the answer that it reads piece by piece."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http
        self._open: httpx.Response | None = None
        self._pieces: Iterator[bytes]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._open is not None:
            self._open.close()

    def do(self, do: Do) -> Heard:
        began = time.monotonic()
        try:
            if isinstance(do, Call):
                return self._sent(do, began)
            if isinstance(do, Pause):
                time.sleep(do.seconds)
                return None
            return next(self._pieces, b"")
        except httpx.HTTPError as error:
            return wire.lost(error, time.monotonic() - began)

    def _sent(self, call: Call, began: float) -> Heard:
        self.__exit__()
        response = self._http.send(wire.request(self._http, call), stream=True)
        self._open = response
        if wire.is_to_be_read(call, response):
            self._pieces = (piece for piece in response.iter_bytes() if piece)
            return wire.reply(response, time.monotonic() - began)
        content = response.read()
        return wire.reply(response, time.monotonic() - began, content)
