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
    subjects = _subjects(clause)
    if len(clause.mentions) > 1 or (_unknown_way(clause) and len(subjects) < 2):
        return True
    return not subjects and _names_something(clause)


def _subjects(clause: Clause) -> list[str]:
    """What it is about besides places and numbers."""
    words = (word for word in clause.content if not word.text[0].isdigit())
    return [word.folded for word in words if word.folded not in _UNITS | _COMPARED | _ORDERS]


def _orders(clause: Clause) -> bool:
    return Role.QUESTION not in clause.roles and any(word.folded in _ORDERS for word in clause.words)


def _names_something(clause: Clause) -> bool:
    here = clause.roles & {Role.HERE, Role.PARCEL}
    return bool(clause.mentions or here or any(w.folded in _COMPARED | {"das", "es"} for w in clause.words))


def _unknown_way(clause: Clause) -> bool:
    """`Wie weit ist es nach Bern?`"""
    said = {word.folded for word in clause.words}
    return bool(said & {"nach", "bis"}) and target_of(clause) is not None
