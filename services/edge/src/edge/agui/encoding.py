"""The events of a run as frames of server-sent events. Pure."""

from ag_ui.core import BaseEvent
from ag_ui.encoder import EventEncoder
from contracts.chat import ChatResponse
from contracts.turns import AnswerDelta, TurnEvent

from edge.agui.run import Run
from edge.errors import EdgeError


class RunEncoder:
    """Each frame has the position in the log up to which the client then knows it; several may share one."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._event_encoder = EventEncoder()
        self._position = 0

    def begin(self, request_id: str) -> bytes | None:
        return self._frames(self._run.begin(request_id))

    def take(self, position: int, entry: TurnEvent | AnswerDelta, is_new: bool = True) -> bytes | None:
        self._position = position
        return self._frames(self._run.take(entry, is_new))

    def answer(self, response: ChatResponse) -> bytes | None:
        return self._frames(self._run.answer(response))

    def end(self) -> bytes | None:
        return self._frames(self._run.end())

    def stop(self, request_id: str) -> bytes | None:
        return self._frames(self._run.stop(request_id))

    def fail(self, error: EdgeError) -> bytes | None:
        return self._frames(self._run.fail(error))

    def _frames(self, events: list[BaseEvent]) -> bytes | None:
        frames = (f"id: {self._position}\n{self._event_encoder.encode(event)}" for event in events)
        return "".join(frames).encode() or None
