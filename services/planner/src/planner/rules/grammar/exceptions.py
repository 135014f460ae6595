"""What an exception to everything holds for: `alles ausser dem Richtplan`, `behalte nur den Wald`.

It becomes one part of the message, which belongs to the clause with the verb.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.loaded import IN_LAYER_NAMES
from planner.rules.grammar.parts import Mention, Part, Sign, Spared, Word
from planner.rules.grammar.scope import sentences_in
from planner.rules.reading.lexicon import ACTIONS, Role
from planner.rules.reading.tables import table

_WORDS: Final = table("words.toml")["exceptions"]
_EXCEPT: Final = tuple(tuple(words.split()) for words in _WORDS["except"])
_BUT: Final = (("aber",),)
"""`everything but A`"""
_ONLY: Final = frozenset(_WORDS["only"].split())
_LEFT: Final = frozenset(_WORDS["left"].split())
_TAKES_AWAY = frozenset({Role.REMOVE, Role.HIDE, Role.CHANGE})
_BEFORE_EXCEPTION = frozenset({Role.FILLER, Role.AND})
_EVERYTHING = Word("alles", "alles", Role.EVERYTHING)
_REMOVE = Word("weg", "weg", Role.REMOVE)
_Cut = tuple[int, int, int]
"""Where what stays begins to be told of, where its names begin, and where they end."""


def with_exceptions(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts, with what is left alone as one of them."""
    return tuple(part for sentence in sentences_in(parts) for part in _with_exception(sentence))


def _with_exception(sentence: Sequence[Part]) -> tuple[Part, ...]:
    if _keeps_only(sentence):
        spared = _spared(sentence)
        return (_EVERYTHING, _REMOVE, spared) if spared.names else tuple(sentence)
    found = _marked(sentence) or _denied(sentence)
    if found is None:
        return tuple(sentence)
    at, start, end = found
    spared = _spared(sentence[start:end])
    while at and (isinstance(sentence[at - 1], Sign) or _has_role(sentence[at - 1], _BEFORE_EXCEPTION)):
        at -= 1
    return (*sentence[:at], spared, *sentence[end:]) if spared.names else tuple(sentence)


def _keeps_only(sentence: Sequence[Part]) -> bool:
    """`Behalte nur A und B`, `lass nur A stehen`"""
    words = [part.folded for part in sentence if isinstance(part, Word)]
    verbs = {part.role for part in sentence if isinstance(part, Word)} & ACTIONS
    keeps = Role.KEEP in verbs or not _LEFT.isdisjoint(words)
    return keeps and verbs <= {Role.KEEP} and not _ONLY.isdisjoint(words)


def _marked(sentence: Sequence[Part]) -> _Cut | None:
    """`alles ausser A und B`"""
    begin = _after_everything(sentence)
    for at in range(begin, len(sentence)):
        words = _EXCEPT + (_BUT if all(_has_role(part, {Role.LAYER}) for part in sentence[begin:at]) else ())
        start = next((at + len(each) for each in words if _says(sentence[at:], each)), None)
        if start is not None:
            return at, start, _end_of_names(sentence, start)
    return None


def _denied(sentence: Sequence[Part]) -> _Cut | None:
    """`alles weg, aber nicht A`, `alles weg, nur A nicht`, `alles weg, aber lass A stehen`"""
    begin = _after_everything(sentence)
    denials = (n for n in range(begin, len(sentence)) if _denies(sentence[n]))
    at = next((n for n in denials if _ONLY.isdisjoint(map(_folded, sentence[n + 1 : n + 2]))), None)
    if at is None or not any(_has_role(part, _TAKES_AWAY) for part in sentence[:at]):
        return None
    end = _end_of_names(sentence, at + 1)
    if _spared(sentence[at + 1 : end]).names:
        return at, at + 1, end
    start = max((n + 1 for n in range(begin, at) if _has_role(sentence[n], ACTIONS)), default=begin)
    return start, start, at + 1


def _denies(part: Part) -> bool:
    return _has_role(part, {Role.NOT, Role.KEEP}) or _folded(part) in _LEFT


def _says(parts: Sequence[Part], words: tuple[str, ...]) -> bool:
    return tuple(map(_folded, parts[: len(words)])) == words


def _after_everything(sentence: Sequence[Part]) -> int:
    """Where something after the word for everything begins; the end if there is none."""
    everything = (n for n, part in enumerate(sentence) if _has_role(part, {Role.EVERYTHING}))
    return next(everything, len(sentence) - 1) + 1


def _end_of_names(sentence: Sequence[Part], start: int) -> int:
    """Before the next verb or the particle of one: both belong to the clause."""
    verb = next((n for n in range(start, len(sentence)) if _has_role(sentence[n], ACTIONS)), len(sentence))
    named = [n for n in range(start, verb) if _names(sentence[n])]
    return named[-1] + 1 if named else verb


def _spared(parts: Sequence[Part]) -> Spared:
    """Each with its name."""
    told = [part for part in parts if not _denies(part)]
    runs = (tuple(run) for joins, run in groupby(told, key=_joins) if not joins)
    names = (Clause(run).phrase(*IN_LAYER_NAMES) or _mentioned(run) for run in runs)
    return Spared(tuple(filter(None, names)), " ".join(part.text for part in parts))


def _mentioned(parts: Sequence[Part]) -> str:
    return " ".join(part.text for part in parts if isinstance(part, Mention))


def _joins(part: Part) -> bool:
    return part == Sign(",") or _has_role(part, {Role.AND})


def _names(part: Part) -> bool:
    return isinstance(part, Mention) or (isinstance(part, Word) and part.says_something(IN_LAYER_NAMES))


def _folded(part: Part) -> str:
    return part.folded if isinstance(part, Word) else ""


def _has_role(part: Part, roles: frozenset[Role] | set[Role]) -> bool:
    return isinstance(part, Word) and part.role in roles
