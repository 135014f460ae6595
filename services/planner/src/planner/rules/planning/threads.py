"""Questions that only make sense after another one: `Und was kostet das?`, `Und für Gemeinden?`.

They are written anew so that they stand for themselves, with the subject of the question before. A question
with a subject of its own stays as it is.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import pairwise
from typing import Final

from german.dates import years_in
from german.fold import fold

from planner.rules.grammar.documents import capitalised, without_and
from planner.rules.grammar.nouns import Noun, nouns_in
from planner.rules.grammar.openers import Opener, opener_of
from planner.rules.grammar.parts import Mention, Part, Sign, Word, parts_of
from planner.rules.reading.lexicon import ACTIONS, Role
from planner.rules.reading.tables import table

_BACK: Final = table("documents.toml")["back"]
_ADVERBS: Final = frozenset(_BACK["adverbs"].split())
_PERSONS: Final = frozenset(_BACK["persons"].split())
_THAT: Final = frozenset(_BACK["that"].split())
_THESE: Final = frozenset(_BACK["these"].split())
_TIMES: Final = frozenset(_BACK["times"].split())
_BEGINS: Final = frozenset(_BACK["begins"].split())
_YEAR_BEFORE: Final = tuple(_BACK["year_before"])
_YEAR_AFTER: Final = tuple(_BACK["year_after"])

_TO_THE_MACHINE = frozenset({"du", "dich", "dir"})
_MAX_SUBJECT_WORDS = 8
_MAX_NOUNS_OF_FRAGMENT = 2
_MAX_WORDS_TO_NOUN = 3
_MAX_FRAGMENT_WORDS = 8
_ABOUT_WORDS = "|".join(_BACK["about"].split())
_ABOUT = re.compile(rf"(?:{_ABOUT_WORDS})\s+(?:(?:den|der|dem|die|das)\s+)?(?P<what>.+)", re.IGNORECASE)
_ABOUT_NOUNS = re.compile(rf"\b(?:{_ABOUT_WORDS})\s+(?:(?:den|der|dem|die|das)\s+)?[^\W\d_a-zäöü][\w-]*")


@dataclass(frozen=True)
class Thread:
    """The question about documents that was asked last.

    `is_fresh`: nothing else has been asked since. `is_topic`: it was no question, but a topic of the map.
    """

    query: str
    is_fresh: bool = True
    is_topic: bool = False


class Hold(Enum):
    """How firmly a sentence hangs on the one before."""

    NONE = auto()
    LOOSE = auto()
    """It names too little to stand for itself: `Seit wann?`, `Und für Gemeinden?`."""
    TIGHT = auto()
    """A word points back: `Was kostet das?`."""


def hold_of(parts: Sequence[Part], *, asks: bool) -> Hold:
    """How a sentence hangs on what was said before it. `asks`: it is a question, whatever its words."""
    nouns, opener = nouns_in(parts), opener_of(parts)
    if (asks or opener is not Opener.NONE) and _points_back(parts, nouns):
        return Hold.TIGHT
    if _is_order(parts) or any(isinstance(p, Word) and p.folded in _TO_THE_MACHINE for p in parts):
        return Hold.NONE
    own = [noun for noun in nouns if not noun.is_aspect]
    if opener is not Opener.NONE:
        return Hold.NONE if own else Hold.LOOSE
    words = [part for part in parts if isinstance(part, Word | Mention)]
    short = len(own) <= _MAX_NOUNS_OF_FRAGMENT and 1 < len(words) <= _MAX_FRAGMENT_WORDS
    return Hold.LOOSE if short and (asks or nouns) and _begins_with_and(parts) else Hold.NONE


def continued(text: str, parts: Sequence[Part], thread: Thread) -> str:
    """A sentence that hangs on the question before, so that it stands for itself."""
    opener, fragment = opener_of(parts), without_and(text)
    other = _other_year(text, parts, thread.query)
    if opener is Opener.NONE:
        other = other or _other_subject(fragment, thread.query)
    if other:
        return other
    subject = _subject(thread.query)
    if opener is Opener.NONE:
        return subject if _is_order(parts) else f"{subject} {fragment}"
    return f"{subject}: {capitalised(fragment)}"


def _points_back(parts: Sequence[Part], nouns: Sequence[Noun]) -> bool:
    """Whether a word stands for something that the sentence itself has not named before."""
    named = [noun for noun in nouns if not noun.is_aspect and not noun.is_body]
    for n, part in enumerate(parts):
        if not isinstance(part, Word):
            continue
        pieces = set(part.folded.split())
        polite = part.text == "Sie" and n > 0
        if pieces & _PERSONS and not named and not polite:
            return True
        points = pieces & _ADVERBS
        points |= pieces & _THAT if not _leads_to_noun(parts, n) else frozenset()
        points |= pieces & _THESE if not _leads_to_time(parts, n) else frozenset()
        if points and not _is_named_before(parts, n, named):
            return True
    return False


def _is_named_before(parts: Sequence[Part], at: int, named: Sequence[Noun]) -> bool:
    """`Was kostet die Umfahrung, und wer bezahlt das`: the sentence itself says what is meant."""
    joints = [
        n
        for n, p in enumerate(parts[:at])
        if isinstance(p, Sign) or (isinstance(p, Word) and p.role is Role.AND)
    ]
    joint = joints[-1] if joints else 0
    before = [noun.at < joint for noun in named if noun.at < at]
    return any(before) or len(before) > 1


def _leads_to_noun(parts: Sequence[Part], at: int) -> bool:
    """`das neue Gesetz`: an article."""
    for part in parts[at + 1 : at + 1 + _MAX_WORDS_TO_NOUN]:
        if isinstance(part, Mention):
            return True
        if not isinstance(part, Word) or part.role is Role.FUNCTION:
            return False
        if part.is_capitalised:
            return True
    return False


def _leads_to_time(parts: Sequence[Part], at: int) -> bool:
    following = parts[at + 1 : at + 1 + _MAX_WORDS_TO_NOUN]
    return any(isinstance(part, Word) and part.folded in _TIMES for part in following)


def _begins_with_and(parts: Sequence[Part]) -> bool:
    first = parts[0] if parts else None
    return isinstance(first, Word) and first.folded in _BEGINS


def _is_order(parts: Sequence[Part]) -> bool:
    return any(isinstance(part, Word) and part.role in ACTIONS for part in parts)


def _other_year(text: str, parts: Sequence[Part], query: str) -> str | None:
    """`Und 2022?`, `Und im Jahr davor?`: the same question about another year."""
    asked, named = years_in(query), years_in(text)
    if len(asked) != 1 or {noun.folded for noun in nouns_in(parts)} - {str(year) for year in named}:
        return None
    said = " ".join(re.findall(r"\w+", fold(text)))
    if any(said.endswith(phrase) for phrase in _YEAR_BEFORE):
        year = asked[0] - 1
    elif any(said.endswith(phrase) for phrase in _YEAR_AFTER):
        year = asked[0] + 1
    elif len(named) == 1 and opener_of(parts) is Opener.NONE:
        year = named[0]
    else:
        return None
    return query.replace(str(asked[0]), str(year))


def _other_subject(fragment: str, query: str) -> str | None:
    """`Und zu Velobahnen?`: the same question about something else."""
    said = _ABOUT.match(fragment.rstrip("?!. "))
    if said is None:
        return None
    if opener_of(parts_of(query)) is Opener.NONE:
        return said["what"]
    asked = _ABOUT_NOUNS.search(query)
    return f"{query[: asked.start()]}{said[0]}{query[asked.end() :]}" if asked else None


def _subject(query: str) -> str:
    """What a question is about. Before a colon stands the subject that an earlier question was given."""
    head, colon, _ = query.partition(": ")
    text = head if colon else query
    parts = parts_of(text)
    if opener_of(parts) is Opener.NONE:
        return " ".join(text.rstrip("?!. ").split()[:_MAX_SUBJECT_WORDS])
    nouns = nouns_in(parts)
    nouns = tuple(noun for noun in nouns if not noun.is_aspect) or nouns
    return _joined(nouns[:_MAX_SUBJECT_WORDS]) or query.rstrip("?!. ")


def _joined(nouns: Sequence[Noun]) -> str:
    """Names stay together (`Umfahrung Gnappwil`), other nouns are listed."""
    text = nouns[0].text if nouns else ""
    for one, other in pairwise(nouns):
        text += f" {other.text}" if other.at == one.at + 1 else f", {other.text}"
    return text
