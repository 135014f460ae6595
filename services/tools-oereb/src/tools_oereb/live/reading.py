"""What is taken from an answer, whichever its format, and what is left out of it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tools_oereb.geometry import Polygon, polygons_of
from tools_oereb.real_estate import RealEstate, code_of, geojson_of, kind_of

_EGRID = re.compile(r"CH[0-9]{12}")
_EASTS, _NORTHS = (2_480_000, 2_840_000), (1_070_000, 1_300_000)
_LANGUAGE = "de"

LocalisedText = tuple[str | None, str | None]
"""(language, text)"""


@dataclass(frozen=True)
class ExtractFacts:
    """The first page of an extract."""

    egrid: str
    number: str | None = None
    ident_dn: str | None = None
    """The land register, for a question by number."""
    municipality: str | None = None
    area_m2: float | None = None
    concerned_themes: tuple[str, ...] = ()
    """Each once, in the order of the extract."""


def real_estate(
    *,
    egrid: str | None,
    number: str | None,
    code: str | None,
    kinds: Iterable[LocalisedText],
    polygons: Sequence[Polygon],
) -> RealEstate | None:
    """A parcel or right; None without a valid EGRID, as nothing can be done with it."""
    compact = compact_egrid(egrid)
    if compact is None:
        return None
    known_code = code_of(code or "")
    return RealEstate(
        egrid=compact,
        number=number or "",
        code=known_code,
        kind=kind_of(known_code, in_german(kinds)),
        geometry=_outline(polygons),
    )


def compact_egrid(written: str | None) -> str | None:
    """`CH955832730623` for `CH 9558 3273 0623`; None for what is no EGRID."""
    compact = re.sub(r"\s", "", written or "").upper()
    return compact if _EGRID.fullmatch(compact) else None


def in_german(texts: Iterable[LocalisedText]) -> str | None:
    """The German text, else the first one; None when there is none at all."""
    said = [(language, text.strip()) for language, text in texts if text and text.strip()]
    return next((text for language, text in said if language == _LANGUAGE), said[0][1] if said else None)


def each_once(themes: Iterable[str | None]) -> tuple[str, ...]:
    """Sub-themes may come under the title of their theme."""
    return tuple(dict.fromkeys(theme for theme in themes if theme))


def _outline(polygons: Sequence[Polygon]) -> dict[str, Any] | None:
    """A GeoJSON geometry in LV95, rings closed; None for what is degenerate or somewhere else."""
    try:
        closed = polygons_of(geojson_of(polygons))
    except ValueError:
        return None
    points = (point for polygon in closed for ring in polygon for point in ring)
    inside = all(
        _EASTS[0] <= east <= _EASTS[1] and _NORTHS[0] <= north <= _NORTHS[1] for east, north in points
    )
    return geojson_of(closed) if inside else None
