"""A local server that speaks chat completions, with answers and failures to order."""

import json
import threading
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

API_KEY = "sk-for-tests-only"
AT_ONCE = {"retry-after-ms": "1"}


@dataclass(frozen=True)
class Says:
    """A completion. `content` is sent as JSON unless it is a string."""

    content: Any = None
    finish_reason: str = "stop"
    refusal: str | None = None


@dataclass(frozen=True)
class Fails:
    """An error in OpenAI's form."""

    status: int
    code: str | None = None
    headers: dict[str, str] = field(default_factory=lambda: dict(AT_ONCE))


@dataclass(frozen=True)
class Sends:
    """Any body with status 200."""

    body: bytes
    content_type: str = "application/json"


@dataclass(frozen=True)
class Redirects:
    to: str


@dataclass(frozen=True)
class Hangs:
    """No answer until the server stops."""


@dataclass(frozen=True)
class Trickles:
    """An answer that never ends: some white space every 50 ms."""


@dataclass(frozen=True)
class CutsOff:
    """Half of an answer, then the connection is closed."""


Behaviour = Says | Fails | Sends | Redirects | Hangs | Trickles | CutsOff


@dataclass(frozen=True)
class Received:
    path: str
    authorization: str
    body: dict[str, Any]

    @property
    def roles(self) -> list[str]:
        return [message["role"] for message in self.body["messages"]]

    def text(self, index: int) -> str:
        content = self.body["messages"][index]["content"]
        assert isinstance(content, str)
        return content

    @property
    def schema(self) -> dict[str, Any]:
        schema = self.body["response_format"]["json_schema"]["schema"]
        assert isinstance(schema, dict)
        return schema


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


class FakeOpenAI:
    """Behaves as told, request by request. What it was not told to expect is an error 400."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.asked = threading.Event()
        self.surprises: list[str] = []
        self._behaviours: deque[Behaviour] = deque()
        self._stopping = threading.Event()
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def will(self, *behaviours: Behaviour) -> None:
        self._behaviours.extend(behaviours)

    @property
    def only_request(self) -> Received:
        (request,) = self.received
        return request

    def stop(self) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                received = Received(self.path, self.headers.get("authorization", ""), json.loads(body))
                fake.received.append(received)
                fake.asked.set()
                problem = fake._problem(received)
                if problem:
                    fake.surprises.append(problem)
                    self._json(400, _error("invalid_request_error", problem))
                else:
                    self._behave(fake._behaviours.popleft())

            def _behave(self, behaviour: Behaviour) -> None:
                match behaviour:
                    case Says():
                        self._json(200, _completion(behaviour))
                    case Fails(status, code, headers):
                        self._json(status, _error(code, "told to fail"), headers)
                    case Sends(sent, content_type):
                        self._send(200, sent, {"content-type": content_type})
                    case Redirects(to):
                        self._send(307, b"", {"location": to})
                    case Hangs():
                        fake._stopping.wait()
                        self.close_connection = True
                    case Trickles():
                        self._trickle()
                    case CutsOff():
                        whole = json.dumps(_completion(Says("{}"))).encode()
                        self._send(200, whole[: len(whole) // 2], {"content-length": str(len(whole))})
                        self.close_connection = True

            def _trickle(self) -> None:
                self._head(200, {"content-type": "application/json", "content-length": "1000000"})
                self.close_connection = True
                try:
                    while not fake._stopping.wait(0.05):
                        self.wfile.write(b" ")
                except OSError:
                    return

            def _json(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
                described = {"content-type": "application/json"} | (headers or {})
                self._send(status, json.dumps(body).encode(), described)

            def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
                self._head(status, {"content-length": str(len(body))} | headers)
                self.wfile.write(body)

            def _head(self, status: int, headers: dict[str, str]) -> None:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                return

        return Handler

    def _problem(self, received: Received) -> str | None:
        """What the real server would object to."""
        body = received.body
        if received.path != "/v1/chat/completions":
            return f"unknown path {received.path}"
        if received.authorization != f"Bearer {API_KEY}":
            return "wrong key"
        if not body.get("model") or not body.get("messages") or body.get("stream"):
            return "model or messages missing, or a stream"
        if not all(message["content"] for message in body["messages"]):
            return "empty message"
        wanted = body.get("response_format", {})
        if wanted.get("type") == "json_schema" and wanted["json_schema"]["strict"]:
            violations = list(strict_violations(wanted["json_schema"]["schema"]))
            if violations:
                return f"Invalid schema for response_format: {violations}"
        if wanted.get("type") == "json_object" and "JSON" not in json.dumps(body["messages"]):
            return "messages must contain the word JSON"
        if not self._behaviours:
            return "one request more than expected"
        return None


def _completion(says: Says) -> dict[str, Any]:
    content = says.content
    if content is not None and not isinstance(content, str):
        content = json.dumps(content)
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_780_000_000,
        "model": "gpt-5-mini-2025-08-07",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, "refusal": says.refusal},
                "logprobs": None,
                "finish_reason": says.finish_reason,
            }
        ],
        "usage": {"prompt_tokens": 1_200, "completion_tokens": 80, "total_tokens": 1_280},
    }


def _error(code: str | None, message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}


_KEYWORDS = {
    "object": {"properties", "required", "additionalProperties"},
    "array": {"items", "minItems", "maxItems"},
    "string": {"pattern", "format"},
    "number": {"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
    "integer": {"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
    "boolean": set(),
    "null": set(),
}
_ANYWHERE = {"type", "description", "enum", "const", "anyOf"}
_MAX_DEPTH = 10


def strict_violations(schema: Any, path: str = "$", depth: int = 1) -> Iterator[str]:
    """Where a schema leaves the documented subset of strict structured output."""
    if not isinstance(schema, dict):
        yield f"{path}: not a schema"
        return
    if depth > _MAX_DEPTH:
        yield f"{path}: nested too deeply"
        return
    if depth == 1 and (schema.get("type") != "object" or "anyOf" in schema):
        yield f"{path}: the root is not a plain object"
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not kinds and "anyOf" not in schema:
        yield f"{path}: no type"
    allowed = _ANYWHERE.union(*(_KEYWORDS[kind] for kind in kinds))
    for keyword in schema.keys() - allowed:
        yield f"{path}: {keyword} is not permitted"
    if "object" in kinds:
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is not False:
            yield f"{path}: additionalProperties is not false"
        if sorted(schema.get("required", [])) != sorted(properties):
            yield f"{path}: not all properties are required"
        for name, part in properties.items():
            yield from strict_violations(part, f"{path}.{name}", depth + 1)
    if "array" in kinds:
        yield from strict_violations(schema.get("items"), f"{path}[]", depth + 1)
    branches = schema.get("anyOf", [])
    for number, branch in enumerate(branches):
        yield from strict_violations(branch, f"{path}|{number}", depth)
    beginnings = [_beginning(branch) for branch in branches if branch.get("type") == "object"]
    if len(set(beginnings)) != len(beginnings):
        yield f"{path}: branches share their first key"


def _beginning(branch: dict[str, Any]) -> tuple[str | None, Any]:
    """What tells one object of a union from another: its first key, with the constant if there is one."""
    first = next(iter(branch["properties"]), None)
    return first, branch["properties"].get(first, {}).get("const") if first else None
