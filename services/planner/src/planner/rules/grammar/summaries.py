"""`Fasse zusammen, was du gefunden hast`: the wish to be told what came of others, alone or after them."""

import re
from collections.abc import Sequence
from typing import Final

from german.fold import fold

from planner.rules.grammar.parts import Sign, Word, parts_of
from planner.rules.reading.lexicon import CONCEPTS
from planner.rules.reading.tables import table
from planner.rules.reading.tokens import clean

_TABLE: Final = table("documents.toml")["summaries"]
_WISHES: Final = tuple(tuple(frozenset(words.split()) for words in wish) for wish in _TABLE["wishes"])
_AFTER: Final = tuple(map(frozenset, map(str.split, _TABLE["after"])))
_BESIDE: Final = frozenset(_TABLE["beside"].split())
_ALLOWED: Final = _BESIDE.union(*(words for wish in _WISHES for words in wish))
_MAX_CHARS = 160
"""Nobody needs more to say it."""
_LETTERS = re.compile(r"[^\W_]+")
_JOINT = re.compile(rf"[.!?;,:]|\s(?=(?:{'|'.join(_TABLE['joints'].split())})\s)", re.IGNORECASE)


def is_summary(message: str) -> bool:
    """Whether a message wants nothing but to be told what was found before it."""
    return _says(message, _WISHES)


def _says(message: str, wishes: Sequence[Sequence[frozenset[str]]]) -> bool:
    said = frozenset(_LETTERS.findall(fold(message)))
    if len(message) > _MAX_CHARS or not any(all(said & words for words in wish) for wish in wishes):
        return False
    allowed = _BESIDE.union(*(words for wish in wishes for words in wish))
    return all(isinstance(part, Sign | Word) and _is_beside(part, allowed) for part in parts_of(message))


def _is_beside(part: Sign | Word, allowed: frozenset[str]) -> bool:
    """Whether it names nothing of its own."""
    if isinstance(part, Sign) or not allowed.isdisjoint(_LETTERS.findall(fold(part.text))):
        return True
    return not part.is_content and part.role not in CONCEPTS


def without_summary(message: str) -> str | None:
    """The message without such a wish at its end; None if it has none, or nothing before it."""
    cleaned = clean(message)
    for joint in _JOINT.finditer(cleaned, max(0, len(cleaned) - _MAX_CHARS)):
        before = cleaned[: joint.start()]
        wants = not _ALLOWED.issuperset(_LETTERS.findall(fold(before)))  # more than `zeig mir`
        if wants and _says(cleaned[joint.end() :], (*_WISHES, _AFTER)):
            return before
    return None
