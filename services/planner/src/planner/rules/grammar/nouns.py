"""What a sentence is about: the words that carry its subject, and those that only ask."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from german.fold import fold
from german.stems import stem

from planner.rules.grammar.parts import Mention, Part, Word
from planner.rules.reading.lexicon import CONCEPTS, Role
from planner.rules.reading.tables import table, word_sets
from planner.rules.references.addresses import is_doubtful

_TABLE: Final = table("documents.toml")
_WORDS: Final = word_sets(_TABLE["nouns"])
_ASPECTS: Final = frozenset(map(stem, _WORDS["aspects"]))
_LIGHT: Final = _WORDS["light"] | _WORDS["acts"] | _WORDS["empty"]
_NAMING: Final = (CONCEPTS - {Role.DOCUMENT}) | {Role.PARCEL, Role.PARCELS, Role.REGISTER, Role.BUILD}


def by_stem(section: Mapping[str, str]) -> dict[str, str]:
    """The names of a section by their stems, and by those of the words that stand for them."""
    others = {stem(word): name for word, name in section.items() if word != "names"}
    return {stem(fold(name)): name for name in section["names"].split()} | others


BODIES: Final = by_stem(_TABLE["bodies"])
"""Who issues documents."""


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
        return stem(self.folded) in _ASPECTS


def nouns_in(parts: Sequence[Part]) -> tuple[Noun, ...]:
    """The nouns, names and numbers of a sentence."""
    found: list[Noun] = []
    for n, part in enumerate(parts):
        if isinstance(part, Mention):
            found.append(Noun(part.text, part.text.casefold(), n, is_place=not is_doubtful(part.what)))
        elif isinstance(part, Word) and _carries(part):
            found.append(Noun(part.text, part.folded, n))
    return tuple(found)


def is_subject(word: Word) -> bool:
    """Whether a word that stands where a subject is expected is one; a small letter does not matter."""
    return (word.is_content or word.role in _NAMING) and word.folded not in _LIGHT


def _carries(word: Word) -> bool:
    named = word.is_content or word.role in _NAMING
    return named and word.folded not in _LIGHT and (word.is_noun or word.folded.isdigit())
