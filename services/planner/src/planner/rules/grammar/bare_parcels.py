"""Numbers that mean something because of what stands beside them: `Messen 198`, `ÖREB 198`."""

from collections.abc import Sequence
from dataclasses import replace

from planner.rules.grammar.clause import TALK, Clause
from planner.rules.grammar.parts import Mention, Sign, Word
from planner.rules.reading.lexicon import GLUE, Role
from planner.rules.references.parcels import Parcel, is_parcel_number, plain_number
from planner.rules.references.places import Place, is_known_postal_code

_ABOUT_PARCELS = frozenset(
    {
        Role.OEREB,
        Role.BUILD,
        Role.PLAN,
        Role.PLAN_SHORT,
        Role.EXTRACT,
        Role.GEOTHERMAL,
        Role.HEIGHT,
        Role.SIZE,
    }
)
_OF_PARCELS = frozenset({Role.OEREB, Role.PLAN, Role.EXTRACT})
_YEAR_DIGITS = 4
_SHOWS = frozenset({Role.GO, Role.FIND, Role.SHOW})
_AGAIN = frozenset({Role.AGAIN, Role.CREATE})
_BESIDE_PARCELS = GLUE | TALK | _SHOWS | _ABOUT_PARCELS | _AGAIN | {Role.REGISTER, Role.PARCEL}
_MAKES = frozenset({Role.LOAD, Role.QUESTION})
_NUMBERED = frozenset({"nr", "nummer"})
_COMMA = Sign(",")
_BETWEEN = frozenset(
    {"in", "von", "bei", "nr", "nummer", "gemeinde", "im", "grundbuch", "grundbuchkreis", "gb"}
)


def with_bare_parcel(clause: Clause) -> Clause:
    """The clause with a parcel in the place of a municipality and a number that says nothing else."""
    found = _place_and_number(clause)
    if found is None or len(clause.mentions) > 1:
        return _with_lone_number(clause)
    place, number = found
    about = clause.roles & _ABOUT_PARCELS
    others = any(word is not number and word.folded not in _BETWEEN for word in clause.content)
    if not about and others and not _stands_before(number, place, clause):
        return clause
    numbered = any(word.folded in _NUMBERED for word in clause.words)
    parcel = _parcel_of(clause, place, number)
    allowed = _BESIDE_PARCELS | (_MAKES if about else frozenset())
    if parcel is None or not clause.roles <= allowed or (is_known_postal_code(number.text) and not numbered):
        return clause
    mention = Mention(f"{number.text} {place.text}", what=parcel)
    first, last = sorted(n for n, part in enumerate(clause.parts) if part is place or part is number)
    return replace(clause, parts=(*clause.parts[:first], mention, *clause.parts[last + 1 :]))


def _stands_before(number: Word, place: Mention, clause: Clause) -> bool:
    """`wegen 531 Messen`, but not `seit 2024 Olten`."""
    at = next(n for n, part in enumerate(clause.parts) if part is number)
    is_year = len(number.text) == _YEAR_DIGITS and number.text.startswith(("19", "20"))
    return clause.parts[at + 1 : at + 2] == (place,) and not is_year


def _with_lone_number(clause: Clause) -> Clause:
    """`ÖREB 168`: the municipality is still to be asked for."""
    number = _number_in(clause)
    if number is None or clause.mentions or len(clause.content) > 1 or not clause.roles & _OF_PARCELS:
        return clause
    if not clause.roles <= GLUE | TALK | _OF_PARCELS | _SHOWS | _AGAIN:
        return clause
    mention = Mention(number.text, what=Parcel(plain_number(number.text), None))
    return replace(clause, parts=tuple(mention if part is number else part for part in clause.parts))


def parcels_beside_places(clauses: Sequence[Clause]) -> tuple[Parcel, ...]:
    """What numbers can be once a parcel is expected: `In welcher Zone liegen 198 und 531 in Messen`."""
    found: list[Parcel] = []
    for clause in reversed(clauses):
        beside = _place_and_number(clause)
        parcel = _parcel_of(clause, *beside) if beside else None
        number = _number_in(clause)
        if found and number and not clause.mentions:
            parcel = Parcel(plain_number(number.text), found[-1].municipality)
        found += [parcel] if parcel else []
    return tuple(reversed(found))


def with_shared_place(clause: Clause, following: Clause) -> Clause:
    """`198 und 531 in Messen`, `Messen 198 und 531`: one municipality for both."""
    parcel = next((m.what for m in following.mentions if isinstance(m.what, Parcel)), None)
    number = _number_in(clause)
    lone = len(clause.content) == 1 and not clause.mentions and not following.content
    if parcel is None or not parcel.municipality or number is None or not lone:
        return clause
    mention = Mention(number.text, what=Parcel(plain_number(number.text), parcel.municipality))
    return replace(clause, parts=tuple(mention if part is number else part for part in clause.parts))


def _number_in(clause: Clause) -> Word | None:
    return next((word for word in clause.content if is_parcel_number(word.text)), None)


def _place_and_number(clause: Clause) -> tuple[Mention, Word] | None:
    place = next((m for m in clause.mentions if isinstance(m.what, Place)), None)
    number = _number_in(clause)
    return (place, number) if place and number else None


def _parcel_of(clause: Clause, place: Mention, number: Word) -> Parcel | None:
    """The parcel of a number and a municipality that stand beside each other."""
    first, last = sorted(n for n, part in enumerate(clause.parts) if part is place or part is number)
    between = clause.parts[first + 1 : last]
    if not all(part == _COMMA or part.folded in _BETWEEN for part in between):
        return None
    assert isinstance(place.what, Place)
    return Parcel(plain_number(number.text), place.what.name)
