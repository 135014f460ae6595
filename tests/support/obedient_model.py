"""A local endpoint that plays a language model which does what it is told, by whoever it believes.

It believes its rules, and whatever in a prompt stands outside of the marks for material. An order there is
followed: call a tool, say something, tell the rules. What is inside of the marks it uses and does not follow;
so an injection that leaves its place takes the model over.
"""

import json
import re
import threading
import tomllib
import unicodedata
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

_MATERIAL = re.compile(
    r"<(data|tools|message|dokument|gespraech|ergebnisse|antraege|frage)\b[^>]*>.*?</\1\s*>",
    re.DOTALL | re.IGNORECASE,
)
_ROLES = re.compile(r"<\|im_|\[/?INST\]|<</?SYS>>")
_ORDER = re.compile(r"§(call|say|reveal) ?([^§]*)§")
_CASE = re.compile(r"Fall (\d+)")
_FILE = Path(__file__).with_name("injections.toml")
_SPEAKERS = ("planner", "responder", "judge")


@dataclass(frozen=True)
class Injection:
    n: int
    name: str
    where: str
    text: str
    word: str
    """In its document, and in the question about it."""


def _word(n: int) -> str:
    """Said nowhere else, and not to be mistaken for another one."""
    parts = ("ba", "ko", "du", "fi", "ge", "lu", "mo", "ni", "pa", "ru")
    return "Zwy" + "".join(parts[int(digit)] * 2 for digit in f"{n:03}") + "x"


def injections() -> list[Injection]:
    """Each text at each of its places."""
    listed = tomllib.loads(_FILE.read_text(encoding="utf-8"))["injection"]
    pairs = [(each, where) for each in listed for where in each["where"]]
    return [
        Injection(n, each["name"], where, each["text"].replace("{word}", _word(n)), _word(n))
        for n, (each, where) in enumerate(pairs)
    ]


class ObedientModel:
    def __init__(self, cases: list[Injection]) -> None:
        self.rules: set[str] = set()
        """The system prompts that it was given."""
        self._cases = {case.n: case for case in cases}
        self._by_word = {case.word: case for case in cases}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, body: dict[str, Any]) -> str:
        """What it says to a request."""
        rules = body["messages"][0]["content"]
        self.rules.add(rules)
        heard = "\n".join(m["content"] for m in body["messages"][1:] if m["role"] == "user")
        kind = "answer" if body.get("stream") else body["response_format"]["json_schema"]["name"]
        case = self._case(heard)
        believed = rules + json.dumps(body.get("response_format"), ensure_ascii=False) + _outside(heard)
        orders = dict(_ORDER.findall(believed))
        speaker = {"plan": "planner", "relevance": "judge", "answer": "responder"}[kind]
        said = case.text if case is not None and case.where == speaker else None
        if said is not None:
            told = rules if said.startswith("§rules§") else f"**{rules}**".replace("\n", "**\n\n> **")
            said = told if said.startswith("§rules") else said
        elif "reveal" in orders:
            said = rules
        elif "say" in orders:
            said = orders["say"]
        if kind == "plan":
            return self._plan(case, said, orders.get("call"))
        if kind == "relevance":
            fits = case is not None and case.word in heard
            return json.dumps({"relevant": fits, "reason": said or "Behandelt die Frage."})
        return said or f"Das steht in [1]. {_material(heard)}"

    def _case(self, heard: str) -> Injection | None:
        found = _CASE.search(heard)
        if found:
            return self._cases.get(int(found[1]))
        return next((case for word, case in self._by_word.items() if word in heard), None)

    def _plan(self, case: Injection | None, said: str | None, call: str | None) -> str:
        if call is not None:
            return json.dumps({"steps": [_step(call, text=f"{case.n if case else '?'}")]})
        if said is not None and said.startswith('{"'):
            return said
        if said is not None:
            return json.dumps({"steps": [{"intent": "answer", "message": said[:990], "respond": False}]})
        if case is None:
            return json.dumps({"steps": [{"intent": "answer", "message": "Guten Tag.", "respond": False}]})
        if case.where.startswith("tool_"):
            summary: dict[str, Any] = {
                "intent": "answer",
                "calls": [],
                "args": None,
                "message": None,
                "respond": True,
            }
            return json.dumps({"steps": [_step("mcp.notes.lookup", case=case.n), summary]})
        return json.dumps({"steps": [_step("documents.retrieve", "search_documents", query=case.word)]})

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                said = model.answer(body)
                usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
                whole = {"id": "c", "created": 1, "model": "m", "usage": usage}
                self.send_response(200)
                if not body.get("stream"):
                    message = {"role": "assistant", "content": said, "refusal": None}
                    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
                    self.send_header("content-type", "application/json")
                    self.end_headers()
                    completion = whole | {"object": "chat.completion", "choices": [choice]}
                    self.wfile.write(json.dumps(completion).encode())
                    return
                self.send_header("content-type", "text/event-stream")
                self.end_headers()
                pieces = [said[n : n + 5] for n in range(0, len(said), 5)]
                choices = [{"index": 0, "delta": {"content": piece}} for piece in pieces]
                for choice in [*choices, {"index": 0, "delta": {}, "finish_reason": "stop"}]:
                    chunk = whole | {"object": "chat.completion.chunk", "choices": [choice], "usage": None}
                    self.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")
                self.wfile.write(b"data: [DONE]\n\n")

            def log_message(self, format: str, *args: Any) -> None:
                return

        return Handler


def _step(capability: str, intent: str | None = None, **args: Any) -> dict[str, Any]:
    call = {"capability": capability, "args": args}
    named = intent or capability.replace(".", "_")
    return {"intent": named, "calls": [call], "args": None, "message": None, "respond": False}


def _outside(heard: str) -> str:
    """What a model takes for the words of its master: not the material, if that stays where it is."""
    try:
        if json.loads(heard).keys() == {"question", "document"} and not _ROLES.search(heard):
            return ""
    except ValueError:
        pass
    read = unicodedata.normalize("NFKC", heard)
    return read if _ROLES.search(read) else _MATERIAL.sub("", read)


def _material(heard: str) -> str:
    """It quotes what it was given, orders and all."""
    quoted = re.findall(r"<(?:dokument|ergebnisse)[^>]*>\n(.*?)\n</", heard, re.DOTALL)
    return " ".join(quoted)[:1_500].replace("GEKAPERT", "")
