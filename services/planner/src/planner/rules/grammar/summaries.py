"""`Fasse zusammen, was du gefunden hast`: the wish to be told what came of others, alone or after them."""

import re
from typing import Final

from german.fold import fold

from planner.rules.reading.tables import table
from planner.rules.reading.tokens import clean

_TABLE: Final = table("documents.toml")["summaries"]
_WISHES: Final = tuple(tuple(frozenset(words.split()) for words in wish) for wish in _TABLE["wishes"])
_ALLOWED: Final = frozenset(_TABLE["beside"].split()).union(*(words for wish in _WISHES for words in wish))
_MAX_CHARS = 160
_MAX_WORDS = 16
"""Nobody needs more to say it."""
_LETTERS = re.compile(r"[^\W_]+")
_JOINT = re.compile(rf"[.!?;,:]|\s(?=(?:{'|'.join(_TABLE['joints'].split())})\s)", re.IGNORECASE)


def is_summary(message: str) -> bool:
    """Whether a message wants nothing but to be told what was found before it."""
    if len(message) > _MAX_CHARS:
        return False
    words = _LETTERS.findall(fold(clean(message)))
    said = frozenset(words)
    if len(words) > _MAX_WORDS or not said <= _ALLOWED:
        return False
    return any(all(said & words for words in wish) for wish in _WISHES)


def without_summary(message: str) -> str | None:
    """The message without such a wish at its end; None if it has none, or nothing before it."""
    cleaned = clean(message)
    for joint in _JOINT.finditer(cleaned, max(0, len(cleaned) - _MAX_CHARS)):
        before = cleaned[: joint.start()]
        if any(c.isalnum() for c in before) and is_summary(cleaned[joint.end() :]):
            return before
    return None
