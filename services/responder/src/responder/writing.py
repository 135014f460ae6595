"""What it takes to write an answer."""

from dataclasses import dataclass, field
from typing import Literal, Protocol

from contracts.messages import AnswerRequested, Usage
from contracts.research import ErrorType

ModelError = ErrorType | Literal["unproven"]


class Voice(Protocol):
    """Where an answer goes while it is being written."""

    async def say(self, text: str) -> None:
        """Append to what was said."""

    async def restart(self) -> None:
        """Withdraw everything that was said."""


@dataclass(frozen=True)
class Written:
    """An answer: `text` is exactly what its voice has said since the last restart."""

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
    async def write(self, request: AnswerRequested, voice: Voice) -> Written:
        """Raises `servicekit.llm.LlmUnavailable` when there will be no whole answer."""
