"""Numbers that mean something because of what stands beside them: `Messen 198`, `ÖREB 198 in Messen`."""

from collections.abc import Sequence
from dataclasses import replace

from planner.rules.grammar.clause import TALK, Clause
from planner.rules.grammar.parts import Mention, Sign, Word
from planner.rules.reading.lexicon import GLUE, Role
from planner.rules.references.parcels import Parcel, is_parcel_number, plain_number
from planner.rules.references.places import Place, is_known_postal_code

_ABOUT_PARCELS = frozenset(
    {Role.OEREB, Role.BUILD, Role.PLAN, Role.PLAN_SHORT, Role.EXTRACT, Role.GEOTHERMAL, Role.HEIGHT}
)
_SHOWS = frozenset({Role.GO, Role.FIND, Role.SHOW})
_MAKES = frozenset({Role.CREATE, Role.LOAD, Role.QUESTION})
_NUMBERED = frozenset({"nr", "nummer"})
_COMMA = Sign(",")
_BETWEEN = frozenset({"in", "von", "bei", "nr", "nummer", "gemeinde", "grundbuch", "gb"})


def with_bare_parcel(clause: Clause) -> Clause:
    """The clause with a parcel in the place of a municipality and a number that says nothing else."""
    place = next((m for m in clause.mentions if isinstance(m.what, Place)), None)
    number = next((w for w in clause.content if is_parcel_number(w.text)), None)
    alone = len(clause.mentions) == 1 and len(clause.content) == 1
    numbered = any(word.folded in _NUMBERED for word in clause.words)
    if place is None or number is None or not alone:
        return clause
    if is_known_postal_code(number.text) and not numbered:
        return clause
    allowed = GLUE | TALK | _SHOWS | _ABOUT_PARCELS
    if clause.roles & _ABOUT_PARCELS:
        allowed |= _MAKES
    named = _parcel_of(clause, place, number) if clause.roles <= allowed else None
    if named is None:
        return clause
    parcel = Mention(f"{number.text} {place.text}", what=named)
    parts = tuple(parcel if part is place else part for part in clause.parts if part is not number)
    return replace(clause, parts=parts)


def parcels_beside_places(clauses: Sequence[Clause]) -> tuple[Parcel, ...]:
    """What numbers can be once a parcel is expected: `In welcher Zone liegen 198 und 531 in Messen`."""
    found: list[Parcel] = []
    for clause in reversed(clauses):
        place = next((m for m in clause.mentions if isinstance(m.what, Place)), None)
        number = next((w for w in clause.content if is_parcel_number(w.text)), None)
        parcel = _parcel_of(clause, place, number) if place and number else None
        if parcel is None and found and number and not clause.mentions:
            parcel = Parcel(plain_number(number.text), found[-1].municipality)
        found += [parcel] if parcel else []
    return tuple(reversed(found))


def with_shared_place(clause: Clause, following: Clause) -> Clause:
    """`198 und 531 in Messen`: the number of the first clause is in the municipality of the second."""
    parcel = next((m.what for m in following.mentions if isinstance(m.what, Parcel)), None)
    words = clause.content
    lone = len(words) == 1 and not clause.mentions and is_parcel_number(words[0].text)
    if parcel is None or not parcel.municipality or not lone or following.content:
        return clause
    number = words[0]
    mention = Mention(number.text, what=Parcel(plain_number(number.text), parcel.municipality))
    return replace(clause, parts=tuple(mention if part is number else part for part in clause.parts))


def _parcel_of(clause: Clause, place: Mention, number: Word) -> Parcel | None:
    """The parcel of a number and a municipality that stand beside each other."""
    ends = sorted(n for n, part in enumerate(clause.parts) if part is place or part is number)
    between = clause.parts[ends[0] + 1 : ends[1]]
    if not all(part == _COMMA or (isinstance(part, Word) and part.folded in _BETWEEN) for part in between):
        return None
    assert isinstance(place.what, Place)
    return Parcel(plain_number(number.text), place.what.name)
