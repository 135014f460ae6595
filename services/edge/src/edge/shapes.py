"""How much a document may hold, whatever it says: checked before a model looks at it.

A model tells everything that is wrong with a document. For a hostile one that is a finding for every few
bytes, each of which costs a hundred times as much as it took to send. Here the first offence ends it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite
from typing import Any

from pydantic_core import from_json

from edge import errors, problems

_Place = tuple["_Place", str | int] | None
"""The place of what is around, and the name in it."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a document may look like."""

    max_values: int
    """In all. What separates values is counted before parsing, also inside of texts: punctuation counts."""
    max_containers: int
    """Lists and objects, counted in the same way. Each costs as much as ten other values."""
    max_entries: int
    """Of one list or object."""
    max_depth: int = 32
    """Far more than any document has; what works on documents may be recursive."""
    free: frozenset[str] = frozenset()
    """Members of the document whose lists and objects may have any number of entries."""


CHAT = Shape(max_values=8_192, max_containers=5_000, max_entries=64)
"""50 results of map actions, 50 layers, and a message of 4,000 commas or brackets."""
RUN = Shape(
    max_values=16_384,
    max_containers=4_096,
    max_entries=1_000,
    free=frozenset({"state", "forwardedProps"}),
)
"""A long conversation, and a state that has some geometries."""
CALL = Shape(max_values=4_096, max_containers=2_048, max_entries=1_000)
"""The arguments of a tool."""

CONVERSATION = Shape(max_values=400_000, max_containers=100_000, max_entries=8)
"""A text that has a whole conversation in it: what looks like values there is never read."""

MAP = Shape(max_values=16_384, max_containers=6_000, max_entries=4_000)
"""What is on a map: layers, and outlines with a list for each of their points."""


def parse(document: bytes | bytearray, shape: Shape) -> Any:
    """The document. Raises `MalformedJson`, or `InvalidRequest` for the first place that is too much."""
    if _containers_in(document) > shape.max_containers or values_in(document) > shape.max_values:
        raise problems.refused("#", "too_many_values", max_values=shape.max_values)
    try:
        # Also for NaN, for what is no UTF-8, half a surrogate pair, endless integers, or deeper than 200.
        parsed = from_json(document, allow_inf_nan=False, cache_strings="keys")
    except ValueError:
        raise errors.MalformedJson() from None
    _check(parsed, shape)
    return parsed


def values_in(document: bytes | bytearray) -> int:
    """At most so many, without parsing: what stands in texts is counted as well."""
    return _containers_in(document) + document.count(b",") + 1


def _containers_in(document: bytes | bytearray) -> int:
    return document.count(b"[") + document.count(b"{")


def _check(document: Any, shape: Shape) -> None:
    """Goes through lists and objects without recursion."""
    pending: list[tuple[Any, _Place, int, int]] = [([document], None, 0, shape.max_entries)]
    while pending:
        value, place, depth, most = pending.pop()
        if len(value) > most:
            raise problems.refused(_pointer(place), "too_long", max_length=most)
        if depth > shape.max_depth:
            raise problems.refused(_pointer(place), "too_deep", max_depth=shape.max_depth)
        members: Iterable[tuple[str | int, Any]] = (
            value.items() if isinstance(value, dict) else enumerate(value)
        )
        for name, member in members:
            kind = type(member)
            if kind is dict or kind is list:
                if not member:
                    continue
                is_free = depth == 1 and name in shape.free
                inside = None if depth == 0 else (place, name)
                pending.append((member, inside, depth + 1, shape.max_values if is_free else most))
            elif kind is float and not isfinite(member):
                raise problems.refused(_pointer((place, name)), "other")


def _pointer(place: _Place) -> str:
    parts: list[str | int] = []
    while place is not None:
        place, name = place
        parts.append(name)
    return problems.pointer(tuple(reversed(parts)))
