"""Values of attributes, and what users compare them with: numbers with units, dates, words."""

import re
from dataclasses import dataclass
from datetime import date

from german.dates import dates_in
from german.stems import stems

Value = str | int | float

_WRITTEN = r"[-+]?(?:\d{1,3}(?:['’ʼ\u00a0\u202f ]\d{3}){1,5}|\d{1,15})(?:[.,]\d{1,15})?"
_BARE = re.compile(_WRITTEN, re.ASCII)
_NUMBER = re.compile(rf"(?P<number>{_WRITTEN})\s{{0,3}}(?P<unit>%|[^\W\d_]\S{{0,20}})?")
_GROUPING = re.compile(r"['’ʼ\s]")
_UNITS = {
    "m": ("m", 1.0),
    "meter": ("m", 1.0),
    "km": ("m", 1_000.0),
    "kilometer": ("m", 1_000.0),
    "m2": ("m2", 1.0),
    "qm": ("m2", 1.0),
    "quadratmeter": ("m2", 1.0),
    "a": ("m2", 100.0),
    "are": ("m2", 100.0),
    "aren": ("m2", 100.0),
    "ha": ("m2", 10_000.0),
    "hektar": ("m2", 10_000.0),
    "hektaren": ("m2", 10_000.0),
    "km2": ("m2", 1_000_000.0),
    "quadratkilometer": ("m2", 1_000_000.0),
}
"""What each measures, and in how many of the basic unit."""


@dataclass(frozen=True)
class Span:
    """A number, or the days of a date, from the first to the last."""

    low: float
    high: float


def number_of(value: Value, unit: str | None = None) -> float | None:
    """`1'000 m²` as 1000, in another unit if one is wanted: `2 ha` in `m²` as 20000. None for no number."""
    if isinstance(value, int | float):
        return float(value)
    found = _NUMBER.fullmatch(value.strip())
    if found is None:
        return None
    number = float(_GROUPING.sub("", found["number"]).replace(",", "."))
    written = found["unit"]
    if written is None or (unit is not None and _key(written) == _key(unit)):
        return number
    given, wanted = _UNITS.get(_key(written)), _UNITS.get(_key(unit or written))
    if given is None or wanted is None or given[0] != wanted[0]:
        return None
    # Where nobody says in what the data are, it is in what the user says.
    return number if unit is None else number * given[1] / wanted[1]


def days_of(value: Value) -> Span | None:
    """The days of a date, a month or a year."""
    text = f"{value:g}" if isinstance(value, int | float) else value.strip()
    dated = next(dates_in(text), None)
    if dated is None or dated.start != 0 or dated.end != len(text):
        return None
    first, last = dated.period.first or date.min, dated.period.last or date.max
    return Span(first.toordinal(), last.toordinal())


def spans_of(value: Value, asked: Value, unit: str | None) -> tuple[Span, Span] | None:
    """Both as something that can be less or more than the other: two numbers, or two dates."""
    numbers = written_number(value), number_of(asked, unit)
    if numbers[0] is not None and numbers[1] is not None:
        return Span(numbers[0], numbers[0]), Span(numbers[1], numbers[1])
    days = days_of(value), days_of(asked)
    return (days[0], days[1]) if days[0] and days[1] else None


def written_number(value: Value) -> float | None:
    """A value that is a number and nothing else: `1'000`, and no `19b`."""
    if isinstance(value, str) and not _BARE.fullmatch(value.strip()):
        return None
    return number_of(value)


def same(one: Value, other: Value) -> bool:
    words = stems(_text(one))
    return words == stems(_text(other)) if words else _text(one) == _text(other)


def contains(whole: Value, part: Value) -> bool:
    """Whether every word of the part is one of the whole, or in one, in any form."""
    said, known = stems(_text(part)), stems(_text(whole))
    return bool(said) and all(any(word in each for each in known) for word in said)


def _text(value: Value) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _key(unit: str) -> str:
    return unit.strip(" .").replace("²", "2").casefold()
