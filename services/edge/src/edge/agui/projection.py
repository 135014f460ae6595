"""What both agents project alike: calls, texts, and the answers that no step has told. Pure."""

from contracts.chat import Step
from contracts.research import ErrorInfo
from contracts.turns import AnswerDelta, TurnEvent, TurnEventKind

from edge.agui.run_events import Json, RunEvents
from edge.reading import News

MAP_ACTIONS = "map_actions"
"""Custom event: `{step, mapActions}`, to be applied in this order."""


class Projection:
    """Projects one log after the other, entry by entry, onto the events of a run."""

    def __init__(self, events: RunEvents) -> None:
        self.events = events
        self.request_id = ""
        self.fault: ErrorInfo | None = None
        """Why there can be no answer, when that is no fault of the question."""
        self._calls: dict[int, int] = {}
        self._open_calls: dict[int, str] = {}
        self._answers: dict[int, list[Step]] = {}

    def begin(self, request_id: str) -> None:
        """Another log: what was known of a turn is void."""
        self.request_id = request_id
        self._calls, self._open_calls, self._answers = {}, {}, {}

    def take(self, news: News) -> None:
        """The next entry of the log."""
        entry = news.entry
        if isinstance(entry, AnswerDelta):
            self.delta(entry, restarts=news.restarts)
            return
        if entry.answer is not None:
            self._answers.setdefault(entry.round, []).append(entry.answer)
        self.event(entry)
        for step, answer in news.applicable:
            self.apply(step, answer)
        if entry.kind is TurnEventKind.FINISHED and entry.response is not None:
            # A round that is refused or runs out of time has an answer, but no step that came to it.
            told = self._answers.pop(entry.round, [])
            for n, answer in enumerate(entry.response.steps):
                if answer not in told:
                    self.answer(n, answer, f"{self.request_id}/{entry.round}/{n}")

    # -- what an agent makes of it ---------------------------------------------------------------------

    def snapshot(self) -> Json:
        """The state, as far as it is known."""
        raise NotImplementedError

    def event(self, event: TurnEvent) -> None:
        raise NotImplementedError

    def delta(self, delta: AnswerDelta, *, restarts: bool) -> None:
        raise NotImplementedError

    def apply(self, step: int, answer: Step) -> None:
        """The map actions of a step can be applied."""
        actions = answer.as_json()["mapActions"]
        if actions:
            self.events.custom(MAP_ACTIONS, {"step": step, "mapActions": actions})

    def answer(self, step: int, answer: Step, lane: str) -> None:
        """An answer that no step of the log has told."""
        self.events.settle(lane, answer.message)

    def close(self) -> None:
        """All is told: time for a last look at the state."""

    # -- in common -------------------------------------------------------------------------------------

    def lane(self, entry: TurnEvent | AnswerDelta) -> str:
        """Where the text of a step goes; the id of its message."""
        return f"{self.request_id}/{entry.round}/{entry.step}"

    def speak(self, delta: AnswerDelta, *, restarts: bool) -> None:
        """Text as it is being written."""
        if restarts:
            self.events.withdraw(self.lane(delta))
        self.events.say(self.lane(delta), delta.text)

    def called(self, event: TurnEvent, name: str) -> None:
        """A step calls a tool; its calls come one after the other."""
        assert event.step is not None
        n = self._calls[event.step] = self._calls.get(event.step, 0) + 1
        call_id = self.events.call(
            f"{self.request_id}/call/{event.step}/{n}", name, dict(event.detail.get("args", {}))
        )
        self._open_calls[event.step] = call_id

    def returned(self, event: TurnEvent) -> None:
        """A tool has answered."""
        assert event.step is not None
        told = ("status", "items", "durationMs")
        content = {key: event.detail[key] for key in told if key in event.detail}
        self.events.result(self._open_calls.pop(event.step, ""), content)

    def given_up(self, step: int) -> None:
        """A step ends without having waited for its tool."""
        if (call_id := self._open_calls.pop(step, None)) is not None:
            self.events.result(call_id, {"status": "error"})
