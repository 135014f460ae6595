"""What the map lies on: which background is meant."""

import re
from collections.abc import Sequence

from contracts.intents import Background, Intent

from planner.rules.grammar.parts import Word
from planner.rules.grammar.rewriting import Wishes
from planner.rules.grammar.utterance import Utterance
from planner.rules.grammar.wishes import Wish
from planner.rules.heard.given import Given
from planner.rules.planning.past import Past
from planner.rules.reading.lexicon import Role

_OF_ROLES = {Role.AERIAL: Background.AERIAL, Role.GREY: Background.GREY, Role.COLOUR: Background.COLOR}
_BEGINNINGS = {
    Background.AERIAL: (
        "luftb",
        "luftau",
        "flugzeug",
        "foto",
        "flieger",
        "drohne",
        "satelli",
        "ueberflug",
        "drueberflieg",
    ),
    Background.GREY: ("schwarz", "dezent", "blass", "grau", "entfaerbt", "farblos", "monochrom"),
    Background.COLOR: ("farbig", "landeskarte", "bunt"),
    Background.NONE: ("blank", "leer", "weiss", "blanc", "bianco", "white"),
}
"""How words begin that say, beside what has a role, what is to be below."""
_SHORT_GREY = re.compile(r"\b[sb] ?[&/+-] ?w\b", re.IGNORECASE)
"""`s/w`, `b&w`"""
_OFF = frozenset({"aus", "off"})
_AWAY = frozenset({Role.REMOVE, Role.HIDE, Role.NONE})
_NOT_THIS = frozenset({"nicht", "statt", "anstatt", "kein", "keine", "keinen", "ohne"})
_SCOPE = 2
"""So many words after `nicht` may be what is denied."""


def background_in(said: Utterance) -> Background | None:
    """The last background that is named, and not denied."""
    named = [
        (n, value)
        for n, word in enumerate(said.words)
        if (value := _value_of(word)) and not _is_denied(said.words, n)
    ]
    emptied = any(
        part.role is Role.BACKGROUND and said.words[n - 1].role is Role.NONE
        for n, part in enumerate(said.words)
        if n
    )
    if emptied:  # gar keinen Hintergrund, nur die Farben
        return Background.NONE
    if named:
        return named[-1][1]
    if _SHORT_GREY.search(said.text):
        return Background.GREY
    off = said.roles & _AWAY or any(word.folded in _OFF for word in said.words)
    return Background.NONE if off else None


def _value_of(word: Word) -> Background | None:
    if word.role in _OF_ROLES:
        return _OF_ROLES[word.role]
    starts = (value for value, beginnings in _BEGINNINGS.items() if word.folded.startswith(beginnings))
    return next(starts, None)


def _is_denied(said: Sequence[Word], at: int) -> bool:
    return any(word.folded in _NOT_THIS for word in said[max(0, at - _SCOPE) : at])


def background(intent: str, given: Given) -> Wishes:
    value = background_in(given.said)
    return (Wish(intent, args={"background": value}),) if value else background_again(given.past)


def background_again(past: Past) -> Wishes:
    """`Doch wieder her damit`: the last one that there was."""
    there = (wish for wish in past.everything if wish.intent == Intent.SET_BACKGROUND)
    return tuple(wish for wish in there if wish.args.get("background") != Background.NONE)[:1]
