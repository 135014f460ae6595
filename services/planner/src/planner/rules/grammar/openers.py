"""How a sentence begins: which sort of question it is, if it is one."""

from collections.abc import Sequence
from enum import Enum, auto
from typing import Final

from planner.rules.grammar.parts import Part, Sign, Word
from planner.rules.reading.lexicon import Role
from planner.rules.reading.tables import table, word_sets


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


_TABLE: Final = table("documents.toml")["openers"]
_WORDS: Final = word_sets(_TABLE)
_SORTS: Final = {
    word: Opener[name.upper()] for name, words in word_sets(_TABLE["sorts"]).items() for word in words
}
_LISTS: Final = frozenset(tuple(phrase.split()) for phrase in _TABLE["lists"])
_COLON: Final = Sign(":")
_AFTER_TOPIC: Final = (_COLON, Sign(","))
_LONGEST_LIST: Final = max(map(len, _LISTS))


def opener_of(parts: Sequence[Part]) -> Opener:
    """How the sentence begins; of `Gülleunfall: wen muss ich anrufen` the part that asks."""
    found = _opener(parts)
    at = next((n for n, part in enumerate(parts) if part in _AFTER_TOPIC), None)
    if found is not Opener.NONE or at is None:
        return found
    return _opener(parts[at:]) if parts[at] == _COLON or _is_topic(parts[:at]) else found


def _is_topic(parts: Sequence[Part]) -> bool:
    """`Pufferstreifen am Bach, wie breit muss er sein`: nothing but what the question is about."""
    return all(isinstance(part, Word) and (part.role is Role.FUNCTION or part.is_noun) for part in parts)


def is_request(parts: Sequence[Part]) -> bool:
    """`Kannst du messen?`: an order, put politely."""
    first = parts[0] if parts else None
    return isinstance(first, Word) and first.folded in _WORDS["requests"]


def _opener(parts: Sequence[Part]) -> Opener:
    said = [piece for part in parts if isinstance(part, Word) for piece in part.folded.split()]
    by_speaker = False
    while len(said) > 1 and said[0] in _WORDS["skipped"]:
        by_speaker = said.pop(0) in _WORDS["speakers"]
    first, second = (*said[:2], "", "")[:2]
    if not _LISTS.isdisjoint([tuple(said[:n]) for n in range(1, _LONGEST_LIST + 1)]):
        return Opener.LIST
    if first in _WORDS["before"] and _SORTS.get(second) in {Opener.FACT, Opener.LIST}:
        return Opener.FACT
    if first in _WORDS["needs"] and second not in _WORDS["speakers"]:
        return Opener.NONE  # brauche Auszug
    opener = _SORTS.get(first, Opener.NONE)
    return Opener.NONE if by_speaker and opener in {Opener.NORM, Opener.STATE} else opener
