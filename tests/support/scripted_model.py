"""A local endpoint that plays a whole language model: it plans, judges documents and writes answers."""

import json
import re
import threading
from collections.abc import Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_MESSAGE = re.compile(r"<message>\s*(.*?)\s*</message>", re.DOTALL)


class ScriptedModel:
    """`answer` is streamed in small pieces; a document is relevant when its text has one of `relevant`."""

    def __init__(self, *, relevant: tuple[str, ...], answer: str) -> None:
        self.relevant = relevant
        self.answer = answer
        self.ending: str | None = "stop"
        """Of an answer; None when it is cut off."""
        self.asked: list[str] = []
        """`plan`, `relevance` or `answer`, in the order of the requests."""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def pieces(self) -> Iterator[str]:
        """The answer as it is streamed."""
        for n in range(0, len(self.answer), 7):
            yield self.answer[n : n + 7]

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                if body.get("stream"):
                    model.asked.append("answer")
                    self._stream(model.pieces())
                    return
                kind = body["response_format"]["json_schema"]["name"]
                model.asked.append(kind)
                content = body["messages"][-1]["content"]
                self._complete(model.plan(content) if kind == "plan" else model.judge(content))

            def _complete(self, document: dict[str, Any]) -> None:
                message = {"role": "assistant", "content": json.dumps(document), "refusal": None}
                choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
                usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
                self._head("application/json")
                whole = {
                    "id": "c",
                    "object": "chat.completion",
                    "created": 1,
                    "model": "m",
                    "choices": [choice],
                }
                self.wfile.write(json.dumps(whole | {"usage": usage}).encode())

            def _stream(self, pieces: Iterable[str]) -> None:
                self._head("text/event-stream")
                for piece in pieces:
                    self._event({"choices": [{"index": 0, "delta": {"content": piece}}]})
                if model.ending is None:
                    return
                self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": model.ending}]})
                usage = {"prompt_tokens": 900, "completion_tokens": 60, "total_tokens": 960}
                self._event({"choices": [], "usage": usage})
                self.wfile.write(b"data: [DONE]\n\n")

            def _event(self, chunk: dict[str, Any]) -> None:
                whole = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"} | chunk
                self.wfile.write(b"data: " + json.dumps(whole).encode() + b"\n\n")
                self.wfile.flush()

            def _head(self, content_type: str) -> None:
                self.send_response(200)
                self.send_header("content-type", content_type)
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                return

        return Handler

    def plan(self, content: str) -> dict[str, Any]:
        """Always a search for documents, with the message as the question."""
        (question,) = _MESSAGE.findall(content)[-1:]
        call = {
            "capability": "documents.retrieve",
            "args": {"query": question, "filters": None, "limit": None},
        }
        step = {
            "intent": "search_documents",
            "calls": [call],
            "args": None,
            "message": None,
            "respond": False,
        }
        return {"steps": [step]}

    def judge(self, content: str) -> dict[str, Any]:
        """The verdict on one document, or on each of several."""
        documents = json.loads(content).get("documents")
        if documents is not None:
            said = [{"number": each["number"], **self._verdict(each["text"])} for each in documents]
            return {"verdicts": said}
        return self._verdict(content)

    def _verdict(self, content: str) -> dict[str, Any]:
        fits = any(word in content for word in self.relevant)
        return {"relevant": fits, "reason": "Passt zur Frage." if fits else "Behandelt etwas anderes."}
