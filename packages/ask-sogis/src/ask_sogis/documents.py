"""What documents say to a question."""

from dataclasses import dataclass

from contracts.chat import ChatResponse
from contracts.research import Research, Source
from contracts.status import Status


@dataclass(frozen=True)
class DocumentAnswer:
    """The answer of the agent that has documents only."""

    response: ChatResponse

    @property
    def markdown(self) -> str:
        """The answer, with `[n]` for source n; or why there is none."""
        return "\n\n".join(step.message for step in self.response.steps)

    @property
    def is_supported(self) -> bool:
        """Whether documents say what it says."""
        return self.response.overall_status is Status.OK and bool(self.sources)

    @property
    def sources(self) -> tuple[Source, ...]:
        """What it cites. The server has checked each of them."""
        return self.research.sources if self.research else ()

    @property
    def suggestions(self) -> tuple[str, ...]:
        """Where there is no answer: questions to try instead."""
        error = self.research.error_info if self.research else None
        return error.suggestions if error else ()

    @property
    def research(self) -> Research | None:
        """What was found, and why it was kept or left out; None where nothing was looked up."""
        return next((step.research for step in self.response.steps if step.research), None)
