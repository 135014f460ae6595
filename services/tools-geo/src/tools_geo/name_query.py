"""Takes the name of a place apart, and knows in which forms a name is in daily use."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from german.fold import fold
from german.unicode import normalized
from german.words import words

from tools_geo.spelling import compact, place_key, place_words

_ABBREVIATED = {"b", "bei", "st", "sankt"}
_WRITTEN_WORD = re.compile(r"[^\W_]+")
_SAYS_NOTHING = """
    adresse bitte ch das dem den der des die dorf geh gehe gemeinde im in kanton kantons mir nach ort
    ortschaft plz schweiz so stadt von weiler zeig zeige zu zum zur
"""
FILLERS = frozenset(_SAYS_NOTHING.split())
"""Folded words that say nothing about which place is meant."""


@dataclass(frozen=True)
class NameQuery:
    """A query as words of a name, and the postal code that was in it."""

    parts: tuple[str, ...]
    postal_code: str | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """The query as it is, and without filler words at its ends."""
        parts = without_fillers(self.parts)
        return tuple(dict.fromkeys(key for key in (compact(self.parts), compact(parts)) if key))


def name_query(text: str) -> NameQuery:
    """`4566 Halten (SO)` -> halten, 4566."""
    parts = [part for part in place_words(text) if not part.isdigit()]
    codes = [word for word in words(text) if word.isdigit() and len(word) == 4]
    return NameQuery(tuple(parts), codes[0] if codes else None)


def without_fillers(parts: Sequence[str]) -> tuple[str, ...]:
    """Words that say nothing about which place is meant are cut off at both ends."""
    kept = list(parts)
    # "Messen im Kanton Solothurn": the canton has the name of its capital.
    if len(kept) > 2 and kept[-2] in ("kanton", "kantons"):
        del kept[-2:]
    while kept and kept[-1] in FILLERS:
        kept.pop()
    while kept and kept[0] in FILLERS:
        del kept[0]
    return tuple(kept)


def short_keys(name: str) -> tuple[str, ...]:
    """The short forms in daily use: `Wangen` (bei Olten), `Mümliswil`(-Ramiswil), `Biel`(/Bienne)."""
    parts = place_words(name)
    before_bei = [compact(parts[: parts.index("bei")])] if "bei" in parts[1:] else []
    parts_of_double = re.split("[-/]", name)
    return (*before_bei, *(place_key(part) for part in (parts_of_double if len(parts_of_double) > 1 else ())))


def search_words(text: str) -> tuple[str, ...]:
    """The words of a name for a search that wants every one of them to match, be it `b.` or `bei`."""
    written = written_words(text)
    return tuple(word for word in written if fold(word) not in _ABBREVIATED) or written


def written_words(text: str) -> tuple[str, ...]:
    """The words of a name as they are written, without those at its ends that say nothing."""
    written = [word for word in _WRITTEN_WORD.findall(normalized("NFC", text)) if not word.isdigit()]
    folded = [fold(word) for word in written]
    kept = list(without_fillers(folded))
    start = next((at for at in range(len(folded)) if folded[at : at + len(kept)] == kept), 0)
    return tuple(written[start : start + len(kept)])
