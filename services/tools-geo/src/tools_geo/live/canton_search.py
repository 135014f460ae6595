"""The full-text search of a canton (QWC, search v2), with either of its back ends.

Every word must occur in a hit, be it inside of another word. When nothing is found, both answer 200 with an
empty list. The newer back end (PostgreSQL) has text ids and names the coordinate system; the older one (Solr)
has numbers and does not. A result without a position has a null `bbox`.

The newer one sends 50 features a facet at most, whatever `limit` says, which is for all facets together. A
`count` tells whether there are more: it is -1 where the newer one has stopped counting, null where the older
one does not count, and else the number of hits, of which fewer may have been sent.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from contracts.items import Coord, Extent
from german.unicode import normalized
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from servicekit.cache import Cached, TtlCache
from servicekit.outbound import Outbound, SourceError, SourceErrorKind
from swissgeo.lv95 import is_lv95

from tools_geo.texts import Called

_MOST = 50
"""Of a facet."""
_WORD = re.compile(r"[^\W_]+")
_LV95 = (None, "EPSG:2056")

Id = Annotated[str, BeforeValidator(str)]
T = TypeVar("T")


@dataclass(frozen=True)
class Hits(Generic[T]):
    """What was sent, best first."""

    rows: list[T]
    is_all: bool
    """False when there are more, or when nobody says that there are not."""


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
    """Letters and digits, with a space in the place of anything else.

    The signs of query languages (`l'Ancienne`, `A|B`, `50%`) are errors of the functions that search, or mean
    something to them, and `Adresse: x` would search for x in another facet.
    """
    return " ".join(_WORD.findall(normalized("NFC", " ".join(words))))


class CantonSearch:
    """`name` is what errors call it («Die Adresssuche von geo.so.ch»). All errors are `SourceError`."""

    def __init__(self, outbound: Outbound, url: str, cache: TtlCache, *, name: Called) -> None:
        self._outbound = outbound
        self._url = url
        self._cache = cache
        self._name = name

    async def features(self, words: Sequence[str], facets: Sequence[str]) -> Cached[Hits[Feature]]:
        """Hits in some facets. What has no id or no text is left out."""
        found = await self.results(words, facets)
        hits = Hits(_features(found.value.rows), found.value.is_all)
        return Cached(hits, found.retrieved_at, found.stale)

    async def results(self, words: Sequence[str], facets: Sequence[str]) -> Cached[Hits[dict[str, Any]]]:
        """Everything found, as it came: `{"feature": …}` and `{"dataproduct": …}`."""
        query = search_text(words)
        filters = ",".join(facets)

        async def load() -> Hits[dict[str, Any]]:
            answer = await self._outbound.get(
                self._url,
                params={"searchtext": query, "filter": filters, "limit": _MOST * len(facets)},
                source=self._name(),
                accept=("application/json",),
            )
            return self._checked(answer.json())

        return await self._cache.fetch((query.casefold(), filters), load)

    def _checked(self, document: Any) -> Hits[dict[str, Any]]:
        """Its own errors come with status 200 and have no `results`."""
        results = document.get("results") if isinstance(document, dict) else None
        if not isinstance(results, list):
            raise SourceError(SourceErrorKind.UNREADABLE, self._name())
        rows = [result for result in results if isinstance(result, dict)]
        return Hits(rows, _is_all(rows, document.get("result_counts")))


def _is_all(rows: Sequence[dict[str, Any]], counts: Any) -> bool:
    sent = Counter(map(_facet, rows))
    counted = [each for each in counts if isinstance(each, dict)] if isinstance(counts, list) else []
    return max(sent.values(), default=0) < _MOST and all(
        isinstance(count := each.get("count"), int) and 0 <= count <= sent[str(each.get("dataproduct_id"))]
        for each in counted
    )


def _facet(result: dict[str, Any]) -> str:
    """Layers are counted by where they lie in a map: in the foreground or in the background."""
    feature, product = result.get("feature"), result.get("dataproduct")
    if isinstance(feature, dict):
        return str(feature.get("dataproduct_id"))
    return str(product.get("stacktype")) if isinstance(product, dict) else ""


def _features(results: list[dict[str, Any]]) -> list[Feature]:
    found = []
    for result in results:
        try:
            found.append(Feature.model_validate(result.get("feature")))
        except ValidationError:
            continue
    return found
