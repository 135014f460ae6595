"""Words that point at a place without naming it: `hier`, `dort`, `an dieser Stelle`, `dessen`."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, Literal

from planner.rules.grammar.parts import Word
from planner.rules.reading.tables import table, word_sets

_WORDS: Final = word_sets(table("words.toml")["pointing"])

AROUND_HERE: Final = _WORDS["around"]
"""Words that say no more of a place: `hier oben`."""

Pointer = Literal["here", "there", "it", ""]
"""At a place on the map, at what was talked about if there is any, at what was talked about, at nothing."""


def pointer_of(words: Sequence[Word]) -> Pointer:
    """What some words of a message point at."""
    said = [piece for word in words for piece in word.folded.split()]
    if not _WORDS["here"].isdisjoint(said) or _points_at_spot(said):
        return "here"
    if not _WORDS["there"].isdisjoint(said):
        return "there"
    spoken_of = any(word.folded in _WORDS["it"] and not word.text[0].isupper() for word in words[1:])
    return "it" if spoken_of else ""


def _points_at_spot(said: Sequence[str]) -> bool:
    """`an dieser Stelle`, `wo ich geklickt habe`; `da` begins a reason, too"""
    clicked = not _WORDS["clicked"].isdisjoint(said)
    this = any(one in _WORDS["this"] and spot in _WORDS["spots"] for one, spot in pairwise(said))
    return clicked or this or "da" in said[1:]
