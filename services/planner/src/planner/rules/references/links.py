"""Addresses of web pages in a message: a coordinate in them is meant, the rest says nothing."""

import re
from urllib.parse import unquote

from planner.rules.references.coordinates import find_coordinates

_LINK = re.compile(r"(?:https?://|www\.)\S+", re.IGNORECASE)
_BETWEEN_PARAMETERS = re.compile(r"[&?#]")


def without_links(cleaned: str) -> str:
    """`https://map.geo.admin.ch/?E=2600513&N=1215519` becomes `2600513, 1215519`."""
    return _LINK.sub(_coordinate_in, cleaned)


def _coordinate_in(link: re.Match[str]) -> str:
    found = find_coordinates(_BETWEEN_PARAMETERS.sub(" ", unquote(link.group())))
    return f" {found[0].coordinate.x:.10g}, {found[0].coordinate.y:.10g} " if found else " "
