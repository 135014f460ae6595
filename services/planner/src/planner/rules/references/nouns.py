"""Which words of a message are nouns, or parts of names."""

from collections.abc import Iterator, Sequence
from typing import Final

from planner.rules.reading.forms import is_inflected, is_small, looks_like_noun, looks_like_verb
from planner.rules.reading.lexicon import CONCEPTS, Role, known_role
from planner.rules.reading.tables import table
from planner.rules.reading.tokens import Token, is_alone, token_at
from planner.rules.reading.tongues import FOREIGN
from planner.rules.references.addresses import is_street
from planner.rules.references.layers import is_nearly_layer, is_of_layers, is_small_in_layers
from planner.rules.references.places import (
    is_elsewhere,
    is_homonym,
    is_nearly_place,
    is_postal_code,
    leads_to_place,
    place_at,
)

_WORDS: Final = table("words.toml")["nouns"]
_BEFORE: Final = frozenset(_WORDS["before"].split())
_PRONOUNS: Final = frozenset(_WORDS["pronouns"].split())
_LIES: Final = frozenset({"liegt", "ist"})
_SHOWS: Final = frozenset({Role.GO, Role.FIND, Role.SHOW})
_ROLES: Final = (CONCEPTS - {Role.HEIGHT}) | {
    Role.LAYER,
    Role.PARCEL,
    Role.PARCELS,
    Role.REGISTER,
    Role.PLAN_SHORT,
}


def with_nouns(tokens: Sequence[Token]) -> Iterator[Token]:
    """The words, each with whether it is a noun, or a part of a name."""
    end_of_name = 0
    for n, token in enumerate(tokens):
        hit = place_at(tokens, n) if token.is_word and n >= end_of_name else None
        if hit and (hit[1] > n + 1 or not is_homonym(token)):
            end_of_name = hit[1]
        yield token._replace(is_noun=n < end_of_name or (token.is_word and _is_noun(tokens, n)))


def _is_noun(tokens: Sequence[Token], n: int) -> bool:
    token, word = tokens[n], tokens[n].folded
    role = known_role(word)
    if is_small(word):
        return False
    if role is not None and not is_homonym(token):
        return role in _ROLES
    if word[0].isdigit() or (token.language not in FOREIGN and is_small_in_layers(word)):
        return False
    if is_homonym(token):
        listed = n == 0 and token_at(tokens, 1).text == ","
        return is_alone(tokens) or listed or leads_to_place(tokens, n) or _is_shown(token_at(tokens, n - 1))
    if is_elsewhere(word) or is_street(word) or is_of_layers(word) or is_nearly_place(word):
        return True
    if is_nearly_layer(word):
        return True
    if token.language in FOREIGN:
        return word.isalpha() and (n > 0 or is_alone(tokens))
    led = _is_led(tokens, n)
    if led and is_inflected(word) and _may_be_noun(token_at(tokens, n + 1)):
        return False  # das rote Haus
    return led or is_alone(tokens) or looks_like_noun(word)


def _is_led(tokens: Sequence[Token], n: int) -> bool:
    """Whether an article or a preposition, and perhaps an adjective, stands before it."""
    before = token_at(tokens, n - 1)
    if before.folded in _PRONOUNS and looks_like_verb(tokens[n].folded):
        return False  # das beantragt
    if before.is_word and known_role(before.folded) is None and is_inflected(before.folded):
        before = token_at(tokens, n - 2)
    return before.folded in _BEFORE or is_postal_code(before)


def _is_shown(before: Token) -> bool:
    """`Zeige Messen`, `Wo liegt Messen`"""
    return before.folded in _LIES or known_role(before.folded) in _SHOWS


def _may_be_noun(token: Token) -> bool:
    known = known_role(token.folded)
    unknown = known is None and (is_of_layers(token.folded) or looks_like_noun(token.folded))
    return token.is_word and (known in _ROLES or unknown)
