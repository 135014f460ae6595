"""A thing and where it stands in the cleaned message."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from planner.rules.reading.tokens import Token

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Found(Generic[T_co]):
    what: T_co
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Hit(Generic[T_co]):
    """A thing, its first token and the one after its last."""

    what: T_co
    start: int
    end: int


def scan(tokens: Sequence[Token], hit_at: Callable[[int], Hit[T_co] | None]) -> Iterator[Found[T_co]]:
    """What is found at one token after the other, without overlaps."""
    i = 0
    while i < len(tokens):
        hit = hit_at(i)
        if hit:
            yield Found(hit.what, tokens[hit.start].start, tokens[hit.end - 1].end)
        i = hit.end if hit else i + 1


def outside(taken: Sequence[Found[Any]], more: Iterable[Found[T_co]]) -> list[Found[T_co]]:
    """Those that overlap with nothing that is taken."""
    used = {at for found in taken for at in range(found.start, found.end)}
    return [found for found in more if used.isdisjoint(range(found.start, found.end))]
