"""What a conversation was about before, as what came of it tells, and then as it was wanted."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from planner.rules.planning.past import Past
from planner.rules.reading.tables import table
from planner.rules.references.addresses import Address
from planner.rules.references.finding import Egrid, Reference
from planner.rules.references.parcels import Parcel
from planner.rules.references.places import Place

_WORDS: Final = table("words.toml")["returning"]
_ORDINALS: Final = {word: n for n, words in enumerate(_WORDS["ordinals"]) for word in words.split()}
_PREVIOUS: Final = frozenset(_WORDS["previous"].split()) | frozenset(_WORDS["before"].split())
_EGRID = re.compile(r"\bCH\d{12}\b")
_REGISTER = re.compile(r"Grundbuch ([^),–]+)")
_MUNICIPALITY = re.compile(r"Grundstück \S+ ([^(),–]+)")
_WHAT_IT_IS = re.compile(r" ?\([^()]{1,100}\)$")


def seen(past: Past, *kinds: type) -> tuple[Any, ...]:
    """The references of these kinds that were shown or named, each once, the newest first."""
    shown = (ref for result in reversed(past.session.results) for ref in _found(result.items))
    said = (wish.target for wish in past.everything if wish.target is not None)
    every = dict.fromkeys((*shown, *said))
    return tuple(each for each in every if isinstance(each, kinds) and getattr(each, "kind", "") != "unknown")


def seen_again(past: Past, *kinds: type) -> Reference | None:
    """What `das erste`, `wieder das von vorhin` mean; None where a message counts nothing."""
    words = [word.folded for word in past.message.words]
    every = seen(past, *kinds)
    order = next((_ORDINALS[word] for word in words if word in _ORDINALS), None)
    if order is not None:
        return every[-1 - order] if order < len(every) else None
    return every[1] if len(every) > 1 and not _PREVIOUS.isdisjoint(words) else None


def offered_in(past: Past, place: Place) -> Egrid | None:
    """Of the parcels of one number that were offered last, the one in the land register of a place."""
    registers = {egrid: _register_of(label) for egrid, label in _offered(past).items()}
    fitting = [e for e, name in registers.items() if place.spoken in (name, name.split(" bei ")[0])]
    return Egrid(fitting[0]) if len(fitting) == 1 else None


def other_offered(past: Past) -> Egrid | None:
    """`die andere 168`: of two that were offered the one that is not selected."""
    chosen = {getattr(item, "egrid", None) for item in past.session.selections}
    offered = _offered(past)
    others = offered.keys() - chosen
    return Egrid(*others) if len(others) == 1 and len(offered) > 1 else None


def _offered(past: Past) -> Mapping[str, str]:
    """The labels of the parcels that were offered last, by their EGRID."""
    labels = [option.label for choice in past.session.choices[:1] for option in choice.options]
    closed = next((result.offered for result in reversed(past.session.results) if result.offered), ())
    return {found.group(): label for label in labels or closed if (found := _EGRID.search(label))}


def _register_of(label: str) -> str:
    """`Balm bei Messen` of `EGRID … – Grundstück 168 Messen (Liegenschaft, Grundbuch Balm bei Messen)`"""
    named = _REGISTER.search(label) or _MUNICIPALITY.search(label)
    return named[1].strip() if named else ""


def municipality_of(what: Reference) -> str | None:
    """That of a parcel or an address; a place is one itself."""
    match what:
        case Parcel():
            return what.municipality
        case Address():
            return what.place
        case Place():
            return what.name
        case _:
            return None


def _found(items: tuple[Mapping[str, Any], ...]) -> Iterator[Reference]:
    for item in items:
        match item:
            case {"type": "parcel" | "oereb_extract", "number": number, "municipality": town}:
                yield Parcel(number, town)
            case {"type": "oereb_extract", "egrid": egrid}:
                yield Egrid(egrid)
            case {"type": "municipality", "name": name}:
                yield Place(name, "municipality")
            case {"type": "place", "label": label}:
                yield Place(_WHAT_IT_IS.sub("", label), "locality")
            case {"type": "address", "street": street, "houseNumber": number, "locality": town}:
                yield Address(street, number, item.get("postalCode"), town)
