"""Street addresses in a sentence: street, house number, postal code and place, in the usual orders."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from german.fold import fold
from german.spelling import MAX_WORD_CHARS
from rapidfuzz.distance import OSA

from planner.rules.reading.lexicon import is_known
from planner.rules.reading.tables import table
from planner.rules.reading.tokens import Token
from planner.rules.reading.tongues import FOREIGN
from planner.rules.references.found import Found
from planner.rules.references.places import is_postal_code, place_at

_STREETS: Final = table("words.toml")["streets"]
_ENDINGS: Final = tuple(_STREETS["endings"].split())
_FIRST: Final = frozenset(_STREETS["first"].split())
_BETWEEN: Final = frozenset(_STREETS["between"].split())
_NO_STREETS: Final = frozenset(_STREETS["no_streets"].split())
_BEFORE_STREET: Final = frozenset(_STREETS["before"].split())
_STREET_WORDS = frozenset({"strasse", "str", "gasse"})
_HOUSE_NUMBER = re.compile(r"[0-9]{1,3}[a-zA-Z]?(?:[-/][0-9]{1,3}[a-zA-Z]?)?", re.ASCII)
_BETWEEN_PLACE_AND_STREET = frozenset(
    {",", "an", "die", "der", "zur", "zum", "am", "bei", "in", "auf", "dem"}
)
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
    i = 0
    while i < len(tokens):
        hit = _street_address(tokens, i) or _numbered_place(tokens, i)
        if hit:
            address, start, end = hit
            yield Found(address, tokens[start].start, tokens[end - 1].end)
            i = end
        else:
            i += 1


def _street_address(tokens: Sequence[Token], i: int) -> tuple[Address, int, int] | None:
    """An address whose street name ends at token `i`, or in French begins there, and its first and
    last-plus-one token."""
    start, end = i, _end_of_french_street(tokens, i)
    if end == i:
        if not _ends_street(tokens, i):
            return None
        start, end = _start_of_street(tokens, i), i + 1
        if end < len(tokens) and tokens[end].text == "." and tokens[i].folded.endswith("str"):
            end += 1
    address, end = _with_number(Address(_written(tokens[start:end])), tokens, end)
    if not address.house_number and tokens[start].language in FOREIGN:
        address, start = _with_number_before(address, tokens, start)
    address, end = _with_place(address, tokens, end)
    if not address.place:
        address, start = _with_place_before(address, tokens, start)
    return address, start, end


def _numbered_place(tokens: Sequence[Token], i: int) -> tuple[Address, int, int] | None:
    """Streets without a telling ending (`Im Holz 5, 4556 Aeschi`): they need a number and a place."""
    token = tokens[i]
    if not token.is_word or token.text[0].isdigit() or is_known(token.folded) or place_at(tokens, i):
        return None
    address, end = _with_number(Address(token.text), tokens, i + 1)
    if not address.house_number:
        return None
    address, end = _with_place(address, tokens, end)
    if not address.place:
        return None
    start = i
    if i > 0 and tokens[i - 1].text in {"Im", "Am", "In", "Auf", "Ob", "Zum"}:
        start = i - 1
        address = replace(address, street=_written(tokens[start : i + 1]))
    return address, start, end


def _end_of_french_street(tokens: Sequence[Token], i: int) -> int:
    """The token after `Rue du Lac` that begins at `i`; `i` itself if none does."""
    end = i + 1 if tokens[i].said in _FIRST else i
    while end > i:
        at = end
        while at < len(tokens) and tokens[at].said in _BETWEEN:
            at += 1
        if at >= len(tokens) or not tokens[at].text[0].isalpha():
            break
        if place_at(tokens, at) and (at == end or tokens[at - 1].folded == "in"):
            break
        if at == end and not tokens[at].text[0].isupper():
            break
        end = at + 1
    return end if end > i + 1 else i


def _ends_street(tokens: Sequence[Token], i: int) -> bool:
    word = tokens[i].folded
    if word in _STREET_WORDS:  # two words: Langendorf Strasse
        return i > 0 and tokens[i - 1].is_word and not is_known(tokens[i - 1].folded)
    return len(word) <= MAX_WORD_CHARS and _is_street(word)


@lru_cache(maxsize=8_192)
def _is_street(word: str) -> bool:
    """Whether a folded word alone is the name of a street."""
    if not word.isalpha() or word in _NO_STREETS or word.endswith("strassen"):
        return False
    if word.endswith(_ENDINGS) and any(
        word.endswith(ending) and len(word) >= len(ending) + 3 for ending in _ENDINGS
    ):
        return not is_known(word)
    return "st" in word[-8:] and any(
        tail.startswith("st") and len(word) >= len(tail) + 3 and OSA.distance(tail, "strasse") <= _MAX_TYPOS
        for tail in (word[-n:] for n in (5, 6, 7, 8))
    )


def _start_of_street(tokens: Sequence[Token], i: int) -> int:
    start = i
    if tokens[i].folded in _STREET_WORDS:
        start -= 1
    if start > 1 and tokens[start - 1].text == "." and tokens[start - 2].folded == "st":
        return start - 2
    if start > 0 and tokens[start - 1].folded in _BEFORE_STREET:
        return start - 1
    return start


def _with_number(address: Address, tokens: Sequence[Token], i: int) -> tuple[Address, int]:
    at = i
    while at < len(tokens) and tokens[at].folded in {"nr", "nummer", "hausnummer"}:
        at += 2 if at + 1 < len(tokens) and tokens[at + 1].text == "." else 1
    if at >= len(tokens) or not is_house_number(tokens[at].text):
        return address, i
    number, after = tokens[at].text, at + 1
    if after < len(tokens) and _is_letter_of_number(tokens, after):
        return replace(address, house_number=number + tokens[after].text), after + 1
    return replace(address, house_number=number), after


def _with_number_before(address: Address, tokens: Sequence[Token], start: int) -> tuple[Address, int]:
    """`12, rue du Lac`, `12 Hauptstrasse`"""
    at = start - 1 if start > 0 and tokens[start - 1].text == "," else start
    if at > 0 and is_house_number(tokens[at - 1].text):
        return replace(address, house_number=tokens[at - 1].text), at - 1
    return address, start


def _is_letter_of_number(tokens: Sequence[Token], i: int) -> bool:
    """`19 b`, but not the b of `19 b. Olten`."""
    letter, before = tokens[i], tokens[i - 1]
    followed_by_dot = i + 1 < len(tokens) and tokens[i + 1].text == "."
    return (
        letter.folded in set("abcdefgh")
        and letter.start == before.end + 1
        and before.is_number
        and not (followed_by_dot and i + 2 < len(tokens))
    )


def _with_place(address: Address, tokens: Sequence[Token], i: int) -> tuple[Address, int]:
    at, certain = i, False
    if at < len(tokens) and tokens[at].text == ",":
        at += 1
    if at < len(tokens) and tokens[at].folded in {"in", "bei"}:
        at, certain = at + 1, True
    postal_code = None
    if at < len(tokens) and is_postal_code(tokens[at]):
        postal_code, at, certain = tokens[at].text, at + 1, True
    if at < len(tokens):
        hit = place_at(tokens, at, fuzzy=True)
        if hit:
            return replace(address, postal_code=postal_code, place=hit[0].spoken), hit[1]
        word = tokens[at]
        if certain and word.is_word and not word.text[0].isdigit() and not is_known(word.folded):
            return replace(address, postal_code=postal_code, place=word.text), at + 1
    return (replace(address, postal_code=postal_code), at) if postal_code else (address, i)


def _with_place_before(address: Address, tokens: Sequence[Token], start: int) -> tuple[Address, int]:
    """`in Solothurn an der Rötistrasse 4`, `4500 Solothurn, Rötistrasse 4`."""
    at = start
    while at > 0 and start - at < _MAX_WORDS_BETWEEN and tokens[at - 1].folded in _BETWEEN_PLACE_AND_STREET:
        at -= 1
    for first in range(max(0, at - 4), at):
        hit = place_at(tokens, first)
        if hit and hit[1] == at:
            postal_code = tokens[first - 1].text if first > 0 and is_postal_code(tokens[first - 1]) else None
            address = replace(address, postal_code=postal_code, place=hit[0].spoken)
            return address, first - 1 if postal_code else first
    return address, start


def _written(tokens: Sequence[Token]) -> str:
    """The words as one name: `St. Urbangasse`, `Alte Bernstrasse`."""
    written = ""
    for before, token in zip((None, *tokens), tokens, strict=False):
        elided = before is not None and before.end == token.start and before.is_word and token.is_word
        gap = "'" if elided else "" if token.text == "." or not written else " "
        written += f"{gap}{token.text}"
    return written
