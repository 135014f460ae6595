"""What Schemathesis cannot know about the API. It loads this file by `SCHEMATHESIS_HOOKS`."""

import re
from itertools import count
from typing import Any

import schemathesis
from schemathesis.checks import CHECKS, load_all_checks

_KEY = "Idempotency-Key"
_RUN = "runId"
"""The same for a run of an agent."""
_TAKEN = re.compile("[!-~]([ -~]{0,94}[!-~])?")
_TURN = "/api/chat/{requestId}"
_numbers = count()

load_all_checks()
_ensure_resource_availability: Any = CHECKS.get_one("ensure_resource_availability")
_use_after_free: Any = CHECKS.get_one("use_after_free")
CHECKS.unregister("ensure_resource_availability")
CHECKS.unregister("use_after_free")


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: dict[str, Any]) -> None:
    """A key of its own for every request: the same one with another body is refused on purpose, whatever it
    says, so that most requests would show nothing else."""
    headers = case.headers or {}
    key = headers.get(_KEY)
    if isinstance(key, str) and _TAKEN.fullmatch(key):
        headers[_KEY] = f"{key}-{next(_numbers)}"
    body = case.body
    if isinstance(body, dict) and isinstance(body.get(_RUN), str):
        body[_RUN] = f"{body[_RUN]}-{next(_numbers)}"


@schemathesis.check
def ensure_resource_availability(ctx: Any, response: Any, case: Any) -> bool | None:
    """The answer to a choice that cannot be made belongs to no turn."""
    parent = ctx.internals.find_parent(case_id=case.id)
    if parent is not None and isinstance(parent.body, dict) and parent.body.get("choiceId"):
        return None
    checked: bool | None = _ensure_resource_availability(ctx, response, case)
    return checked


@schemathesis.check
def use_after_free(ctx: Any, response: Any, case: Any) -> bool | None:
    """`DELETE` of a turn ends the work on it. What is done stays done, and can be read."""
    if case.operation.path.startswith(_TURN):
        return None
    checked: bool | None = _use_after_free(ctx, response, case)
    return checked
