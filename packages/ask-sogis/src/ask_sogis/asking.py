"""How a question gets its answer. Pure: requests come out, and what became of them goes in.

The clients, one that blocks and one that awaits, only do as they are told.
"""

from http import HTTPStatus
from os import environ
from typing import Any, TypedDict, TypeVar
from urllib.parse import quote
from uuid import uuid4

from ask_sogis.documents import DocumentAnswer
from ask_sogis.errors import AskError, Invalid, NoAnswer, NotUnderstood, Refused, Unreachable
from ask_sogis.events import Event, Finished, StepActions, event_of
from ask_sogis.exchange import Call, Flow, Lost, Patience, Read, Reply, as_header
from ask_sogis.frames import Frame, Frames
from ask_sogis.reading import read
from contracts.actions import MapResult
from contracts.agents import Agent
from contracts.base import Contract
from contracts.chat import ChatRequest, ChatResponse, Choice, MapContext, SessionRef
from contracts.identify import Identified, IdentifyRequest
from contracts.problems import Problem
from contracts.suggest import Suggestions
from contracts.tools import ToolList
from contracts.turns import TurnProgress
from contracts.urls import without_password
from pydantic import ValidationError

_HERE = "http://127.0.0.1:8080"
"""Where `make run` starts it."""
PATIENCE_S = 60.0
"""Longer than a turn may take."""
_UNLESS_SAID_S = 1.0
_BUSY = {429, 502, 503, 504}
_LATE = frozenset({"turn_timeout"})
"""Asking once more would begin the waiting anew."""
_GOES_ON = _LATE | {"shutting_down"}
"""With these problems the turn does, and can be asked for."""
_JSON = {"Content-Type": "application/json"}
_EVENTS = "text/event-stream"

_C = TypeVar("_C", bound=Contract)


class Options(TypedDict, total=False):
    """What may go along with a message or a choice."""

    session_id: str
    """Another conversation than that of the client."""
    agent: Agent
    """`riskiagent` answers from documents only."""
    language: str
    """In which to answer: `de`, `fr`, `it` or `en`."""
    map: MapContext
    """Where the map is, and what it shows."""
    map_results: tuple[MapResult, ...]
    """What became of the map actions since the request before."""
    idempotency_key: str
    """Of a question that another program may have to repeat; without one, each has its own."""


class Asking:
    """One edge, as a client knows it. Each flow ends with what it promises or raises an `AskError`."""

    def __init__(self, url: str | None, session_id: str | None, patience_s: float) -> None:
        self.url = (url or environ.get("ASK_URL") or _HERE).rstrip("/")
        self.session_id = session_id or f"py-{uuid4()}"
        self._patience_s = patience_s
        self._was_there = False

    def chat(self, message: str | None, choice: Choice | str | None, options: Options) -> Flow[ChatResponse]:
        call, patience = self._question("/api/chat", message, choice, options), self._patience()
        try:
            return read(ChatResponse, (yield from self._sent(call, patience, _GOES_ON)).content)
        except Refused as refused:
            if refused.request_id is None or refused.code not in _GOES_ON:
                raise
            return (yield from self._polled(refused.request_id, patience))

    def stream(self, message: str | None, choice: Choice | str | None, options: Options) -> Flow[None]:
        """Yields events among what is to be done. The last one is `Finished`, whatever breaks in between."""
        call = self._question("/api/chat/stream", message, choice, options)
        patience = self._patience()
        request_id, is_over = "", False
        while not is_over:
            reply = yield from self._sent(call, patience)
            if reply.status == HTTPStatus.NO_CONTENT:
                # The log is gone, or has ended without the answer.
                yield (yield from self._finished(request_id, patience))
                return
            if not reply.headers.get("content-type", "").startswith(_EVENTS):
                raise NotUnderstood()
            frames, failure = Frames(), self._unreachable()
            while isinstance(piece := (yield Read()), bytes) and piece:
                for told in map(_told, frames.feed(piece)):
                    if isinstance(told, Refused):
                        failure = told
                    elif told is not None:
                        yield told if told.id or request_id else _alone(told)
                        patience, request_id = self._patience(), told.request_id
                        is_over = isinstance(told, Finished)
                        # Until now the question itself has led to the same turn.
                        call = _following(told)
            if isinstance(piece, Lost):
                patience.left_s -= piece.after_s
            late = failure.request_id if isinstance(failure, Refused) and failure.code in _LATE else None
            if late and not request_id:
                yield _alone((yield from self._finished(late, patience)))
                return
            if not is_over and not (yield from patience.wait()):
                raise failure

    def documents(self, question: str, options: Options) -> Flow[DocumentAnswer]:
        return DocumentAnswer((yield from self.chat(question, None, {"agent": "riskiagent", **options})))

    def turn(self, request_id: str) -> Flow[ChatResponse | TurnProgress]:
        reply = yield from self._sent(Call("GET", _turn(request_id)), self._patience())
        if reply.status == HTTPStatus.ACCEPTED:
            return read(TurnProgress, reply.content)
        return read(ChatResponse, reply.content)

    def cancel(self, request_id: str) -> Flow[None]:
        yield from self._sent(Call("DELETE", _turn(request_id)), self._patience())

    def delete_session(self, session_id: str | None) -> Flow[None]:
        body = _valid(SessionRef, session_id=session_id or self.session_id).to_json()
        yield from self._sent(Call("DELETE", "/api/chat", body, _JSON), self._patience())

    def tools(self) -> Flow[ToolList]:
        reply = yield from self._sent(Call("GET", "/api/tools"), self._patience())
        return read(ToolList, reply.content)

    def identify(
        self, east: float, north: float, layers: tuple[str, ...], tolerance_m: float | None
    ) -> Flow[Identified]:
        asked = {"session_id": self.session_id, "layers": layers, "tolerance": tolerance_m}
        body = _valid(IdentifyRequest, x=east, y=north, **asked).to_json()
        reply = yield from self._sent(Call("POST", "/api/identify", body, _JSON), self._patience())
        return read(Identified, reply.content)

    def suggest(self, written: str, limit: int) -> Flow[Suggestions]:
        call = Call("GET", "/api/suggest", params={"q": written, "limit": limit})
        return read(Suggestions, (yield from self._sent(call, Patience(0))).content)

    def _patience(self) -> Patience:
        return Patience(self._patience_s)

    def _unreachable(self) -> AskError:
        return Unreachable(f"Nobody answers at {without_password(self.url)}, or not to the end.")

    def _question(
        self, path: str, message: str | None, choice: Choice | str | None, options: Options
    ) -> Call:
        if unknown := options.keys() - Options.__optional_keys__:
            raise Invalid(f"{min(unknown)}: is no option.")
        given: dict[str, Any] = {"session_id": self.session_id, **options}
        # Whatever breaks, the same question may be sent again, and goes on meanwhile.
        key = as_header("key", given.pop("idempotency_key", None)) or str(uuid4())
        choice_id = choice.id if isinstance(choice, Choice) else choice
        request = _valid(ChatRequest, user_message=message, choice_id=choice_id, **given)
        headers = _JSON | {"Idempotency-Key": key}
        return Call("POST", path, request.to_json(), headers, streams=path.endswith("/stream"))

    def _polled(self, request_id: str, patience: Patience) -> Flow[ChatResponse]:
        while True:
            reply = yield from self._sent(Call("GET", _turn(request_id)), patience)
            if reply.status != HTTPStatus.ACCEPTED:
                return read(ChatResponse, reply.content)
            if not (yield from patience.wait(reply.seconds() or _UNLESS_SAID_S)):
                raise NoAnswer(request_id, self._patience_s)

    def _finished(self, request_id: str, patience: Patience) -> Flow[Finished]:
        return Finished(request_id=request_id, response=(yield from self._polled(request_id, patience)))

    def _sent(self, call: Call, patience: Patience, told: frozenset[str] = _LATE) -> Flow[Reply]:
        """The answer, if it is none of the bad ones.

        Who was lost is asked again, and so is who is busy, unless with a problem that is to be `told`.
        """
        while True:
            heard = yield call
            assert isinstance(heard, Reply | Lost)
            patience.left_s -= heard.after_s
            if isinstance(heard, Lost):
                # One that was there before is being started anew; any other is not there.
                self._was_there |= heard.connected
                if not self._was_there or not (yield from patience.wait()):
                    raise self._unreachable()
                continue
            self._was_there = True
            if 200 <= heard.status < 300:
                return heard
            refused = _refusal(heard)
            if heard.status not in _BUSY or refused.code in told:
                raise refused
            if not (yield from patience.wait(heard.seconds() or _UNLESS_SAID_S)):
                raise refused


def _valid(model: type[_C], **values: Any) -> _C:
    try:
        return model(**values)
    except ValidationError as error:
        found = error.errors()[0]
        raise Invalid(": ".join((*map(str, found["loc"]), found["msg"]))) from None


def _turn(request_id: str) -> str:
    return f"/api/chat/{quote(request_id, safe='')}"


def _refusal(reply: Reply) -> Refused:
    try:
        problem = read(Problem, reply.content)
    except NotUnderstood:
        phrase = next((known.phrase for known in HTTPStatus if known == reply.status), "")
        return Refused(reply.status, phrase, None, reply.seconds())
    return Refused(reply.status, problem.detail, problem, reply.seconds())


def _told(frame: Frame) -> Event | Refused | None:
    """None is said by what this version does not know. Raises a refusal that waiting does not change."""
    if frame.event != "error":
        return event_of(frame)
    problem = read(Problem, frame.data.encode())
    refused = Refused(problem.status, problem.detail, problem, None)
    if refused.status not in _BUSY:
        raise refused
    return refused


def _alone(told: Event) -> Event:
    """An answer that no event has come before: what was told of it earlier had no listener."""
    steps = told.response.steps if isinstance(told, Finished) else ()
    apply = tuple(StepActions(step=n, map_actions=step.map_actions) for n, step in enumerate(steps))
    return told.model_copy(update={"apply": tuple(each for each in apply if each.map_actions)})


def _following(told: Event) -> Call:
    """What comes after an event."""
    headers = {"Last-Event-ID": told.id}
    return Call("GET", f"{_turn(told.request_id)}/stream", headers=headers, streams=True)
