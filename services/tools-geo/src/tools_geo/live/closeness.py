"""How well a hit answers a question: searches find more than was asked for, and other things too."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from german.spelling import forgiven_edits
from german.words import words
from rapidfuzz.distance import OSA

from tools_geo.address_query import AddressQuery
from tools_geo.name_query import FILLERS, NameQuery, short_keys, without_fillers
from tools_geo.spelling import compact, mended_street_key, place_key, street_forgiven_edits, street_key

_MIN_PART = 3
_INFIX = 0.5
_SHORT_FORM = 0.9
_TYPO = 0.85
_WRONG_CODE = 0.8

T = TypeVar("T")


@dataclass(frozen=True)
class Street:
    """A street as a source names it; `area` holds the folded words for where it lies."""

    name: str
    postal_code: str
    area: frozenset[str]


def of_street(street: Street, wanted: AddressQuery) -> float | None:
    """1 for the street itself, less for one that contains or resembles what is asked for, else None."""
    own = words(street.name)
    rest = [word for word in wanted.words if word in own or word not in FILLERS]
    named_area = [word for word in rest if word not in own and _is_near(word, street.area)]
    rest = [word for word in rest if word not in named_area]
    certainty = 1.0
    if wanted.postal_code and street.postal_code != wanted.postal_code:
        # A wrong code is forgiven only when the locality was named as well.
        if not named_area:
            return None
        certainty = _WRONG_CODE
    close = _of_street_key(street_key(own), street_key(rest)) if rest else None
    return None if close is None else close * certainty


def names_only_area(street: Street, wanted: AddressQuery) -> bool:
    """Whether the question names where a street lies, but no street."""
    rest = [word for word in wanted.words if word not in FILLERS]
    return bool(rest) and all(word in street.area for word in rest)


def _of_street_key(own: str, key: str) -> float | None:
    if key == own:
        return 1.0
    if len(key) >= _MIN_PART and key in own:
        return 0.5 + 0.4 * len(key) / len(own)
    edits = OSA.distance(mended_street_key(key), own)
    if edits <= min(street_forgiven_edits(own), forgiven_edits(len(key))):
        return min(_TYPO, 1 - edits / len(own))
    return None


def of_name(name: str, wanted: NameQuery, area: Collection[str] = ()) -> float | None:
    """1 for the name itself, with or without its area; less for a short form, a part, a typo; else None."""
    own = place_key(name)
    readings = [*wanted.keys]
    if rest := without_fillers([part for part in wanted.parts if part not in area or part in words(name)]):
        readings.append(compact(rest))
    return max(
        (close for key in readings if (close := _of_name_key(own, name, key)) is not None), default=None
    )


def _of_name_key(own: str, name: str, key: str) -> float | None:
    if key == own:
        return 1.0
    if key in short_keys(name):
        return _SHORT_FORM
    if len(key) >= _MIN_PART and own.startswith(key):
        return 0.5 + 0.4 * len(key) / len(own)
    edits = OSA.distance(key, own)
    if edits <= min(forgiven_edits(len(own)), forgiven_edits(len(key))):
        return min(_TYPO, 1 - edits / len(own))
    return _INFIX if len(key) >= _MIN_PART and key in own else None


def _is_near(word: str, area: Iterable[str]) -> bool:
    return any(
        OSA.distance(word, part) <= min(forgiven_edits(len(part)), forgiven_edits(len(word))) for part in area
    )


def ranked(hits: Iterable[T], closeness: Callable[[T], float | None]) -> Sequence[tuple[T, float]]:
    """The best first, others left out; the very thing that was asked for stands alone."""
    close = [(hit, value) for hit in hits if (value := closeness(hit)) is not None]
    close.sort(key=lambda each: -each[1])
    return [each for each in close if each[1] == 1.0] or close
