"""One clause: the parts of a sentence that belong to one wish."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

from german.fold import fold

from planner.rules.grammar.parts import Mention, Part, Sign, Spared, Word
from planner.rules.reading.lexicon import ACTIONS, CONCEPTS, GLUE, Role
from planner.rules.references.layers import is_written_in_names

TALK = frozenset({Role.GREETING, Role.THANKS, Role.BYE, Role.CLOSING, Role.YES, Role.NO, Role.CORRECTION})
"""Roles of words that say nothing about the map."""
_NAMED = {Role.LAYER, Role.PARCEL, Role.PARCELS, Role.GREY, Role.COLOUR, Role.HELP}
_OBJECTS = CONCEPTS | _NAMED | {Role.EVERYTHING, Role.HERE, Role.CLEAR}
_INSIDE_NAMES = frozenset({Role.FILLER, Role.LAYER})
_WRONG = "falsche"
_REJECTED = frozenset({Role.LAYER, Role.PARCEL, Role.DOCUMENT})
_DASH = Sign("-")


class Link(IntEnum):
    """How a clause hangs on the one before, from loose to tight."""

    SENTENCE = 0
    THEN = 1
    COMMA = 2
    AND = 3


@dataclass(frozen=True)
class Clause:
    """A piece of a message. `inherited` are the roles that it takes over from its neighbour."""

    parts: tuple[Part, ...]
    link: Link = Link.SENTENCE
    inherited: frozenset[Role] = frozenset()

    @cached_property
    def words(self) -> tuple[Word, ...]:
        return tuple(p for p in self.parts if isinstance(p, Word))

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        return tuple(p for p in self.parts if isinstance(p, Mention))

    @cached_property
    def spared(self) -> tuple[str, ...]:
        """The names of what is left alone."""
        return tuple(name for part in self.parts if isinstance(part, Spared) for name in part.names)

    @cached_property
    def own_roles(self) -> frozenset[Role]:
        return frozenset(w.role for w in self.words if w.role)

    @cached_property
    def roles(self) -> frozenset[Role]:
        return self.own_roles | self.inherited

    @cached_property
    def content(self) -> tuple[Word, ...]:
        return tuple(w for w in self.words if w.is_content)

    @cached_property
    def has_action(self) -> bool:
        return bool(self.roles & ACTIONS)

    @cached_property
    def has_object(self) -> bool:
        """Whether it says to what something is to be done."""
        return bool(self.mentions or self.content or self.roles & _OBJECTS)

    @cached_property
    def said(self) -> frozenset[str]:
        """Every folded word of it."""
        return frozenset([piece for word in self.words for piece in word.folded.split()])

    @cached_property
    def is_talk(self) -> bool:
        rejects = len(self.content) <= 1 and any(word.folded.startswith(_WRONG) for word in self.words)
        about = _REJECTED if rejects else frozenset()  # falsche Strasse
        return not self.mentions and (rejects or not self.content) and self.own_roles <= GLUE | TALK | about

    @cached_property
    def text(self) -> str:
        """As written, but for spaces and the signs around it."""
        return " ".join(part.text for part in self.parts)

    def phrase(self, *more: Role) -> str:
        """The first run of content, without the words around it: a layer name, a topic.

        Words with a role in `more` count as content, too.
        """
        return next(self.phrases(*more), "")

    def phrases(self, *more: Role) -> Iterator[str]:
        """Every such run."""
        run: list[Part] = []
        for part in (*self.parts, Sign("")):
            if part.role is Role.FUNCTION or part.says_something(more):
                run.append(part)
            elif part != _DASH and part.role not in _INSIDE_NAMES:
                said = [n for n, word in enumerate(run) if word.says_something(more)]
                if said:
                    named = run[said[0] : said[-1] + 1]
                    yield " ".join(_name(word) for word in named if isinstance(word, Word))
                run = []


def _name(word: Word) -> str:
    """`Waldkarte` names the Wald; `Dufurkarte` is a name as a whole, if with a typo."""
    return word.stem if word.stem and is_written_in_names(fold(word.stem)) else word.text
