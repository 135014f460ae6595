"""Takes an address apart: street words, house number, postal code."""

import re
from dataclasses import dataclass

from tools_geo.spelling import fold

_MAX_WORDS = 12
_POSTAL_CODE = re.compile(r"(?:\bch\s?-?\s?)?\b([1-9][0-9]{3})\b(?!\s?[a-z]\b)")
# A letter belongs to the number when it stands alone: "19 b" does, "4 in" and "4 b. Olten" do not.
_HOUSE_NUMBER = re.compile(
    r"(?<![0-9])([0-9]{1,4})(?:([a-z])(?![a-z])|\s([a-z])(?![a-z]|\.\s*[a-z]))?(?![0-9])"
)
_NUMBER_SIGN = re.compile(r"\b(?:haus)?(?:nr|no|nummer)\b\.?")
_WORD = re.compile(r"[a-z]+")


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


def _take(pattern: re.Pattern[str], text: str) -> tuple[str | None, str]:
    """The first match, joined, and the text without it."""
    match = pattern.search(text)
    if match is None:
        return None, text
    taken = "".join(group for group in match.groups() if group)
    return taken, f"{text[: match.start()]} {text[match.end() :]}"
