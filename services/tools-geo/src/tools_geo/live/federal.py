"""The services of swisstopo: SearchServer finds names in all of Switzerland, identify what lies at a point.

In LV95 `x` is the north and `y` the east; boxes are east before north. Labels are HTML. Without `sr` the
coordinates are in the old system (LV03). With `origins` a word such as "Parzelle" is searched like any other.
"""

import html
import re
from collections.abc import Sequence
from typing import Annotated, Any

from contracts.items import Coord, Extent
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from servicekit.cache import Cached, TtlCache
from servicekit.outbound import Outbound, SourceError, SourceErrorKind
from swissgeo.lv95 import is_lv95

from tools_geo.live.markup import read_html
from tools_geo.texts import Called

BOUNDARIES = "ch.swisstopo.swissboundaries3d-gemeinde-flaeche.fill"
"""The layer of the municipalities."""

MOST_LOCATIONS, MOST_LAYERS = 50, 30
"""Of one answer, whatever is asked for."""

_MAX_WORDS = 10
_BOLD = re.compile(r"<b>(.{0,300}?)</b>", re.IGNORECASE | re.DOTALL)
_ITALIC = re.compile(r"<i>(.{0,300}?)</i>", re.IGNORECASE | re.DOTALL)
_BOX = re.compile(r"BOX\(([-0-9.]+) ([-0-9.]+),([-0-9.]+) ([-0-9.]+)\)")

Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else str(value))]


class Location(BaseModel):
    """A hit of SearchServer."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: Text
    origin: str
    markup: str = Field(alias="label")
    detail: Text = ""
    """Folded words, in an order that depends on the origin."""
    feature_id: Text = Field("", alias="featureId")
    box: Text = Field("", alias="geom_st_box2d")
    x: float | None = None
    y: float | None = None

    @property
    def name(self) -> str:
        """The emphasised part of the label, or all of it."""
        match = _BOLD.search(self.markup)
        return plain(match[1] if match else self.markup)

    @property
    def kind(self) -> str:
        """What it is, where the label says so: `Ort`, `Flurname`, ..."""
        match = _ITALIC.search(self.markup)
        return plain(match[1]) if match else ""

    @property
    def before(self) -> str:
        """The label before its emphasised part: of an address the street."""
        return plain(self.markup.partition("<b>")[0])

    @property
    def after(self) -> str:
        """The rest of the label: of a parcel its number and EGRID, of a place its canton and municipality."""
        return plain(self.markup.partition("</b>")[2])

    @property
    def coord(self) -> Coord | None:
        """To the millimetre where the box is a point; `x` and `y` are rounded."""
        corners = self._corners
        if corners and corners[:2] == corners[2:]:
            return corners[:2]
        if self.x is None or self.y is None:
            return None
        point = (self.y, self.x)
        return point if is_lv95(point) else None

    @property
    def extent(self) -> Extent | None:
        """None for a point."""
        corners = self._corners
        return corners if corners and corners[:2] != corners[2:] else None

    @property
    def _corners(self) -> Extent | None:
        match = _BOX.fullmatch(self.box)
        if match is None:
            return None
        west, south, east, north = (round(float(side), 3) for side in match.groups())
        inside = is_lv95((west, south)) and is_lv95((east, north))
        return (west, south, east, north) if inside else None


class FederalLayer(BaseModel):
    """A map layer of the Confederation, as SearchServer knows it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str = Field(alias="layer")
    title: Annotated[str, BeforeValidator(lambda value: plain(str(value)))] = Field(alias="label")


class Identified(BaseModel):
    """Something at a point."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    layer: str = Field(alias="layerBodId")
    feature_id: Text = Field("", alias="featureId")
    properties: dict[str, Any]
    geometry: dict[str, Any] | None = None


def municipality_among(found: Sequence[Identified]) -> tuple[str, int] | None:
    """Name and BFS number of the municipality; the layer has former ones as well."""
    for each in found:
        name, number = each.properties.get("gemname"), each.properties.get("gde_nr", each.feature_id)
        current = each.properties.get("is_current_jahr", True)
        if each.layer == BOUNDARIES and current and name and str(number).isdecimal():
            return str(name), int(number)
    return None


def plain(markup: str) -> str:
    """A label without tags and entities, nor tags that were written as entities, on one line."""
    return " ".join(read_html(html.unescape(markup))[0].split())


class Federal:
    """`name` is what errors call it. All errors are `SourceError`."""

    def __init__(self, outbound: Outbound, url: str, cache: TtlCache, *, name: Called) -> None:
        self._outbound = outbound
        self._url = url.rstrip("/")
        self._cache = cache
        self._name = name

    async def locations(self, words: Sequence[str], origins: Sequence[str]) -> Cached[list[Location]]:
        """Names of some origins (`address`, `parcel`, `gg25`, ...), best first; 50 at most."""
        query = " ".join(words[:_MAX_WORDS])
        asked = ",".join(origins)

        async def load() -> list[Location]:
            results = await self._results(
                f"{self._url}/rest/services/api/SearchServer",
                {
                    "searchText": query,
                    "type": "locations",
                    "origins": asked,
                    "sr": 2056,
                    "lang": "de",
                    "limit": MOST_LOCATIONS,
                },
            )
            return _valid(Location, ({**(r.get("attrs") or {}), "id": r.get("id")} for r in results))

        return await self._cache.fetch(("locations", asked, query.casefold()), load)

    async def layers(self, words: Sequence[str]) -> Cached[list[FederalLayer]]:
        """Map layers, best first; 30 at most."""
        query = " ".join(words[:_MAX_WORDS])

        async def load() -> list[FederalLayer]:
            results = await self._results(
                f"{self._url}/rest/services/api/SearchServer",
                {"searchText": query, "type": "layers", "lang": "de", "limit": MOST_LAYERS},
            )
            return _valid(FederalLayer, (r.get("attrs") for r in results))

        return await self._cache.fetch(("layers", query.casefold()), load)

    async def at(
        self, point: Coord, layers: Sequence[str], *, reach_m: int = 0, geometry: bool = False
    ) -> Cached[list[Identified]]:
        """What some layers have at a point, or within `reach_m` metres of it."""
        east, north = (round(value, 2) for value in point)
        asked = ",".join(layers)

        async def load() -> list[Identified]:
            results = await self._results(
                f"{self._url}/rest/services/api/MapServer/identify",
                {
                    "geometry": f"{east},{north}",
                    "geometryType": "esriGeometryPoint",
                    "layers": f"all:{asked}",
                    # An image of one metre a pixel: the tolerance, in pixels, is in metres too.
                    "mapExtent": f"{east - 50},{north - 50},{east + 50},{north + 50}",
                    "imageDisplay": "100,100,96",
                    "tolerance": reach_m,
                    "sr": 2056,
                    "geometryFormat": "geojson",
                    "returnGeometry": str(geometry).lower(),
                    "lang": "de",
                },
            )
            # Without geometries the attributes have another name, whatever format is asked for.
            return _valid(
                Identified, ({**r, "properties": r.get("properties") or r.get("attributes")} for r in results)
            )

        return await self._cache.fetch(("at", asked, east, north, reach_m, geometry), load)

    async def _results(self, url: str, params: dict[str, str | int]) -> list[dict[str, Any]]:
        answer = await self._outbound.get(
            url, params=params, source=self._name(), accept=("application/json", "application/geo+json")
        )
        document = answer.json()
        results = document.get("results") if isinstance(document, dict) else None
        if not isinstance(results, list):
            raise SourceError(SourceErrorKind.UNREADABLE, self._name())
        return [result for result in results if isinstance(result, dict)]


def _valid(model: Any, documents: Any) -> list[Any]:
    """Those that can be read; a single odd one must not spoil the others."""
    found = []
    for document in documents:
        try:
            found.append(model.model_validate(document))
        except ValidationError:
            continue
    return found
