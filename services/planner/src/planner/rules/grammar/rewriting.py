"""Wishes once more, with something in them changed."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from contracts.intents import Intent

from planner.rules.grammar.clause import Clause
from planner.rules.grammar.measures import measured_to
from planner.rules.grammar.targets import target_of
from planner.rules.grammar.wishes import NAVIGATION, Wish, visit
from planner.rules.reading.lexicon import ACTIONS, CONCEPTS, Role
from planner.rules.references.addresses import Address, is_house_number
from planner.rules.references.coordinates import Coordinate
from planner.rules.references.finding import Reference
from planner.rules.references.parcels import Parcel, is_parcel_number
from planner.rules.references.places import Place, similar_place

Wishes = tuple[Wish, ...]


def corrected(before: Wishes, clause: Clause, wishes: Wishes) -> Wishes:
    """What was wanted, with what a clause says instead: another place, another number, or another wish."""
    says_what = clause.own_roles & (ACTIONS | CONCEPTS | {Role.LAYER, Role.PARCEL})
    target = target_of(clause) if clause.mentions else None
    if says_what or (target is None and not clause.content):
        where = next((wish.target for wish in before if wish.target), None)
        return tuple(replace(w, target=where) if w.needs_place and not w.target else w for w in wishes)
    if isinstance(target, Parcel) and Role.PARCEL not in clause.roles and any(map(_is_at_address, before)):
        numbered = renumbered(before, [target.number or ""]) or before
        place = Place(target.municipality, "municipality") if target.municipality else None
        return (moved(numbered, place) if place else None) or numbered
    if target is not None:
        return moved(before, target) or wishes
    return renumbered(before, [word.text for word in clause.content]) or _renamed(before, clause) or wishes


def _renamed(before: Wishes, clause: Clause) -> Wishes | None:
    """The place, the layer or the topic under another name."""
    name = clause.phrase()
    if Role.NOT in clause.roles or not name:
        return None
    if before and all(isinstance(wish.target, Place) for wish in before):
        return moved(before, similar_place(name) or Place(name, "unknown"))
    if not all(wish.query for wish in before):
        return None
    return tuple(replace(wish, query=name) for wish in before[:1])


def _is_at_address(wish: Wish) -> bool:
    return isinstance(wish.target, Address)


def renumbered(wishes: Wishes, numbers: Sequence[str]) -> Wishes | None:
    """The wishes with the first of the numbers that is another one, of an address or a parcel."""

    def renumber(target: Reference) -> Reference | None:
        if isinstance(target, Address):
            others = (n for n in numbers if is_house_number(n) and n != target.house_number)
            return next((replace(target, house_number=n) for n in others), None)
        if isinstance(target, Parcel):
            others = (n for n in numbers if is_parcel_number(n) and n != target.number)
            return next((replace(target, number=n) for n in others), None)
        return None

    return edited(wishes, renumber)


def moved(wishes: Wishes, target: Reference) -> Wishes | None:
    """The same wishes somewhere else."""
    if any(wish.intent == Intent.MEASURE_DISTANCE for wish in wishes):
        return tuple(measured_to(wish, target) for wish in wishes if wish.intent == Intent.MEASURE_DISTANCE)
    elsewhere = edited(wishes, lambda old: merged(old, target))
    if elsewhere:
        return elsewhere
    open_wish = next((wish for wish in wishes if wish.needs_place), None)
    return (replace(open_wish, target=target),) if open_wish else None


def edited(wishes: Wishes, change: Callable[[Reference], Reference | None]) -> Wishes | None:
    """The wishes with their targets changed, and those that go with them; None without anything to change."""
    result: list[Wish] = []
    changed = False
    for wish in wishes:
        new = change(wish.target) if wish.target is not None else None
        if new is not None:
            changed = True
            shown = wish.intent == Intent.SHOW_PARCEL and isinstance(new, Coordinate)
            moves = wish.intent in NAVIGATION and not shown
            result.append(visit(new) if moves else replace(wish, target=new))
        elif wish.needs_place and wish.target is None:
            result.append(wish)
    return tuple(result) if changed else None


def merged(old: Reference, new: Reference) -> Reference:
    """The new reference, with what it leaves out taken from the old one."""
    if isinstance(new, Place):
        if isinstance(old, Address):
            return replace(old, place=new.spoken, postal_code=None)
        return replace(old, municipality=new.name) if isinstance(old, Parcel) else new
    if isinstance(new, Address) and isinstance(old, Address) and not new.place:
        return replace(new, place=old.place, postal_code=old.postal_code)
    if isinstance(new, Parcel) and isinstance(old, Parcel) and not new.municipality:
        return replace(new, municipality=old.municipality)
    return new
