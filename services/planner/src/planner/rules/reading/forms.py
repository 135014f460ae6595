"""What the form of a German word tells of its kind. Capitals do not: many write none, some no others."""

from typing import Final

from planner.rules.reading.tables import table

_WORDS: Final = table("words.toml")["nouns"]
_SMALL: Final = frozenset(_WORDS["small"].split())
_ENDINGS_OF_OTHERS: Final = tuple(_WORDS["endings_of_others"].split())
_ENDINGS: Final = tuple(_WORDS["endings"].split())
_ENDINGS_OF_ADJECTIVES: Final = tuple(_WORDS["endings_of_adjectives"].split())
_OF_VERBS: Final = tuple(_WORDS["beginnings_of_verbs"].split())
_INFLECTED: Final = ("e", "en", "er", "es", "em")
_MIN_CHARS = 3
_COMPOUND_CHARS = 13
"""What is so long is composed, and mostly of nouns."""


def looks_like_noun(word: str) -> bool:
    """Whether a folded word that nobody knows has the form of a noun."""
    if is_small(word) or len(word) < _MIN_CHARS or not word.isalpha():
        return False
    if word.endswith(_ENDINGS):
        return True
    others = _ENDINGS_OF_ADJECTIVES if len(word) >= _COMPOUND_CHARS else _ENDINGS_OF_OTHERS
    return not word.endswith(others)


def looks_like_verb(word: str) -> bool:
    return word.startswith(_OF_VERBS) and word.endswith(_ENDINGS_OF_OTHERS)


def is_inflected(word: str) -> bool:
    """Whether it may be an adjective before its noun."""
    return word.endswith(_INFLECTED)


def is_small(word: str) -> bool:
    """One of the words that are never nouns."""
    return word in _SMALL
