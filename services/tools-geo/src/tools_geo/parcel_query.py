"""Numbers of parcels as they are written, and how sure a hit is when there are several."""

import re

_NUMBER = re.compile(r"(?<![0-9])([0-9]++)\s*+([A-Za-z]?)\s*+$")


def plain_number(number: str) -> str:
    """`GB-Nr. 0168` -> `168`."""
    match = _NUMBER.search(number)
    return f"{match[1].lstrip('0') or '0'}{match[2].upper()}" if match else number.strip()


def share(place: int, count: int) -> float:
    """How likely the hit at this place is meant: sure when it is the only one, else falling."""
    return 1.0 if count == 1 else max(0.5, 0.9 - 0.15 * place)
