"""Whether the numbers in a text are those of its material. Pure."""

import re
from typing import Final

_GROUPS = re.compile(r"(?<=\d)['’\u00a0\u2009\u202f](?=\d{3}(?!\d))")
_SPACED = re.compile(r"(?<=\d) (?=\d{3}(?!\d))")
_COMMA = re.compile(r"(?<=\d),(?=\d)")
_DAY = re.compile(r"\b(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})\b")
_DATE = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})(?!\d)")
_NUMBER = re.compile(r"(?<![^\W_])\d{1,40}(?:\.\d{1,20})?|(?<=[^\W\d_])\d{3,40}")
"""Not those of names and units: LV95, m2."""
_MARKER = re.compile(r"^[ \t]*+\d{1,2}[.)] ", re.MULTILINE)
"""Of a numbered list."""
_HAIR: Final = 1e-9


def foreign_numbers(text: str, material: str) -> frozenset[str]:
    """The numbers and dates of a text that are not in the material, as they are or rounded.

    They may be written in any way; but in digits, what is said in words is not found.
    """
    known = _numbers(material) | _numbers(_SPACED.sub("", material))
    known |= {_plain(part) for date in _DATE.findall(_with_dates(material)) for part in date}
    values = tuple(float(number) for number in known if "-" not in number)
    said = _MARKER.sub("", text)
    # A blank inside of a number, or between two of them: either may be meant.
    readings = (_numbers(said), _numbers(_SPACED.sub("", said)))
    foreign = (frozenset(n for n in found - known if not _is_rounded(n, values)) for found in readings)
    return min(foreign, key=len)


def _with_dates(text: str) -> str:
    """Dates as `2026-11-20`."""
    return _DAY.sub(lambda day: f"{day[3]}-{day[2]:0>2}-{day[1]:0>2}", text)


def _numbers(text: str) -> frozenset[str]:
    dated = _with_dates(text)
    dates = ("-".join(date) for date in _DATE.findall(dated))
    joined = _COMMA.sub(".", _GROUPS.sub("", _DATE.sub(" ", dated)))
    return frozenset(dates) | frozenset(map(_plain, _NUMBER.findall(joined)))


def _plain(number: str) -> str:
    """Without zeros that say nothing: `007` is `7`, `12.50` is `12.5`."""
    whole, _, fraction = number.partition(".")
    fraction = fraction.rstrip("0")
    return (whole.lstrip("0") or "0") + (f".{fraction}" if fraction else "")


def _is_rounded(number: str, values: tuple[float, ...]) -> bool:
    if "-" in number:
        return False
    half = 0.5 * 10.0 ** -len(number.partition(".")[2]) + _HAIR
    return any(abs(value - float(number)) <= half for value in values)
