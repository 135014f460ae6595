"""Places and parcels that a message names, as it means them: misspelled or in words, and not denied."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final

from contracts.intents import Intent
from german.dates import years_in
from german.fold import fold

from planner.rules.grammar.clause import Link
from planner.rules.grammar.parts import Mention, Part, Sign, Word
from planner.rules.grammar.targets import located
from planner.rules.grammar.utterance import Utterance
from planner.rules.grammar.wishes import Wish
from planner.rules.heard.seen import municipality_of, offered_in, other_offered, seen
from planner.rules.planning.past import Past
from planner.rules.reading.lexicon import GLUE, Role
from planner.rules.reading.numerals import number_in_words
from planner.rules.reading.topics import is_theme
from planner.rules.references.addresses import Address
from planner.rules.references.coordinates import Coordinate
from planner.rules.references.finding import Egrid, Reference
from planner.rules.references.parcels import Parcel, is_parcel_number, plain_number
from planner.rules.references.places import Place, similar_place

_LISTED: Final = frozenset({Intent.LOAD_LAYER, Intent.SEARCH_PLACE})
_DENIED_WITHIN: Final = 2
_TAKES_BACK: Final = frozenset({Role.CORRECTION, Role.NO})
_INSTEAD: Final = frozenset({"statt", "anstatt", "anstelle"})
_WITHIN: Final = frozenset({"in", "im", "bei", "um"})
_MIN_NAME_CHARS: Final = 5
_MIN_DIGITS: Final = 3
"""Of a number in words: smaller ones count something."""
_BEFORE_YEAR: Final = frozenset({"ab", "seit", "bis", "jahr", "jahre"})
_NUMBERED: Final = frozenset({"nr", "nummer"})
SPOTS: Final = (Place, Address, Coordinate)
OF_PARCELS: Final = (Parcel, Egrid)


def mentions_in(parts: Sequence[Part]) -> tuple[Mention, ...]:
    """Without what is denied or taken back: `nicht Balm`, `statt Balm`, `Basel? Nein, nach Breitenbach`."""
    found = [n for n, part in enumerate(parts) if isinstance(part, Mention)]
    taken_back = {n for n, later in pairwise(found) if any(map(_takes_back, parts[n:later]))}
    denied = {n for n in found if _is_denied(parts[max(0, n - _DENIED_WITHIN) : n])}
    kept = [n for n in found if n not in taken_back | denied] or found[-1:]
    return tuple(part for n in kept if isinstance(part := parts[n], Mention))


def all_denied(parts: Sequence[Part]) -> bool:
    """`Ich will nicht nach Grenchen`: whether some things are mentioned, and none of them is wanted."""
    found = [n for n, part in enumerate(parts) if isinstance(part, Mention)]
    return bool(found) and all(_is_denied(parts[max(0, n - _DENIED_WITHIN) : n]) for n in found)


def is_left_out(place: Place, parts: Sequence[Part]) -> bool:
    """`Altlasten, aber nicht in Olten`"""
    at = next((n for n, part in enumerate(parts) if isinstance(part, Mention) and part.what == place), 0)
    before = parts[max(0, at - _DENIED_WITHIN) : at]
    return len(before) == _DENIED_WITHIN and before[0].role is Role.NOT and before[1].folded in _WITHIN


def _takes_back(part: Part) -> bool:
    return part.role in _TAKES_BACK and part.folded not in _INSTEAD


def _is_denied(before: Sequence[Part]) -> bool:
    last = next((n for n, part in enumerate(before) if isinstance(part, Mention)), -1)
    return any(part.role is Role.NOT or part.folded in _INSTEAD for part in before[last + 1 :])


def is_corrected_to(name: str, parts: Sequence[Part]) -> bool:
    """`Olten? Nein, ich meinte Ostermundigen`: a name that nobody knows, instead of all that is mentioned."""
    at = next((n for n, part in enumerate(parts) if part.text == name), 0)
    last = max((n for n, part in enumerate(parts) if isinstance(part, Mention)), default=at)
    return any(map(_takes_back, parts[last:at]))


def _places_misread(parts: Sequence[Part]) -> Iterator[Mention]:
    """`subige`, `Balsthal-Passwang`: words that say nothing else and sound like places."""
    for part in parts:
        pieces = part.text.split("-") if isinstance(part, Word) and part.role is None else []
        places = [similar_place(piece) for piece in pieces if _may_be_name(piece)]
        if len(places) == len(pieces):
            for place in places:
                if place:
                    yield Mention(part.text, start=part.start, what=place)


def _may_be_name(text: str) -> bool:
    return len(text) >= _MIN_NAME_CHARS and text.isalpha() and not is_theme(text.casefold())


def spots_in(said: Utterance, *, misread: bool = True) -> tuple[Reference, ...]:
    """The places, addresses and points that are named, each once; an address with its town as one."""
    return tuple(dict.fromkeys(every_spot_in(said, misread=misread)))


def every_spot_in(said: Utterance, *, misread: bool = True) -> list[Reference]:
    """As often as they are named."""
    mentions = [m for m in mentions_in(said.parts) if isinstance(m.what, SPOTS)]
    if misread and not mentions:
        mentions = list(_places_misread(said.parts))
    return with_towns(_numbered(mention, said.parts) for mention in mentions)


def with_towns(named: Iterable[Reference]) -> list[Reference]:
    """An address and the town that is named after it are one."""
    spots: list[Reference] = []
    for what in named:
        last = spots[-1] if spots else None
        if isinstance(last, Address) and not last.place and isinstance(what, Place):
            spots[-1] = located(last, what)
        else:
            spots.append(what)
    return spots


def _numbered(mention: Mention, parts: Sequence[Part]) -> Reference:
    """`Burgunderstrasse neunzehn`, `Rötistrasse Nummer vier`"""
    after = [part for part in parts if part.start > mention.start and part.folded not in _NUMBERED]
    number = number_in_words(after[0].folded) if after and after[0].folded else None
    if isinstance(mention.what, Address) and not mention.what.house_number and number:
        return replace(mention.what, house_number=number)
    return mention.what


def numbers_in(said: Utterance) -> Mapping[int, Parcel | Egrid]:
    """Parcels by where they stand among the parts: mentioned, or numbers in digits, or else in words."""
    found: dict[int, Parcel | Egrid] = {}
    spelled: dict[int, Parcel | Egrid] = {}
    for n, part in enumerate(said.parts):
        if isinstance(part, Mention) and isinstance(part.what, OF_PARCELS):
            found[n] = part.what
        elif isinstance(part, Word) and part.role is None:
            if is_parcel_number(part.text) and not _is_year(said.parts, n):
                found[n] = Parcel(plain_number(part.text))
            elif (number := number_in_words(fold(part.text))) and len(number) >= _MIN_DIGITS:
                spelled[n] = Parcel(number)
    return found or spelled


def _is_year(parts: Sequence[Part], at: int) -> bool:
    """`ab 2027`"""
    before = parts[at - 1].folded if at else ""
    return before in _BEFORE_YEAR and bool(years_in(parts[at].text))


def parcels_in(said: Utterance, past: Past) -> tuple[Parcel | Egrid, ...]:
    """Those that are named, each with the municipality that stands nearest, or that was talked about."""
    if Role.OTHER in said.roles and (other := other_offered(past)):
        return (other,)
    numbers = numbers_in(said)
    kept = mentions_in(said.parts)
    places = {n: part.what for n, part in enumerate(said.parts) if part in kept and _is_place(part)}
    if not places:
        sounding = {m.start: m.what for m in _places_misread(said.parts)}
        places = {n: sounding[part.start] for n, part in enumerate(said.parts) if part.start in sounding}
    found = [_in_municipality(n, what, places, past) for n, what in numbers.items()]
    if found or not places:
        return tuple(dict.fromkeys(found))
    *_, place = places.values()
    if not isinstance(place, Place):
        return ()
    if option := offered_in(past, place):
        return (option,)
    last = next((parcel for parcel in seen(past, Parcel) if parcel.number), None)
    return (Parcel(last.number, place.name),) if last else ()


def _is_place(part: Part) -> bool:
    return isinstance(part, Mention) and isinstance(part.what, Place)


def _in_municipality(
    at: int, what: Parcel | Egrid, places: Mapping[int, Reference], past: Past
) -> Parcel | Egrid:
    if isinstance(what, Egrid) or what.municipality:
        return what
    nearest = min(places, key=lambda n: (abs(n - at), n), default=None)
    town = municipality_of(places[nearest]) if nearest is not None else _town_before(past)
    return replace(what, municipality=town)


def _town_before(past: Past) -> str | None:
    """The municipality that was talked about last; None where the selection tells it."""
    if any("municipality" in item.bindings() for item in past.session.selections):
        return None
    return next(filter(None, map(municipality_of, seen(past, Parcel, Address, Place))), None)


def is_listed(wish: Wish, said: Utterance) -> bool:
    """Whether it is what follows an `and`, and nothing else does: `Montre-moi Olten et Xanadu`."""
    named = {wish.query, str(wish.target or "")} - {""}
    joined = (clause for clause in said.clauses if clause.link is Link.AND)
    return wish.intent in _LISTED and any(_only_name_in(clause.parts) in named for clause in joined)


def _only_name_in(parts: Sequence[Part]) -> str:
    """What some parts name, if nothing but articles and signs stands beside it."""
    naming = (part for part in parts if not isinstance(part, Sign))
    return " ".join(_named(part) for part in naming if not (isinstance(part, Word) and part.role in GLUE))


def _named(part: Part) -> str:
    return str(part.what) if isinstance(part, Mention) else part.text
