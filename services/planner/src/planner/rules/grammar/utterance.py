"""What somebody said, read once: everything after looks at its parts, and at those of its pieces."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from contracts.languages import DEFAULT_LANGUAGE, Language, language_of
from german.sentences import typed_ends

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.clauses import clauses_of, said
from planner.rules.grammar.nouns import Noun, nouns_in
from planner.rules.grammar.openers import Opener, opener_of
from planner.rules.grammar.parts import Part, Sign, Word, parts_of
from planner.rules.reading.known import Known, expected, known
from planner.rules.reading.lexicon import Role
from planner.rules.reading.tokens import clean, tokens_of, without_courtesy
from planner.rules.reading.tongues import read
from planner.rules.references.links import without_links
from planner.rules.references.nouns import with_nouns

MAX_SENTENCES = 40
"""What is read of a message one by one."""
_MAX_TELLING_CHARS = 200
"""How much of a message is read to know what language it is in."""
_MAX_TALK_PIECES = 3
_REMEMBERED = 128
"""Both the plan and what models look at are made of it."""


@dataclass(frozen=True)
class Utterance:
    """A message, a sentence, or a part of one. `at`: where its text begins in that of the message."""

    text: str
    """In one spelling of quotes, dashes and spaces, without the sign at its end."""
    parts: tuple[Part, ...]
    """Those of the text and of the sign."""
    sign: str = ""
    at: int = 0
    language: Language | None = None
    """That of most of the words; None where it is not clear."""

    @property
    def written(self) -> str:
        return self.text + self.sign

    @property
    def asks(self) -> bool:
        return "?" in self.sign

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
        return clauses_of(self.parts)

    @property
    def spoken(self) -> tuple[Clause, ...]:
        """The clauses that are more than talk."""
        return said(self.clauses)

    @property
    def is_talk(self) -> bool:
        """Whether there is nothing in it but `hallo`, `danke`, `bitte`."""
        return all(clause.is_talk for clause in self.clauses)

    @property
    def names_layer(self) -> bool:
        """Whether it says `Karte` or `Layer`."""
        return any(word.role is Role.LAYER and word.stem is None for word in self.words)

    @cached_property
    def sentences(self) -> tuple["Utterance", ...]:
        """In order; what goes beyond the limit is part of the last one."""
        ends = [*typed_ends(self.text)][: MAX_SENTENCES - 1]
        starts = (0, *(end for _, end in ends))
        cuts = zip(starts, (*ends, (len(self.text), len(self.text))), strict=True)
        found = (self.between(start, at, self.text[at:end].strip()) for start, (at, end) in cuts)
        return tuple(sentence for sentence in found if any(c.isalnum() for c in sentence.text))

    def between(self, start: int, end: int, sign: str = "") -> "Utterance":
        """A piece of its text, without the spaces around it, and the sign behind it."""
        text = self.text[start:end]
        first = self.at + start + len(text) - len(text.lstrip())
        last = self.at + end + len(sign)
        parts = tuple([part for part in self.parts if first <= part.start < last])
        return Utterance(text.strip(), parts, sign, first, self.language)

    def until(self, end: int) -> "Utterance":
        return self.between(0, end)

    def since(self, start: int) -> "Utterance":
        """The rest, with its sign."""
        return self.between(start, len(self.text), self.sign)

    def without_talk(self) -> "Utterance":
        """`Hallo, was kostet das, bitte?` becomes `was kostet das?`."""
        pieces = self.text.split(",")
        starts = [sum(len(piece) + 1 for piece in pieces[:n]) for n in range(len(pieces) + 1)]
        first, last = 0, len(pieces)

        def is_talk(n: int) -> bool:
            return self.between(starts[n], starts[n + 1] - 1).is_talk

        while last - first > 1 and first < _MAX_TALK_PIECES and is_talk(first):
            first += 1
        while last - first > 1 and len(pieces) - last < _MAX_TALK_PIECES and is_talk(last - 1):
            last -= 1
        return self.between(starts[first], starts[last] - 1, self.sign)

    def answer_language(self, wanted: str) -> str:
        """What to answer in: the language that is wanted, or if that is the default its own."""
        if language_of(wanted) not in {None, DEFAULT_LANGUAGE}:
            return wanted
        return self.language or wanted


def utterance_of(message: str) -> Utterance:
    """A message, as far as it is read."""
    return utterance_with(message, known(), expected())


@lru_cache(maxsize=_REMEMBERED)
def spoken_in(message: str) -> Language | None:
    """The language of most of the words of a message; None where it is not clear."""
    return read(tokens_of(clean(message[:_MAX_TELLING_CHARS]))).language


@lru_cache(maxsize=_REMEMBERED)
def utterance_with(message: str, source: Known, language: str) -> Utterance:
    text = without_courtesy(without_links(clean(message)))
    reading = read(tokens_of(text), language)
    return Utterance(text, parts_of(text, tuple(with_nouns(reading.tokens))), language=reading.language)


def joined(pieces: Sequence[Utterance]) -> Utterance:
    """Pieces as one; where one ends so does a clause."""
    parts = tuple(part for piece in pieces for part in (*piece.parts, Sign("\n")))
    return replace(pieces[0], text=" ".join(piece.written for piece in pieces), parts=parts[:-1], sign="")
