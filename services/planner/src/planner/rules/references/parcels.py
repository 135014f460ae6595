"""Parcels in a sentence: `Grundstück 168 in Messen`, `GB-Nr. 168 Messen`, `Grundbuch Messen Nr. 168`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from contracts.vocabulary import form_of

from planner.rules.reading.known import known
from planner.rules.reading.lexicon import Role, is_known, role_of
from planner.rules.reading.tables import table
from planner.rules.reading.tokens import Token
from planner.rules.references.found import Found
from planner.rules.references.places import is_postal_code, leads_to_place, place_at

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
        hits = _parcels_at(tokens, i) if _names_parcel(tokens[i]) else ()
        for parcel, start, end in hits:
            yield Found(parcel, tokens[start].start, tokens[end - 1].end)
        i = hits[-1][2] if hits else i + 1


def is_parcel_number(written: str) -> bool:
    """Digits as everywhere (`168`, `90042a`, `1'234`), or what the source calls so (`D7001`, `1234.01`)."""
    return _NUMBER.fullmatch(written) is not None or form_of(written) in known().parcel_forms


def _names_parcel(token: Token) -> bool:
    return token.folded in _REGISTER or role_of(token.folded) in {Role.PARCEL, Role.PARCELS}


def _parcels_at(tokens: Sequence[Token], i: int) -> tuple[tuple[Parcel, int, int], ...]:
    """The parcels that the noun at token `i` names, each with its first and its last-plus-one token."""
    at, place, number = i + 1, None, None
    end = i + 1
    while at < len(tokens) and at - i <= _MAX_WORDS_TO_NUMBER:
        if is_parcel_number(tokens[at].text) and not _is_postal_code_of(tokens, at):
            number, at = _plain(tokens[at]), at + 1
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
        return ()  # "Parzelle in Messen" is a place and a wish, not a reference
    start, more = i, _more_numbers(tokens, end, plural=role_of(tokens[i].folded) is Role.PARCELS)
    last = more[-1] + 1 if more else end
    if place is None:
        place, last = _place_after(tokens, last)
    if place is None:
        place, start = _place_before(tokens, i)
    numbered = [(number, start, end), *((_plain(tokens[n]), n, n + 1) for n in more)]
    numbered[-1] = (*numbered[-1][:2], last)
    return tuple((Parcel(n, place), first, after) for n, first, after in numbered)


def _more_numbers(tokens: Sequence[Token], end: int, *, plural: bool) -> tuple[int, ...]:
    """The tokens of the other numbers in `Parzelle 198 und 531`, `Parzellen 198, 531 und 168`."""
    more: list[int] = []
    joints = {"und", "&", "+", ","} if plural else {"und", "&", "+"}
    at = end
    while at + 1 < len(tokens) and tokens[at].folded in joints:
        if not is_parcel_number(tokens[at + 1].text) or _is_code_before_place(tokens, at + 1):
            break
        more.append(at + 1)
        at += 2
    return tuple(more)


def _is_code_before_place(tokens: Sequence[Token], i: int) -> bool:
    return is_postal_code(tokens[i]) and i + 1 < len(tokens) and place_at(tokens, i + 1) is not None


def _plain(token: Token) -> str:
    return token.text.replace("'", "")


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
    if not _is_code_before_place(tokens, i):
        return False
    return any(is_parcel_number(t.text) for t in tokens[i + 1 : i + _MAX_WORDS_TO_NUMBER])
