"""Parcels in a sentence: `Grundstück 168 in Messen`, `GB-Nr. 168 Messen`, `Grundbuch Messen Nr. 168`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from contracts.vocabulary import form_of

from planner.rules.reading.known import known
from planner.rules.reading.lexicon import Role, role_of
from planner.rules.reading.tables import table
from planner.rules.reading.tokens import Token, token_at
from planner.rules.references.found import Found, Hit
from planner.rules.references.places import (
    Place,
    is_known_postal_code,
    is_postal_code,
    leads_to_place,
    place_after,
    place_at,
    place_before,
)

_NUMBER = re.compile(r"[0-9]{1,6}[a-zA-Z]?|[0-9]{1,3}'[0-9]{3}", re.ASCII)
_REGISTER = frozenset({"gb", "gbnr", "grundbuch", "grundbuchnr", "grundbuchnummer"})
_WORDS: Final = table("words.toml")["parcels"]
_BEFORE_NUMBER: Final = frozenset(_WORDS["before_number"].split())
_BEFORE_PLACE: Final = frozenset(_WORDS["before_place"].split())
_AFTER_PLACE: Final = frozenset(_WORDS["after_place"].split())
_CERTAINLY_BEFORE_PLACE = frozenset({"in", "gemeinde", "grundbuch", "gb"})
_MAX_WORDS_TO_NUMBER = 8
_MAX_WORDS_BETWEEN = 2


@dataclass(frozen=True, slots=True)
class Parcel:
    """A parcel as written: a number, the municipality or land register, or one of the two."""

    number: str | None = None
    municipality: str | None = None


def find_parcels(tokens: Sequence[Token]) -> Iterator[Found[Parcel]]:
    """The parcels in a run of tokens, from left to right. The noun alone is none."""
    i = 0
    while i < len(tokens):
        hits = _parcels_at(tokens, i) if _names_parcel(tokens[i]) else ()
        for hit in hits:
            yield Found(hit.what, tokens[hit.start].start, tokens[hit.end - 1].end)
        i = hits[-1].end if hits else i + 1


def is_parcel_number(written: str) -> bool:
    """Digits as everywhere (`168`, `90042a`, `1'234`), or what the source calls so (`D7001`, `1234.01`)."""
    return _NUMBER.fullmatch(written) is not None or form_of(written) in known().parcel_forms


def plain_number(written: str) -> str:
    return written.replace("'", "")


def _names_parcel(token: Token) -> bool:
    return token.folded in _REGISTER or role_of(token.folded) in {Role.PARCEL, Role.PARCELS}


def _parcels_at(tokens: Sequence[Token], i: int) -> tuple[Hit[Parcel], ...]:
    """The parcels that the noun at token `i` names."""
    at, place = i + 1, None
    while not is_parcel_number(token_at(tokens, at).text) or _is_postal_code_of(tokens, at):
        hit = None if place else place_at(tokens, at, fuzzy=leads_to_place(tokens, at))
        if hit:
            place, at = hit
        elif _leads_to_number(token_at(tokens, at)):
            at += 1
        else:
            return ()  # "Parzelle in Messen" is a place and a wish, not a reference
        if at - i > _MAX_WORDS_TO_NUMBER:
            return ()
    numbers = (at, *_more_numbers(tokens, at + 1, plural=role_of(tokens[i].folded) is Role.PARCELS))
    starts, ends = [i, *numbers[1:]], [number + 1 for number in numbers]
    if place is None and (hit := _place_after(tokens, ends[-1])):
        place, ends[-1] = hit
    if place is None and (hit := place_before(tokens, i, _AFTER_PLACE, _MAX_WORDS_BETWEEN)):
        place, starts[0] = hit
    name = place.name if place else None
    named = zip(numbers, starts, ends, strict=True)
    return tuple(Hit(Parcel(plain_number(tokens[n].text), name), start, end) for n, start, end in named)


def _leads_to_number(token: Token) -> bool:
    return token.folded in _BEFORE_NUMBER or is_postal_code(token) or _names_parcel(token)


def _more_numbers(tokens: Sequence[Token], end: int, *, plural: bool) -> Iterator[int]:
    """The tokens of the other numbers in `Parzelle 198 und 531`, `Parzellen 198, 531 und 168`."""
    joints = {"und", "&", "+", ","} if plural else {"und", "&", "+"}
    while token_at(tokens, end).folded in joints and is_parcel_number(token_at(tokens, end + 1).text):
        if _is_code_before_place(tokens, end + 1):
            return
        yield end + 1
        end += 2


def _is_code_before_place(tokens: Sequence[Token], i: int) -> bool:
    return is_known_postal_code(token_at(tokens, i).text) and place_at(tokens, i + 1) is not None


def _place_after(tokens: Sequence[Token], end: int) -> tuple[Place, int] | None:
    at, certain = end, False
    while token_at(tokens, at).folded in _BEFORE_PLACE or is_postal_code(token_at(tokens, at)):
        certain = certain or tokens[at].folded in _CERTAINLY_BEFORE_PLACE
        at += 1
    return place_after(tokens, at, certain=certain)


def _is_postal_code_of(tokens: Sequence[Token], i: int) -> bool:
    """`Parzelle in 3254 Messen Nr. 168`: a number before a place is its postal code, if another follows."""
    following = tokens[i + 1 : i + _MAX_WORDS_TO_NUMBER]
    return _is_code_before_place(tokens, i) and any(is_parcel_number(t.text) for t in following)
