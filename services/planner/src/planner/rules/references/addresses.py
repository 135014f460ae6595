"""Street addresses in a sentence: street, house number, postal code and place, in the usual orders."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

from german.fold import fold
from german.spelling import MAX_WORD_CHARS
from rapidfuzz.distance import OSA

from planner.rules.reading.lexicon import is_known
from planner.rules.reading.tables import table
from planner.rules.reading.tokens import NOTHING, Token, token_at
from planner.rules.reading.tongues import FOREIGN
from planner.rules.references.found import Found, Hit, scan
from planner.rules.references.places import (
    is_postal_code,
    is_unknown_name,
    place_after,
    place_at,
    place_before,
)

_STREETS: Final = table("words.toml")["streets"]
_ENDINGS: Final = tuple(_STREETS["endings"].split())
_FIRST: Final = frozenset(_STREETS["first"].split())
_BETWEEN: Final = frozenset(_STREETS["between"].split())
_NO_STREETS: Final = frozenset(_STREETS["no_streets"].split())
_BEFORE_STREET: Final = frozenset(_STREETS["before"].split())
_AFTER_PLACE: Final = frozenset(_STREETS["after_place"].split())
_STREET_WORDS = frozenset({"strasse", "str", "gasse"})
_HOUSE_NUMBER = re.compile(r"[0-9]{1,3}[a-zA-Z]?(?:[-/][0-9]{1,3}[a-zA-Z]?)?", re.ASCII)
_BEFORE_NAME_OF_STREET = frozenset({"Im", "Am", "In", "Auf", "Ob", "Zum"})
_NUMBERED = frozenset({"nr", "nummer", "hausnummer"})
_MAX_WORDS_BETWEEN = 3
_MAX_TYPOS = 2


@dataclass(frozen=True, slots=True)
class Address:
    """An address as written, at least a street."""

    street: str
    house_number: str | None = None
    postal_code: str | None = None
    place: str | None = None

    @property
    def q(self) -> str:
        """In the usual order, for a geocoder."""
        street = " ".join(part for part in (self.street, self.house_number) if part)
        place = " ".join(part for part in (self.postal_code, self.place) if part)
        return ", ".join(part for part in (street, place) if part)

    @property
    def vague(self) -> bool:
        """Only a street name: it may be something else, such as the name of a map."""
        return not (self.house_number or self.postal_code or self.place)


def is_doubtful(what: object) -> bool:
    """Whether an address is one only by its numbers: `Im Holz 5, Aeschi`, but also `Tempo 30 in Messen`."""
    if not isinstance(what, Address):
        return False
    street = fold(what.street)
    return not street.endswith(_ENDINGS) and street.split(" ")[0] not in _FIRST


def is_house_number(written: str) -> bool:
    return _HOUSE_NUMBER.fullmatch(written) is not None


def find_addresses(tokens: Sequence[Token]) -> Iterator[Found[Address]]:
    """The addresses in a run of tokens, from left to right."""
    return scan(tokens, lambda i: _street_address(tokens, i) or _numbered_place(tokens, i))


def _street_address(tokens: Sequence[Token], i: int) -> Hit[Address] | None:
    """An address whose street name ends at token `i`, or in French begins there."""
    start, end = i, _end_of_french_street(tokens, i)
    if end == i:
        if not _ends_street(tokens, i):
            return None
        start, end = _start_of_street(tokens, i), i + 1
        if tokens[i].folded.endswith("str") and token_at(tokens, end).text == ".":
            end += 1
    address, end = _with_number(Address(_written(tokens[start:end])), tokens, end)
    if not address.house_number and tokens[start].language in FOREIGN:
        address, start = _with_number_before(address, tokens, start)
    address, end = _with_place(address, tokens, end)
    if not address.place:
        address, start = _with_place_before(address, tokens, start)
    return Hit(address, start, end)


def _numbered_place(tokens: Sequence[Token], i: int) -> Hit[Address] | None:
    """Streets without a telling ending (`Im Holz 5, 4556 Aeschi`): they need a number and a place."""
    if not (is_unknown_name(tokens, i) and tokens[i].is_noun) or place_at(tokens, i):
        return None
    start = i - 1 if token_at(tokens, i - 1).text in _BEFORE_NAME_OF_STREET else i
    address, end = _with_number(Address(_written(tokens[start : i + 1])), tokens, i + 1)
    address, end = _with_place(address, tokens, end)
    return Hit(address, start, end) if address.house_number and address.place else None


def _end_of_french_street(tokens: Sequence[Token], i: int) -> int:
    """The token after `Rue du Lac` that begins at `i`; `i` itself if none does."""
    end = i + 1 if tokens[i].said in _FIRST else i
    while end > i:
        at = end
        while token_at(tokens, at).said in _BETWEEN:
            at += 1
        word, follows = token_at(tokens, at), at == end
        if not word.text[:1].isalpha() or (follows and not word.is_noun):
            break
        if place_at(tokens, at) and (follows or tokens[at - 1].folded == "in"):
            break
        end = at + 1
    return end if end > i + 1 else i


def _ends_street(tokens: Sequence[Token], i: int) -> bool:
    word, before = tokens[i].folded, token_at(tokens, i - 1)
    if word in _STREET_WORDS:  # two words: Langendorf Strasse
        return before.is_word and not is_known(before.folded)
    return len(word) <= MAX_WORD_CHARS and is_street(word)


@lru_cache(maxsize=8_192)
def is_street(word: str) -> bool:
    """Whether a folded word alone is the name of a street."""
    if not word.isalpha() or word in _NO_STREETS or word.endswith("strassen"):
        return False
    if any(word.endswith(ending) and len(word) >= len(ending) + 3 for ending in _ENDINGS):
        return not is_known(word)
    tails = (word[-n:] for n in (5, 6, 7, 8) if len(word) >= n + 3)
    return any(tail[:2] == "st" and OSA.distance(tail, "strasse") <= _MAX_TYPOS for tail in tails)


def _start_of_street(tokens: Sequence[Token], i: int) -> int:
    start = i - 1 if tokens[i].folded in _STREET_WORDS else i
    before, first = token_at(tokens, start - 1), token_at(tokens, start - 2)
    if before.text == "." and first.folded == "st":
        return start - 2
    return start - 1 if before.folded in _BEFORE_STREET else start


def _with_number(address: Address, tokens: Sequence[Token], i: int) -> tuple[Address, int]:
    at = i
    while token_at(tokens, at).folded in _NUMBERED:
        at += 2 if token_at(tokens, at + 1).text == "." else 1
    number = token_at(tokens, at).text
    if not is_house_number(number):
        return address, i
    if _is_letter_of_number(tokens, at + 1):
        return replace(address, house_number=number + tokens[at + 1].text), at + 2
    return replace(address, house_number=number), at + 1


def _with_number_before(address: Address, tokens: Sequence[Token], start: int) -> tuple[Address, int]:
    """`12, rue du Lac`, `12 Hauptstrasse`"""
    at = start - 2 if token_at(tokens, start - 1).text == "," else start - 1
    number = token_at(tokens, at).text
    return (replace(address, house_number=number), at) if is_house_number(number) else (address, start)


def _is_letter_of_number(tokens: Sequence[Token], i: int) -> bool:
    """`19 b`, but not the b of `19 b. Olten`."""
    letter, before = token_at(tokens, i), tokens[i - 1]
    abbreviates = token_at(tokens, i + 1).text == "." and token_at(tokens, i + 2) is not NOTHING
    beside = letter.start == before.end + 1 and before.is_number
    return letter.folded == letter.text.lower() in set("abcdefgh") and beside and not abbreviates


def _with_place(address: Address, tokens: Sequence[Token], i: int) -> tuple[Address, int]:
    comma = i + 1 if token_at(tokens, i).text == "," else i
    at = comma + 1 if token_at(tokens, comma).folded in {"in", "bei"} else comma
    coded = is_postal_code(token_at(tokens, at))
    postal_code = tokens[at].text if coded else None
    hit = place_after(tokens, at + coded, certain=coded or at > comma)
    if hit:
        return replace(address, postal_code=postal_code, place=hit[0].spoken), hit[1]
    return (replace(address, postal_code=postal_code), at + 1) if coded else (address, i)


def _with_place_before(address: Address, tokens: Sequence[Token], start: int) -> tuple[Address, int]:
    """`in Solothurn an der Rötistrasse 4`, `4500 Solothurn, Rötistrasse 4`."""
    hit = place_before(tokens, start, _AFTER_PLACE, _MAX_WORDS_BETWEEN)
    if hit is None:
        return address, start
    place, first = hit
    code = token_at(tokens, first - 1)
    if not is_postal_code(code):
        return replace(address, place=place.spoken), first
    return replace(address, postal_code=code.text, place=place.spoken), first - 1


def _written(tokens: Sequence[Token]) -> str:
    """The words as one name: `St. Urbangasse`, `Alte Bernstrasse`."""
    written = tokens[0].text
    for before, token in pairwise(tokens):
        elided = before.end == token.start and before.is_word and token.is_word
        written += ("'" if elided else "" if token.text == "." else " ") + token.text
    return written
