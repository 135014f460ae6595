"""Steps whose answer is written from what was done before, in the same turn or else in earlier ones. Pure."""

from typing import Any

from contracts.chat import Step
from contracts.messages import AnswerReady, AnswerRequested
from contracts.plan import PlanStep
from contracts.status import Status

from orchestrator.frame import Frame
from orchestrator.results import result_of
from orchestrator.state import Phase

MAX_RESULTS = 5
SUFFICIENT_CHARS = 50
"""A message of the planner that is longer is the answer; writing another one would only take time."""


def to_be_written(step: PlanStep) -> bool:
    """Whether the answer of a step is still to be written."""
    return step.respond and not step.calls and len(step.message or "") <= SUFFICIENT_CHARS


def proceed(frame: Frame, n: int) -> None:
    """Ask for the answer that waits for nothing any more, in the round that has ended its waiting."""
    for index, step in enumerate(frame.steps):
        retriable = step.phase is Phase.CHOOSING and step.selection is not None
        if step.phase is not Phase.DONE and not retriable:
            if step.phase is Phase.WAITING and step.respond:
                _ask(frame, index, n)
            return


def _ask(frame: Frame, index: int, n: int) -> None:
    frame.update(index, round=n)
    if frame.now >= frame.rounds[n].deadline:
        frame.settle(index, Status.ERROR, frame.text("step_timeout"))
        return
    frame.update(index, phase=Phase.WORKING)
    frame.command(
        AnswerRequested(
            **frame.envelope_of(index, 0),
            question=frame.turn.message,
            history=frame.recent(),
            results=(tuple(map(result_of, frame.steps[:index])) or frame.results)[-MAX_RESULTS:],
        )
    )


def answered(frame: Frame, event: AnswerReady) -> None:
    """Take the answer; one that could not be written says so itself."""
    message = event.text.strip()
    status = Status.OK if message and event.error_type is None else Status.ERROR
    answer = Step(
        intent=frame.steps[event.step].intent,
        status=status,
        message=message or frame.text("no_answer"),
        cut=event.cut,
    )
    frame.finish_step(event.step, answer, written_by(event))


def written_by(event: AnswerReady) -> dict[str, Any]:
    """For the journal: who has written an answer, and why it was not the model that was asked."""
    failed = {"modelError": event.model_error} if event.model_error else {}
    return {"author": event.author, **failed}
