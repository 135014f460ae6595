"""The other end of a flow: prepared answers, and what was wanted in between."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ask_sogis.asking import Asking, Options
from ask_sogis.events import Event, Told
from ask_sogis.exchange import Call, Flow, Heard, Lost, Pause, Reply
from contracts.chat import ChatResponse, Step
from contracts.status import Status

GIVEN: Options = {"session_id": "s", "idempotency_key": "k"}
DONE = ChatResponse.of("req-1", (Step(intent="i", status=Status.OK, message="Fertig."),))
ANSWER = Reply(200, content=DONE.to_json())
RUNNING = Reply(202, {"retry-after": "1"}, b'{"requestId": "req-1", "state": "running"}')
STREAM = Reply(200, {"content-type": "text/event-stream"})
NOWHERE = Lost(connected=False)


def asking(patience_s: float = 10.0) -> Asking:
    return Asking("http://edge", None, patience_s)


def refusal(
    status: int, code: str, *, request_id: str | None = None, after_s: int | None = None, **more: Any
) -> Reply:
    kind = {"type": f"urn:ask-sogis:problem:{code}", "title": "Something.", "detail": "So nicht."}
    document = {**kind, "status": status, "code": code, "requestId": request_id, **more}
    headers = {"retry-after": str(after_s)} if after_s is not None else {}
    return Reply(status, headers, json.dumps(document).encode())


def frame(event: str, id: int | None = None, **data: Any) -> bytes:
    head = "" if id is None else f"id: {id}\n"
    return f"{head}event: {event}\ndata: {json.dumps({'requestId': 'req-1', **data})}\n\n".encode()


def finished(id: int | None = 99) -> bytes:
    return frame("turn.finished", id, response=json.loads(DONE.to_json()))


@dataclass
class Played:
    """What came of a flow."""

    answer: Any = None
    error: Exception | None = None
    calls: list[Call] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    @property
    def lines(self) -> list[str]:
        """The requests, as methods and paths."""
        return [f"{call.method} {call.path}" for call in self.calls]

    @property
    def positions(self) -> list[str]:
        return [event.id for event in self.events]

    def headers(self, n: int) -> Mapping[str, str]:
        return self.calls[n].headers


def play(flow: Flow[Any], *heard: Heard) -> Played:
    """Fails when the flow wants more than was prepared, or less."""
    played, left, said = Played(), list(heard), None
    while True:
        try:
            do = flow.send(said)
        except StopIteration as end:
            played.answer = end.value
            break
        except Exception as error:
            played.error = error
            break
        said = None
        if isinstance(do, Pause):
            played.pauses.append(do.seconds)
        elif isinstance(do, Told):
            played.events.append(do)
        else:
            if isinstance(do, Call):
                played.calls.append(do)
            assert left, do
            said = left.pop(0)
    assert left == []
    return played
