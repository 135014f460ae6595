"""What nobody here can measure: distances, lengths, differences of heights, the area of a municipality."""

from typing import Final

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.targets import target_of
from planner.rules.grammar.wishes import Wish, clarify
from planner.rules.reading.lexicon import Role
from planner.rules.reading.tables import table
from planner.rules.references.places import Place

_WORDS: Final = table("words.toml")["measuring"]
_COMPARED: Final = frozenset(_WORDS["compared"].split())
_UNITS: Final = frozenset(_WORDS["units"].split())
_ORDERS: Final = frozenset(_WORDS["orders"].split())
_AREAS: Final = frozenset(_WORDS["areas"].split())
_TO: Final = frozenset({"nach", "bis"})
_IT: Final = frozenset({"das", "es"})


def measuring(clause: Clause) -> tuple[Wish, ...] | None:
    """An honest no; nothing where the words are rather about something else: `Welcher Abstand gilt?`"""
    if Role.HEIGHT in clause.roles and len(clause.mentions) < 2:
        return None  # Wie viele Meter über Meer liegt Olten?
    if Role.MEASURE in clause.roles and (_says_where(clause) or _orders(clause)):
        in_other_units = any(set(word.folded.split()) & _AREAS for word in clause.words)
        return (clarify("only_square_metres" if in_other_units else "no_measuring"),)
    target = target_of(clause) if Role.SIZE in clause.roles and not _subjects(clause) else None
    if isinstance(target, Place) and Role.PARCEL not in clause.roles:
        return (clarify("no_area", place=target.spoken),)
    return None


def _says_where(clause: Clause) -> bool:
    subjects, said = _subjects(clause), {word.folded for word in clause.words}
    leads = said & _TO and target_of(clause) is not None  # Wie weit ist es nach Bern?
    named = clause.mentions or clause.roles & {Role.HERE, Role.PARCEL} or said & (_COMPARED | _IT)
    return bool(len(clause.mentions) > 1 or (leads and len(subjects) < 2) or (named and not subjects))


def _subjects(clause: Clause) -> list[str]:
    """What it is about besides places and numbers."""
    words = (word for word in clause.content if not word.text[0].isdigit())
    return [word.folded for word in words if word.folded not in _UNITS | _COMPARED | _ORDERS]


def _orders(clause: Clause) -> bool:
    return Role.QUESTION not in clause.roles and any(word.folded in _ORDERS for word in clause.words)
