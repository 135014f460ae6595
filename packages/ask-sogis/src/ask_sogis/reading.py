"""Reads what a server says, also one that is newer than this package. Pure."""

from collections.abc import Iterator
from typing import Any, TypeVar

from ask_sogis.errors import NotUnderstood
from contracts.base import Contract, WrittenOnce
from contracts.status import Status
from pydantic import ValidationError
from pydantic_core import ErrorDetails, from_json, to_json

_C = TypeVar("_C", bound=Contract)
_Path = tuple[str | int, ...]

_STATUSES = {"status", "overallStatus"}
_NO_KNOWN_STATUS = Status.NEEDS_CLARIFICATION
"""Its message is there to be read, and nobody takes anything for done."""


def read(model: type[_C], document: bytes) -> _C:
    """Raises `NotUnderstood`.

    Left out is what this version does not know, such as a new kind of map action: the smallest object that
    has it, or the one around where it cannot be missing, but never a step. The `document` of what keeps one
    is still the whole.
    """
    try:
        found = _read(model, document)
    except ValueError:
        raise NotUnderstood() from None
    if isinstance(found, WrittenOnce):
        found.document = document
    return found


def _read(model: type[_C], document: bytes) -> _C:
    while True:
        try:
            return model.from_json(document)
        except ValidationError as error:
            value = from_json(document)
            # From the end, so that places in lists stay what they are.
            for path in sorted(set(_unknown(value, error.errors())), reverse=True):
                _leave_out(value, path)
            document = to_json(value)


def _unknown(value: Any, findings: list[ErrorDetails]) -> Iterator[_Path]:
    """What to leave out. Raises `NotUnderstood` where nothing would be left."""
    for finding in findings:
        path = _path(value, finding["loc"])
        if path and path[-1] in _STATUSES and _at(value, path) != _NO_KNOWN_STATUS:
            _at(value, path[:-1])[path[-1]] = _NO_KNOWN_STATUS
            continue
        while path and not isinstance(_at(value, path), dict):
            path = path[:-1]
        if not path or path[-2:-1] == ("steps",):
            raise NotUnderstood()
        yield path


def _path(value: Any, place: _Path) -> _Path:
    """A place without the tags of unions in it, as far as there is something."""
    path: _Path = ()
    for part in place:
        is_of_list = isinstance(value, list) and isinstance(part, int) and part < len(value)
        if is_of_list or (isinstance(value, dict) and part in value):
            value = value[part]
            path += (part,)
    return path


def _at(value: Any, path: _Path) -> Any:
    for part in path:
        value = value[part]
    return value


def _leave_out(value: Any, path: _Path) -> None:
    del _at(value, path[:-1])[path[-1]]
