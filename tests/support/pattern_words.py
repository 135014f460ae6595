"""Texts that make a regular expression try again and again: made of what it is itself made of."""

import re
from collections.abc import Iterator
from typing import Any

_parser: Any = getattr(re, "_parser")  # noqa: B009
_CATEGORIES = {
    "CATEGORY_DIGIT": "1",
    "CATEGORY_NOT_DIGIT": "x",
    "CATEGORY_SPACE": " \n",
    "CATEGORY_NOT_SPACE": "x",
    "CATEGORY_WORD": "a1_",
    "CATEGORY_NOT_WORD": " .",
}
_MOST = 12
"""Characters of each; more of them say the same."""


def example(pattern: re.Pattern[str]) -> str:
    """A short text that nearly matches: one of everything that is repeated, the first of all alternatives."""
    return "".join(_written(_parser.parse(pattern.pattern, pattern.flags)))


def alphabet(pattern: re.Pattern[str]) -> list[str]:
    """Characters that a pattern tells apart, one of each kind, and one that it may not know."""
    found = [*_letters(_parser.parse(pattern.pattern, pattern.flags)), "\x01"]
    return list(dict.fromkeys(found))[:_MOST]


def _written(parsed: Any) -> Iterator[str]:
    for operation, value in parsed:
        match str(operation):
            case "LITERAL":
                yield chr(value)
            case "NOT_LITERAL" | "ANY":
                yield "x"
            case "IN":
                yield next(_of_set(value), "x")
            case "BRANCH":
                yield from _written(value[1][0])
            case "SUBPATTERN":
                yield from _written(value[-1])
            case "ATOMIC_GROUP":
                yield from _written(value)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                yield from list(_written(value[2])) * max(1, min(value[0], 3))


def _letters(parsed: Any) -> Iterator[str]:
    for operation, value in parsed:
        match str(operation):
            case "LITERAL" | "NOT_LITERAL":
                yield chr(value)
            case "ANY":
                yield "x"
            case "IN":
                yield from _of_set(value)
            case "BRANCH":
                for branch in value[1]:
                    yield from _letters(branch)
            case "SUBPATTERN":
                yield from _letters(value[-1])
            case "ATOMIC_GROUP":
                yield from _letters(value)
            case "ASSERT" | "ASSERT_NOT":
                yield from _letters(value[1])
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                yield from _letters(value[2])


def _of_set(members: Any) -> Iterator[str]:
    kinds = [str(kind) for kind, _ in members]
    if "NEGATE" in kinds:
        yield "x"
    for kind, value in members:
        match str(kind):
            case "LITERAL":
                yield chr(value)
            case "RANGE":
                yield chr(value[0])
            case "CATEGORY":
                yield from _CATEGORIES.get(str(value), "x")
