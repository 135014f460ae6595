"""How well a layer answers a topic."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from tools_geo.spelling import stem

_TOPIC = 0.95
_TITLE_WORD, _TITLE_START, _TITLE_PART = 0.9, 0.8, 0.7
_KEYWORD, _KEYWORD_START, _KEYWORD_PART = 0.85, 0.65, 0.55
_SECOND_REASON = 0.03
_BREVITY = 0.02
_GROUP = 0.04
"""Who asks for a topic is well served with a whole group."""
_SCALE = 0.85
"""A topic is never as certain as a name."""
_EXTERNAL = 0.4
"""Layers of others, which the canton's map service only passes on, come after the canton's own."""


@dataclass(frozen=True)
class LayerEntry:
    """A layer or group as the search sees it; words, keywords and themes are folded."""

    id: str
    position: int
    is_group: bool
    parent: str | None
    title: str
    title_words: tuple[str, ...]
    keywords: tuple[str, ...]
    themes: tuple[str, ...]
    external: bool
    attribution: str | None

    @classmethod
    def of(cls, row: sqlite3.Row) -> Self:
        return cls(
            id=row["id"],
            position=row["position"],
            is_group=bool(row["is_group"]),
            parent=row["parent"],
            title=row["title"],
            title_words=tuple(row["title_words"].split()),
            keywords=tuple(filter(None, row["keywords"].split("|"))),
            themes=tuple(filter(None, row["themes"].split("|"))),
            external=bool(row["external"]),
            attribution=row["attribution"],
        )

    @property
    def words(self) -> frozenset[str]:
        """Every word of title, keywords and themes."""
        return frozenset(self.title_words).union(self.themes, *(keyword.split() for keyword in self.keywords))


def score(entry: LayerEntry, terms: Sequence[str]) -> float:
    """From 0 to 1; `terms` are folded, and each occurs somewhere in the entry."""
    mean = sum(_of_term(entry, stem(term)) for term in terms) / len(terms)
    brevity = _BREVITY * min(1.0, sum(map(len, terms)) / len("".join(entry.title_words)))
    own = _SCALE * (mean + brevity + (_GROUP if entry.is_group else 0.0))
    return max(0.05, own - (_EXTERNAL if entry.external else 0.0))


def _of_term(entry: LayerEntry, term: str) -> float:
    reasons = [
        _reason(entry.title_words, term, _TITLE_WORD, _TITLE_START, _TITLE_PART),
        _reason(
            [word for k in entry.keywords for word in k.split()],
            term,
            _KEYWORD,
            _KEYWORD_START,
            _KEYWORD_PART,
        ),
        _TOPIC if term in map(stem, entry.themes) else 0.0,
    ]
    # "Jagd - Reviere" is asked for as "Jagdreviere": nothing but the whole title matches.
    best = max(*reasons, _KEYWORD_PART)
    return best + _SECOND_REASON * (sum(reason > 0 for reason in reasons) - 1)


def _reason(found: Sequence[str], term: str, whole: float, start: float, part: float) -> float:
    if any(stem(word) == term for word in found):
        return whole
    if any(word.startswith(term) for word in found):
        return start
    return part if any(term in word for word in found) else 0.0
