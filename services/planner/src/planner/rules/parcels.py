"""Parcels in a sentence: `Grundstück 168 in Messen`, `GB-Nr. 168 Messen`, `Grundbuch Messen Nr. 168`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from planner.rules.found import Found
from planner.rules.lexicon import Role, is_known, role_of
from planner.rules.normalise import Token
from planner.rules.places import is_postal_code, leads_to_place, place_at
from planner.rules.tables import table

_NUMBER = re.compile(r"[0-9]{1,6}[a-zA-Z]?|[0-9]{1,3}'[0-9]{3}", re.ASCII)
_REGISTER = frozenset({"gb", "gbnr", "grundbuch", "grundbuchnr", "grundbuchnummer"})
_WORDS: Final = table("words.toml")["parcels"]
_BEFORE_NUMBER: Final = frozenset(_WORDS["before_number"].split())
_BEFORE_PLACE: Final = frozenset(_WORDS["before_place"].split())
_AFTER_PLACE: Final = frozenset(_WORDS["after_place"].split())
_MAX_WORDS_TO_NUMBER = 8


@dataclass(frozen=True, slots=True)
class Parcel:
    """A parcel as written: a number, the municipality or land register, or one of the two."""

    number: str | None = None
    municipality: str | None = None


def find_parcels(tokens: Sequence[Token]) -> Iterator[Found[Parcel]]:
    """The parcels in a run of tokens, from left to right. The noun alone is none."""
    i = 0
    while i < len(tokens):
        hit = _parcel_at(tokens, i) if _names_parcel(tokens[i]) else None
        if hit:
            parcel, start, end = hit
            yield Found(parcel, tokens[start].start, tokens[end - 1].end)
            i = end
        else:
            i += 1


def is_parcel_number(written: str) -> bool:
    return _NUMBER.fullmatch(written) is not None


def _names_parcel(token: Token) -> bool:
    return token.folded in _REGISTER or role_of(token.folded) is Role.PARCEL


def _parcel_at(tokens: Sequence[Token], i: int) -> tuple[Parcel, int, int] | None:
    at, place, number = i + 1, None, None
    end = i + 1
    while at < len(tokens) and at - i <= _MAX_WORDS_TO_NUMBER:
        if is_parcel_number(tokens[at].text) and not _is_postal_code_of(tokens, at):
            number, at = tokens[at].text.replace("'", ""), at + 1
            end = at
            break
        hit = _place(tokens, at) if place is None else None
        if hit:
            place, at = hit
            end = at
        elif tokens[at].folded in _BEFORE_NUMBER or is_postal_code(tokens[at]) or _names_parcel(tokens[at]):
            at += 1
        else:
            break
    if number is None:
        return None  # "Parzelle in Messen" is a place and a wish, not a reference
    start = i
    if place is None:
        place, end = _place_after(tokens, end)
    if place is None:
        place, start = _place_before(tokens, i)
    return Parcel(number, place), start, end


def _place(tokens: Sequence[Token], i: int) -> tuple[str, int] | None:
    hit = place_at(tokens, i, fuzzy=leads_to_place(tokens, i))
    return (hit[0].name, hit[1]) if hit else None


def _place_after(tokens: Sequence[Token], end: int) -> tuple[str | None, int]:
    at, certain = end, False
    while at < len(tokens) and (tokens[at].folded in _BEFORE_PLACE or is_postal_code(tokens[at])):
        certain = certain or tokens[at].folded in {"in", "gemeinde", "grundbuch", "gb"}
        at += 1
    if at >= len(tokens):
        return None, end
    hit = place_at(tokens, at, fuzzy=True)
    if hit:
        return hit[0].name, hit[1]
    word = tokens[at]
    if certain and word.text[0].isupper() and not is_known(word.folded):
        return word.text, at + 1
    return None, end


def _place_before(tokens: Sequence[Token], start: int) -> tuple[str | None, int]:
    """`Messen, Parzelle 168`, `in Messen die Parzelle 168`."""
    at = start
    while at > 0 and start - at < 2 and tokens[at - 1].folded in _AFTER_PLACE:
        at -= 1
    for first in range(max(0, at - 4), at):
        hit = place_at(tokens, first)
        if hit and hit[1] == at:
            return hit[0].name, first
    return None, start


def _is_postal_code_of(tokens: Sequence[Token], i: int) -> bool:
    """`Parzelle in 3254 Messen Nr. 168`: a number before a place is its postal code, if another follows."""
    if not is_postal_code(tokens[i]) or i + 1 >= len(tokens) or place_at(tokens, i + 1) is None:
        return False
    return any(is_parcel_number(t.text) for t in tokens[i + 1 : i + _MAX_WORDS_TO_NUMBER])
