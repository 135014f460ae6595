"""Where a clause wants something: its references, put together."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from german.fold import fold

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.parts import Mention, Word
from planner.rules.grammar.wishes import Wish, visit
from planner.rules.reading.lexicon import ACTIONS, CONCEPTS, Role
from planner.rules.reading.tables import table
from planner.rules.reading.topics import is_theme, topic_of
from planner.rules.references.addresses import Address
from planner.rules.references.finding import Reference, most_precise
from planner.rules.references.layers import may_name_layer
from planner.rules.references.parcels import Parcel
from planner.rules.references.places import Place

_LIES = frozenset({"ist", "sind", "liegt", "liegen", "steht", "stehen"})
"""Words that say where something is, which is no name then: `Unser Büro ist in Hägendorf`."""
_PLACES = frozenset(table("words.toml")["returning"]["places"].split())
_BEFORE_PLACE = frozenset({"in", "nach", "von", "bei", "fuer", "zu"})
_BEFORE_LAST_PLACE = "in"
_AROUND_NAMES = frozenset({Role.FUNCTION, Role.FILLER})
_LAYERS_TOO = CONCEPTS | {Role.PARCELS}
_IN_LAYER_NAMES = _LAYERS_TOO | {Role.PLAN_SHORT, Role.GREY, Role.COLOUR, Role.REGISTER}
"""Words that say something else, but are a part of the name once it is clear that a layer is meant."""


def target_of(clause: Clause) -> Reference | None:
    """The most precise reference of a clause, completed by its place.

    A noun without article after a preposition (`für Hintertupfingen`) is a place that is not known.
    """
    mentioned = [m.what for m in clause.mentions]
    target = most_precise(mentioned)
    if target is None:
        name = _high_name(clause) or _unknown_name(clause)
        return Place(name, "unknown") if name else None
    place = next((r for r in mentioned if isinstance(r, Place)), None)
    return located(target, place) if place else target


def located(target: Reference, place: Place) -> Reference:
    """An address or a parcel without a place gets one; others stay as they are."""
    if isinstance(target, Address) and not target.place:
        return replace(target, place=place.spoken)
    if isinstance(target, Parcel) and not target.municipality:
        return replace(target, municipality=place.name)
    return target


def targets_of(clause: Clause) -> tuple[Reference, ...]:
    """All references of the most precise kind; a single one completed by the place."""
    best = target_of(clause)
    same_kind = [m.what for m in clause.mentions if type(m.what) is type(best)]
    return tuple(dict.fromkeys(same_kind if len(same_kind) > 1 or best is None else [best]))


def visits(clause: Clause) -> tuple[Wish, ...]:
    """The wishes to see what a clause mentions: the most precise kind of reference counts."""
    return tuple(visit(target) for target in targets_of(clause) if clause.mentions)


def called_place(clause: Clause) -> Place | None:
    """`die Gemeinde Grenchenwil`: a name that nobody knows, of what is said to be a place."""
    pairs = pairwise(clause.words)
    name = next((b.text for a, b in pairs if a.folded in _PLACES and b.role is None and b.is_noun), None)
    return Place(name, "unknown") if name and not clause.mentions else None


def spot_in_place(clause: Clause) -> Place | None:
    """`Bahnhof Solothurn`, `Schloss Waldegg in Feldbrunnen`: a name and the place that it is in.

    That they are nouns tells it from a sentence about the place.
    """
    names: list[str] = []
    for part in clause.parts:
        if isinstance(part, Mention):
            known = isinstance(part.what, Place) and names and _are_written_alike((*names, part.text))
            return Place(" ".join([*names, part.text]), "unknown") if known else None
        if isinstance(part, Word) and part.role is None and part.is_noun:
            names.append(part.text)
        elif (
            part.is_content
            or (names and part.folded in _LIES)
            or (isinstance(part, Word) and part.role not in ACTIONS | _AROUND_NAMES)
        ):
            return None
    return None


def _are_written_alike(names: Sequence[str]) -> bool:
    """`unklar, wo Gänsbrunnen …`: where one has a capital, what has none is no name."""
    return len({name[:1].islower() for name in names}) == 1


def _high_name(clause: Clause) -> str:
    """`Wie hoch liegt Bern?`"""
    lies = Role.HEIGHT in clause.roles and any("liegt" in word.folded.split() for word in clause.words)
    named = all(w.is_noun and not may_name_layer([w.folded]) for w in clause.content)
    return clause.phrase() if lies and named else ""


def layer_and_place(clause: Clause) -> tuple[str, Place | None]:
    """What layer a clause is about, and in which unknown place at its end (`Gefahrenkarte in Aarau`)."""
    certain = clause.phrase() or clause.roles & {Role.LAYER, Role.LOAD}
    topics = tuple(clause.phrases(*(_IN_LAYER_NAMES if certain else _LAYERS_TOO)))
    topic = next((each for each in topics if may_name_layer(fold(each).split())), next(iter(topics), ""))
    if clause.mentions:
        return topic, None
    name = _unknown_name(clause, only=_BEFORE_LAST_PLACE)
    head = topic.removesuffix(f" in {name}") if name else topic
    if name and head != topic:
        return head, Place(name, "unknown")
    return topic, None


def _unknown_name(clause: Clause, only: str = "") -> str:
    words = clause.words
    for before, word in pairwise(words):
        leads = before.folded == only if only else before.folded in _BEFORE_PLACE
        proper = word.role is None and word.is_noun and word.folded.isalpha()
        if leads and proper and not is_theme(word.folded) and not topic_of(word.folded):
            return word.text
    return ""
