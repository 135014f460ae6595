"""`Fasse zusammen, was du gefunden hast`: the wish to be told what came of others, alone or after them."""

import re
from collections.abc import Sequence
from typing import Final

from german.fold import fold

from planner.rules.reading.tables import table
from planner.rules.reading.tokens import clean

_TABLE: Final = table("documents.toml")["summaries"]
_WISHES: Final = tuple(tuple(frozenset(words.split()) for words in wish) for wish in _TABLE["wishes"])
_AFTER: Final = tuple(map(frozenset, map(str.split, _TABLE["after"])))
_ALLOWED: Final = frozenset(_TABLE["beside"].split()).union(*(words for wish in _WISHES for words in wish))
_MAX_CHARS = 160
_MAX_WORDS = 16
"""Nobody needs more to say it."""
_LETTERS = re.compile(r"[^\W_]+")
_JOINT = re.compile(rf"[.!?;,:]|\s(?=(?:{'|'.join(_TABLE['joints'].split())})\s)", re.IGNORECASE)


def is_summary(message: str) -> bool:
    """Whether a message wants nothing but to be told what was found before it."""
    return _says(message, _WISHES)


def _says(message: str, wishes: Sequence[Sequence[frozenset[str]]]) -> bool:
    if len(message) > _MAX_CHARS:
        return False
    words = _LETTERS.findall(fold(clean(message)))
    said = frozenset(words)
    if len(words) > _MAX_WORDS or not said <= _ALLOWED.union(*wishes[-1]):
        return False
    return any(all(said & words for words in wish) for wish in wishes)


def without_summary(message: str) -> str | None:
    """The message without such a wish at its end; None if it has none, or nothing before it."""
    cleaned = clean(message)
    for joint in _JOINT.finditer(cleaned, max(0, len(cleaned) - _MAX_CHARS)):
        before = cleaned[: joint.start()]
        wants = not _ALLOWED.issuperset(_LETTERS.findall(fold(before)))  # more than `zeig mir`
        if wants and _says(cleaned[joint.end() :], (*_WISHES, _AFTER)):
            return before
    return None
