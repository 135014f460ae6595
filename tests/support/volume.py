"""How much the tests try that prove something by volume: a share of what CI tries.

The profile of Hypothesis says which, see `tests/conftest.py`.
"""

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import settings

WHOLE = 100
"""Examples of a test that says nothing of its own, where everything is tried."""

_T = TypeVar("_T")


def tried(whole: int) -> int:
    """How many, where `whole` are tried by CI."""
    return max(1, whole * settings().max_examples // WHOLE)


def examples(whole: int) -> settings:
    """For a property that asks for more examples than others, or costs more."""
    return settings(max_examples=tried(whole))


def some(whole: Sequence[_T]) -> Sequence[_T]:
    """As many of them as are tried, from all over; the first is among them."""
    return whole[:: max(1, WHOLE // settings().max_examples)]
