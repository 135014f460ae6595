"""The data service of a canton (QWC, data v1): features of a dataset by attributes or by place.

An integer is an error for a text column, so all values are sent as text. `=` minds the case; `ILIKE` does
not, and is otherwise the same once its wildcards are escaped. `limit` without `offset` is an error.
"""

import json
from collections.abc import Collection
from typing import Any

from contracts.items import Extent
from pydantic import BaseModel, ConfigDict
from servicekit.answers import Answer
from servicekit.cache import Cached, TtlCache
from servicekit.outbound import Outbound, SourceError, SourceErrorKind

from tools_geo.live.pages import Listed, features_in, listed
from tools_geo.texts import Called

_LIMIT = 50
_NOT_FOUND = 404

Filter = list[Any]
"""`[name, operator, value]`, or several of these with `"and"` or `"or"` between them."""


class Feature(BaseModel):
    """A GeoJSON feature in LV95."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    properties: dict[str, Any]
    geometry: dict[str, Any] | None = None


def equals(name: str, value: str) -> Filter:
    return [name, "=", value]


def equals_in_any_case(name: str, value: str) -> Filter:
    """`messen` is `Messen`; in the value nothing is a wildcard."""
    for special in "\\%_":
        value = value.replace(special, f"\\{special}")
    return [name, "ILIKE", value]


def all_of(*filters: Filter) -> Filter:
    return _joined("and", filters)


def any_of(*filters: Filter) -> Filter:
    return _joined("or", filters)


def _joined(operator: str, filters: tuple[Filter, ...]) -> Filter:
    return [part for number, each in enumerate(filters) for part in ([operator, each] if number else [each])]


class NoDataset(SourceError):
    """The service says that it has no such dataset, or none for everybody."""


class DataService:
    """One dataset. `name` is what errors call it. All errors are `SourceError`."""

    def __init__(self, outbound: Outbound, url: str, dataset: str, cache: TtlCache, *, name: Called) -> None:
        self._outbound = outbound
        # Without the slash the service redirects.
        self._url = f"{url.rstrip('/')}/{dataset}/"
        self._cache = cache
        self._name = name

    async def where(self, condition: Filter) -> Cached[list[Feature]]:
        """Features with these attributes, 50 at most."""
        whole = condition if isinstance(condition[0], list) else [condition]
        return await self._find({"filter": json.dumps(whole, ensure_ascii=False, separators=(",", ":"))})

    async def around(self, east: float, north: float, reach_m: float) -> Cached[list[Feature]]:
        """Features that touch a square around a point, 50 at most."""
        box = (east - reach_m, north - reach_m, east + reach_m, north + reach_m)
        return await self._find({"bbox": ",".join(f"{side:.3f}" for side in box)})

    async def within(self, box: Extent | None) -> Cached[Listed]:
        """The features that touch a box, or all, as they were sent. Raises `NoDataset`."""
        asked = {"bbox": ",".join(f"{side:.3f}" for side in box)} if box else {}

        async def load() -> Listed:
            return await listed(
                lambda page: self._known({**asked, **page}),
                lambda limit: {"limit": limit, "offset": 0},
                _next,
                source=self._name(),
            )

        return await self._cache.fetch((self._url, box), load)

    async def _known(self, question: dict[str, str | int]) -> Answer:
        answer = await self._page(question, statuses=(_NOT_FOUND,))
        if answer.status != _NOT_FOUND:
            return answer
        # A page for people is not from the service itself.
        is_own = answer.content_type == "application/json"
        raise (NoDataset if is_own else SourceError)(SourceErrorKind.FAILED, self._name(), _NOT_FOUND)

    async def _page(self, question: dict[str, str | int], statuses: Collection[int] = ()) -> Answer:
        return await self._outbound.get(
            self._url,
            params={**question, "crs": "EPSG:2056"},
            source=self._name(),
            accept=("application/json",),
            statuses=statuses,
        )

    async def _find(self, question: dict[str, str]) -> Cached[list[Feature]]:
        async def load() -> list[Feature]:
            answer = await self._page({**question, "limit": _LIMIT, "offset": 0})
            return features_in(answer.json(), self._name(), Feature)

        return await self._cache.fetch(tuple(question.items()), load)


def _next(document: dict[str, Any], asked: dict[str, int], received: int) -> dict[str, int] | None:
    """Older versions do not say how many there are: they have sent all when nothing more comes."""
    matched = document.get("numberMatched")
    return None if isinstance(matched, int) and received >= matched else {**asked, "offset": received}
