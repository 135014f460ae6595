"""A run: what a client of an agent hears of the log of a turn. Pure."""

from collections.abc import Collection

from ag_ui.core import (
    BaseEvent,
    RunAgentInput,
    RunFinishedCancelledOutcome,
    RunFinishedInterruptOutcome,
    RunFinishedOutcome,
    RunFinishedSuccessOutcome,
    TokenUsage,
)
from contracts.agents import Agent, only_intent
from contracts.chat import ChatResponse
from contracts.intents import Intent
from contracts.languages import DEFAULT_LANGUAGE, Language
from contracts.messages import Usage
from contracts.turns import AnswerDelta, TurnEvent, TurnEventKind

from edge.agui.choices import OpenChoices
from edge.agui.map_projection import MapProjection
from edge.agui.projection import Projection
from edge.agui.research_projection import ResearchProjection
from edge.agui.run_events import Json, RunEvents
from edge.errors import EdgeError, ShuttingDown
from edge.problems import problem_of
from edge.reading import Reading


class Run:
    """Reads logs from their beginning and tells what is new in them. Every method gives the events to send.

    There is exactly one terminal event, and it is the last: `RUN_FINISHED` whatever the answers are, an
    interrupt if choices are open; `RUN_ERROR` for what is no fault of the question.
    """

    def __init__(
        self,
        run: RunAgentInput,
        agent: Agent,
        question: str = "",
        given_up: Collection[str] = (),
        language: Language = DEFAULT_LANGUAGE,
    ) -> None:
        """`given_up`: the interrupts that the client does not want to answer."""
        self._language = language
        self._events = RunEvents(run)
        self._projection: Projection = (
            ResearchProjection(self._events, question)
            if only_intent(agent) == Intent.SEARCH_DOCUMENTS
            else MapProjection(self._events, run.state)
        )
        self._given_up = frozenset(given_up)
        self._knows_cancelled = run.protocol_version is not None
        self._is_started = False
        self._is_shown = False
        self._reading = Reading()
        self._choices = OpenChoices()
        self._result: Json = {}
        self._usage = Usage()
        self._spent_before = Usage()

    def begin(self, request_id: str) -> list[BaseEvent]:
        """A log is going to be read."""
        self._reading, self._choices, self._spent_before = Reading(), OpenChoices(), Usage()
        self._projection.begin(request_id)
        self._is_shown = False
        if not self._is_started:
            self._is_started = True
            self._events.start()
        return self._events.drain()

    def take(self, entry: TurnEvent | AnswerDelta, is_new: bool = True) -> list[BaseEvent]:
        """The next entry; when it is not new, the client has heard it in another run."""
        news = self._reading.take(entry)
        if news is None:
            return []
        self._events.silent = not is_new
        if is_new:
            self._show()
        self._projection.take(news)
        if isinstance(entry, TurnEvent):
            self._choices.take(entry)
            if entry.kind is TurnEventKind.FINISHED:
                self._finished(entry, is_new)
        return self._events.drain()

    def answer(self, response: ChatResponse) -> list[BaseEvent]:
        """An answer that is in no log."""
        self._events.silent = False
        self._show()
        for n, step in enumerate(response.steps):
            self._projection.answer(n, step, f"{response.request_id}/answer/{n}")
            self._projection.apply(n, step)
        self._result = _result_of(response)
        return self._events.drain()

    def end(self) -> list[BaseEvent]:
        """All that the run was started for has its answer."""
        self._events.silent = False
        self._projection.close()
        if self._projection.fault is not None:
            self._events.fail(self._projection.fault.message, self._projection.fault.error_type)
        else:
            self._events.finish(self._outcome(), self._result, _tokens(self._usage))
        return self._events.drain()

    def stop(self, request_id: str) -> list[BaseEvent]:
        """Clients take a stream that just stops for a success."""
        return self.fail(ShuttingDown(request_id=request_id))

    def fail(self, error: EdgeError) -> list[BaseEvent]:
        """Something went wrong on our side, or it cannot be answered."""
        problem = problem_of(error, self._language)
        details = " ".join(each.detail for each in problem.errors or ())
        self._events.fail(details or problem.detail, error.code)
        return self._events.drain()

    def _show(self) -> None:
        """The state before the first news, which may bring changes to it."""
        if not self._is_shown:
            self._is_shown = True
            self._events.snapshot(self._projection.snapshot())

    def _finished(self, event: TurnEvent, is_new: bool) -> None:
        """What a turn has cost is told of the turn; a run tells its own part."""
        spent = Usage.model_validate(event.detail.get("usage", {}))
        if is_new:
            before = self._spent_before
            self._usage += Usage(
                calls=max(0, spent.calls - before.calls),
                input_tokens=max(0, spent.input_tokens - before.input_tokens),
                output_tokens=max(0, spent.output_tokens - before.output_tokens),
            )
            if event.response is not None:
                cancelled = {"cancelled": True} if event.detail.get("cancelled") else {}
                self._result = _result_of(event.response) | cancelled
        self._spent_before = spent

    def _outcome(self) -> RunFinishedOutcome:
        if self._result.get("cancelled"):
            # Clients from before the protocol had versions refuse an outcome that they do not know.
            return RunFinishedCancelledOutcome() if self._knows_cancelled else RunFinishedSuccessOutcome()
        interrupts = self._choices.interrupts(self._given_up)
        if interrupts:
            return RunFinishedInterruptOutcome(interrupts=interrupts)
        return RunFinishedSuccessOutcome()


def _result_of(response: ChatResponse) -> Json:
    return {"requestId": response.request_id, "overallStatus": str(response.overall_status)}


def _tokens(usage: Usage) -> list[TokenUsage]:
    if not usage.calls:
        return []
    total = usage.input_tokens + usage.output_tokens
    return [
        TokenUsage(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, total_tokens=total)
    ]
