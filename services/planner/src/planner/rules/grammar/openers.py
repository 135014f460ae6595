"""How a sentence begins: which sort of question it is, if it is one."""

from collections.abc import Sequence
from enum import Enum, auto
from typing import Final

from planner.rules.grammar.parts import Part, Sign, Word
from planner.rules.reading.tables import table

_TABLE: Final = table("documents.toml")["openers"]
_SKIPPED: Final = frozenset(_TABLE["skipped"].split())
_SPEAKERS: Final = frozenset({"ich", "wir", "mir", "uns"})
_BEFORE: Final = frozenset(_TABLE["before"].split())
_ASKS: Final = frozenset(_TABLE["asks"].split())
_WHICH: Final = frozenset(_TABLE["which"].split())
_WHERE: Final = frozenset(_TABLE["where"].split())
_STATES: Final = frozenset(_TABLE["states"].split())
_NORMS: Final = frozenset(_TABLE["norms"].split())
_REQUESTS: Final = frozenset(_TABLE["requests"].split())
_EXPLAINS: Final = frozenset(_TABLE["explains"].split())
_LISTS: Final = tuple(tuple(phrase.split()) for phrase in _TABLE["lists"])


class Opener(Enum):
    """How a sentence begins."""

    FACT = auto()
    """`Wie viel`, `bis wann`, `in welcher`."""
    NORM = auto()
    """`Muss`, `gilt`, `kommt`."""
    LIST = auto()
    """`Welche`, `gibt es`."""
    WHERE = auto()
    STATE = auto()
    """`Ist`, `liegt`."""
    NONE = auto()


def opener_of(parts: Sequence[Part]) -> Opener:
    """How the sentence begins; of `Gülleunfall: wen muss ich anrufen` the part that asks."""
    found = _opener([part for part in parts if isinstance(part, Word)])
    colon = next((n for n, part in enumerate(parts) if part == Sign(":")), None)
    if found is Opener.NONE and colon is not None:
        return _opener([part for part in parts[colon + 1 :] if isinstance(part, Word)])
    return found


def is_request(parts: Sequence[Part]) -> bool:
    """`Kannst du messen?`: an order, put politely."""
    first = parts[0] if parts else None
    return isinstance(first, Word) and first.folded in _REQUESTS


def _opener(words: Sequence[Word]) -> Opener:
    said = [piece for word in words for piece in word.folded.split()]
    by_speaker = False
    while len(said) > 1 and said[0] in _SKIPPED and tuple(said[:2]) not in _LISTS:
        by_speaker = said.pop(0) in _SPEAKERS
    first, second = (*said[:2], "", "")[:2]
    if any(tuple(said[: len(phrase)]) == phrase for phrase in _LISTS):
        return Opener.LIST
    if by_speaker and first in _NORMS | _EXPLAINS | _STATES:
        return Opener.NONE  # ich brauche …, wir müssen …
    if first in _ASKS | _EXPLAINS or (first in _BEFORE and second in _ASKS | _WHICH):
        return Opener.FACT
    kinds = {Opener.LIST: _WHICH, Opener.WHERE: _WHERE, Opener.STATE: _STATES, Opener.NORM: _NORMS}
    return next((opener for opener, beginnings in kinds.items() if first in beginnings), Opener.NONE)
