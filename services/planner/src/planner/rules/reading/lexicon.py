"""The words that the grammar knows, and the part each plays in a sentence.

They stand in `data/words.toml`. Everything that is not there is content: a name of a layer, a topic of
documents, a place that nobody has told us about.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Final

from contracts.intents import SPECS, Intent
from german.spelling import MAX_WORD_CHARS, Spellings

from planner.rules.reading.tables import table
from planner.rules.reading.topics import is_theme


class Role(StrEnum):
    """The part of a word in a sentence."""

    # what is to be done
    GO = "go"
    FIND = "find"
    SHOW = "show"
    LOAD = "load"
    CREATE = "create"
    REMOVE = "remove"
    HIDE = "hide"
    UNHIDE = "unhide"
    KEEP = "keep"
    CLEAR = "clear"
    CHANGE = "change"
    CHOOSE = "choose"
    LIST = "list"
    # what it is about
    OEREB = "oereb"
    PLAN = "plan"
    PLAN_SHORT = "plan_short"
    EXTRACT = "extract"
    BUILD = "build"
    SIZE = "size"
    MEASURE = "measure"
    GEOTHERMAL = "geothermal"
    HEIGHT = "height"
    PARCEL = "parcel"
    PARCELS = "parcels"
    REGISTER = "register"
    LAYER = "layer"
    BACKGROUND = "background"
    AERIAL = "aerial"
    GREY = "grey"
    COLOUR = "colour"
    DOCUMENT = "document"
    ASKED = "asked"
    """What some other intent is called, see `intent_called`."""
    # how it is meant
    EVERYTHING = "everything"
    NONE = "none"
    HERE = "here"
    AGAIN = "again"
    CORRECTION = "correction"
    QUESTION = "question"
    OTHER = "other"
    NOT = "not"
    EXPLAIN = "explain"
    LOADED = "loaded"
    LAST = "last"
    WHERE = "where"
    UNDO = "undo"
    # talk
    GREETING = "greeting"
    THANKS = "thanks"
    BYE = "bye"
    CLOSING = "closing"
    HELP = "help"
    YES = "yes"
    NO = "no"
    # glue
    AND = "and"
    THEN = "then"
    FUNCTION = "function"
    FILLER = "filler"


_TABLE: Final = table("words.toml")
ACTIONS: Final = frozenset(map(Role, _TABLE["roles"]["actions"].split()))
CONCEPTS: Final = frozenset(map(Role, _TABLE["roles"]["concepts"].split()))
GLUE: Final = frozenset({Role.FUNCTION, Role.FILLER, Role.AND, Role.THEN})
_OF_INTENTS: Final[dict[str, Role]] = {
    Intent.OEREB_EXTRACT: Role.OEREB,
    Intent.CADASTRAL_PLAN: Role.PLAN,
    Intent.GEOTHERMAL_PROBE_ASSESSMENT: Role.GEOTHERMAL,
    Intent.HEIGHT_QUERY: Role.HEIGHT,
}
_DECLARED: Final = {
    noun: _OF_INTENTS.get(spec.intent, Role.ASKED)
    for spec in SPECS
    for noun in spec.words.get("de", "").split()
}
"""What intents are called: nouns, beginnings of nouns (`erdsonde*`), phrases (`wie_hoch`)."""
_WORDS: Final = {word: Role(role) for role, words in _TABLE["words"].items() for word in words.split()}
_BEGINNINGS: Final = {noun[:-1]: role for noun, role in _DECLARED.items() if noun.endswith("*")} | {
    start: Role(role) for role, starts in _TABLE["beginnings"].items() for start in starts.split()
}
_COMPOUNDS: Final = _TABLE["layer_compounds"]
_LAYER_ENDINGS: Final = tuple(sorted(_COMPOUNDS["endings"].split(), key=len, reverse=True))
_WHOLE_NAMES: Final = tuple(_COMPOUNDS["whole_names"].split())

ASKS: Final = frozenset(_TABLE["requests"]["asks"].split())
WANTS: Final = frozenset(_TABLE["requests"]["wants"].split())
"""What makes a wish of a sentence: because it asks somebody, or because it says that something is wanted."""
REASONS: Final = frozenset(_TABLE["requests"]["reasons"].split())
"""What begins a clause that only says why or when."""
PHRASES: Final = {tuple(noun.split("_")): role for noun, role in _DECLARED.items() if "_" in noun} | {
    tuple(phrase.split()): Role(role) for role, phrases in _TABLE["phrases"].items() for phrase in phrases
}
"""Words that mean something together."""
_EXACT: Final[dict[str, Role]] = (
    _WORDS | _DECLARED | {" ".join(phrase): role for phrase, role in PHRASES.items()}
)
_IN_PHRASES: Final = frozenset(word for phrase in PHRASES for word in phrase)
SEPARABLE: Final = {
    stem: {particle: Role(role) for particle, role in meanings.items()}
    for stem, meanings in _TABLE["separable"].items()
}
"""Verbs whose particle stands at the end of the clause: `blende … ein`."""
PARTICLES: Final = {particle: Role(role) for particle, role in _TABLE["particles"].items()}
"""Particles that need no verb."""

_BACKGROUNDS = frozenset({Role.BACKGROUND, Role.AERIAL, Role.GREY})
_JOINED_WITH_S = ("ungs", "heits", "keits", "schafts", "tions", "taets", "täts")
_WITH_ZU = re.compile(r"(ab|an|auf|aus|dar|ein|vor|weg|zurueck|hinzu|dazu)zu([a-z]{3,}n)")
"""`anzuzeigen`"""
_MIN_STEM_CHARS = 4
_MIN_FUZZY_CHARS = 7
_MIN_EXCHANGED_CHARS = 5
_TWO_TYPOS_CHARS = 10
_FUZZY_ROLES = (ACTIONS | CONCEPTS | {Role.PARCEL, Role.GREY, Role.COLOUR}) - {Role.CREATE}
_FUZZY_WORDS = Spellings(
    [
        *(w for w, r in _EXACT.items() if r in _FUZZY_ROLES and len(w) >= _MIN_FUZZY_CHARS),
        *("oerebauszug", "oerebkatasterauszug", "grundbuchplanauszug"),
    ]
)
_STARTS = Spellings(
    w for w, r in _EXACT.items() if r in _FUZZY_ROLES & ACTIONS - {Role.CHANGE} and len(w) >= _MIN_STEM_CHARS
)


def _letters(word: str) -> str:
    return word[:1] + "".join(sorted(word[1:]))


_EXCHANGED: Final[Mapping[str, Role]] = {
    _letters(word): role
    for word, role in (_BEGINNINGS | _EXACT).items()
    if role in CONCEPTS and _MIN_EXCHANGED_CHARS <= len(word) < _MIN_FUZZY_CHARS
}
"""Short words with their letters in another order: `Auszgu`."""


def role_of(word: str, *, starts_clause: bool = False) -> Role | None:
    """The role of a folded word, typos forgiven; None for content.

    A verb that starts a clause may be misspelled even when it is short (`Zege mir …`).
    """
    return known_role(word) or _similar_role(word, starts_clause)


def is_german(word: str) -> bool:
    """Whether the grammar knows the folded word as it is written, alone or in a phrase."""
    return word in _IN_PHRASES or is_known(word)


def intent_called(word: str) -> str | None:
    """The intent that declares a folded word, or words, as what it is called."""
    said = word.replace(" ", "_")
    declared = ((spec, noun) for spec in SPECS for noun in spec.words.get("de", "").split())
    return next(
        (s.intent for s, n in declared if n == said or (n[-1] == "*" and said.startswith(n[:-1]))), None
    )


def is_known(word: str) -> bool:
    """Whether the grammar knows the folded word as it is written."""
    return known_role(word) is not None


@lru_cache(maxsize=8_192)
def known_role(word: str) -> Role | None:
    """The role of a folded word that is spelled as in the tables."""
    if infinitive := _WITH_ZU.fullmatch(word):
        word = infinitive[1] + infinitive[2] if word not in _EXACT else word
    if word in _EXACT or len(word) > MAX_WORD_CHARS:
        return _EXACT.get(word)
    beginning = next((role for start, role in _BEGINNINGS.items() if word.startswith(start)), None)
    return Role.LAYER if beginning not in _BACKGROUNDS and layer_stem(word) else beginning


@lru_cache(maxsize=8_192)
def _similar_role(word: str, starts_clause: bool) -> Role | None:
    if not word.isalpha() or len(word) > MAX_WORD_CHARS:
        return None
    themed = is_theme(word)
    if len(word) >= _MIN_FUZZY_CHARS:
        best = _FUZZY_WORDS.nearest(word, 1 if len(word) < _TWO_TYPOS_CHARS else 2)
        sounds = best is not None and (best[1] == 1 or best[0][0] == word[0])  # Baustellen is not darstellen
        role = known_role(best[0]) if best and sounds else None
        if role and not (themed and role in ACTIONS):
            return role
    if role := _EXCHANGED.get(_letters(word)):
        return role
    begins = starts_clause and not themed and len(word) >= _MIN_STEM_CHARS
    best = _STARTS.nearest(word, 1) if begins else None
    return known_role(best[0]) if best else None


def layer_stem(word: str) -> str | None:
    """`gewaesserschutzkarte` -> `gewaesserschutz`; None for a word that is no such compound.

    Works on the word as written, too; the joining s goes with the ending (`Ortsplanungsebene`).
    """
    lower = word.lower()
    if not lower.endswith(_LAYER_ENDINGS) or lower.endswith(_WHOLE_NAMES):
        return None
    for ending in _LAYER_ENDINGS:
        stem = word[: -len(ending)].rstrip("-")
        if lower.endswith(ending) and len(stem) >= _MIN_STEM_CHARS:
            return stem[:-1] if stem.lower().endswith(_JOINED_WITH_S) else stem
    return None
