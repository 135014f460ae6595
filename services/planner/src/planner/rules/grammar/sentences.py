"""A message as sentences, with what stands around the question taken away."""

from dataclasses import dataclass
from functools import cached_property

from german.sentences import typed_ends

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.clauses import clauses_of, said
from planner.rules.grammar.nouns import Noun, nouns_in
from planner.rules.grammar.openers import Opener, opener_of
from planner.rules.grammar.parts import Part, Word, parts_of
from planner.rules.reading.lexicon import Role
from planner.rules.reading.tokens import clean

MAX_SENTENCES = 40
"""What is read of a message one by one."""
_MAX_TALK_PIECES = 3


@dataclass(frozen=True)
class Sentence:
    """A text, the sign at its end, and what is found in it."""

    text: str
    sign: str = ""

    @property
    def written(self) -> str:
        return self.text + self.sign

    @property
    def asks(self) -> bool:
        return "?" in self.sign

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        return parts_of(self.text)

    @cached_property
    def words(self) -> tuple[Word, ...]:
        return tuple(part for part in self.parts if isinstance(part, Word))

    @cached_property
    def content(self) -> tuple[Word, ...]:
        return tuple(word for word in self.words if word.is_content)

    @cached_property
    def roles(self) -> frozenset[Role]:
        return frozenset(word.role for word in self.words if word.role)

    @cached_property
    def nouns(self) -> tuple[Noun, ...]:
        return nouns_in(self.parts)

    @cached_property
    def opener(self) -> Opener:
        return opener_of(self.parts)

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """Those that are more than talk."""
        return said(clauses_of(self.text))

    @cached_property
    def is_talk(self) -> bool:
        """Whether there is nothing in it but `hallo`, `danke`, `bitte`."""
        return all(clause.is_talk for clause in self.clauses)

    @property
    def names_layer(self) -> bool:
        """Whether it says `Karte` or `Layer`."""
        return any(word.role is Role.LAYER and word.stem is None for word in self.words)


def sentences_of(message: str) -> tuple[Sentence, ...]:
    """The sentences of a message in its order; what goes beyond the limit is part of the last one."""
    cleaned = clean(message)
    ends = [*typed_ends(cleaned)][: MAX_SENTENCES - 1]
    starts = (0, *(end for _, end in ends))
    cuts = zip(starts, (*ends, (len(cleaned), len(cleaned))), strict=True)
    found = (Sentence(cleaned[start:at].strip(), cleaned[at:end].strip()) for start, (at, end) in cuts)
    return tuple(sentence for sentence in found if any(c.isalnum() for c in sentence.text))


def without_talk(sentence: Sentence) -> Sentence:
    """`Hallo, was kostet das, bitte?` becomes `was kostet das?`."""
    pieces = sentence.text.split(",")
    first, last = 0, len(pieces)
    while last - first > 1 and first < _MAX_TALK_PIECES and Sentence(pieces[first]).is_talk:
        first += 1
    while last - first > 1 and len(pieces) - last < _MAX_TALK_PIECES and Sentence(pieces[last - 1]).is_talk:
        last -= 1
    return Sentence(",".join(pieces[first:last]).strip(), sentence.sign)
