"""The cadastre behind the web service of a canton, as the tools need it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from contracts.items import OerebExtract, Parcel, Provenance
from contracts.oereb import ExtractContent
from servicekit.cache import Cached, TtlCache
from servicekit.errors import SourceError, SourceErrorKind
from servicekit.wording import language

from tools_oereb.formats.extracts import IncompleteExtract, ReadExtract
from tools_oereb.gateways import NoExtract, Unread
from tools_oereb.links import ExtractLinks
from tools_oereb.live import queries
from tools_oereb.live.queries import CoordinateParameter
from tools_oereb.live.service import Client, OerebService
from tools_oereb.real_estate import RealEstate, extract_of, parcel_of, ranked

_T = TypeVar("_T")
_Asked = Cached[_T] | SourceError
"""An answer, perhaps an old one, or why there is none."""
_LINK_S = 1.0
"""An extract that has been read does not wait any longer for the canton's own view of it."""


@dataclass(frozen=True)
class Origin:
    """Whose data it is, and under which terms they may be used."""

    source: str
    license: str


class LiveCadastre:
    """Answers are kept in `cache`, by the language of who asked.

    `parcels_at` raises `SourceError`; what fails of an extract is told.
    """

    is_sample = False

    def __init__(
        self,
        service: OerebService,
        links: ExtractLinks,
        origin: Origin,
        cache: TtlCache,
        *,
        coordinate_parameter: CoordinateParameter = "EN",
    ) -> None:
        self._service = service
        self._links = links
        self._origin = origin
        self._cache = cache
        self._coordinate_parameter: CoordinateParameter = coordinate_parameter

    async def parcels_at(self, east: float, north: float) -> tuple[Parcel, ...]:
        point = (east, north)
        query = queries.at_point(east, north, self._coordinate_parameter)
        found = await self._cache.fetch(
            ("find", language(), *query.items()), partial(self._service.find, query)
        )
        for estate in found.value:
            # An extract of it is probably the next question; it will not need to ask for the outline.
            await self._cache.fetch(("outline", language(), estate.egrid), partial(_already, estate))
        return tuple(
            parcel_of(hit, point, self._provenance(found, exact=hit.exact))
            for hit in ranked(found.value, point, reach_m=float("inf"))
        )

    async def extract(self, egrid: str) -> OerebExtract | Unread | NoExtract:
        asking = asyncio.create_task(self._ask(("client", egrid), partial(self._service.client, egrid)))
        try:
            read = await self._ask(("extract", language(), egrid), partial(self._service.extract, egrid))
            is_read = isinstance(read, Cached) and read.value is not None
            await asyncio.wait({asking}, timeout=_LINK_S if is_read else None)
            late = SourceError(SourceErrorKind.TIMEOUT, self._service.name)
            client = asking.result() if asking.done() else late
        finally:
            asking.cancel()
        if isinstance(read, SourceError):
            return await self._unread(egrid, client, read)
        if read.value is not None:
            estate = await self._with_outline(read.value)
            return self._item(egrid, estate, read.value.content, client, read)
        if isinstance(client, Cached) and client.value is None:
            return NoExtract.UNKNOWN
        shown = client.value if isinstance(client, Cached) else None
        # A redirect to anywhere else, such as a page to sign in, does not say that the parcel exists.
        is_known = shown is not None and egrid in (shown.url or "")
        return NoExtract.NOT_RELEASED if is_known else NoExtract.NONE

    async def _with_outline(self, read: ReadExtract) -> RealEstate:
        if read.geometry is not None:
            return read
        outline = await self._ask(("outline", language(), read.egrid), partial(self._outline, read))
        return read if isinstance(outline, SourceError) else replace(read, geometry=outline.value.geometry)

    async def _unread(
        self, egrid: str, client: _Asked[Client | None], reason: SourceError
    ) -> Unread | NoExtract:
        """What there is without the extract, be it nothing but where it would be."""
        if isinstance(client, Cached) and client.value is None:
            return NoExtract.UNKNOWN
        outline = await self._ask(("outline", language(), egrid), self._unknown)
        known = [asked for asked in (client, outline) if isinstance(asked, Cached)]
        estate = outline.value if isinstance(outline, Cached) else None
        if isinstance(reason, IncompleteExtract) and reason.estate.egrid == egrid:
            estate = reason.estate
        return Unread(self._item(egrid, estate, None, client, *known), reason)

    async def _outline(self, read: ReadExtract) -> RealEstate:
        """For an extract without one. The service finds parcels by number, not by EGRID."""
        if read.ident_dn and read.number:
            for estate in await self._service.find(queries.of_number(read.ident_dn, read.number)):
                if estate.egrid == read.egrid:
                    return estate
        return await self._unknown()

    async def _unknown(self) -> RealEstate:
        raise SourceError(SourceErrorKind.UNREADABLE, self._service.name)

    async def _ask(self, key: tuple[str, ...], load: Callable[[], Awaitable[_T]]) -> _Asked[_T]:
        try:
            return await self._cache.fetch(key, load)
        except SourceError as error:
            return error

    def _item(
        self,
        egrid: str,
        estate: RealEstate | None,
        content: ExtractContent | None,
        client: _Asked[Client | None],
        *sources: Cached[Any],
    ) -> OerebExtract:
        shown = client.value if isinstance(client, Cached) else None
        return extract_of(
            egrid,
            estate,
            content,
            pdf_url=self._links.pdf(egrid),
            map_url=(shown.url if shown else None) or self._links.map(egrid),
            provenance=self._provenance(*sources, exact=True) if sources else None,
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
