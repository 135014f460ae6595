"""Numbers of parcels as they are written, and how sure a hit is when there are several."""

import re

_LABEL = re.compile(r"\A(?:(?:gb|nr|no|parz|gs)[.:-]*+)++(?=[0-9])", re.IGNORECASE)
_PLAIN = re.compile(r"([0-9]++)([A-Za-z]?)")


def plain_number(number: str) -> str:
    """`GB-Nr. 0168` -> `168`; what some cantons put before or behind it stays: `D7001`, `1234.01`."""
    *_, before, last = ("", "", *number.split())
    if before and len(last) == 1 and last.isalpha():
        last = before + last
    label = _LABEL.match(last)
    bare = last[label.end() :] if label else last
    match = _PLAIN.fullmatch(bare)
    return f"{match[1].lstrip('0') or '0'}{match[2].upper()}" if match else bare.upper()


def share(place: int, count: int) -> float:
    """How likely the hit at this place is meant: sure when it is the only one, else falling."""
    return 1.0 if count == 1 else max(0.5, 0.9 - 0.15 * place)
