"""Municipalities, districts and field names of the canton; localities and all the rest from swisstopo."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from contracts.items import Coord, Municipality, Place
from german.fold import fold
from german.words import words
from servicekit.cache import Cached

from tools_geo.coordinates import coordinate_of
from tools_geo.gateways import Found, Remark
from tools_geo.live.canton_search import CantonSearch
from tools_geo.live.closeness import of_name, ranked
from tools_geo.live.fallback import canton_first
from tools_geo.live.federal import BOUNDARIES, MOST_LOCATIONS, Federal, municipality_among
from tools_geo.live.named import Facets, Named, as_municipality, as_place, of_canton, of_federation
from tools_geo.live.provenance import provenance
from tools_geo.name_query import NameQuery, name_query, search_words
from tools_geo.spelling import place_key
from tools_geo.texts import Called, text

_WITHOUT_CODE = 0.85
"""When a postal code is asked for, and nothing says whether a spot of that name has it."""
_SAME_PLACE_M = 5_000
_BY_IMPORTANCE = ("canton", "municipality", "locality", "district", "named", "field_name")
_EVERYWHERE = ("gg25", "zipcode", "gazetteer")
_EXACT = 0.9
"""Short forms in daily use are no mistakes."""
_DISTRICT, _CANTON = "bezirk", ("kanton", "canton")

P = TypeVar("P", bound=Municipality | Place)


class LivePlaces:
    """`source` names the canton's search for users, `canton_name` is meant by `Kanton` alone."""

    def __init__(
        self,
        canton: CantonSearch,
        facets: Facets,
        federal: Federal | None,
        *,
        limit: int,
        canton_name: str,
        source: Called,
    ) -> None:
        self._canton = canton
        self._facets = facets
        self._federal = federal
        self._limit = limit
        self._canton_name = canton_name
        self._source = source

    async def municipalities(self, query: str) -> Found[Municipality | Place]:
        point = coordinate_of(query)
        if point is not None:
            return await self._municipality_at(point)
        if not name_query(query).parts:
            return await self._behind_code(query)
        found = await self._search(query, (self._facets.municipalities,), _EVERYWHERE)
        own = [hit for hit in found.items if hit.kind == "municipality"]
        # Who asks for a municipality does not mean the hill of the same name.
        best = own if own and own[0].closeness >= found.items[0].closeness else found.items
        shown = replace(found, items=tuple(best)).first(self._limit)
        return _described([as_municipality(hit) for hit in shown.items], shown)

    async def places(self, query: str) -> Found[Place]:
        spoken = words(query)
        if spoken[:1] and spoken[0] in _CANTON:
            found = await self._search(_canton_asked_for(query) or self._canton_name, (), ("kantone",))
        elif _DISTRICT in spoken:
            name = " ".join(word for word in search_words(query) if word.casefold() != _DISTRICT)
            found = await self._search(name, (self._facets.districts,), ("district",))
        else:
            facets = (self._facets.municipalities, self._facets.field_names)
            found = await self._search(query, facets, _EVERYWHERE)
        shown = found.first(self._limit)
        return _described([as_place(hit) for hit in shown.items], shown)

    async def _search(self, query: str, facets: Sequence[str], origins: Sequence[str]) -> Found[Named]:
        """The very name alone when there is one; else all that resembles it, best first."""
        wanted, written = name_query(query), search_words(query)
        found = await canton_first(
            lambda: self._in_canton(wanted, written, facets),
            lambda: self._beyond(wanted, written, origins),
            # Whoever says Wangen here means Wangen bei Olten, and not the one in another canton.
            is_enough=lambda own: any(hit.closeness >= _EXACT for hit in own.items),
            merge=lambda own, others: Found(
                (*own.items, *others.items), own.remark, is_all=own.is_all and others.is_all
            ),
        )
        best = [hit for hit, _ in ranked(found.items, lambda hit: hit.closeness)]
        return replace(found, items=tuple(_without_namesakes(best)))

    async def _in_canton(
        self, wanted: NameQuery, written: Sequence[str], facets: Sequence[str]
    ) -> Found[Named]:
        facets = [facet for facet in facets if facet]
        if not facets or not written:
            return Found()
        answer = await self._canton.features(written, facets)
        hits = [hit for feature in answer.value.rows if (hit := of_canton(feature, self._facets))]
        return replace(_close(hits, wanted, self._source(), answer), is_all=answer.value.is_all)

    async def _beyond(
        self, wanted: NameQuery, written: Sequence[str], origins: Sequence[str]
    ) -> Found[Named]:
        asked = written or ((wanted.postal_code,) if wanted.postal_code else ())
        if self._federal is None or not asked:
            return Found()
        answer = await self._federal.locations(asked, origins if written else ("zipcode",))
        hits = [hit for location in answer.value if (hit := of_federation(location))]
        found = _close(hits, wanted, text("source_federal_search"), answer)
        return replace(found, is_all=len(answer.value) < MOST_LOCATIONS)

    async def _behind_code(self, query: str) -> Found[Municipality | Place]:
        """The municipalities in which the localities with a postal code lie."""
        around = {
            item.id: item
            for hit in (await self._search(query, (), ("zipcode",))).items[: self._limit]
            for item in (await self._municipality_at(hit.coord)).items
        }
        return Found(tuple(around.values()))

    async def _municipality_at(self, point: Coord | None) -> Found[Municipality | Place]:
        if self._federal is None or point is None:
            return Found()
        answer = await self._federal.at(point, (BOUNDARIES,))
        known = municipality_among(answer.value)
        if known is None:
            return Found()
        name, number = known
        origin = provenance(text("source_federal_identify"), answer, exact=True)
        hit = Named(str(number), name, "municipality", point, None, number, closeness=1.0, origin=origin)
        return Found((as_municipality(hit),))


def _canton_asked_for(query: str) -> str:
    """`Kanton Bern` -> Bern; nothing of `Kanton` alone, which is the one that this system is for."""
    return " ".join(word for word in query.split() if fold(word) not in _CANTON)


def _close(hits: Sequence[Named], wanted: NameQuery, source: str, answer: Cached[Any]) -> Found[Named]:
    """Those that can be meant, and how sure that is."""
    return Found(
        tuple(
            replace(hit, closeness=close, origin=provenance(source, answer, exact=close >= _EXACT))
            for hit, close in ranked(hits, lambda hit: _closeness(hit, wanted))
        )
    )


def _closeness(hit: Named, wanted: NameQuery) -> float | None:
    if wanted.postal_code and hit.postal_code and hit.postal_code != wanted.postal_code:
        return None
    if not wanted.parts:
        return 1.0 if hit.postal_code else None
    close = of_name(hit.name, wanted, hit.area)
    is_doubtful = wanted.postal_code and hit.kind in ("field_name", "named")
    return close and close * (_WITHOUT_CODE if is_doubtful else 1.0)


def _without_namesakes(hits: Sequence[Named]) -> list[Named]:
    """A municipality, its main village and the field there have one name: the most important one stays."""
    kept: list[Named] = []
    for hit in sorted(hits, key=lambda hit: (-hit.closeness, _BY_IMPORTANCE.index(hit.kind))):
        if not any(_is_same_place(hit, other) for other in kept):
            kept.append(hit)
    return kept


def _is_same_place(a: Named, b: Named) -> bool:
    if place_key(a.name) != place_key(b.name):
        return False
    return a.coord is None or b.coord is None or math.dist(a.coord, b.coord) < _SAME_PLACE_M


def _described(items: Sequence[P], found: Found[Named]) -> Found[P]:
    for item in items:
        if item.coord is None and item.extent is None:
            return Found(tuple(items), Remark.POSITION_UNKNOWN, {"name": item.label}, found.is_all)
    return Found(tuple(items), found.remark, is_all=found.is_all)
