"""Back to what was said before: `zurück zum Grundstück in Messen`, `der erste Ort`."""

from collections.abc import Callable, Sequence
from typing import Final

from contracts.intents import Intent

from planner.rules.grammar.clause import TALK, Clause
from planner.rules.grammar.rewriting import Wishes
from planner.rules.grammar.targets import target_of
from planner.rules.grammar.wishes import Wish, visit
from planner.rules.planning.past import Past
from planner.rules.reading.lexicon import GLUE, Role
from planner.rules.reading.tables import table
from planner.rules.references.addresses import Address
from planner.rules.references.coordinates import Coordinate
from planner.rules.references.finding import Egrid, Reference
from planner.rules.references.parcels import Parcel
from planner.rules.references.places import Place

_WORDS: Final = table("words.toml")["returning"]
_RIGHT: Final = frozenset(_WORDS["right"].split())
"""`das erste war schon richtig`"""
_PREVIOUS: Final = frozenset(_WORDS["previous"].split())
_BEFORE: Final = frozenset(_WORDS["before"].split()) | _PREVIOUS
_ORDINALS: Final = {word: n for n, words in enumerate(_WORDS["ordinals"]) for word in words.split()}
_NOUNS: Final[dict[str, tuple[type, ...]]] = {
    word: kinds
    for name, kinds in (
        ("addresses", (Address,)),
        ("places", (Place,)),
        ("points", (Coordinate,)),
        ("any", (Parcel, Egrid, Address, Place, Coordinate)),
    )
    for word in _WORDS[name].split()
}
_MADE: dict[Role, Intent] = {
    Role.OEREB: Intent.OEREB_EXTRACT,
    Role.EXTRACT: Intent.OEREB_EXTRACT,
    Role.PLAN: Intent.CADASTRAL_PLAN,
    Role.PLAN_SHORT: Intent.CADASTRAL_PLAN,
    Role.GEOTHERMAL: Intent.GEOTHERMAL_PROBE_ASSESSMENT,
    Role.HEIGHT: Intent.HEIGHT_QUERY,
}
_OF_PARCELS = frozenset({Intent.OEREB_EXTRACT, Intent.CADASTRAL_PLAN})
_ALLOWED = frozenset(
    {*GLUE, *TALK, *_MADE, Role.AGAIN, Role.UNDO, Role.PARCEL, Role.GO, Role.SHOW, Role.FIND, Role.CREATE}
) | {Role.LAST, Role.REGISTER, Role.CHOOSE}


def returned(clauses: Sequence[Clause], past: Past) -> Wishes | None:
    """The wish for what was there before; None if the message stands for itself, or nothing was."""
    clause = clauses[0] if len(clauses) == 1 else None
    if clause is None or not clause.roles <= _ALLOWED:
        return None
    said = [word.folded for word in clause.words]
    order = next((_ORDINALS[word] for word in said if word in _ORDINALS), None)
    back = clause.roles & {Role.AGAIN, Role.UNDO} or not (_BEFORE | _RIGHT).isdisjoint(said)
    counted = order is not None or not _PREVIOUS.isdisjoint(said)
    kinds = next((_NOUNS[word] for word in said if word in _NOUNS), _ANY if counted else ())
    kinds = (Parcel, Egrid) if Role.PARCEL in clause.roles else kinds
    if not back and (order is None or kinds == _ANY):
        return None
    if any(not word.text[0].isdigit() and word.folded not in _KNOWN for word in clause.content):
        return None
    intent = next((made for role, made in _MADE.items() if role in clause.roles), None)
    fits = _fitting(clause, kinds)
    if fits is None:
        return _made_again(intent, past.everything) if intent and not clause.mentions else None
    every = [wish.target for wish in past.everything if wish.target is not None]
    now = every[0] if every and not _PREVIOUS.isdisjoint(said) else None
    target = _at([old for old in every if old != now and _is_whole(old) and fits(old)], order)
    if target is None:
        return None
    return (Wish(intent, target) if intent else visit(target),)


_ANY = _NOUNS["standort"]
_KNOWN = _BEFORE | _RIGHT | _ORDINALS.keys() | _NOUNS.keys()


def _is_whole(target: Reference) -> bool:
    """Not itself one that points back."""
    if isinstance(target, Parcel):
        return target.number is not None and target.municipality is not None
    return not (isinstance(target, Address) and target.vague)


def _fitting(clause: Clause, kinds: tuple[type, ...]) -> Callable[[Reference], bool] | None:
    """What is named: a parcel by its number or municipality, an address by its street, or a kind of place."""
    named = target_of(clause) if clause.mentions else None
    numbers = {word.text for word in clause.content if word.text[0].isdigit()}
    if isinstance(named, Parcel) and named.municipality is None:
        return lambda old: isinstance(old, Parcel) and old.number == named.number
    if isinstance(named, Address) and named.house_number is None:
        return lambda old: isinstance(old, Address) and old.street == named.street
    if isinstance(named, Place) and Parcel in kinds:
        return lambda old: isinstance(old, Parcel) and old.municipality == named.name
    if isinstance(named, Place) and Address in kinds:
        return lambda old: isinstance(old, Address) and old.place == named.spoken
    if named is not None:
        return None
    if numbers:
        return lambda old: bool(numbers & {getattr(old, "number", None), getattr(old, "house_number", None)})
    return (lambda old: isinstance(old, kinds)) if kinds else None


def _made_again(intent: Intent, before: Wishes) -> Wishes | None:
    """`nochmals den Auszug von vorhin`; what was made of whatever was selected then is that of a parcel."""
    wishes = [wish for wish in before if wish.target is not None]
    made = next((wish for wish in wishes if wish.intent == intent), None)
    parcel = next((wish.target for wish in wishes if isinstance(wish.target, Parcel | Egrid)), None)
    of_parcel = Wish(intent, parcel) if parcel and intent in _OF_PARCELS else None
    again = made or of_parcel
    return (again,) if again else None


def _at(newest_first: Sequence[Reference], order: int | None) -> Reference | None:
    """The newest, or the one that an ordinal counts."""
    if order is None:
        return next(iter(newest_first), None)
    oldest_first = tuple(dict.fromkeys(reversed(newest_first)))
    return oldest_first[order] if order < len(oldest_first) else None
