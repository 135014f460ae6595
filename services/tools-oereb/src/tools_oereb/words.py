"""How people talk about what is in the cadastre: everyday words for its themes, and words that ask.

They stand in `data/words.toml`. Everything that is not there must come from the extract itself.
"""

import re
import tomllib
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path

from contracts.oereb import Theme
from german.fold import fold
from german.spelling import Spellings, forgiven_edits

_TABLE = tomllib.loads((Path(__file__).parent / "data" / "words.toml").read_text(encoding="utf-8"))
_CODES = {stem: tuple(codes.split()) for codes, stems in _TABLE["themes"].items() for stem in stems.split()}
_SPELLINGS = Spellings(_CODES)
_ELSEWHERE = {who: stems.split() for who, stems in _TABLE["elsewhere"].items()}
_SENTENCES = {kind: frozenset(words.split()) for kind, words in _TABLE["sentences"].items()}
TOPICS = tuple(sorted({stem for stem in _CODES if not stem.startswith("=")} | _SENTENCES["topics"]))
"""Parts of the words of questions that can be answered from an extract, for planners."""
_WORD = re.compile(r"\w+(?:[-./]\w+)*")
_ELIDED = re.compile(r"\b(?:[cdjlmnst]|qu|un|(?:d|n|s)?[ae]ll)['’](?=\w)", re.IGNORECASE)
"""What French and Italian write before a vowel: `l'immeuble`, `dell'estratto`."""
_NUMBER_OR_STREET = re.compile(
    r"[\d./-]+\w?|ch\d+|\w|(?!national)\w+(strasse|str|weg|gasse|platz|rain|allee|matte|ring)"
)
_MIN_INSIDE = 6
_MIN_WITH_TYPO = 9


class Ask(StrEnum):
    """What somebody wants to know about the themes of a question, or about all of them."""

    TERM = "term"
    LAWS = "laws"
    PLANNED = "planned"
    OFFICE = "office"
    WITHOUT_DATA = "without_data"
    NOT_CONCERNED = "not_concerned"
    RESTRICTIONS = "restrictions"
    PERMITTED = "permitted"
    SIZE = "size"
    AREA = "area"
    DATE = "date"


_ASKED = {ask: re.compile(rf"\b(?:{'|'.join(_TABLE['asks'][ask])})\b") for ask in Ask}


def words_of(text: str) -> tuple[str, ...]:
    return tuple(map(fold, spoken_words(text)))


def spoken_words(text: str) -> list[str]:
    """As they are written."""
    return _WORD.findall(_ELIDED.sub(" ", text))


def asks_in(folded: str) -> frozenset[Ask]:
    return frozenset(ask for ask, pattern in _ASKED.items() if pattern.search(folded))


def is_asking(word: str) -> bool:
    return any(pattern.fullmatch(word) for pattern in _ASKED.values())


def wants_yes_or_no(folded: str) -> bool:
    return folded.partition(" ")[0] in _SENTENCES["yes_or_no"]


def is_question(folded: str) -> bool:
    return "?" in folded or wants_yes_or_no(folded) or folded.partition(" ")[0] in _SENTENCES["question"]


def introduces(word: str) -> bool:
    """Whether what somebody asks about stands behind it."""
    return word in _SENTENCES["introducing"]


def says_nothing(word: str) -> bool:
    """Whether a question does not ask for anything by this word: an article, a number, a street."""
    return word in _SENTENCES["idle"] or _NUMBER_OR_STREET.fullmatch(word) is not None


def narrows(word: str) -> bool:
    """Whether a question may be about one of several of a name, as `Wohnzone 3`, or about all of a parcel."""
    return word in _SENTENCES["all"] or _NUMBER_OR_STREET.fullmatch(word) is not None


def codes_of(word: str) -> tuple[str, ...]:
    """Patterns of the codes of the themes that an everyday word is about; with a typo in it if it is long."""
    found = [stem for stem in _CODES if _has(word, stem)]
    if not found and len(word) >= _MIN_WITH_TYPO:
        near = _SPELLINGS.nearest(word, forgiven_edits(len(word)) - 1)
        found = [near[0]] if near else []
    return _CODES[max(found, key=len)] if found else ()


def is_about(theme: Theme, codes: tuple[str, ...]) -> bool:
    """A part of a theme that is a subject of its own, like the lines for building, is not about the whole."""
    own = [pattern for patterns in _CODES.values() for pattern in patterns if _fits(theme.sub_code, pattern)]
    if own:
        return not set(own).isdisjoint(codes)
    return any(_fits(theme.code, pattern) for pattern in codes)


def _fits(code: str | None, pattern: str) -> bool:
    return code is not None and fnmatchcase(code, pattern)


def is_generic(word: str) -> bool:
    """Whether the word behind it may say better what is meant, as in `Zone S3`."""
    return word in _SENTENCES["generic"]


def links(word: str) -> bool:
    """Whether it only joins two others, as in `zone de protection`."""
    return word in _SENTENCES["linking"]


def known_elsewhere(word: str) -> str | None:
    """Who knows what the cadastre does not: the end of a key of the catalogue."""
    return next((who for who, stems in _ELSEWHERE.items() if any(_has(word, stem) for stem in stems)), None)


def resembles(word: str, other: str) -> bool:
    """Whether one is a form or the first part of the other, as `waldabstand` of `waldabstandslinien`."""
    if any(map(str.isdigit, word)):
        return word == other
    shorter = min(len(word), len(other))
    return shorter >= 5 and _shared(word, other) >= max(5, shorter - 2)


def is_same(word: str, other: str) -> bool:
    """Whether they differ by an ending at most."""
    return word == other or (
        min(len(word), len(other)) >= 4 and _shared(word, other) >= max(len(word), len(other)) - 2
    )


def _shared(word: str, other: str) -> int:
    """Letters at the beginning of both."""
    return next(
        (n for n, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other))
    )


def _has(word: str, stem: str) -> bool:
    if stem.startswith("="):
        return word == stem[1:]
    return word.startswith(stem) or (len(stem) >= _MIN_INSIDE and stem in word)
