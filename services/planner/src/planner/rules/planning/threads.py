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
from planner.rules.grammar.nouns import Noun
from planner.rules.grammar.openers import Opener
from planner.rules.grammar.parts import Mention, Part, Sign, Word
from planner.rules.grammar.utterance import Utterance, utterance_of
from planner.rules.reading.lexicon import ACTIONS, Role
from planner.rules.reading.tables import table, word_sets

_BACK: Final = table("documents.toml")["back"]
_WORDS: Final = word_sets(_BACK)
_YEARS: Final[dict[str, int]] = _BACK["years"]
_MAX_SUBJECT_WORDS = 8
_MAX_NOUNS_OF_FRAGMENT = 2
_MAX_WORDS_TO_NOUN = 3
_MAX_FRAGMENT_WORDS = 8
_PREPOSITION = rf"(?:{_BACK['about'].replace(' ', '|')})\s+(?:(?:den|der|dem|die|das)\s+)?"
_ABOUT = re.compile(rf"{_PREPOSITION}(?P<what>.+)", re.IGNORECASE)
_AS_WELL = re.compile(r"(?:und )?wie (?:ist|waere|sieht|steht) (?:es|das) (?:denn )?(?:bei|mit|fuer)\b")
"""`Wie ist es bei einem Schwimmbecken?`"""
_ABOUT_NOUN = re.compile(rf"\b{_PREPOSITION}[^\W\d_a-zäöü][\w-]*")


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


def hold_of(sentence: Utterance, *, asks: bool) -> Hold:
    """How a sentence hangs on what was said before it. `asks`: it is a question, whatever its words."""
    begins = sentence.opener is not Opener.NONE
    if (asks or begins) and _points_back(sentence):
        return Hold.TIGHT
    if sentence.roles & ACTIONS or any(word.folded in _WORDS["machine"] for word in sentence.words):
        return Hold.NONE
    own = [noun for noun in sentence.nouns if not noun.is_aspect]
    if begins:
        return Hold.NONE if own else Hold.LOOSE
    length = len([part for part in sentence.parts if isinstance(part, Word | Mention)])
    short = len(own) <= _MAX_NOUNS_OF_FRAGMENT and 1 < length <= _MAX_FRAGMENT_WORDS
    goes_on = any(word.folded in _WORDS["begins"] for word in sentence.words[:1])
    return Hold.LOOSE if short and goes_on and (asks or sentence.nouns) else Hold.NONE


def continued(sentence: Utterance, thread: Thread) -> str:
    """A sentence that hangs on the question before, so that it stands for itself."""
    asked, fragment = utterance_of(thread.query), without_and(sentence.written)
    if same := _in_other_year(sentence, asked):
        return same
    if sentence.opener is not Opener.NONE:
        return f"{_subject(asked)}: {capitalised(fragment)}"
    if same := _about_other(fragment, asked):
        return same
    return _subject(asked) if sentence.roles & ACTIONS else f"{_subject(asked)} {fragment}"


def _points_back(sentence: Utterance) -> bool:
    """Whether a word stands for something that the sentence itself has not named before."""
    if _AS_WELL.match(fold(sentence.text)):
        return True
    named = [noun.at for noun in sentence.nouns if not noun.is_aspect]
    for n, part in enumerate(sentence.parts):
        if not isinstance(part, Word):
            continue
        says = {kind for kind, words in _WORDS.items() if not words.isdisjoint(part.folded.split())}
        polite = part.text == "Sie" and n > 0
        if "persons" in says and not named and not polite:
            return True
        following = sentence.parts[n + 1 : n + 1 + _MAX_WORDS_TO_NOUN]
        that = "that" in says and not _leads_to_noun(following)
        if (says & {"adverbs", "these"} or that) and not _is_named(sentence.parts[:n], named):
            return True
    return False


def _is_named(before: Sequence[Part], named: Sequence[int]) -> bool:
    """`Was kostet die Umfahrung, und wer bezahlt das`: the sentence itself says what is meant."""
    places = [at for at in named if at < len(before)]
    since = before[places[0] :] if places else ()
    return len(places) > 1 or any(
        isinstance(part, Sign) or (isinstance(part, Word) and part.role is Role.AND) for part in since
    )


def _leads_to_noun(following: Sequence[Part]) -> bool:
    """`das neue Gesetz`: an article."""
    for part in following:
        if isinstance(part, Mention) or (isinstance(part, Word) and part.is_noun):
            return True
        if not isinstance(part, Word) or part.role is Role.FUNCTION:
            return False
    return False


def _in_other_year(sentence: Utterance, asked: Utterance) -> str | None:
    """`Und 2022?`, `Und im Jahr davor?`: the same question about another year."""
    before, named = years_in(asked.text), years_in(sentence.text)
    if len(before) != 1 or any(noun.folded not in map(str, named) for noun in sentence.nouns):
        return None
    said = re.findall(r"\w+", fold(sentence.text))
    if any("jahr" in word for word in said) and said[-1] in _YEARS:
        return asked.text.replace(str(before[0]), str(before[0] + _YEARS[said[-1]]))
    only = len(named) == 1 and sentence.opener is Opener.NONE
    return asked.text.replace(str(before[0]), str(named[0])) if only else None


def _about_other(fragment: str, asked: Utterance) -> str | None:
    """`Und zu Velobahnen?`: the same question about something else."""
    said = _ABOUT.match(fragment.rstrip("?!. "))
    if said is None or asked.opener is Opener.NONE:
        return said and said["what"]
    about = _ABOUT_NOUN.search(asked.text)
    return f"{asked.text[: about.start()]}{said[0]}{asked.text[about.end() :]}" if about else None


def _subject(asked: Utterance) -> str:
    """What a question is about. Before a colon stands the subject that an earlier question was given."""
    head, colon, _ = asked.text.partition(": ")
    sentence = asked.until(len(head)) if colon else asked
    if sentence.opener is Opener.NONE:
        return " ".join(sentence.text.rstrip("?!. ").split()[:_MAX_SUBJECT_WORDS])
    own = [noun for noun in sentence.nouns if not noun.is_aspect] or sentence.nouns
    return _joined(own[:_MAX_SUBJECT_WORDS]) or asked.text.rstrip("?!. ")


def _joined(nouns: Sequence[Noun]) -> str:
    """Names stay together (`Umfahrung Gnappwil`), other nouns are listed."""
    text = nouns[0].text if nouns else ""
    for one, other in pairwise(nouns):
        text += f" {other.text}" if other.at == one.at + 1 else f", {other.text}"
    return text
