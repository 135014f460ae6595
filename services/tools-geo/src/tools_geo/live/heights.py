"""Heights from the service of swisstopo, which covers all of Switzerland."""

import math
from typing import Any

from contracts.items import Coord, Height
from servicekit.cache import TtlCache
from servicekit.outbound import Answer, Outbound, SourceError, SourceErrorKind

from tools_geo.gateways import Found, Remark
from tools_geo.live.provenance import provenance
from tools_geo.terrain import height_at
from tools_geo.texts import text

_LOWEST_M, _HIGHEST_M = -500.0, 5_000.0


class LiveHeights:
    """All errors are `SourceError`."""

    def __init__(self, outbound: Outbound, url: str, cache: TtlCache) -> None:
        self._outbound = outbound
        self._url = url
        self._cache = cache

    async def height(self, east: float, north: float) -> Found[Height]:
        point = (round(east, 1), round(north, 1))
        answer = await self._cache.fetch(point, lambda: self._ask(point))
        if answer.value is None:
            return Found((), Remark.HEIGHT_OUTSIDE)
        source = text("source_federal_heights")
        return Found((height_at(point, answer.value, provenance(source, answer, exact=True)),))

    async def _ask(self, point: Coord) -> float | None:
        """Metres; None outside of Switzerland."""
        answer = await self._outbound.get(
            self._url,
            params={"easting": point[0], "northing": point[1], "sr": 2056},
            source=text("service_heights"),
            accept=("application/json",),
            statuses=(400,),
        )
        if answer.status == 400:
            # The envelope of errors has changed over time, the words have not.
            if "out of bounds" in answer.text().casefold():
                return None
            raise SourceError(SourceErrorKind.FAILED, text("service_heights"), answer.status)
        return _height(answer)


def _height(answer: Answer) -> float:
    """It comes as text: `{"height": "553.6"}`."""
    document: Any = answer.json()
    try:
        height_m = float(document["height"])
    except (TypeError, KeyError, ValueError):
        height_m = math.nan
    if not _LOWEST_M < height_m < _HIGHEST_M:
        raise SourceError(SourceErrorKind.UNREADABLE, answer.source)
    return height_m
