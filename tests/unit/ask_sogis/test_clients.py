"""The two clients on a wire: they do as they are told, and the same."""

import asyncio
import inspect
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from ask_sogis import (
    AsyncClient,
    Client,
    Delta,
    Invalid,
    Issued,
    NotUnderstood,
    Refused,
    TokenStore,
    Unreachable,
)

from .playing import DONE, finished, frame

Answer = httpx.Response | Exception
Behaviour = Callable[[httpx.Request], Answer]


class Pieces(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body that comes in pieces, and may break."""

    def __init__(self, *pieces: bytes | Exception) -> None:
        self._pieces = pieces
        self.closed = False

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            if isinstance(piece, Exception):
                raise piece
            yield piece

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self:
            yield piece

    def close(self) -> None:
        self.closed = True

    async def aclose(self) -> None:
        self.closed = True


class Wire:
    """Keeps what was asked, and answers as a test wants."""

    def __init__(self, *answers: Answer, behaviour: Behaviour | None = None) -> None:
        left = list(answers)
        self._behave = behaviour or (lambda request: left.pop(0))
        self.asked: list[httpx.Request] = []
        self.credentials: list[str | None] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        # The same request may be sent again with another one.
        self.credentials.append(request.headers.get("Authorization"))
        answer = self._behave(request)
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def lines(self) -> list[str]:
        return [f"{request.method} {request.url}" for request in self.asked]

    def header(self, name: str) -> list[str | None]:
        return [request.headers.get(name) for request in self.asked]


class Blocking:
    """What a test asks, of the client that blocks."""

    def __init__(self, wire: Wire, **options: Any) -> None:
        self._client = Client("http://edge/ask/", transport=httpx.MockTransport(wire), **options)

    async def chat(self, message: str) -> Any:
        return self._client.chat(message)

    async def tools(self) -> Any:
        return self._client.tools()

    async def stream(self, message: str, at_most: int = 99) -> list[Any]:
        events = self._client.stream(message)
        found = [event for event, _ in zip(events, range(at_most), strict=False)]
        events.close()
        return found


class Awaiting:
    """The same of the client that awaits."""

    def __init__(self, wire: Wire, **options: Any) -> None:
        self._client = AsyncClient("http://edge/ask/", transport=httpx.MockTransport(wire), **options)

    async def chat(self, message: str) -> Any:
        return await self._client.chat(message)

    async def tools(self) -> Any:
        return await self._client.tools()

    async def stream(self, message: str, at_most: int = 99) -> list[Any]:
        events = self._client.stream(message)
        found: list[Any] = []
        async for event in events:
            found.append(event)
            if len(found) == at_most:
                break
        await events.aclose()
        return found


both = pytest.mark.parametrize("client", [Blocking, Awaiting])
Clients = type[Blocking] | type[Awaiting]


@pytest.fixture(autouse=True)
def _no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASK_TOKEN", raising=False)


def done() -> httpx.Response:
    return httpx.Response(200, content=DONE.to_json())


def streamed(*pieces: bytes | Exception) -> httpx.Response:
    return httpx.Response(200, headers={"Content-Type": "text/event-stream"}, stream=Pieces(*pieces))


def test_both_have_the_same_methods() -> None:
    def methods(client: type) -> dict[str, list[str]]:
        public = {name: member for name, member in vars(client).items() if not name.startswith("_")}
        return {
            name: [str(each) for each in inspect.signature(member).parameters.values()]
            for name, member in public.items()
            if callable(member)
        }

    assert methods(Client) == methods(AsyncClient)
    assert {"chat", "choose", "stream", "documents", "turn", "cancel", "tools"} <= methods(Client).keys()
    # What methods promise stands with the client that blocks.
    assert all(getattr(Client, name).__doc__ for name in methods(Client) if name != "close")


@both
async def test_a_question_is_sent_below_the_address_in_the_language_of_the_client(client: Clients) -> None:
    wire = Wire(done())
    assert await client(wire, token="t", language="fr", session_id="s").chat("Hallo") == DONE
    assert wire.lines == ["POST http://edge/ask/api/chat"]
    assert wire.header("Authorization") == ["Bearer t"]
    assert wire.header("Accept-Language") == ["fr"]
    assert json.loads(wire.asked[0].content) == {"sessionId": "s", "userMessage": "Hallo"}


@both
async def test_what_breaks_is_asked_again(client: Clients) -> None:
    wire = Wire(httpx.ReadError("cut"), httpx.RemoteProtocolError("cut"), done())
    assert await client(wire, token="t").chat("Hallo") == DONE
    assert len(set(wire.header("Idempotency-Key"))) == 1


@both
@pytest.mark.parametrize("error", [httpx.ConnectError("refused"), httpx.ConnectTimeout("silent")])
async def test_who_is_not_there_is_not_waited_for(client: Clients, error: Exception) -> None:
    wire = Wire(error)
    with pytest.raises(Unreachable, match="http://edge/ask"):
        await client(wire, token="t").tools()


@both
async def test_what_cannot_be_sent_is_not_tried_again(client: Clients) -> None:
    wire = Wire(httpx.LocalProtocolError("Illegal header value"))
    with pytest.raises(Invalid, match="Illegal header"):
        await client(wire, token="t").tools()


@both
async def test_the_time_that_a_refusal_took_is_of_the_patience(client: Clients) -> None:
    def slowly(request: httpx.Request) -> httpx.Response:
        time.sleep(0.3)
        return httpx.Response(503)

    wire = Wire(behaviour=slowly)
    with pytest.raises(Refused):
        await client(wire, token="t", patience_s=1.1).tools()
    assert len(wire.asked) == 1


@pytest.mark.parametrize("client", [Client, AsyncClient])
@pytest.mark.parametrize(
    "url", ["http://[::1", "http://edge\n", "edge:8080", "ftp://edge", "http://", "http://x:99999"]
)
def test_what_is_no_address_is_refused_at_once(client: type[Client] | type[AsyncClient], url: str) -> None:
    with pytest.raises(Invalid, match="url"):
        client(url)


@both
async def test_a_refusal_has_its_words(client: Clients) -> None:
    with pytest.raises(Refused) as refused:
        await client(Wire(httpx.Response(418)), token="t").tools()
    assert refused.value.status == 418


@both
async def test_a_broken_stream_is_made_anew(client: Clients) -> None:
    delta = frame("answer.delta", 1, text="a")
    wire = Wire(streamed(delta[:9], delta[9:], finished()[:30], httpx.ReadError("cut")), streamed(finished()))
    found = await client(wire, token="t").stream("Hallo")
    assert [event.kind for event in found] == ["answer.delta", "turn.finished"]
    assert wire.lines[1] == "GET http://edge/ask/api/chat/req-1/stream"
    assert wire.header("Last-Event-ID") == [None, "1"]


@both
async def test_whoever_stops_reading_hangs_up(client: Clients) -> None:
    body = Pieces(frame("answer.delta", 1, text="a"), finished())
    answer = httpx.Response(200, headers={"Content-Type": "text/event-stream"}, stream=body)
    (event,) = await client(Wire(answer), token="t").stream("Hallo", at_most=1)
    assert isinstance(event, Delta) and body.closed


@both
async def test_a_page_is_no_stream(client: Clients) -> None:
    page = httpx.Response(200, headers={"Content-Type": "text/html"}, content=b"<html>")
    with pytest.raises(NotUnderstood):
        await client(Wire(page), token="t").stream("Hallo")


# -- who asks --------------------------------------------------------------------------------------


class Host:
    """An edge with visitors, and how it knows them."""

    def __init__(self, modes: list[str] | None = None) -> None:
        self.modes = ["anonymous"] if modes is None else modes
        self.valid: list[str] = []
        self.lasts = timedelta(days=1)
        self.busy: dict[str, int] = {}
        self.wire = Wire(behaviour=self._answer)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        if status := self.busy.pop(request.url.path.removeprefix("/ask/api/"), None):
            return httpx.Response(status)
        match request.url.path.removeprefix("/ask/api/"):
            case "me":
                return httpx.Response(200, json={"auth": self.modes})
            case "session":
                self.valid.append(f"visitor-{len(self.valid)}")
                until = (datetime.now(UTC) + self.lasts).isoformat()
                return httpx.Response(201, json={"token": self.valid[-1], "expiresAt": until})
        shown = request.headers.get("Authorization", "").removeprefix("Bearer ")
        known = "anonymous" not in self.modes or shown in self.valid
        return done() if known else httpx.Response(401)

    @property
    def shown(self) -> list[str | None]:
        """The credentials of questions."""
        asked = zip(self.wire.asked, self.wire.credentials, strict=True)
        return [shown for request, shown in asked if request.url.path.endswith("/chat")]


class Kept(TokenStore):
    """A store in memory."""

    def __init__(self) -> None:
        self.tokens: dict[str, Issued] = {}

    def find(self, url: str) -> Issued | None:
        return self.tokens.get(url)

    def keep(self, url: str, issued: Issued) -> None:
        self.tokens[url] = issued


@both
async def test_a_visitor_gets_a_token_and_keeps_it(client: Clients) -> None:
    host, kept = Host(), Kept()
    one = client(host.wire, store=kept)
    for _ in range(2):
        await one.chat("Hallo")
    await client(host.wire, store=kept).chat("Hallo")
    assert host.shown == ["Bearer visitor-0"] * 3
    assert list(kept.tokens) == ["http://edge/ask"]


@both
async def test_without_a_store_each_client_is_somebody_else(client: Clients) -> None:
    host = Host()
    for _ in range(2):
        await client(host.wire).chat("Hallo")
    assert host.shown == ["Bearer visitor-0", "Bearer visitor-1"]


@both
async def test_a_token_that_counts_no_longer_is_replaced(client: Clients) -> None:
    host = Host()
    one = client(host.wire)
    await one.chat("Hallo")
    host.valid = ["of another"]
    await one.chat("Hallo")
    assert host.shown[-2:] == ["Bearer visitor-0", "Bearer visitor-1"]


@both
async def test_a_token_about_to_end_is_not_shown(client: Clients) -> None:
    host, kept = Host(), Kept()
    kept.keep("http://edge/ask", Issued(token="old", expires_at=datetime.now(UTC) + timedelta(seconds=10)))
    await client(host.wire, store=kept).chat("Hallo")
    assert host.shown == ["Bearer visitor-0"]


@both
async def test_a_token_that_ends_meanwhile_is_not_shown_any_more(client: Clients) -> None:
    host = Host()
    host.lasts = timedelta(seconds=10)
    one = client(host.wire)
    for _ in range(2):
        await one.chat("Hallo")
    assert host.shown == ["Bearer visitor-0", "Bearer visitor-1"]


@both
@pytest.mark.parametrize("path", ["me", "session"])
@pytest.mark.parametrize("status", [429, 502, 503, 504])
async def test_who_is_busy_with_a_visitor_is_asked_again(client: Clients, path: str, status: int) -> None:
    host = Host()
    host.busy[path] = status
    one = client(host.wire, patience_s=0.01)
    with pytest.raises(Refused) as refused:
        await one.chat("Hallo")
    assert refused.value.status == status
    await one.chat("Hallo")
    assert host.shown == ["Bearer visitor-0"]


@both
async def test_every_request_has_its_time_but_may_wait_for_a_connection(client: Clients) -> None:
    host = Host()
    await client(host.wire).chat("Hallo")
    times = [request.extensions["timeout"] for request in host.wire.asked]
    assert len(times) == 3
    assert all(each == times[-1] and each["read"] and each["pool"] is None for each in times)


@both
async def test_where_nobody_asks_nothing_is_shown(client: Clients) -> None:
    host = Host(modes=["none"])
    one = client(host.wire)
    for _ in range(2):
        await one.chat("Hallo")
    assert host.shown == [None, None]
    assert host.wire.lines.count("GET http://edge/ask/api/me") == 1


@both
async def test_the_token_of_the_environment_counts_unless_one_is_given(
    client: Clients, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASK_TOKEN", "of-the-environment")
    host = Host()
    host.valid = ["given", "of-the-environment"]
    await client(host.wire, token="given").chat("Hallo")
    await client(host.wire).chat("Hallo")
    assert host.shown == ["Bearer given", "Bearer of-the-environment"]


@both
@pytest.mark.parametrize("header", ["token", "language"])
@pytest.mark.parametrize("value", ["schlüssel", "two\nlines", "abc ", " abc", "de\n"])
def test_what_can_be_no_header_is_refused_before_it_is_sent(client: Clients, header: str, value: str) -> None:
    with pytest.raises(Invalid, match=header):
        client(Wire(), **{header: value})


@both
async def test_a_given_token_that_does_not_count_is_not_replaced(client: Clients) -> None:
    host = Host()
    with pytest.raises(Refused):
        await client(host.wire, token="wrong").chat("Hallo")
    assert host.wire.lines == ["POST http://edge/ask/api/chat"]


async def test_questions_at_the_same_time_are_those_of_one_visitor() -> None:
    host = Host()
    asked: list[Mapping[str, str]] = []

    async def slowly(request: httpx.Request) -> httpx.Response:
        asked.append(request.headers)
        answer = host.wire(request)
        # Whoever was asked first answers last.
        for _ in range(max(0, 10 - len(asked))):
            await asyncio.sleep(0)
        return answer

    async with AsyncClient("http://edge/ask", transport=httpx.MockTransport(slowly)) as client:
        await asyncio.gather(*(client.chat("Hallo") for _ in range(5)))
        await client.chat("Hallo")
    assert len(set(host.shown)) == 1 and len(host.shown) == 6
