"""A local server that speaks chat completions and embeddings, with answers and failures to order."""

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

API_KEY = "sk-for-tests-only"


@dataclass(frozen=True)
class Replies:
    """A completion. `content` is sent as JSON unless it is a string."""

    content: Any = None
    refusal: str | None = None
    finish_reason: str = "stop"


@dataclass(frozen=True)
class Errs:
    status: int
    code: str | None = None


@dataclass(frozen=True)
class Sleeps:
    """No answer until the server stops."""


Vectors = Callable[[str], Sequence[float]]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


class ModellingOpenAI:
    """Answers chats by `reply`, which sees the whole request, and embeds by `vectors`."""

    def __init__(self) -> None:
        self.reply: Callable[[dict[str, Any]], Replies | Errs | Sleeps] = lambda _: Errs(400)
        self.vectors: Vectors | None = None
        self.chats: list[dict[str, Any]] = []
        self.embedded: list[str] = []
        self.stopping = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def stop(self) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, path: str, body: dict[str, Any]) -> tuple[int, Any] | Sleeps:
        if path == "/v1/embeddings":
            if self.vectors is None:
                return 503, _error(None)
            self.embedded += body["input"]
            data = [{"index": n, "embedding": list(self.vectors(t))} for n, t in enumerate(body["input"])]
            # The order of the answer is nobody's promise.
            return 200, {"object": "list", "data": data[::-1], "model": body["model"], "usage": {}}
        self.chats.append(body)
        match self.reply(body):
            case Errs(status, code):
                return status, _error(code)
            case Sleeps() as sleeps:
                return sleeps
            case Replies() as reply:
                return 200, _completion(reply)


def _handler(model: ModellingOpenAI) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            answer = model.answer(self.path, body)
            if isinstance(answer, Sleeps):
                model.stopping.wait()
                self.close_connection = True
                return
            status, content = answer
            sent = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(sent)))
            self.send_header("retry-after-ms", "1")
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, format: str, *args: Any) -> None:
            return

    return Handler


def _completion(reply: Replies) -> dict[str, Any]:
    content = reply.content if isinstance(reply.content, str) else json.dumps(reply.content)
    message = {"role": "assistant", "content": content, "refusal": reply.refusal}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_780_000_000,
        "model": "gpt-5-mini",
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish_reason}],
        "usage": {"prompt_tokens": 900, "completion_tokens": 40, "total_tokens": 940},
    }


def _error(code: str | None) -> dict[str, Any]:
    return {
        "error": {"message": "told to fail", "type": "invalid_request_error", "param": None, "code": code}
    }
