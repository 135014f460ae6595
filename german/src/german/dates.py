"""Dates in a text: days, months, years, ranges of them, and what `seit` or `vor` makes of them."""

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from german.fold import fold

MONTHS = {
    name: number
    for number, names in enumerate(
        [
            *("januar jan", "februar feb", "maerz marz", "april apr", "mai", "juni", "juli", "august aug"),
            *("september sept", "oktober okt", "november nov", "dezember dez"),
        ],
        start=1,
    )
    for name in names.split()
}
"""Folded names."""

How = Literal["since", "from", "after", "before", "until", "between", "within"]
_PREPOSITIONS: dict[str, How] = {
    "seit": "since",
    "since": "since",
    "ab": "from",
    "from": "from",
    "nach": "after",
    "zwischen": "between",
    "vor": "before",
    "before": "before",
    "bis": "until",
    "until": "until",
    **dict.fromkeys(("aus", "von", "in", "im", "vom"), "within"),
}
_DAY = timedelta(days=1)
_YEAR = r"(?:19|20)\d\d"
_AFTER_DAY = r"(?:\.\s{0,9}|\s{1,9})"
_NAME = "|".join([*MONTHS, "märz"])
_POINT = (
    rf"(?:(?P<iso>{_YEAR}-\d\d-\d\d)"
    rf"|(?:(?:(?P<day>\d\d?){_AFTER_DAY})?(?P<name>{_NAME})\.?\s{{1,9}}"
    rf"|(?P<day_of>\d\d?){_AFTER_DAY}(?P<month>\d\d?){_AFTER_DAY})?(?P<year>{_YEAR}))"
    # 2'023 is no year, nor is 2023-15; in 2019-2021 there are two.
    rf"(?![\w'’]|-(?!{_YEAR}(?![\w'’-]))\w)"
)
_FILLERS = r"(?:(?:dem|den|der|jahre?|jahren|ende|anfang|mitte|zum)\s{1,9}){0,4}"
_LIMITED = re.compile(
    rf"(?<![\w'’])(?<!\w-)(?:(?P<how>{'|'.join(_PREPOSITIONS)})\s{{1,9}}{_FILLERS})?{_POINT}", re.IGNORECASE
)
_OTHER_END = re.compile(
    rf"\s{{0,9}}(?:(?P<und>\bund\b)|\bbis\b|[-–—])\s{{0,9}}{_FILLERS}{_POINT}", re.IGNORECASE
)

_A_YEAR = re.compile(rf"(?<![\w'’]){_YEAR}(?![\w'’])")


@dataclass(frozen=True, slots=True)
class Period:
    """From the first to the last day; open where a side is None."""

    first: date | None
    last: date | None

    def holds(self, day: date | None) -> bool:
        if day is None:
            return False
        return (self.first is None or day >= self.first) and (self.last is None or day <= self.last)


@dataclass(frozen=True, slots=True)
class Dated:
    """A period as it stands at `start:end` of a text, with the words that say how it limits."""

    period: Period
    how: How
    start: int
    end: int


def dates_in(text: str) -> Iterator[Dated]:
    """The periods that a text names, in its order."""
    at = 0
    while found := _LIMITED.search(text, at):
        how = _PREPOSITIONS[found["how"].lower()] if found["how"] else "within"
        first, last = _days(found)
        at = found.end()
        other = _OTHER_END.match(text, at)
        if other and (how in ("between", "within") or not other["und"]):
            at, how, last = other.end(), "between", _days(other)[1]
        yield Dated(_limited(first, last, how), how, found.start(), at)


def years_in(text: str) -> tuple[int, ...]:
    """The years that a text names, in its order."""
    return tuple(map(int, _A_YEAR.findall(text)))


def _days(found: re.Match[str]) -> tuple[date, date]:
    """The first and the last day; a day or month that does not exist counts as not said."""
    if found["iso"]:
        year, month, day = map(int, found["iso"].split("-"))
    else:
        year, day = int(found["year"]), int(found["day"] or found["day_of"] or 0)
        month = MONTHS[fold(found["name"])] if found["name"] else int(found["month"] or 0)
    if not 1 <= month <= 12:
        return date(year, 1, 1), date(year, 12, 31)
    last = monthrange(year, month)[1]
    if not 1 <= day <= last:
        return date(year, month, 1), date(year, month, last)
    return date(year, month, day), date(year, month, day)


def _limited(first: date, last: date, how: How) -> Period:
    match how:
        case "since" | "from":
            return Period(first, None)
        case "after":
            return Period(last + _DAY, None)
        case "before":
            return Period(None, first - _DAY)
        case "until":
            return Period(None, last)
        case "between" | "within":
            return Period(first, last)
