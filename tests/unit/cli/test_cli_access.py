"""Which token an edge is shown, and what is said when it wants another one."""

import json
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from ask_sogis import Client
from contracts.chat import ChatResponse, Step
from contracts.status import Status

from ask import edge
from ask.access import KeptTokens, given_token
from ask.errors import AskError, Exit

_DONE = ChatResponse.of("req-1", (Step(intent="i", status=Status.OK, message="Fertig."),)).to_json()


class Edge:
    """As far as a client sees who it is: keys that are valid, and visitors where they are welcome."""

    def __init__(self, *valid: str, anonymous: bool = False, open: bool = False) -> None:
        self.valid = list(valid)
        self.anonymous = anonymous
        self.open = open
        self.lasts = timedelta(days=1)
        self.asked: list[str] = []
        self.url = ""

    def answer(self, method: str, path: str, credential: str) -> tuple[int, bytes]:
        token = credential.removeprefix("Bearer ")
        self.asked.append(f"{method} {path} {token}".strip())
        if path == "/api/me":
            modes = ["anonymous"] if self.anonymous else [] if self.open else ["keys"]
            return 200, json.dumps({"auth": modes, "kind": "anonymous"}).encode()
        if path == "/api/session" and self.anonymous:
            self.valid.append(f"visitor-{len(self.valid)}")
            expires = (datetime.now(UTC) + self.lasts).isoformat()
            return 201, json.dumps({"token": self.valid[-1], "expiresAt": expires}).encode()
        if self.open or token in self.valid:
            return (403, b"{}") if token == "narrow" else (200, _DONE)
        return 401, b'{"status": 401, "code": "invalid_token"}'


@pytest.fixture
def start() -> Iterator[Callable[[Edge], str]]:
    servers = []

    def run(edge: Edge) -> str:
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                length = int(self.headers.get("Content-Length", "0"))
                self.rfile.read(length)
                status, body = edge.answer(self.command, self.path, self.headers.get("Authorization", ""))
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_GET

            def log_message(self, format: str, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_port}"

    yield run
    for server in servers:
        server.shutdown()
        server.server_close()


def _say(url: str, store: Path, token: str | None = None, times: int = 1) -> None:
    with Client(url, token=token, store=KeptTokens(store)) as client, edge.told(client):
        for _ in range(times):
            client.chat("Hallo", session_id="s")


def test_a_given_token_is_shown_and_nothing_else_is_asked(
    start: Callable[[Edge], str], tmp_path: Path
) -> None:
    edge = Edge("key", anonymous=True)
    _say(start(edge), tmp_path, "key")
    assert edge.asked == ["POST /api/chat key"]
    assert list(tmp_path.iterdir()) == []


def test_a_visitor_is_the_same_in_the_next_command(start: Callable[[Edge], str], tmp_path: Path) -> None:
    edge = Edge(anonymous=True)
    url = start(edge)
    _say(url, tmp_path, times=2)
    _say(url, tmp_path)
    talk = ["POST /api/chat visitor-0"]
    assert edge.asked == ["GET /api/me", "POST /api/session", *talk * 3]
    (file,) = tmp_path.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600


def test_what_one_edge_has_handed_out_is_not_shown_to_another(
    start: Callable[[Edge], str], tmp_path: Path
) -> None:
    one, two = Edge(anonymous=True), Edge("x", anonymous=True)
    urls = start(one), start(two)
    for url in (*urls, *urls):
        _say(url, tmp_path)
    assert one.asked[-2:] == ["POST /api/chat visitor-0"] * 2
    assert two.asked[-2:] == ["POST /api/chat visitor-1"] * 2


def test_a_visitor_whose_token_has_ended_becomes_a_new_one(
    start: Callable[[Edge], str], tmp_path: Path
) -> None:
    edge = Edge(anonymous=True)
    url = start(edge)
    _say(url, tmp_path)
    edge.valid = ["of another"]
    _say(url, tmp_path)
    assert edge.asked[-3:] == ["POST /api/chat visitor-0", "POST /api/session", "POST /api/chat visitor-1"]


def test_a_token_about_to_end_is_not_shown_any_more(start: Callable[[Edge], str], tmp_path: Path) -> None:
    edge = Edge(anonymous=True)
    edge.lasts = timedelta(seconds=10)
    url = start(edge)
    _say(url, tmp_path)
    _say(url, tmp_path)
    assert edge.asked[-1] == "POST /api/chat visitor-1"


def test_where_nobody_asks_nothing_is_shown(start: Callable[[Edge], str], tmp_path: Path) -> None:
    edge = Edge(open=True)
    _say(start(edge), tmp_path, times=2)
    assert edge.asked == ["GET /api/me", "POST /api/chat", "POST /api/chat"]


@pytest.mark.parametrize(
    ("token", "words"),
    [
        (None, "ausweisen.*ASK_TOKEN"),
        ("wrong", "gilt hier nicht.*--token-file"),
        ("narrow", "darf das nicht"),
    ],
)
def test_a_refusal_says_what_to_do(
    start: Callable[[Edge], str], tmp_path: Path, token: str | None, words: str
) -> None:
    url = start(Edge("key", "narrow"))
    with pytest.raises(AskError, match=words) as refused:
        _say(url, tmp_path, token)
    assert refused.value.code is Exit.REFUSED


def test_a_folder_that_cannot_be_written_does_not_matter(
    start: Callable[[Edge], str], tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    _say(start(Edge(anonymous=True)), tmp_path / "file")


def test_a_token_comes_from_the_file_before_the_variable(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text("ask_1_2\n")
    assert given_token(file, "other") == "ask_1_2"
    assert given_token(None, "other") == "other"
    assert given_token(None, None) is None


@pytest.mark.parametrize("content", [b"", b"two words", b"a\nb", b"\xff", "schlüssel".encode()])
def test_what_can_be_no_token_is_refused_before_it_is_sent(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "key"
    file.write_bytes(content)
    with pytest.raises(AskError, match="Token"):
        given_token(file, None)
    with pytest.raises(AskError, match="Token"):
        given_token(tmp_path / "missing", None)
