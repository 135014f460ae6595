"""Where live answers come from, under which terms, and how fresh they are."""

from typing import Any
from urllib.parse import urlsplit

from contracts.items import Provenance
from servicekit.cache import Cached

from tools_geo.texts import text


def host_of(url: str) -> str:
    """`https://geo.so.ch/api/search/v2/` -> `geo.so.ch`."""
    return urlsplit(url).netloc


def provenance(source: str, answer: Cached[Any], *, exact: bool) -> Provenance:
    """`source` is its name for users, `answer` what it said."""
    return Provenance(
        source=source,
        license=text("license_open"),
        retrieved_at=answer.retrieved_at,
        match="exact" if exact else "fuzzy",
        stale=answer.stale,
    )
