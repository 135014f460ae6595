"""Wishes once more, with something in them changed."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from contracts.intents import Intent
from contracts.session import Session
from contracts.tools import ToolDescriptor

from planner.rules.grammar.clause import Clause, Link
from planner.rules.grammar.clauses import said
from planner.rules.grammar.counting import (
    QUERY,
    asked_anew,
    asked_of_them,
    counted_at,
    counted_in,
    is_comparison,
    other_things,
)
from planner.rules.grammar.measures import asks_how_far, goes_from, goes_to, measured_from, measured_to
from planner.rules.grammar.openers import Opener
from planner.rules.grammar.parts import Mention
from planner.rules.grammar.pointing import AROUND_HERE, pointer_of
from planner.rules.grammar.targets import target_of
from planner.rules.grammar.utterance import Utterance
from planner.rules.grammar.wishes import NAVIGATION, Wish, visit
from planner.rules.reading.lexicon import ACTIONS, CONCEPTS, GLUE, Role
from planner.rules.references.addresses import Address, is_house_number
from planner.rules.references.coordinates import Coordinate
from planner.rules.references.finding import Reference
from planner.rules.references.parcels import Parcel, is_parcel_number
from planner.rules.references.places import Place, similar_place

Wishes = tuple[Wish, ...]
_MEASURED: Final = frozenset({Intent.HEIGHT_QUERY, Intent.MEASURE_DISTANCE, Intent.QUERY_FEATURES})
_HAS_THINGS: Final = frozenset({Intent.QUERY_FEATURES, Intent.LOAD_LAYER})
_SHOWS: Final = frozenset({Role.SHOW, Role.LOAD})
_MAX_CHARS: Final = 200
"""What hangs on what was said before is short."""
_THEM: Final = frozenset({"sie", "die", "diese", "das", "es", "alle", "dies", "dieses", "diesen", "davon"})
_BESIDE_PLACE: Final = frozenset({Role.HERE, Role.HEIGHT, Role.MEASURE, Role.AGAIN})
_AT_SPOT: Final = frozenset({Intent.IDENTIFY})
_AND: Final = frozenset({"und", "auch", "jetzt", "nun"})


def last_said(message: Utterance) -> Clause | None:
    """The clause that alone wants something: `Das ist noch hoch. Und Olten?`; None of a message with more.

    A question goes on without `und`: `In Olten?`
    """
    if len(message.text) > _MAX_CHARS:
        return None
    *told, last = message.sentences or [message]
    if any(
        each.asks or each.roles & ACTIONS or any(isinstance(p, Mention) for p in each.parts) for each in told
    ):
        return None
    spoken = said(last.clauses)
    taken_back = any(clause.roles & {Role.NO, Role.CORRECTION} for clause in last.clauses)
    if len(spoken) != 1 or taken_back:
        return None
    fragment = last.asks and spoken[0].roles <= GLUE | {Role.HERE} and last.opener is Opener.NONE
    return replace(spoken[0], link=Link.AND) if fragment else spoken[0]


def asked_again(
    clause: Clause, before: Wishes, session: Session, tools: Sequence[ToolDescriptor]
) -> Wishes | None:
    """What a clause wants of the wishes before it without saying what: `Wie viele sind das?`, `und hier?`."""
    can_count = any(tool.capability == QUERY for tool in tools)
    counted = _of_same_things(clause, before, session) if can_count else None
    return counted or _measured_elsewhere(clause, before) or _wanted_here(clause, before)


def _of_same_things(clause: Clause, before: Wishes, session: Session) -> Wishes | None:
    """`Welches ist das grösste?`, `Zeig sie auf der Karte`, `und Altlasten?`"""
    things = next((wish for wish in reversed(before) if wish.intent in _HAS_THINGS), None)
    if things is None:
        return None
    counted = things.intent == Intent.QUERY_FEATURES
    layer = str(things.args.get("layer") or things.query)
    unnamed = not (clause.content or clause.mentions)
    if counted and unnamed and clause.roles & _SHOWS and clause.said & _THEM:
        return (Wish(Intent.LOAD_LAYER, query=layer),)
    if counted and _goes_on(clause) and (other := other_things(clause)):
        return (replace(things, args={**things.args, "layer": other}),)
    asked = asked_of_them(clause, session) if layer else None
    if asked is None:
        return None
    if counted:
        return (asked_anew(things, asked, target_of(clause) if clause.mentions else None),)
    place = next((wish.target for wish in before if isinstance(wish.target, Place)), None)
    return (asked_anew(counted_in(layer, place), asked, target_of(clause) if clause.mentions else None),)


def _measured_elsewhere(clause: Clause, before: Wishes) -> Wishes | None:
    """`und bis Luterbach?`, `Im Vergleich dazu Biberist?`, `Und die Röti, ist die höher?`"""
    target = target_of(clause) if clause.mentions else None
    compares = is_comparison(clause)
    beside = _BESIDE_PLACE | {Role.LOAD, Role.OTHER} if compares else _BESIDE_PLACE
    if target is None or (clause.content and not compares) or not clause.roles <= GLUE | beside:
        return None
    if Role.MEASURE in clause.roles and asks_how_far(clause):
        return None  # und wie weit ist es nach Selzach?
    heights = any(wish.intent == Intent.HEIGHT_QUERY for wish in before)
    if Role.HEIGHT in clause.roles and not heights:
        return None  # und wie hoch liegt Messen?
    measured = tuple(wish for wish in before if wish.intent in _MEASURED)
    to = goes_to(clause) and any(wish.intent == Intent.MEASURE_DISTANCE for wish in measured)
    if not measured or not (to or _goes_on(clause) or compares):
        return None
    if goes_from(clause) and not to:
        far = [wish for wish in measured if wish.intent == Intent.MEASURE_DISTANCE]
        if far:
            return (measured_from(far[-1], target),)
    if all(wish.intent == Intent.QUERY_FEATURES for wish in measured):
        return tuple(counted_at(wish, target) for wish in measured[-1:])
    return moved(measured, target)


def _wanted_here(clause: Clause, before: Wishes) -> Wishes | None:
    """`und hier?`: the same where the user has clicked, or what is selected."""
    pointer = pointer_of(clause.words)
    others = [word for word in clause.content if word.folded not in AROUND_HERE]
    plain = not (others or clause.mentions) and clause.roles <= GLUE | {Role.HERE}
    if not plain or pointer not in ("here", "there") or not _goes_on(clause):
        return None
    at_spot = (wish for wish in before if wish.needs_place or wish.intent in _AT_SPOT)
    return tuple(replace(wish, target=None, pointer=pointer) for wish in at_spot) or None


def _goes_on(clause: Clause) -> bool:
    return clause.link in (Link.AND, Link.THEN) or any(word.folded in _AND for word in clause.words[:1])


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
