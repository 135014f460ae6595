"""The `riskiagent`: steps `model`, `tools`, `guard` and `collect_results`; documents in the state. Pure.

A question that cannot be answered ends with `error_info` in the state and no text. Only when nothing could be
looked up at all, which is no fault of the question, the run ends with an error.
"""

from contracts.chat import Step
from contracts.intents.search_documents import SPEC
from contracts.research import ErrorInfo, ErrorType
from contracts.turns import AnswerDelta, TurnEvent, TurnEventKind

from edge.agui.projection import Projection
from edge.agui.research_state import ResearchState
from edge.agui.run_events import Json, RunEvents

K = TurnEventKind

MODEL, TOOLS, GUARD, COLLECT = "model", "tools", "guard", "collect_results"
RETRIEVE = "retrieve_documents"
"""The search, as clients of the `riskiagent` know it."""


class ResearchProjection(Projection):
    def __init__(self, events: RunEvents, question: str) -> None:
        super().__init__(events)
        self._state = ResearchState(question)
        self._order: dict[int, int] = {}
        self._phases: dict[int, str] = {}
        self._is_planning = False
        self._final = False

    def begin(self, request_id: str) -> None:
        super().begin(request_id)
        self._state = ResearchState(self._state.question)
        self._order, self._phases, self._is_planning = {}, {}, False

    def snapshot(self) -> Json:
        return self._state.document()

    def event(self, event: TurnEvent) -> None:
        if event.kind is K.STARTED:
            self._state.ask(str(event.detail.get("message", "")))
            self._is_planning = True
            self.events.begin_step(MODEL)
        elif event.step is not None:
            self._step(event, event.step)

    def _step(self, event: TurnEvent, n: int) -> None:
        match event.kind:
            case K.TOOL_CALLED:
                capability = str(event.detail.get("capability", ""))
                self.called(event, RETRIEVE if capability == SPEC.goal else capability)
                self._go(n, TOOLS)
            case K.TOOL_RESULT:
                self.returned(event)
            case K.DOCUMENTS_FOUND:
                self._state.find(n, event.detail)
                self.events.snapshot(self.snapshot())
                self._go(n, GUARD)
                self._go(n, None)
            case K.DOCUMENT_CHECKED:
                self.events.delta(*self._state.judge(n, event.detail))
                if self._state.is_checked(n):
                    self._collect(n)
            case K.CHOICE_PENDING | K.STEP_FINISHED if event.answer is not None:
                self._settled(event, n, event.answer)

    def delta(self, delta: AnswerDelta, *, restarts: bool) -> None:
        self._go(delta.step, MODEL)
        self.speak(delta, restarts=restarts)

    def answer(self, step: int, answer: Step, lane: str) -> None:
        super().answer(step, answer, lane)
        self._final = True

    def close(self) -> None:
        if self._final:
            # An answer to one question is worth more than the failure of another one.
            self.fault = None
            self.events.snapshot(self.snapshot())

    # -- what a question goes through --------------------------------------------------------------------

    def _collect(self, n: int) -> None:
        self._go(n, COLLECT)
        self.events.delta(self._state.collect(n))
        self._go(n, MODEL if self._state.has_relevant(n) else None)

    def _settled(self, event: TurnEvent, n: int, answer: Step) -> None:
        self.given_up(n)
        error = answer.research.error_info if answer.research is not None else None
        if error is not None:
            self._failed(event, n, answer, error)
            return
        self._go(n, MODEL)
        self.events.settle(self.lane(event), answer.message)
        self._go(n, None)
        self._state.settle(n, answer.research)
        self._final = self._final or not self.events.silent

    def _failed(self, event: TurnEvent, n: int, answer: Step, error: ErrorInfo) -> None:
        self.events.withdraw(self.lane(event))
        found = self._state.has_found(n)
        if error.error_type is ErrorType.SERVER_ERROR and not found:
            self._go(n, None)
            self.fault = self.fault if self.events.silent else error
            return
        guarded = error.error_type in (ErrorType.NO_TOOL_CALL, ErrorType.NO_DOCUMENTS_FOUND)
        if guarded:
            self._go(n, GUARD)
        self._go(n, None)
        self._state.settle(n, answer.research)
        self.events.snapshot(self.snapshot())
        if guarded:
            self._go(n, COLLECT)
            self._go(n, None)

    def _go(self, n: int, phase: str | None) -> None:
        """A question leaves the step that it is in, and enters another one."""
        if self._is_planning:
            self._is_planning = False
            if phase != MODEL:
                self.events.end_step(MODEL)
        before = self._phases.pop(n, None)
        if before is not None and before != phase:
            self.events.end_step(self._name(n, before))
        if phase is not None:
            self._phases[n] = phase
            self.events.begin_step(self._name(n, phase))

    def _name(self, n: int, phase: str) -> str:
        """The second question of a message has steps of its own."""
        nth = self._order.setdefault(n, len(self._order))
        return phase if nth == 0 else f"{phase}:{nth + 1}"
