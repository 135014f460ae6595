"""What layers are about, what nobody knows anything about, and names that look like two wishes.

The words, all folded (see `normalise.fold`), stand in `data/topics.toml`.
"""

from functools import lru_cache
from typing import Final

from german.spelling import MAX_WORD_CHARS, Spellings

from planner.rules.reading.tables import table

_TABLE: Final = table("topics.toml")
_THEMES: Final = tuple(_TABLE["themes"].split())
_SHORT_THEMES: Final = frozenset(f"{_TABLE['short_themes']} {_TABLE['foreign_themes']}".split())
_UNKNOWN: Final = {
    start: topic for topic, starts in _TABLE["unknown_topics"].items() for start in starts.split()
}
_UNKNOWN_STARTS: Final = tuple(_UNKNOWN)
_MANIPULATION: Final = tuple(_TABLE["manipulation"].split())
_RUDE: Final = tuple(_TABLE["rude"].split())
_MIN_FUZZY_CHARS = 6
_MISSPELLED = Spellings(theme for theme in _THEMES if len(theme) >= _MIN_FUZZY_CHARS)

ACTIVITIES: Final = frozenset(_TABLE["activities"].split())
"""What people want to do somewhere, and a layer shows where it may be done."""
JOINED_NAMES: Final = frozenset(_TABLE["joined_names"])
"""Names with an `und` that does not join two wishes."""


def is_theme(word: str) -> bool:
    """Whether a folded word sounds like a layer, one wrong letter forgiven."""
    return len(word) <= MAX_WORD_CHARS and _sounds_like_layer(word)


def has_theme(word: str) -> bool:
    """Whether a folded word has one of the themes in it, as it is written."""
    return any(theme in word for theme in _THEMES)


def is_short_theme(word: str) -> bool:
    """`gas`, `bees`: whether a folded word is, as a whole, what a layer is about."""
    return word in _SHORT_THEMES


def themes_in(word: str) -> int:
    """How many of them: `schutzzone` has two, `schutzzoone` one."""
    return len([theme for theme in _THEMES if theme in word])


@lru_cache(maxsize=8_192)
def _sounds_like_layer(word: str) -> bool:
    if is_short_theme(word) or has_theme(word):
        return True
    return _MISSPELLED.nearest(word, 1) is not None


def topic_of(word: str) -> str | None:
    """What a folded word is about, if it is something that no tool of ours knows."""
    if not word.startswith(_UNKNOWN_STARTS):
        return None
    return next((topic for start, topic in _UNKNOWN.items() if word.startswith(start)), None)


def is_rude(word: str) -> bool:
    """Whether a folded word is an insult."""
    return word.startswith(_RUDE)


def is_about_machine(word: str) -> bool:
    """Whether a folded word is about the program, not about the map."""
    return word.startswith(_MANIPULATION)
