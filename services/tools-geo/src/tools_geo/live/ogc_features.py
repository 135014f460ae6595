"""OGC API Features: collections of features, by box and in pages.

A collection names the coordinate systems it can be asked in; all can in degrees. Some systems are named once
for all collections, which then have `#/crs`. `numberMatched` and the link to the next page are optional; the
link says all there is to ask, and is followed on the same server only.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import quote, urljoin, urlsplit

from contracts.items import Extent
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError
from servicekit.answers import Answer
from servicekit.cache import Cached, TtlCache
from servicekit.outbound import Outbound, SourceError, SourceErrorKind
from swissgeo.lv95 import to_wgs84
from swissgeo.outlines import bounds_of

from tools_geo.live.pages import Listed, listed
from tools_geo.texts import Called

log = logging.getLogger("ask.features")

_LV95 = "http://www.opengis.net/def/crs/EPSG/0/2056"
_SHARED = "#/crs"
_TYPES = ("application/geo+json", "application/json")
_MARGIN_DEGREES = 0.0001
"""A box in metres is none in degrees: some metres more hold it. What is too much is sorted out later."""


class Collection(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    title: Annotated[str, BeforeValidator(lambda value: value if isinstance(value, str) else "")] = ""
    crs: Annotated[tuple[str, ...], BeforeValidator(lambda value: _texts(value))] = ()

    @property
    def knows_lv95(self) -> bool:
        return _LV95 in self.crs


@dataclass(frozen=True)
class _Request:
    url: str
    params: tuple[tuple[str, str], ...] = ()


class OgcFeatures:
    """`url` is that of the landing page, `name` what errors call it. All errors are `SourceError`."""

    def __init__(
        self, outbound: Outbound, url: str, cache: TtlCache, pages: TtlCache, *, name: Called
    ) -> None:
        self._outbound = outbound
        self._url = url.rstrip("/")
        self._cache = cache
        self._pages = pages
        self._name = name

    async def collections(self) -> Mapping[str, Collection]:
        """By id, in the order of the server."""

        async def load() -> dict[str, Collection]:
            answer = await self._ask(_Request(f"{self._url}/collections"))
            document = answer.json()
            listed = document.get("collections") if isinstance(document, dict) else None
            if not isinstance(listed, list):
                raise SourceError(SourceErrorKind.UNREADABLE, self._name())
            found = _collections(listed, document.get("crs"))
            return {each.id: each for each in found}

        return (await self._cache.fetch("collections", load)).value

    async def within(self, collection: Collection, box: Extent | None) -> Cached[Listed]:
        """The features that touch a box (LV95), or all; coordinates are in LV95 where the server knows it."""

        async def load() -> Listed:
            return await listed(self._ask, self._first(collection, box), self._next, source=self._name())

        return await self._pages.fetch((collection.id, box), load)

    def _first(self, collection: Collection, box: Extent | None) -> Callable[[int], _Request]:
        url = f"{self._url}/collections/{quote(collection.id, safe='')}/items"
        params = {"crs": _LV95} if collection.knows_lv95 else {}
        if box is not None:
            sides = box if collection.knows_lv95 else _in_degrees(box)
            params["bbox"] = ",".join(f"{side:.10g}" for side in sides)
        if box is not None and collection.knows_lv95:
            params["bbox-crs"] = _LV95
        return lambda limit: _Request(url, (*params.items(), ("limit", str(limit))))

    def _next(self, document: dict[str, Any], asked: _Request, _: int) -> _Request | None:
        links = document.get("links")
        links = [each for each in links if isinstance(each, dict)] if isinstance(links, list) else []
        following = [each for each in links if each.get("rel") == "next" and _is_json(each.get("type"))]
        href = following[0].get("href") if following else None
        if not isinstance(href, str):
            return None
        return _Request(self._here(urljoin(asked.url, href)))

    def _here(self, url: str) -> str:
        """On our server: one behind a proxy may have another scheme or port in its links than we use."""
        own = urlsplit(self._url)
        try:
            linked = urlsplit(url)
        except ValueError:
            raise SourceError(SourceErrorKind.UNREADABLE, self._name()) from None
        if linked.hostname != own.hostname:
            log.warning("next page elsewhere", extra={"source": self._name(), "url": url[:200]})
            raise SourceError(SourceErrorKind.FORBIDDEN, self._name())
        return linked._replace(scheme=own.scheme, netloc=own.netloc, fragment="").geturl()

    async def _ask(self, request: _Request) -> Answer:
        return await self._outbound.get(
            request.url, params=dict(request.params), source=self._name(), accept=_TYPES
        )


def _collections(listed: Sequence[Any], shared: Any) -> list[Collection]:
    found = []
    for each in listed:
        try:
            collection = Collection.model_validate(each)
        except ValidationError as error:
            log.warning("collection not readable", extra={"reason": str(error)})
            continue
        if _SHARED in collection.crs and isinstance(shared, list):
            collection = collection.model_copy(update={"crs": (*collection.crs, *map(str, shared))})
        found.append(collection)
    return found


def _texts(value: Any) -> tuple[str, ...]:
    """A system that is not named by its address is none that we know."""
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()


def _is_json(kind: Any) -> bool:
    return kind is None or "json" in str(kind)


def _in_degrees(box: Extent) -> tuple[float, ...]:
    west, south, east, north = box
    low, bottom, high, top = bounds_of(to_wgs84((x, y)) for x in (west, east) for y in (south, north))
    margin = _MARGIN_DEGREES
    return low - margin, bottom - margin, high + margin, top + margin
