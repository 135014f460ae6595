"""The full-text search of a canton (QWC, search v2), with either of its back ends.

Every word must occur in a hit, be it inside of another word. When nothing is found, both answer 200 with an
empty list. The newer back end (PostgreSQL) has text ids and names the coordinate system; the older one (Solr)
has numbers and does not. A result without a position has a null `bbox`.
"""

import re
from collections.abc import Sequence
from typing import Annotated, Any

from contracts.items import Coord, Extent
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from servicekit.cache import Cached, TtlCache
from servicekit.outbound import Outbound, SourceError, SourceErrorKind

from tools_geo.coordinates import is_lv95

_SEPARATORS = re.compile(r"[\s,.:;\"]+")
_LV95 = (None, "EPSG:2056")

Id = Annotated[str, BeforeValidator(str)]


class Feature(BaseModel):
    """A hit with a position: an address, a municipality, a field name, ..."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    dataproduct_id: str
    """The facet that it is from."""
    feature_id: Id
    display: str
    bbox: Extent | None = None
    srid: str | None = None

    @property
    def extent(self) -> Extent | None:
        """None for a point."""
        box = self._box
        return box if box and box[:2] != box[2:] else None

    @property
    def coord(self) -> Coord | None:
        """The middle of the box."""
        box = self._box
        return box and ((box[0] + box[2]) / 2, (box[1] + box[3]) / 2)

    @property
    def _box(self) -> Extent | None:
        """None when the position is unknown, or in another coordinate system."""
        if self.bbox is None or self.srid not in _LV95:
            return None
        return self.bbox if is_lv95(self.bbox[:2]) and is_lv95(self.bbox[2:]) else None


def search_text(words: Sequence[str]) -> str:
    """One space between words, and no colon: `Adresse: x` would search for x in another facet."""
    return " ".join(filter(None, _SEPARATORS.split(" ".join(words))))


class CantonSearch:
    """`name` is what errors call it («Die Adresssuche von geo.so.ch»). All errors are `SourceError`."""

    def __init__(self, outbound: Outbound, url: str, cache: TtlCache, *, name: str) -> None:
        self._outbound = outbound
        self._url = url
        self._cache = cache
        self._name = name

    async def features(
        self, words: Sequence[str], facets: Sequence[str], limit: int
    ) -> Cached[list[Feature]]:
        """Hits in some facets, best first. What has no id or no text is left out."""
        found = await self.results(words, facets, limit)
        return Cached(_features(found.value), found.retrieved_at, found.stale)

    async def results(
        self, words: Sequence[str], facets: Sequence[str], limit: int
    ) -> Cached[list[dict[str, Any]]]:
        """Everything found, as it came: `{"feature": …}` and `{"dataproduct": …}`."""
        query = search_text(words)
        filters = ",".join(facets)

        async def load() -> list[dict[str, Any]]:
            answer = await self._outbound.get(
                self._url,
                params={"searchtext": query, "filter": filters, "limit": limit},
                source=self._name,
                accept=("application/json",),
            )
            return self._checked(answer.json())

        return await self._cache.fetch((query.casefold(), filters, limit), load)

    def _checked(self, document: Any) -> list[dict[str, Any]]:
        """Its own errors come with status 200 and have no `results`."""
        results = document.get("results") if isinstance(document, dict) else None
        if not isinstance(results, list):
            raise SourceError(SourceErrorKind.UNREADABLE, self._name)
        return [result for result in results if isinstance(result, dict)]


def _features(results: list[dict[str, Any]]) -> list[Feature]:
    found = []
    for result in results:
        try:
            found.append(Feature.model_validate(result.get("feature")))
        except ValidationError:
            continue
    return found
