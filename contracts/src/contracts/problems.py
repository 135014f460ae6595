"""Errors over HTTP: problem details (RFC 9457)."""

from contracts.base import Contract

MEDIA_TYPE = "application/problem+json"


class FieldProblem(Contract):
    """What is wrong with one part of the request."""

    pointer: str
    """JSON pointer as a URI fragment, e.g. `#/userMessage`; `#` is the whole body."""
    detail: str


class Problem(Contract):
    """The body of every answer with a status of 400 and above."""

    type: str
    """`urn:ask-sogis:problem:<code>`."""
    title: str
    """What kind of problem it is, in English, the same every time."""
    status: int
    detail: str
    """What the user can be told, in the language of the answer."""
    code: str
    """Stable; made for programs."""
    request_id: str | None = None
    """The turn it is about, when there is one."""
    errors: tuple[FieldProblem, ...] | None = None
    """With `invalid_request`: every finding."""


def problem_type(code: str) -> str:
    """The `type` of a problem."""
    return f"urn:ask-sogis:problem:{code}"
