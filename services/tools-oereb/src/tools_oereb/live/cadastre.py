"""The cadastre behind the web service of a canton, as the tools need it."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from contracts.items import OerebExtract, Parcel, Provenance
from servicekit.cache import Cached, TtlCache
from servicekit.errors import SourceError, SourceErrorKind

from tools_oereb.gateways import NoExtract
from tools_oereb.geometry import extent_of, inner_point
from tools_oereb.links import ExtractLinks
from tools_oereb.live import queries
from tools_oereb.live.queries import CoordinateParameter
from tools_oereb.live.reading import ExtractFacts
from tools_oereb.live.service import Client, OerebService
from tools_oereb.real_estate import RealEstate, parcel_of, ranked
from tools_oereb.texts import text

log = logging.getLogger(__name__)

_T = TypeVar("_T")


@dataclass(frozen=True)
class Origin:
    """Whose data it is, and under which terms they may be used."""

    source: str
    license: str


class LiveCadastre:
    """Answers are kept in `cache`. Methods raise `SourceError`.

    `read_timeout_s`: seconds for reading an extract, and as many for the outline of its parcel; None: nothing
    is read, and then nobody notices that a municipality is not released yet.
    """

    is_sample = False

    def __init__(
        self,
        service: OerebService,
        links: ExtractLinks,
        origin: Origin,
        cache: TtlCache,
        *,
        read_timeout_s: float | None,
        coordinate_parameter: CoordinateParameter = "EN",
    ) -> None:
        self._service = service
        self._links = links
        self._origin = origin
        self._cache = cache
        self._read_timeout_s = read_timeout_s
        self._coordinate_parameter: CoordinateParameter = coordinate_parameter

    async def parcels_at(self, east: float, north: float) -> tuple[Parcel, ...]:
        point = (east, north)
        query = queries.at_point(east, north, self._coordinate_parameter)
        found = await self._cache.fetch(("find", *query.items()), partial(self._service.find, query))
        for estate in found.value:
            # An extract of it is probably the next question; it will not need to ask for the outline.
            await self._cache.fetch(("outline", estate.egrid), partial(_already, estate))
        return tuple(
            parcel_of(hit, point, self._provenance(found, exact=hit.exact))
            for hit in ranked(found.value, point, reach_m=float("inf"))
        )

    async def extract(self, egrid: str) -> OerebExtract | NoExtract:
        client = await self._client(egrid)
        if client is not None and client.value is None:
            return NoExtract.UNKNOWN
        facts = await self._facts(egrid, needed=client is None)
        if facts is not None and facts.value is None:
            return NoExtract.NOT_RELEASED if client else NoExtract.UNKNOWN
        read = facts.value if facts else None
        outline = await self._optional(("outline", egrid), partial(self._outline, egrid, read))
        sources = [source for source in (client, facts) if source is not None]
        map_url = client.value.url if client and client.value else None
        return self._item(egrid, map_url, read, outline.value if outline else None, sources)

    async def _client(self, egrid: str) -> Cached[Client | None] | None:
        """Whether the parcel exists; None where the service does not know this question."""
        reads = self._read_timeout_s is not None
        try:
            return await self._cache.fetch(
                ("client", egrid), partial(self._service.client, egrid, retry=not reads)
            )
        except SourceError as error:
            # Some services offer no redirect, in various ways; the extract itself then tells.
            if reads and error.kind in (SourceErrorKind.FAILED, SourceErrorKind.UNREADABLE):
                return None
            raise

    async def _facts(self, egrid: str, *, needed: bool) -> Cached[ExtractFacts | None] | None:
        """The first page of the extract. Raises only if it is `needed`."""
        key, load = ("facts", egrid), partial(self._service.facts, egrid)
        if needed:
            return await self._cache.fetch(key, load)
        return await self._optional(key, load) if self._read_timeout_s is not None else None

    async def _outline(self, egrid: str, facts: ExtractFacts | None) -> RealEstate:
        """The service finds outlines by number, not by EGRID."""
        if facts and facts.ident_dn and facts.number:
            for estate in await self._service.find(queries.of_number(facts.ident_dn, facts.number)):
                if estate.egrid == egrid:
                    return estate
        raise SourceError(SourceErrorKind.UNREADABLE, self._service.name)

    async def _optional(self, key: tuple[str, ...], load: Callable[[], Awaitable[_T]]) -> Cached[_T] | None:
        """What can be had in time, perhaps an old answer; an extract is useful without it."""
        try:
            try:
                async with asyncio.timeout(self._read_timeout_s):
                    return await self._cache.fetch(key, load)
            except TimeoutError:
                return await self._cache.fetch(key, self._too_late)
        except SourceError as error:
            log.info("extract without %s", key[0], extra={"reason": str(error)})
            return None

    async def _too_late(self) -> Any:
        raise SourceError(SourceErrorKind.TIMEOUT, self._service.name)

    def _item(
        self,
        egrid: str,
        map_url: str | None,
        facts: ExtractFacts | None,
        outline: RealEstate | None,
        sources: list[Cached[Any]],
    ) -> OerebExtract:
        polygons = outline.polygons if outline else []
        return OerebExtract(
            id=egrid,
            label=text("label_extract", egrid=egrid),
            coord=inner_point(polygons) if polygons else None,
            extent=extent_of(polygons) if polygons else None,
            geometry=outline.geometry if outline else None,
            egrid=egrid,
            pdf_url=self._links.pdf(egrid),
            map_url=map_url or self._links.map(egrid),
            number=facts.number if facts else None,
            municipality=facts.municipality if facts else None,
            area_m2=facts.area_m2 if facts else None,
            concerned_themes=facts.concerned_themes if facts else None,
            confidence=1.0,
            provenance=self._provenance(*sources, exact=True),
        )

    def _provenance(self, *sources: Cached[Any], exact: bool) -> Provenance:
        return Provenance(
            source=self._origin.source,
            license=self._origin.license,
            retrieved_at=min(source.retrieved_at for source in sources),
            match="exact" if exact else "fuzzy",
            stale=any(source.stale for source in sources),
        )


async def _already(estate: RealEstate) -> RealEstate:
    return estate
