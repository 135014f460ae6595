"""Where the embedded data come from, and under which terms."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Literal

from contracts.items import Provenance

from tools_geo.texts import text

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


def provenance(kind: str, *, exact: bool, approximate: bool = False, now: Clock) -> Provenance:
    """`kind`: addresses, places, layers or parcels. `approximate`: the position is, not the match."""
    match: Literal["exact", "fuzzy"] = "exact" if exact else "fuzzy"
    source = text(f"source_{kind}_approximate" if approximate else f"source_{kind}")
    return Provenance(source=source, license=text("license_open"), retrieved_at=now(), match=match)
