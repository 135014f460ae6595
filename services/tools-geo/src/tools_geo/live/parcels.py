"""Parcels from the canton's data service; from swisstopo outside of the canton."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from contracts.items import Municipality, Parcel, Provenance
from servicekit.cache import Cached
from swissgeo.outlines import distance_m

from tools_geo.gateways import Found, PlaceGateway, Remark
from tools_geo.live.closeness import of_name, ranked
from tools_geo.live.data_service import DataService, Feature, all_of, any_of, equals, equals_in_any_case
from tools_geo.live.fallback import canton_first
from tools_geo.live.federal import BOUNDARIES, Federal, municipality_among
from tools_geo.live.outlines import CADASTRE, Outline, as_parcel, of_cadastre, of_canton, of_search_server
from tools_geo.live.provenance import provenance
from tools_geo.name_query import name_query, search_words, written_words
from tools_geo.parcel_query import plain_number, share
from tools_geo.spelling import place_key
from tools_geo.texts import Called, text

_REAL_ESTATE = "Liegenschaft"
_NEXT_TO = 0.6
"""Confidence in a parcel beside the point."""
_SHORT_FORM = 0.9
_MAX_NAMES = 5
_MIN_REACH_M = 0.01
_BEI = re.compile(r"\bb\b\.?")


class LiveParcels:
    """`places` knows the proper names of municipalities; `source` is the canton's cadastre for users."""

    def __init__(
        self,
        data: DataService,
        places: PlaceGateway,
        federal: Federal | None,
        *,
        tolerance_m: float,
        source: Called,
    ) -> None:
        self._data = data
        self._places = places
        self._federal = federal
        self._tolerance_m = tolerance_m
        self._source = source

    async def by_number(self, number: str, municipality: str) -> Found[Parcel]:
        return await canton_first(
            lambda: self._numbered(plain_number(number), municipality),
            lambda: self._numbered_beyond(number, municipality),
        )

    async def by_egrid(self, egrid: str) -> Found[Parcel]:
        return await canton_first(lambda: self._identified(egrid), lambda: self._identified_beyond(egrid))

    async def by_xy(self, east: float, north: float) -> Found[Parcel]:
        return await canton_first(lambda: self._at(east, north), lambda: self._at_beyond(east, north))

    # -- the canton --------------------------------------------------------------------------------

    async def _numbered(self, number: str, municipality: str) -> Found[Parcel]:
        """By the name as it is written, be it of a land register; else by the municipalities it can mean."""
        answer = await self._data.where(_of_number(number, equals_in_any_case, _spellings(municipality)))
        key = place_key(" ".join(written_words(municipality)))
        if outlines := of_canton(answer.value):
            return self._found(_by_register(outlines, key), answer)
        meant = [
            (item.name, item.confidence or 0.0)
            for item in (await self._places.municipalities(municipality)).items[:_MAX_NAMES]
            if isinstance(item, Municipality)
        ]
        if not meant:
            return Found((), Remark.MUNICIPALITY_UNKNOWN, {"municipality": municipality})
        names = [name for name, _ in meant]
        answer = await self._data.where(_of_number(number, equals, names))
        outlines = _by_register(of_canton(answer.value), place_key(names[0]))
        return self._found(outlines, answer, certainty=max(confidence for _, confidence in meant))

    async def _identified(self, egrid: str) -> Found[Parcel]:
        answer = await self._data.where(equals("egrid", egrid))
        return self._found(of_canton(answer.value), answer)

    async def _at(self, east: float, north: float) -> Found[Parcel]:
        """Parcels next to the point count only when none contains it."""
        reach = self._tolerance_m
        answer = await self._data.around(round(east, 2), round(north, 2), max(reach, _MIN_REACH_M))
        near = [
            (distance_m(outline.polygons, (east, north)), outline)
            for outline in of_canton(answer.value)
            if outline.polygons
        ]
        nearest = min((distance for distance, _ in near), default=0.0)
        hits = [outline for distance, outline in near if distance <= (reach if nearest > 0 else 0)]
        hits.sort(key=lambda outline: outline.kind != _REAL_ESTATE)
        return self._found(hits, answer, certainty=1.0 if nearest == 0 else _NEXT_TO)

    def _found(
        self, outlines: Sequence[Outline], answer: Cached[list[Feature]], *, certainty: float = 1.0
    ) -> Found[Parcel]:
        origin = provenance(self._source(), answer, exact=certainty >= _SHORT_FORM)
        return _parcels(outlines, origin, certainty)

    # -- the rest of Switzerland -------------------------------------------------------------------

    async def _numbered_beyond(self, number: str, municipality: str) -> Found[Parcel]:
        if self._federal is None:
            return Found()
        wanted, numbers = name_query(municipality), {plain_number(number), number.strip().upper()}
        answer = await self._federal.locations(
            (*search_words(municipality), plain_number(number)), ("parcel",)
        )
        outlines = [o for o in of_search_server(answer.value) if o.number.upper() in numbers]
        close = ranked(outlines, lambda outline: of_name(outline.municipality, wanted))
        certainty = close[0][1] if close else 1.0
        origin = provenance(text("source_federal_search"), answer, exact=certainty >= _SHORT_FORM)
        return _parcels([outline for outline, _ in close], origin, certainty)

    async def _identified_beyond(self, egrid: str) -> Found[Parcel]:
        if self._federal is None:
            return Found()
        answer = await self._federal.locations((egrid,), ("parcel",))
        outlines = [outline for outline in of_search_server(answer.value) if outline.egrid == egrid]
        return _parcels(outlines, provenance(text("source_federal_search"), answer, exact=True))

    async def _at_beyond(self, east: float, north: float) -> Found[Parcel]:
        if self._federal is None:
            return Found()
        answer = await self._federal.at((east, north), (CADASTRE,), geometry=True)
        if not answer.value:
            return Found()
        # Apart, as the outline of a municipality is long.
        around = municipality_among((await self._federal.at((east, north), (BOUNDARIES,))).value)
        outlines = of_cadastre(answer.value, around[0] if around else "")
        return _parcels(outlines, provenance(text("source_federal_identify"), answer, exact=True))


def _of_number(number: str, compare: Callable[[str, str], list[Any]], names: Iterable[str]) -> list[Any]:
    places = [compare(column, name) for name in names for column in ("gemeinde", "grundbuch")]
    return all_of(equals("nummer", number), any_of(*places))


def _spellings(municipality: str) -> Iterator[str]:
    """`Gemeinde Balm b. Messen` -> also `Balm b Messen`, `Balm bei Messen`."""
    whole, written = " ".join(municipality.split()), " ".join(written_words(municipality))
    yield from dict.fromkeys(name for name in (whole, written, _BEI.sub("bei", written)) if name)


def _by_register(outlines: Iterable[Outline], key: str) -> list[Outline]:
    """Those whose land register has the name that was asked for come first."""
    return sorted(outlines, key=lambda o: (place_key(o.land_register or "") != key, o.kind != _REAL_ESTATE))


def _parcels(outlines: Sequence[Outline], origin: Provenance, certainty: float = 1.0) -> Found[Parcel]:
    return Found(
        tuple(
            as_parcel(outline, origin, certainty * share(place, len(outlines)))
            for place, outline in enumerate(outlines)
        )
    )
