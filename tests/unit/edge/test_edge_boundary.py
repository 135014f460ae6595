"""The layers around the routes, with whatever can happen inside."""

import asyncio
import logging

import httpx
import pytest
from prometheus_client import REGISTRY
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from edge import errors
from edge.boundary import Boundary, facts_of
from edge.limits import BodyLimit, Room


async def call(app: ASGIApp, **request: object) -> httpx.Response:
    transport = httpx.ASGITransport(app=Boundary(app), raise_app_exceptions=True)
    async with httpx.AsyncClient(transport=transport, base_url="http://edge") as http:
        return await http.post("/somewhere", **request)  # type: ignore[arg-type]


def line(caplog: pytest.LogCaptureFixture) -> dict[str, object]:
    (found,) = [vars(record) for record in caplog.records if record.getMessage() == "request"]
    return found


@pytest.fixture(autouse=True)
def all_lines(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)


async def test_what_nobody_expected_is_logged_and_not_told(caplog: pytest.LogCaptureFixture) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        facts_of(scope).request_id = "req-1"
        raise RuntimeError("the password is swordfish")

    answered = await call(app)
    assert (answered.status_code, answered.json()["code"]) == (500, "internal_error")
    assert answered.json()["requestId"] == "req-1"
    assert "swordfish" not in answered.text and "RuntimeError" not in answered.text
    (logged,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert logged.exc_info is not None and "swordfish" in str(logged.exc_info[1])
    assert (line(caplog)["status"], line(caplog)["request_id"]) == (500, "req-1")


async def test_an_error_of_ours_is_told_and_no_alarm(caplog: pytest.LogCaptureFixture) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        facts_of(scope).session_id = "s-1"
        raise errors.TurnTimeout(request_id="req-1")

    answered = await call(app)
    assert (answered.status_code, answered.json()["code"]) == (504, "turn_timeout")
    assert (line(caplog)["status"], line(caplog)["request_id"]) == (504, "req-1")
    assert line(caplog)["session_id"] == "s-1"
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.mark.parametrize(
    ("accepted", "language", "said"),
    [("it-CH, de;q=0.5", "it", "A questo"), ("rm", "de", "Unter dieser"), ("en", "en", "There is")],
)
async def test_a_problem_is_told_in_the_language_of_who_asks(accepted: str, language: str, said: str) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise errors.NotFound()

    answered = await call(app, headers={"Accept-Language": accepted})
    assert answered.json()["detail"].startswith(said)
    assert answered.headers["content-language"] == language
    assert answered.headers["vary"] == "Accept-Language"


async def test_an_answer_that_breaks_off_is_not_continued_with_another() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        await call(app)


async def test_a_client_that_left_is_no_error(caplog: pytest.LogCaptureFixture) -> None:
    sent: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise ClientDisconnect

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/api/chat", "headers": []}
    await Boundary(app)(scope, receive, send)
    assert sent == []
    assert line(caplog)["status"] == 499
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


async def test_a_cancelled_request_is_counted_and_stays_cancelled() -> None:
    labels = {"method": "POST", "route": "other", "status": "0"}
    before = REGISTRY.get_sample_value("ask_http_requests_total", labels) or 0

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await asyncio.sleep(60)

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await call(app)
    assert REGISTRY.get_sample_value("ask_http_requests_total", labels) == before + 1


@pytest.mark.parametrize("scope_type", ["lifespan", "websocket"])
async def test_what_is_not_http_passes_through_both_layers(scope_type: str) -> None:
    seen: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope["type"])

    async def nothing(*_: object) -> Message:
        return {}

    await Boundary(BodyLimit(app, 10, Room(1)))({"type": scope_type}, nothing, nothing)  # type: ignore[arg-type]
    assert seen == [scope_type]


async def test_an_announced_size_is_refused_before_anything_is_read() -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError("called")

    answered = await call(BodyLimit(app, 10, Room(1)), content=b"x" * 11)
    assert (answered.status_code, answered.headers["connection"]) == (413, "close")
    assert "10" in answered.json()["detail"]


@pytest.mark.parametrize(("size", "status"), [(10, 200), (11, 413)])
async def test_an_unannounced_size_is_counted(size: int, status: int) -> None:
    chunks = [b"x" * 4] * (size // 4) + [b"x" * (size % 4)]

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        assert len(await Request(scope, receive).body()) == size
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": chunks.pop(0), "more_body": bool(chunks)}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/", "headers": []}
    await Boundary(BodyLimit(app, 10, Room(1)))(scope, receive, send)
    assert sent[0]["status"] == status


KB = 1024


class Sender:
    """A request whose body comes piece by piece, when the test says so."""

    def __init__(self, limited: BodyLimit, address: str = "192.0.2.1") -> None:
        self.pieces: asyncio.Queue[tuple[bytes, bool]] = asyncio.Queue()
        self.held = asyncio.Event()
        scope = {"type": "http", "method": "POST", "path": "/", "headers": [], "client": (address, 1)}
        self.task = asyncio.create_task(limited(scope | {"sender": self}, self.receive, self.send))

    async def receive(self) -> Message:
        body, more = await self.pieces.get()
        return {"type": "http.request", "body": body, "more_body": more}

    async def send(self, message: Message) -> None:
        pass

    async def sends(self, size: int, more: bool = True) -> None:
        self.pieces.put_nowait((b"x" * size, more))
        for _ in range(5):
            await asyncio.sleep(0)

    async def is_refused(self) -> bool:
        for _ in range(5):
            await asyncio.sleep(0)
        return self.task.done() and isinstance(self.task.exception(), errors.NoRoom)


def limited(size_kb: int) -> BodyLimit:
    async def answering(scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive())["more_body"]:
            pass
        await scope["sender"].held.wait()

    return BodyLimit(answering, 512 * KB, Room(size_kb * KB))


async def test_large_bodies_have_room_until_their_requests_are_answered() -> None:
    limit = limited(4 * 100)
    first, second = Sender(limit), Sender(limit)
    await first.sends(100 * KB, more=False)
    await second.sends(40 * KB)
    assert not await first.is_refused() and await second.is_refused()
    first.held.set()
    await first.task
    third = Sender(limit)
    await third.sends(100 * KB)
    assert not await third.is_refused()
    third.task.cancel()


async def test_small_bodies_need_no_room() -> None:
    limit = limited(1)
    for sender in [Sender(limit) for _ in range(50)]:
        await sender.sends(10 * KB)
        await sender.sends(6 * KB, more=False)
        assert not await sender.is_refused()
        sender.held.set()
        await sender.task


async def test_no_address_takes_all_the_room() -> None:
    limit = limited(400)
    senders = {address: Sender(limit, address) for address in ("192.0.2.1", "192.0.2.2", "2001:db8::1")}
    for sender in senders.values():
        await sender.sends(110 * KB)
        assert not await sender.is_refused()
    same = Sender(limit, "2001:db8::2")
    await same.sends(60 * KB)
    assert await same.is_refused()
    for sender in senders.values():
        sender.task.cancel()


async def test_who_only_announces_a_large_body_takes_no_room() -> None:
    limit = limited(400)
    senders = [Sender(limit) for _ in range(50)]
    for sender in senders:
        await sender.sends(16 * KB)
    honest = Sender(limit)
    await honest.sends(100 * KB)
    assert not await honest.is_refused()
    for sender in (honest, *senders):
        sender.task.cancel()


async def test_room_is_given_back_whatever_happens() -> None:
    room = Room(400 * KB)

    async def failing(scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        raise RuntimeError

    for _ in range(20):
        sender = Sender(BodyLimit(failing, 512 * KB, room))
        await sender.sends(100 * KB)
        assert isinstance(sender.task.exception(), RuntimeError)
    assert room == Room(400 * KB)


@pytest.mark.parametrize(("announced", "status"), [("0" * 5000 + "9", 200), ("9" * 5000, 413)])
async def test_a_size_may_have_many_digits(announced: str, status: int) -> None:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        raise AssertionError("read")

    headers = [(b"content-length", announced.encode())]
    scope = {"type": "http", "method": "POST", "path": "/", "headers": headers}
    await Boundary(BodyLimit(app, 10, Room(1)))(scope, receive, send)
    assert sent[0]["status"] == status
