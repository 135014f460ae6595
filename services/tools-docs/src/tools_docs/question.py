"""What a question asks for: its words that mean something, phrases, times, and sorts of documents."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from german.dates import Period, dates_in
from german.fold import bare
from german.words import Word

from tools_docs.languages import GERMAN, Language, language_of

MAX_WORDS = 32
"""Nobody asks for more; what goes beyond is a pasted text, whose beginning says enough."""

_NOUN, _UNTOLD, _OTHER, _NUMBER, _SORT, _MEASURE = 1.0, 0.775, 0.55, 0.4, 0.25, 0.15
"""How much a word counts. German nouns are written with a capital, and they carry the subject.

`_UNTOLD`: it may be one, like any word of French and Italian; `_MEASURE`: `wie hoch`, `wie lange`; `_SORT`:
what sort of document is asked for, which its text need not say.
"""
MAX_PHRASES = 4
"""In quotes: so many have to stand side by side; each is looked for in all passages."""
_PHRASE = re.compile(r"«([^«»]{3,200})»|„([^„“”]{3,200})[“”]|“([^“”]{3,200})”|\"([^\"]{3,200})\"")
_PREFIX_MARK = "*"
_MIN_PART_CHARS = 5
"""Of a word that stands for a compound: `Bericht` for Jahresbericht."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A word of a question. `weight`: how much it says about what is asked for, from 0 to 1."""

    text: str
    term: str
    weight: float
    is_prefix: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    words: tuple[Asked, ...]
    phrases: tuple[tuple[str, ...], ...] = ()
    """Terms that have to stand side by side, because the user has put them in quotes."""
    periods: tuple[Period, ...] = ()
    kinds: frozenset[str] = frozenset()
    """Sorts of documents that it names, as the index calls them."""
    bodies: frozenset[str] = frozenset()
    language: Language = GERMAN


def understand(text: str, kinds: Iterable[str] = (), bodies: Iterable[str] = ()) -> Question:
    """`kinds` and `bodies` are those that occur in the index."""
    language = language_of(text)
    spoken = set(language.stems(text))
    named_kinds = {kind: found for kind in kinds if (found := _meant(kind, spoken, language))}
    named_bodies = {body: found for body in bodies if (found := _content(body, language)) and found <= spoken}
    sorts = frozenset[str]().union(*named_kinds.values(), *named_bodies.values())
    return Question(
        words=tuple(islice(_asked(text, sorts, language), MAX_WORDS)),
        phrases=tuple(tuple(language.stems(phrase)) for phrase in islice(_quoted(text), MAX_PHRASES)),
        periods=tuple(said.period for said in dates_in(text)),
        kinds=frozenset(named_kinds),
        bodies=frozenset(named_bodies),
        language=language,
    )


def named(wanted: str, known: Iterable[str]) -> tuple[str, ...]:
    """What a filter means: `Botschaft` is a `Botschaft und Entwurf` too, and `Bericht` a `Jahresbericht`."""
    asked = _content(wanted, GERMAN)
    return tuple(name for name in known if asked and _meant(name, asked, GERMAN) == asked)


def _meant(name: str, asked: Iterable[str], language: Language) -> frozenset[str]:
    """Which of the terms are words of a name, or begin or end one."""
    words = _content(name, language)
    return frozenset(
        term
        for term in asked
        if term in words
        or (len(term) >= _MIN_PART_CHARS and any(w.startswith(term) or w.endswith(term) for w in words))
    )


def _content(name: str, language: Language) -> frozenset[str]:
    """The terms of what says something."""
    return frozenset(
        language.stem(word.form) for word in language.words(name) if bare(word.text) not in language.silent
    )


def _quoted(text: str) -> Iterator[str]:
    for found in _PHRASE.finditer(text):
        yield next(filter(None, found.groups()))


def _asked(text: str, sorts: frozenset[str], language: Language) -> Iterator[Asked]:
    spoken = list(language.words(text))
    # Who writes everything in lower case, or everything in capitals, says nothing by it.
    tells_nouns = any(w.text[:1].isupper() for w in spoken[1:]) and not text.isupper()
    seen = set()
    for number, word in enumerate(spoken):
        folded = bare(word.text)
        term = language.stem(word.form)
        is_prefix = text[word.end : word.end + 1] == _PREFIX_MARK
        if folded in language.silent or (len(folded) < 2 and not word.is_number) or term in seen:
            continue
        seen.add(term)
        weight = _weight(word, language, first=number == 0, tells_nouns=tells_nouns)
        if number and bare(spoken[number - 1].text) == "wie" and not word.is_number and weight < _NOUN:
            weight = _MEASURE
        yield Asked(word.text, term, min(weight, _SORT) if term in sorts else weight, is_prefix)


def _weight(word: Word, language: Language, *, first: bool, tells_nouns: bool) -> float:
    if word.is_number:
        return _NUMBER
    if not language.is_german:
        return _UNTOLD
    if not tells_nouns or word.text[0].isupper():
        # The first word has a capital anyway; it may be a verb.
        return _UNTOLD if first and tells_nouns else _NOUN
    return _OTHER
