"""`Fasse zusammen, was du gefunden hast`: the wish to be told what came of others, alone or after them."""

import re
from collections.abc import Sequence
from typing import Final

from german.fold import fold

from planner.rules.grammar.parts import Sign, Word
from planner.rules.grammar.utterance import Utterance
from planner.rules.reading.lexicon import CONCEPTS, Role
from planner.rules.reading.tables import table

_TABLE: Final = table("documents.toml")["summaries"]
_WISHES: Final = tuple(tuple(frozenset(words.split()) for words in wish) for wish in _TABLE["wishes"])
_AFTER: Final = tuple(map(frozenset, map(str.split, _TABLE["after"])))
_BESIDE: Final = frozenset(_TABLE["beside"].split())
_ALLOWED: Final = _BESIDE.union(*(words for wish in _WISHES for words in wish))
_FOUND: Final = tuple(_TABLE["found"].split())
_MAX_CHARS = 160
"""Nobody needs more to say it."""
_LETTERS = re.compile(r"[^\W_]+")
_JOINT = re.compile(rf"[.!?;,:]|\s(?=(?:{'|'.join(_TABLE['joints'].split())})\s)", re.IGNORECASE)


def is_summary(message: Utterance) -> bool:
    """Whether a message wants nothing but to be told what was found before it."""
    return _says(message, _WISHES)


def tells_of_found(message: Utterance) -> bool:
    """Whether it says that something was found: `Was haben wir bisher zum Wald herausgefunden?`"""
    return any(word.folded.endswith(_FOUND) for word in message.words)


def without_summary(message: Utterance) -> Utterance | None:
    """The message without such a wish at its end; None if it has none, or nothing before it."""
    text = message.text
    for joint in _JOINT.finditer(text, max(0, len(text) - _MAX_CHARS)):
        if _says(message.since(joint.end()), (*_WISHES, _AFTER)):
            before = message.until(joint.start())
            return None if _is_all_beside(before, _ALLOWED) else before
    return None


def _says(message: Utterance, wishes: Sequence[Sequence[frozenset[str]]]) -> bool:
    said = frozenset(_LETTERS.findall(fold(message.text)))
    if len(message.text) > _MAX_CHARS or not any(all(said & words for words in wish) for wish in wishes):
        return False
    allowed = _BESIDE.union(*(words for wish in wishes for words in wish))
    return _is_all_beside(message, allowed)


def _is_all_beside(message: Utterance, allowed: frozenset[str]) -> bool:
    """`zeig mir`: whether nothing in it says more."""
    return all(isinstance(part, Sign | Word) and _is_beside(part, allowed) for part in message.parts)


def _is_beside(part: Sign | Word, allowed: frozenset[str]) -> bool:
    """Whether it names nothing of its own."""
    if isinstance(part, Sign) or not allowed.isdisjoint(_LETTERS.findall(fold(part.text))):
        return True
    return not part.is_content and part.role not in CONCEPTS | {Role.LOADED}
