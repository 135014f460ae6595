"""What it takes to write an answer."""

from dataclasses import dataclass, field
from typing import Literal, Protocol

from contracts.messages import AnswerRequested, Usage
from contracts.research import ErrorType

ModelError = ErrorType | Literal["unproven"]


class AnswerSink(Protocol):
    """Where an answer goes while it is being written."""

    async def append(self, text: str) -> None:
        """Append to the answer."""

    async def restart(self) -> None:
        """Withdraw everything that was appended."""


@dataclass(frozen=True)
class Written:
    """An answer: `text` is exactly what was appended to its sink since the last restart."""

    text: str
    author: str
    cited: tuple[int, ...] = ()
    """Numbers of the request's documents, from 1, ascending."""
    dropped_citations: int = 0
    model_error: ModelError | None = None
    """Why it is not the model's answer."""
    is_cut: bool = False
    """It had to end before its end."""
    usage: Usage = field(default_factory=Usage)


class Writer(Protocol):
    async def write(self, request: AnswerRequested, sink: AnswerSink) -> Written:
        """Raises `servicekit.llm.LlmUnavailable` when there will be no whole answer."""
