"""Steps whose answer is written from what was done before, in the same turn or else in earlier ones."""

from typing import Any

from contracts.chat import Step
from contracts.messages import AnswerReady, AnswerRequested
from contracts.plan import PlanStep
from contracts.status import Status

from orchestrator.flows.flow import Flow
from orchestrator.results import result_of
from orchestrator.state import Phase
from orchestrator.transition import Transition

MAX_RESULTS = 5
SUFFICIENT_CHARS = 50
"""A message of the planner that is longer is the answer; writing another one would only take time."""


class Written(Flow):
    """One that could not be written says so itself."""

    def on_answer(self, before: Transition, event: AnswerReady) -> Transition:
        message = event.text.strip()
        status = Status.OK if message and event.error_type is None else Status.ERROR
        answer = Step(
            intent=before.steps[event.step].intent,
            status=status,
            message=message or before.text("no_answer"),
            cut=event.cut,
        )
        return before.end_step(event.step, answer, written_by(event))


def to_be_written(step: PlanStep) -> bool:
    """Whether the answer of a step is still to be written."""
    return step.respond and not step.calls and len(step.message or "") <= SUFFICIENT_CHARS


def written_by(event: AnswerReady) -> dict[str, Any]:
    """For the journal: who has written an answer, and why it was not the model that was asked."""
    failed = {"modelError": event.model_error} if event.model_error else {}
    return {"author": event.author, **failed}


def ask_next(before: Transition, n: int) -> Transition:
    """Ask for the answer that waits for nothing any more, in the round that has ended its waiting."""
    for index, step in enumerate(before.steps):
        retriable = step.phase is Phase.CHOOSING and step.selection is not None
        if step.phase is not Phase.DONE and not retriable:
            return _ask(before, index, n) if step.phase is Phase.WAITING and step.respond else before
    return before


def _ask(before: Transition, index: int, n: int) -> Transition:
    mine = before.with_step(index, round=n)
    if over := before.over(n):
        return mine.settle(index, Status.ERROR, before.text(over))
    working = mine.with_step(index, phase=Phase.WORKING)
    return working.with_command(
        AnswerRequested(
            **working.envelope_of(index, 0),
            question=before.turn.message,
            history=before.recent(),
            results=(tuple(map(result_of, before.steps[:index])) or before.results)[-MAX_RESULTS:],
        )
    )
