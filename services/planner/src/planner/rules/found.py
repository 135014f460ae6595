"""A thing and where it stands in the cleaned message."""

from dataclasses import dataclass
from typing import Generic, TypeVar

T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Found(Generic[T_co]):
    what: T_co
    start: int
    end: int
