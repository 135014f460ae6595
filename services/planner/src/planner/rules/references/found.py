"""A thing and where it stands in the cleaned message."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Found(Generic[T_co]):
    what: T_co
    start: int
    end: int


def outside(taken: Sequence[Found[Any]], more: Iterable[Found[T_co]]) -> list[Found[T_co]]:
    """Those that overlap with nothing that is taken."""
    used = {at for found in taken for at in range(found.start, found.end)}
    return [found for found in more if used.isdisjoint(range(found.start, found.end))]
