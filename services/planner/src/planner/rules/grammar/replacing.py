"""One layer in the place of another: `Ersetze den Waldplan durch die Nutzungsplanung`, `Wald statt Boden`."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.parts import Part, Word
from planner.rules.reading.lexicon import CONCEPTS, Role
from planner.rules.reading.tables import table

_NAMES = CONCEPTS | {Role.GREY, Role.COLOUR}
_WORDS: Final = table("words.toml")["replacing"]
_VERBS: Final = frozenset(_WORDS["verbs"].split())
_BEFORE_NEW: Final = frozenset(_WORDS["before_new"].split())
_BEFORE_OLD: Final = frozenset(_WORDS["before_old"].split())


def old_and_new(clause: Clause) -> tuple[Clause, Clause] | None:
    """What is to go and what is to come, each as a clause with its verb; None without such a wish."""
    found = _by_verb(clause.parts) or _by_preposition(clause.parts)
    if found is None:
        return None
    old, new = (Clause(parts, inherited=frozenset({role})) for parts, role in found)
    names_both = bool(old.phrase(*_NAMES) and new.phrase(*_NAMES))
    return (old, new) if names_both and not _has_number(old) else None


def _by_verb(parts: tuple[Part, ...]) -> tuple[tuple[tuple[Part, ...], Role], ...] | None:
    """`Ersetze A durch B`"""
    verb = _index(parts, _VERBS)
    between = _index(parts, _BEFORE_NEW)
    if verb is None or between is None:
        return None
    without_verb = tuple(part for part in parts[:between] if part is not parts[verb])
    after = tuple(part for part in parts[between + 1 :] if part is not parts[verb])
    return (without_verb, Role.REMOVE), (after, Role.LOAD)


def _by_preposition(parts: tuple[Part, ...]) -> tuple[tuple[tuple[Part, ...], Role], ...] | None:
    """`B statt A`, `statt A lieber B`"""
    at = _index(parts, _BEFORE_OLD)
    if at is None:
        return None
    before, after = parts[:at], parts[at + 1 :]
    if Clause(before).phrase(*_NAMES):
        return (after, Role.REMOVE), (before, Role.LOAD)
    # "statt dem Waldplan die Nutzungsplanung": the first name ends where the next small words begin.
    names = [n for n, part in enumerate(after) if isinstance(part, Word) and _is_name(part)]
    gap = next((n for n, following in pairwise(names) if following > n + 1), None)
    if gap is None:
        return None
    return (after[: gap + 1], Role.REMOVE), (after[gap + 1 :], Role.LOAD)


def _is_name(word: Word) -> bool:
    return word.says_something(_NAMES)


def _has_number(clause: Clause) -> bool:
    """`nicht 19, sondern 9`: that is about an address or a parcel."""
    return bool(clause.mentions) or any(w.text[0].isdigit() for w in clause.content)


def _index(parts: Sequence[Part], words: frozenset[str]) -> int | None:
    return next((n for n, part in enumerate(parts) if isinstance(part, Word) and part.folded in words), None)
