"""Places, parcels, and what is made for them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from contracts.intents import Intent

from planner.rules.grammar.loaded import BOTH
from planner.rules.grammar.measures import goes_from, measured_from, measured_to
from planner.rules.grammar.parts import Mention
from planner.rules.grammar.rewriting import Wishes
from planner.rules.grammar.targets import located
from planner.rules.grammar.telling import told_in
from planner.rules.grammar.utterance import Utterance
from planner.rules.grammar.wishes import Wish, visit
from planner.rules.heard.given import Given, Maker
from planner.rules.heard.named import (
    OF_PARCELS,
    SPOTS,
    all_denied,
    every_spot_in,
    mentions_in,
    numbers_in,
    parcels_in,
    spots_in,
)
from planner.rules.heard.seen import seen, seen_again
from planner.rules.planning.past import Past
from planner.rules.reading.lexicon import Role
from planner.rules.references.addresses import Address, is_house_number
from planner.rules.references.finding import Egrid, Reference, most_precise
from planner.rules.references.parcels import Parcel, is_parcel_number, plain_number
from planner.rules.references.places import Place

_ENDS: Final = 2
_BESIDE: Final = frozenset({"bei", "neben", "naehe"})
_ONWARD: Final = frozenset({"weiter"})
_TO: Final = frozenset({"nach", "bis", "zu", "richtung"})


def reference_in(said: Utterance) -> Reference | None:
    """The most precise thing that is mentioned, the last of them; a number beside a place is a parcel."""
    mentions = [mention.what for mention in mentions_in(said.parts)]
    best = most_precise(list(reversed(mentions)))
    place = next((what for what in reversed(mentions) if isinstance(what, Place)), None)
    number = next((w.text for w in said.words if w.role is None and is_parcel_number(w.text)), None)
    if number and (best is None or best is place):
        return Parcel(plain_number(number), place.name if place else None)
    return located(best, place) if best and place else best


def _place(intent: str, given: Given) -> Wishes:
    """The one that is meant: the last, but not what only tells where it is (`Kappel bei Olten`)."""
    if all_denied(given.said.parts):
        return ()
    spots = spots_in(given.said) or tuple(_houses(given.said, given.past))
    if not spots:
        again = seen_again(given.past, *SPOTS)
        return (visit(again),) if again else ()
    parts = given.said.parts
    beside = {
        part.what
        for before, part in pairwise(parts)
        if isinstance(part, Mention) and before.folded in _BESIDE
    }
    meant = [spot for spot in spots if spot not in beside] or spots
    precise = [spot for spot in meant if not isinstance(spot, Place)]
    return (visit((precise or meant)[-1]),)


def _parcel(intent: str, given: Given) -> Wishes:
    parcels = parcels_in(given.said, given.past)
    if parcels:
        return tuple(Wish(intent, parcel) for parcel in parcels)
    again = seen_again(given.past, *OF_PARCELS)
    spots = () if again else spots_in(given.said, misread=False)
    if again is None and not spots and Role.PARCEL not in given.said.roles:
        return ()
    return (Wish(intent, again or most_precise(spots)),)


def _made(intent: str, given: Given) -> Wishes:
    """For each parcel that is named, or else at the most precise place, or at what was shown before."""
    said, past = given.said, given.past
    named = () if _is_far_too(given) else spots_in(said, misread=False)
    spots = [spot for spot in named if not isinstance(spot, Place)] or _houses(said, past)
    if spots:
        return tuple(Wish(intent, spot) for spot in spots)
    parcels = parcels_in(said, past)
    if not parcels and _means_both(said):
        parcels = seen(past, *OF_PARCELS)[:_ENDS]
    if parcels:
        return tuple(Wish(intent, parcel) for parcel in parcels)
    again = seen_again(past, *OF_PARCELS, Address)
    return (Wish(intent, again or most_precise(reversed(named))),)


def _houses(said: Utterance, past: Past) -> list[Reference]:
    """`Gleich daneben die 19`: in the street that was talked about last."""
    numbers = [word.text for word in said.words if word.role is None and is_house_number(word.text)]
    last = next(iter(seen(past, Address, *OF_PARCELS)), None)
    if not isinstance(last, Address) or any(isinstance(part, Mention) for part in said.parts):
        return []
    return [replace(last, house_number=number) for number in numbers]


def _means_both(said: Utterance) -> bool:
    return not BOTH.isdisjoint(word.folded for word in said.words)


def _height(intent: str, given: Given) -> Wishes:
    """Of each place that is named: who compares two wants to know both."""
    spots = () if _is_far_too(given) else _asked_about(given.said)
    if not spots and _means_both(given.said):
        spots = seen(given.past, *SPOTS)[:_ENDS]
    if not spots:
        parcels = [
            what for what in numbers_in(given.said).values() if isinstance(what, Egrid) or what.municipality
        ]
        again = seen_again(given.past, *SPOTS, *OF_PARCELS)
        return (Wish(intent, next(iter(parcels), again)),)
    return tuple(Wish(intent, spot) for spot in spots)


def _asked_about(said: Utterance) -> tuple[Reference, ...]:
    """Without what is only told of: `Wir wohnen in Olten. Wie hoch liegt Dulliken?`"""
    told = {m.what for clause in told_in(said.clauses, beside_question=True) for m in clause.mentions}
    spots = spots_in(said)
    return tuple(spot for spot in spots if spot not in told) or spots


def _is_far_too(given: Given) -> bool:
    """`wie hoch liegt es, und wie weit ist es bis Solothurn`: what is named is where a distance ends."""
    return Intent.MEASURE_DISTANCE in given.wanted


def _distance(intent: str, given: Given) -> Wishes:
    """Between the two that are named, from what is selected to the one, or between the last two."""
    spots, past = spots_in(given.said), given.past
    before = next((each for each in past.last if each.intent == intent and "end" in each.args), None)
    wish = Wish(intent, at_place=True)
    if len(spots) == 1:
        (spot,) = spots
        if before and any(word.folded in _ONWARD for word in given.said.words):
            before = replace(before, args={"start": before.args["end"]})
        if before:
            turn = measured_from if any(map(goes_from, given.said.clauses)) else measured_to
            return (turn(before, spot),)
        start = next((each for each in seen(past, *SPOTS) if each != spot), None)
        if past.session.selections:
            return (measured_to(wish, spot),)
        return (measured_from(measured_to(wish, spot), start),) if start else ()
    ends = spots if spots else tuple(reversed(seen(past, *SPOTS)[:_ENDS]))
    return tuple(measured_from(measured_to(wish, end), start) for start, end in _legs(ends, given.said))


def _legs(ends: Sequence[Reference], said: Utterance) -> Iterator[tuple[Reference, Reference]]:
    """From where to where: two pairs, one place after the other, or from the first to each.

    `von Olten nach Trimbach und von Grenchen nach Bettlach`, `von Olten nach Trimbach und weiter nach
    Winznau`, `was ist näher bei Zuchwil: Biberist oder Luterbach?`
    """
    if pairs := _pairs(said):
        yield from pairs
    elif any(a.folded in _ONWARD and b.folded in _TO for a, b in pairwise(said.words)):
        yield from pairwise(ends)
    else:
        yield from ((ends[0], end) for end in ends[1:])


def _pairs(said: Utterance) -> list[tuple[Reference, Reference]]:
    """Two pairs of places that are joined in the same way, and each pair otherwise to the other."""
    spots = every_spot_in(said)
    at = [n for n, part in enumerate(said.parts) if isinstance(part, Mention)]
    if not len(spots) == len(at) == 2 * _ENDS:
        return []
    joints = [[part.folded or part.text for part in said.parts[a + 1 : b]] for a, b in pairwise(at)]
    return [(spots[0], spots[1]), (spots[2], spots[3])] if joints[0] == joints[2] != joints[1] else []


PLACES: Mapping[str, Maker] = {
    Intent.SEARCH_PLACE: _place,
    Intent.SHOW_PARCEL: _parcel,
    Intent.OEREB_EXTRACT: _made,
    Intent.CADASTRAL_PLAN: _made,
    Intent.GEOTHERMAL_PROBE_ASSESSMENT: _made,
    Intent.HEIGHT_QUERY: _height,
    Intent.MEASURE_DISTANCE: _distance,
}
