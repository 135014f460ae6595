"""What a client raises. The docstring of each is what it says where there is nothing more to say."""

from typing import Any

from contracts.problems import FieldProblem, Problem


class AskError(Exception):
    """ask.sogis has not answered."""

    def __init__(self, detail: str = "") -> None:
        super().__init__(detail or (self.__doc__ or "").partition("\n")[0])

    def __reduce__(self) -> tuple[Any, ...]:
        """As it is: what it says is not what it was made of."""
        return type(self).__new__, (type(self), *self.args), self.__dict__


class Invalid(AskError, ValueError):
    """No server would take this request, so it was not sent."""


class Unreachable(AskError):
    """Nobody answers at this address, or not to the end."""


class NotUnderstood(AskError):
    """What answers is no ask.sogis, or one that this version cannot read."""


class NoAnswer(AskError):
    """The answer has not come in time. The turn goes on."""

    def __init__(self, request_id: str, patience_s: float) -> None:
        super().__init__(f"No answer within {patience_s:g} s; the turn {request_id} goes on.")
        self.request_id = request_id
        self.patience_s = patience_s


class Refused(AskError):
    """The server refuses the request."""

    def __init__(
        self, status: int, detail: str, problem: Problem | None, retry_after_s: float | None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        """In the language of the request."""
        self.problem = problem
        """None where it was not the edge that answered, or not in its words."""
        self.retry_after_s = retry_after_s

    @property
    def code(self) -> str:
        """Made for programs, see the table of problems; empty where there is none."""
        return self.problem.code if self.problem else ""

    @property
    def request_id(self) -> str | None:
        """The turn it is about."""
        return self.problem.request_id if self.problem else None

    @property
    def fields(self) -> tuple[FieldProblem, ...]:
        """What is wrong with which part of the request."""
        return (self.problem.errors if self.problem else None) or ()
