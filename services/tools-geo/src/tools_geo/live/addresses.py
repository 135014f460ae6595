"""Addresses from the canton's search; from swisstopo's where the canton knows none, and at a point."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from contracts.items import Address, Coord, Provenance
from german.words import words
from servicekit.cache import Cached

from tools_geo import labels
from tools_geo.address_query import AddressQuery, digits_of, number_key, read_address, search_words
from tools_geo.coordinates import coordinate_of
from tools_geo.gateways import Found, Remark
from tools_geo.live.canton_search import CantonSearch, Feature
from tools_geo.live.closeness import Street, names_only_area, of_street, ranked
from tools_geo.live.fallback import canton_first
from tools_geo.live.federal import MOST_LOCATIONS, Federal, Identified, Location
from tools_geo.live.provenance import provenance
from tools_geo.texts import Called, text

_OTHER_NUMBER_CONFIDENCE = 0.5
_REACH_M = 25
_REGISTER = "ch.bfs.gebaeude_wohnungs_register"
_LINE = re.compile(r"(?P<street>.*?)(?: (?P<number>\d+\s?\w?(?:[./]\w+)?))?")
_PLACE = re.compile(r"(?P<code>\d{4})\s+(?P<locality>.+)")
_BUILDING = re.compile(r"([1-9]\d{0,8})_\d{1,3}", re.ASCII)
"""An address of the federal register: number of the building (EGID), and of its entrance."""
_ENDING = re.compile(r"\([^()]*+\)$")


@dataclass(frozen=True)
class _Hit:
    """An address as a source has it."""

    id: str
    street: str
    number: str | None
    postal_code: str
    locality: str
    coord: Coord
    area: frozenset[str] = frozenset()
    municipality: str | None = None
    egid: str | None = None

    @property
    def place(self) -> Street:
        return Street(self.street, self.postal_code, self.area | {*words(self.locality)})

    @property
    def number_key(self) -> str:
        return number_key(self.number or "")

    @property
    def order(self) -> tuple[str, str, int, str]:
        return self.street, self.locality, digits_of(self.number_key), self.number_key


class LiveAddresses:
    """`facet` is the canton's facet of addresses, `source` its name for users."""

    def __init__(
        self, canton: CantonSearch, facet: str, federal: Federal | None, *, limit: int, source: Called
    ) -> None:
        self._canton = canton
        self._facet = facet
        self._federal = federal
        self._limit = limit
        self._source = source

    async def addresses(self, query: str) -> Found[Address]:
        point = coordinate_of(query)
        if point is not None:
            return await self.near(point, _REACH_M)
        wanted = read_address(query)
        written = search_words(query)
        if not written:
            values = {"place": " ".join(query.split())}
            return Found((), Remark.STREET_MISSING if wanted.postal_code else None, values)
        return await canton_first(
            lambda: self._in_canton(query, wanted, written),
            lambda: self._beyond(query, wanted, written),
            is_enough=lambda own: bool(own.items) and own.remark is not Remark.NUMBER_NOT_SHOWN,
        )

    async def _in_canton(self, query: str, wanted: AddressQuery, written: tuple[str, ...]) -> Found[Address]:
        """A number is found inside of longer ones and of codes too: with `4` comes all of 4500 Solothurn."""
        where = _written_area(wanted, written)
        is_known = True
        if wanted.house_number:
            found = await self._asked(query, wanted, (*where, wanted.house_number))
            if found.items and found.remark is None:
                return found
            is_known = found.is_all
        found = await self._asked(query, wanted, where)
        return found if is_known else _in_doubt(found)

    async def _asked(self, query: str, wanted: AddressQuery, asked: tuple[str, ...]) -> Found[Address]:
        answer = await self._canton.features(asked, (self._facet,))
        found = self._found(query, wanted, _of_canton(answer.value.rows), answer, self._source())
        is_answered = answer.value.is_all or found.remark is Remark.STREET_MISSING
        return replace(found, is_all=found.is_all and is_answered)

    async def _beyond(self, query: str, wanted: AddressQuery, written: tuple[str, ...]) -> Found[Address]:
        if self._federal is None:
            return Found()
        number = (wanted.house_number,) if wanted.house_number else ()
        answer = await self._federal.locations((*_written_area(wanted, written), *number), ("address",))
        found = self._found(
            query, wanted, _of_search_server(answer.value), answer, text("source_federal_search")
        )
        return found if len(answer.value) < MOST_LOCATIONS else _in_doubt(found)

    async def near(self, point: Coord, within_m: float) -> Found[Address]:
        if self._federal is None:
            return Found()
        answer = await self._federal.at(point, (_REGISTER,), reach_m=round(within_m))
        hits = _of_register(answer.value)
        hits.sort(key=lambda hit: (_distance_squared(hit.coord, point), hit.order))
        source = text("source_federal_identify")
        return Found(tuple(_item(hit, 0.8, provenance(source, answer, exact=False)) for hit in hits[:1]))

    def _found(
        self,
        query: str,
        wanted: AddressQuery,
        hits: Sequence[_Hit],
        answer: Cached[Any],
        source: str,
    ) -> Found[Address]:
        """An exact house number beats all that only contain it; the next best are its neighbours."""
        if any(names_only_area(hit.place, wanted) for hit in hits):
            return Found((), Remark.STREET_MISSING, {"place": " ".join(query.split())})
        close = ranked(hits, lambda hit: of_street(hit.place, wanted))
        key = wanted.house_number
        same = [each for each in close if key is None or each[0].number_key == key]
        if key is not None and close and not same:
            number = digits_of(key)
            near = sorted(
                (hit for hit, _ in close),
                key=lambda hit: (abs(digits_of(hit.number_key) - number), hit.order),
            )
            other = provenance(source, answer, exact=False)
            items = tuple(_item(hit, _OTHER_NUMBER_CONFIDENCE, other) for hit in near)
            values = {"number": key, "street": near[0].street}
            return Found(items, Remark.NUMBER_UNKNOWN, values).first(self._limit)
        same = sorted(same, key=lambda each: (-each[1], each[0].order))
        return Found(
            tuple(
                _item(hit, confidence, provenance(source, answer, exact=confidence == 1.0))
                for hit, confidence in same
            )
        ).first(self._limit)


def _in_doubt(found: Found[Address]) -> Found[Address]:
    """As not all was sent, what is not among the hits may still exist."""
    remark = Remark.NUMBER_NOT_SHOWN if found.remark is Remark.NUMBER_UNKNOWN else found.remark
    return replace(found, remark=remark, is_all=False)


def _written_area(wanted: AddressQuery, written: tuple[str, ...]) -> tuple[str, ...]:
    """What must occur in a hit. A code beside several words is not asked for: it may be wrong."""
    return (*written, wanted.postal_code) if wanted.postal_code and len(written) == 1 else written


def _of_canton(features: Sequence[Feature]) -> list[_Hit]:
    """`Rötistrasse 4, 4500 Solothurn (Adresse)`; what has no position is of no use."""
    hits = []
    for feature in features:
        line, _, place = _ENDING.sub("", feature.display.strip()).strip().rpartition(",")
        hit = _read(feature.feature_id, line, place, feature.coord)
        hits += [hit] if hit else []
    return hits


def _of_search_server(locations: Sequence[Location]) -> list[_Hit]:
    """`Seftigenstrasse 264 <b>3084 Wabern</b>`; `detail` has the municipality and the canton as well."""
    hits = []
    for location in locations:
        identity = location.feature_id or location.id
        # `seftigenstrasse 264 3084 wabern 355 koeniz ch be`: what comes after the code says where it lies.
        area = frozenset(words(location.detail.partition(location.name[:4])[2]))
        egid = _BUILDING.fullmatch(location.feature_id)
        hit = _read(
            identity, location.before, location.name, location.coord, area, egid=egid[1] if egid else None
        )
        hits += [hit] if hit else []
    return hits


def _of_register(found: Sequence[Identified]) -> list[_Hit]:
    """Buildings of the federal register. The code is in `dplz4`, else before the slash of `plz_plz6`."""
    hits = []
    for building in found:
        known = building.properties
        code = known.get("dplz4") or str(known.get("plz_plz6") or "").partition("/")[0]
        place = f"{code} {known.get('dplzname') or known.get('ggdename') or ''}"
        try:
            coord = (float(known["gkode"]), float(known["gkodn"]))
        except (KeyError, TypeError, ValueError):
            continue
        municipality = known.get("ggdename")
        hit = _read(
            building.feature_id,
            str(known.get("strname_deinr") or ""),
            place,
            coord,
            municipality=str(municipality) if municipality else None,
            egid=str(known.get("egid") or "") or None,
        )
        hits += [hit] if hit else []
    return hits


def _read(
    identity: str,
    line: str,
    place: str,
    coord: Coord | None,
    area: frozenset[str] = frozenset(),
    municipality: str | None = None,
    egid: str | None = None,
) -> _Hit | None:
    line_, place_ = _LINE.fullmatch(" ".join(line.split())), _PLACE.fullmatch(" ".join(place.split()))
    if line_ is None or place_ is None or coord is None or not line_["street"]:
        return None
    return _Hit(
        identity,
        line_["street"],
        line_["number"],
        place_["code"],
        place_["locality"],
        coord,
        area,
        municipality,
        egid,
    )


def _item(hit: _Hit, confidence: float, origin: Provenance) -> Address:
    return Address(
        id=hit.id,
        label=labels.address(hit.street, hit.number, hit.postal_code, hit.locality),
        coord=hit.coord,
        street=hit.street,
        house_number=hit.number,
        postal_code=hit.postal_code,
        locality=hit.locality,
        municipality=hit.municipality,
        egid=hit.egid,
        confidence=round(confidence, 2),
        provenance=origin,
    )


def _distance_squared(a: Coord, b: Coord) -> float:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2
