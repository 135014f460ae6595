"""How a step, a tool call and a whole response can end."""

from collections.abc import Iterable
from enum import StrEnum


class Status(StrEnum):
    OK = "ok"
    NEEDS_USER_CHOICE = "needs_user_choice"
    NEEDS_CLARIFICATION = "needs_clarification"
    ERROR = "error"


_SEVERITY = list(Status)


def worst(statuses: Iterable[Status]) -> Status:
    """The most severe status: error > needs_clarification > needs_user_choice > ok. Nothing is ok."""
    return max(statuses, key=_SEVERITY.index, default=Status.OK)
