"""The key of a request that may be sent again."""

import re
from typing import Any

from starlette.types import Scope

from edge import errors

MAX_CHARS = 128
# Spaces around the value of a header are not part of it.
_PATTERN = "^[!-~]([ -~]*[!-~])?$"
_KEY = re.compile(_PATTERN)
PARAMETER: dict[str, Any] = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "The same key with the same body leads to the same turn for 24 hours.",
    "schema": {"type": "string", "minLength": 1, "maxLength": MAX_CHARS, "pattern": _PATTERN},
}
"""Of the description of a route that takes one."""


def key_of(scope: Scope) -> str | None:
    """The key of the request, if there is one. Raises `InvalidIdempotencyKey`."""
    key = next(
        (value.decode("latin-1") for name, value in scope["headers"] if name == b"idempotency-key"), None
    )
    if key is not None and (len(key) > MAX_CHARS or not _KEY.fullmatch(key)):
        raise errors.InvalidIdempotencyKey(max_chars=MAX_CHARS)
    return key
