"""The questions after parcels (GetEGRID) as parameters, upper case as in the directive."""

from collections.abc import Mapping
from typing import Literal

Query = Mapping[str, str]
CoordinateParameter = Literal["EN", "XY"]
_DECIMALS = 4


def at_point(east: float, north: float, parameter: CoordinateParameter = "EN") -> Query:
    """What is at a point in LV95, metres. `GNSS` is never used: services disagree on which angle is first."""
    return {parameter: f"{_metres(east)},{_metres(north)}"}


def of_number(ident_dn: str, number: str) -> Query:
    """By number within a land register, e.g. `SO0200002457`, `198`."""
    return {"IDENTDN": ident_dn, "NUMBER": number}


def _metres(value: float) -> str:
    """E.g. `2600513` or `2600513.25`; more than a tenth of a millimetre says nothing."""
    return f"{value:.{_DECIMALS}f}".rstrip("0").rstrip(".")
