"""What Schemathesis cannot know about the API. It loads this file by `SCHEMATHESIS_HOOKS`."""

import re
from itertools import count
from typing import Any

import schemathesis

_KEY = "Idempotency-Key"
_TAKEN = re.compile("[!-~]([ -~]{0,94}[!-~])?")
_numbers = count()


@schemathesis.hook
def before_call(context: Any, case: schemathesis.Case, kwargs: dict[str, Any]) -> None:
    """A key of its own for every request: the same one with another body is refused on purpose, whatever it
    says, so that most requests would show nothing else."""
    headers: Any = case.headers or {}
    key = headers.get(_KEY)
    if isinstance(key, str) and _TAKEN.fullmatch(key):
        headers[_KEY] = f"{key}-{next(_numbers)}"
