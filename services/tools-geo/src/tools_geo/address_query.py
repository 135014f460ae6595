"""Takes an address apart: street words, house number, postal code."""

import re
from dataclasses import dataclass

from german.fold import fold
from german.unicode import normalized
from german.words import words

from tools_geo.name_query import FILLERS
from tools_geo.spelling import compact

_MAX_WORDS = 12
_POSTAL_CODE = re.compile(r"(?:\bch\s?-?\s?)?\b([1-9][0-9]{3})\b(?!\s?[a-z]\b)")
# A letter belongs to the number when it stands alone: "19 b" does, "4 in" and "4 b. Olten" do not.
_HOUSE_NUMBER = re.compile(
    r"(?<![0-9])([0-9]{1,4})(?:([a-z])(?![a-z])|\s([a-z])(?![a-z]|\.\s*[a-z]))?(?![0-9])"
)
_NUMBER_SIGN = re.compile(r"\b(?:haus)?(?:nr|no|nummer)\b\.?")
_WORD = re.compile(r"[a-z]+")
_WRITTEN_WORD = re.compile(r"[^\W\d_]+")
_SAYS_NOTHING = FILLERS | {"haus", "hausnummer", "nr", "no", "nummer", "switzerland"}


@dataclass(frozen=True)
class AddressQuery:
    """The folded parts of what a user wrote. `words` hold street and locality in any order."""

    words: tuple[str, ...]
    house_number: str | None = None
    postal_code: str | None = None


def read_address(text: str) -> AddressQuery:
    """`4500 Solothurn, Rötistr. 22 A` -> words (solothurn, roetistr), number 22a, code 4500."""
    rest = _NUMBER_SIGN.sub(" ", fold(text))
    postal_code, rest = _take(_POSTAL_CODE, rest)
    house_number, rest = _take(_HOUSE_NUMBER, rest)
    return AddressQuery(tuple(_WORD.findall(rest))[:_MAX_WORDS], house_number, postal_code)


def search_words(text: str) -> tuple[str, ...]:
    """The words as they are written, for a search that wants every one of them to match."""
    written = dict.fromkeys(_WRITTEN_WORD.findall(normalized("NFC", text)))
    words_ = set(read_address(text).words)
    known = words_ - _SAYS_NOTHING or words_
    return tuple(word for word in written if fold(word) in known)[:_MAX_WORDS]


def _take(pattern: re.Pattern[str], text: str) -> tuple[str | None, str]:
    """The first match, joined, and the text without it."""
    match = pattern.search(text)
    if match is None:
        return None, text
    taken = "".join(group for group in match.groups() if group)
    return taken, f"{text[: match.start()]} {text[match.end() :]}"


def number_key(number: str) -> str:
    """`19 B` and `19b` are the same house number."""
    return compact(words(number))


def digits_of(key: str) -> int:
    """The number in the key of a house number, to sort by and to find neighbours; 0 when there is none."""
    match = re.match(r"[0-9]+", key)
    return int(match[0]) if match else 0
