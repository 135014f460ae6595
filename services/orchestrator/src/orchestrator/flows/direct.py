"""Tools that other software calls by their names: what they find is the answer, as it is."""

from contracts.messages import ToolCalled, ToolResult

from orchestrator.flows.flow import Flow
from orchestrator.transition import Transition


class Direct(Flow):
    """The round keeps what was found; the session learns nothing of it."""

    def on_result(self, before: Transition, event: ToolResult, asked: ToolCalled) -> Transition:
        found = before.with_round(event.round, outcome=event.outcome)
        return found.settle(event.step, event.outcome.status, event.outcome.message)
