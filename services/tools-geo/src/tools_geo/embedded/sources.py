"""Where the embedded data come from, and under which terms."""

from collections.abc import Callable
from datetime import UTC, datetime

from contracts.items import Provenance

from tools_geo.embedded.datafiles import About
from tools_geo.texts import text

Clock = Callable[[], datetime]
_SAMPLES = ("heights", "hills", "geothermal", "plans", "features")


def utc_now() -> datetime:
    return datetime.now(UTC)


class Origin:
    """The provenance of what is found in the data that are `about` something."""

    def __init__(self, about: About, now: Clock = utc_now) -> None:
        self._sources = about.sources.model_dump()
        self._now = now

    def __call__(self, kind: str, *, exact: bool, accuracy: str = "exact") -> Provenance:
        """`kind`: addresses, places, layers, parcels or a sample. `accuracy`: of the position, not of the
        match."""
        key = f"source_{kind}" if accuracy == "exact" else f"source_{kind}_{accuracy}"
        return Provenance(
            source=text(key, source=self._sources.get(kind, "")),
            license=text("license_open"),
            retrieved_at=self._now(),
            match="exact" if exact else "fuzzy",
            sample=kind in _SAMPLES or accuracy == "invented",
        )
