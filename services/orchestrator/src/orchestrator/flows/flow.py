"""What every flow can be told."""

from contracts.messages import AnswerReady, ToolCalled, ToolResult
from contracts.research import ErrorType
from contracts.status import Status

from orchestrator.transition import Transition


class Flow:
    """How a step goes on from what workers say about it."""

    def on_result(self, before: Transition, event: ToolResult, asked: ToolCalled) -> Transition:
        """A call of the step has its result."""
        raise NotImplementedError

    def on_item(self, before: Transition, index: int, item_id: str) -> Transition:
        """The tool that looks at the items of a result has said something of one more."""
        return before

    def on_gathered(self, before: Transition, index: int) -> Transition:
        """It has said something of all of them, or is no longer waited for."""
        raise NotImplementedError

    def on_answer(self, before: Transition, event: AnswerReady) -> Transition:
        """The answer of the step is written."""
        raise NotImplementedError

    def fail(
        self, before: Transition, index: int, reason: ErrorType, message: str, **details: object
    ) -> Transition:
        """The step ends without having come to anything."""
        return before.settle(index, Status.ERROR, message)
