"""Times that a question names: years, months, days, and what `seit` or `vor` makes of them."""

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from tools_docs.german.spelling import fold

_MONTHS = {
    month: number
    for number, names in enumerate(
        [
            "januar jan",
            "februar feb",
            "marz",
            "april apr",
            "mai",
            "juni",
            "juli",
            "august aug",
            "september sept",
            "oktober okt",
            "november nov",
            "dezember dez",
        ],
        1,
    )
    for month in names.split()
}
_YEAR = r"(?:19|20)\d{2}"
_POINT = re.compile(
    rf"\b(?P<day>\d{{1,2}})\.\s*(?:(?P<month>\d{{1,2}})\.|(?P<name>[^\W\d_]+))\s*(?P<year>{_YEAR})\b"
    rf"|\b(?P<name2>[^\W\d_]{{3,9}})\s+(?P<year2>{_YEAR})\b"
    rf"|\b(?P<year3>{_YEAR})\b"
)
_AFTER = re.compile(r"\b(?:seit|ab|nach|from|since)\s++(?:(?:dem|ende|anfang|jahr)\s++)*+$")
_BEFORE = re.compile(r"\b(?:vor|bis|before|until)\s++(?:(?:zum|ende|anfang|jahr|dem)\s++)*+$")
_MAX_WORDS_CHARS = 80
"""Before a date, that say how it limits."""
_RANGE = re.compile(r"^\s*(?:bis|und|–|-)\s*$")


@dataclass(frozen=True, slots=True)
class Period:
    """From the first to the last day; open where a side is None."""

    first: date | None
    last: date | None

    def holds(self, day: date | None) -> bool:
        if day is None:
            return False
        return (self.first is None or day >= self.first) and (self.last is None or day <= self.last)


def periods(question: str) -> tuple[Period, ...]:
    """The periods that a question names, in its order."""
    points = list(_points(question))
    found: list[Period] = []
    skip = False
    for number, (start, end, period) in enumerate(points):
        if skip:
            skip = False
            continue
        before = fold(question[max(0, start - _MAX_WORDS_CHARS) : start])
        following = points[number + 1] if number + 1 < len(points) else None
        between = question[end : following[0]] if following else ""
        if following and len(between) <= _MAX_WORDS_CHARS and _RANGE.match(fold(between)):
            found.append(Period(period.first, following[2].last))
            skip = True
        elif _AFTER.search(before):
            found.append(Period(period.first, None))
        elif _BEFORE.search(before):
            found.append(Period(None, period.last))
        else:
            found.append(period)
    return tuple(found)


def _points(question: str) -> Iterator[tuple[int, int, Period]]:
    for found in _POINT.finditer(question):
        year = int(found["year"] or found["year2"] or found["year3"])
        month = _month(found["month"] or found["name"] or found["name2"])
        start = found.start()
        if found["year2"] and month is None:
            start = found.start("year2")
        if month is None:
            yield start, found.end(), Period(date(year, 1, 1), date(year, 12, 31))
            continue
        days = monthrange(year, month)[1]
        day = int(found["day"]) if found["day"] else None
        if day is None or not 1 <= day <= days:
            yield start, found.end(), Period(date(year, month, 1), date(year, month, days))
        else:
            yield start, found.end(), Period(date(year, month, day), date(year, month, day))


def _month(name: str | None) -> int | None:
    if name is None:
        return None
    if name.isdecimal():
        return int(name) if 1 <= int(name) <= 12 else None
    return _MONTHS.get(fold(name))
