"""What a sentence is about: the words that carry its subject, and those that only ask."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from planner.rules.grammar.parts import Mention, Part, Sign, Word
from planner.rules.reading.lexicon import CONCEPTS, Role
from planner.rules.reading.tables import table
from planner.rules.reading.tongues import FOREIGN
from planner.rules.references.addresses import is_doubtful

_TABLE: Final = table("documents.toml")
_EMPTY: Final = frozenset(_TABLE["nouns"]["empty"].split())
_ASPECTS: Final = frozenset(_TABLE["nouns"]["aspects"].split())
_LIGHT: Final = frozenset(_TABLE["nouns"]["light"].split())
_ACTS: Final = frozenset(_TABLE["dates"]["acts"].split())
_BODIES: Final = frozenset(word for words in _TABLE["bodies"].values() for word in words.split())
_NAMING: Final = (CONCEPTS - {Role.DOCUMENT}) | {Role.PARCEL, Role.PARCELS, Role.REGISTER, Role.BUILD}
_COLON = Sign(":")
_MIN_CHARS = 4
_MIN_FOREIGN_CHARS = 3
_MAX_YEAR_DIGITS = 4


@dataclass(frozen=True, slots=True)
class Noun:
    """A word that says what something is about. `at`: which part of the sentence it is."""

    text: str
    folded: str
    at: int
    is_place: bool = False
    """Where, not what; what looks like an address may be something else (`Tempo 30 in Murnikon`)."""

    @property
    def is_aspect(self) -> bool:
        """`Kosten`, `Frist`: every matter has one."""
        return self.folded in _ASPECTS

    @property
    def is_body(self) -> bool:
        """`Kantonsrat`: who has dealt with a matter, not the matter."""
        return self.folded in _BODIES


def nouns_in(parts: Sequence[Part]) -> tuple[Noun, ...]:
    """The nouns, names and numbers of a sentence.

    German nouns have a capital; of other languages, and of who writes none at all, every word that is long
    enough counts.
    """
    words = [(n, part) for n, part in enumerate(parts) if isinstance(part, Word)]
    tells = any(word.is_capitalised and word.language not in FOREIGN for _, word in words)
    found = [
        Noun(word.text, word.folded, n)
        for position, (n, word) in enumerate(words)
        if _carries(word, tells=tells, first=position == 0 and _COLON not in parts[n + 1 : n + 2])
    ]
    found += [
        Noun(part.text, part.text.casefold(), n, is_place=not is_doubtful(part.what))
        for n, part in enumerate(parts)
        if isinstance(part, Mention)
    ]
    return tuple(sorted(found, key=lambda noun: noun.at))


def is_subject(word: Word) -> bool:
    """Whether a word that stands where a subject is expected is one; a small letter does not matter."""
    return (word.is_content or word.role in _NAMING) and word.folded not in _LIGHT | _ACTS | _EMPTY


def _carries(word: Word, *, tells: bool, first: bool) -> bool:
    if word.folded in _EMPTY or not (word.is_content or word.role in _NAMING):
        return False
    if word.folded.isdigit():
        return len(word.folded) <= _MAX_YEAR_DIGITS
    if tells:
        return word.is_capitalised and not first
    return (
        len(word.folded) >= (_MIN_FOREIGN_CHARS if word.language in FOREIGN else _MIN_CHARS)
        and word.folded not in _LIGHT
    )
