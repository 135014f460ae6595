"""What becomes of a step: one flow for each way on which it can come to its answer. Pure."""

from contracts.messages import AnswerRequested, Command, ToolCalled

from orchestrator import fanout
from orchestrator.flows.direct import Direct
from orchestrator.flows.flow import Flow
from orchestrator.flows.research import Researched, with_documents
from orchestrator.flows.shown import Shown
from orchestrator.flows.written import Written
from orchestrator.guard import searches
from orchestrator.state import StepState, Turn

_DIRECT, _WRITTEN, _RESEARCHED, _SHOWN = Direct(), Written(), Researched(), Shown()


def flow_of(step: StepState) -> Flow:
    """How a step goes on."""
    if step.direct:
        return _DIRECT
    if step.respond:
        return _WRITTEN
    return _RESEARCHED if searches(step) else _SHOWN


def is_read_again(turn: Turn, command: Command) -> bool:
    """Whether the answer has to be stored: of what is looked at item by item the turn has the names only."""
    if not isinstance(command, ToolCalled):
        return False
    step = turn.steps[command.step]
    is_last = command.call + 1 == len(step.calls)
    return is_last and (searches(step) or fanout.mapper(turn.tools, command.capability) is not None)


def as_sent(turn: Turn, command: Command) -> Command:
    """A command with the items or documents that the state of the turn only names."""
    match command:
        case ToolCalled():
            return fanout.with_item(turn, command)
        case AnswerRequested():
            return with_documents(turn, command)
    return command
