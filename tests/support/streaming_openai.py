"""A local server that speaks streamed chat completions, with answers and failures to order."""

import json
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Streams:
    """An answer in pieces. Without `ending` the stream is cut off behind them."""

    pieces: Sequence[str]
    ending: str | None = "stop"


@dataclass(frozen=True)
class Refuses:
    """Says why not, where OpenAI's models say it."""

    refusal: str


@dataclass(frozen=True)
class Fails:
    status: int
    code: str | None = None


@dataclass(frozen=True)
class Sends:
    """Any body with status 200."""

    body: bytes
    content_type: str


@dataclass(frozen=True)
class Hangs:
    """The pieces, and then nothing until the server stops."""

    pieces: Sequence[str] = ()


@dataclass(frozen=True)
class RejectsTemperature:
    """Like a model that accepts only its own."""


Behaviour = Streams | Refuses | Fails | Sends | Hangs | RejectsTemperature


class StreamingOpenAI:
    """Behaves as told, request by request."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []
        self._behaviours: deque[Behaviour] = deque()
        self._stopping = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def will(self, *behaviours: Behaviour) -> None:
        self._behaviours.extend(behaviours)

    def prompt(self, n: int = -1) -> str:
        """The user's part of a request."""
        content = self.bodies[n]["messages"][1]["content"]
        assert isinstance(content, str)
        return content

    def stop(self) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                assert body["stream"] is True
                assert "response_format" not in body
                fake.bodies.append(body)
                match fake._behaviours.popleft():
                    case Streams(pieces, ending):
                        self._events(pieces)
                        if ending is not None:
                            self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": ending}]})
                            if "stream_options" in body:
                                usage = {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960}
                                self._event({"choices": [], "usage": usage})
                            self.wfile.write(b"data: [DONE]\n\n")
                    case Refuses(refusal):
                        self._events([])
                        self._event({"choices": [{"index": 0, "delta": {"refusal": refusal}}]})
                        self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
                        self.wfile.write(b"data: [DONE]\n\n")
                    case Hangs(pieces):
                        self._events(pieces)
                        fake._stopping.wait()
                    case Fails(status, code):
                        self._error(status, code)
                    case RejectsTemperature():
                        self._error(400, "unsupported_value")
                    case Sends(sent, content_type):
                        self._head(200, content_type)
                        self.wfile.write(sent)

            def _events(self, pieces: Sequence[str]) -> None:
                self._head(200, "text/event-stream")
                for piece in pieces:
                    self._event({"choices": [{"index": 0, "delta": {"content": piece}}]})

            def _event(self, chunk: dict[str, Any]) -> None:
                whole = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"} | chunk
                self.wfile.write(b"data: " + json.dumps(whole).encode() + b"\n\n")
                self.wfile.flush()

            def _error(self, status: int, code: str | None) -> None:
                self._head(status, "application/json")
                error = {"message": "told to", "type": "invalid_request_error", "param": None, "code": code}
                self.wfile.write(json.dumps({"error": error}).encode())

            def _head(self, status: int, content_type: str) -> None:
                self.send_response(status)
                self.send_header("content-type", content_type)
                self.send_header("retry-after-ms", "1")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                return

        return Handler
