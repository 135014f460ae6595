"""Map layers from a canton's search, by everyday words; from the Confederation where the canton has none."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from contracts.items import Layer, LayerGroup, LayerSource
from servicekit.cache import Cached
from servicekit.outbound import SourceError

from tools_geo.gateways import Found
from tools_geo.layers.catalogue import LayerEntry, Service
from tools_geo.layers.items import LayerItems, not_found
from tools_geo.layers.query import layer_terms, spoken
from tools_geo.layers.search import Hit, LayerSearch
from tools_geo.layers.services import LayerServices
from tools_geo.layers.thesaurus import Thesaurus
from tools_geo.live.canton_search import CantonSearch
from tools_geo.live.dataproducts import entries_of
from tools_geo.live.fallback import canton_first
from tools_geo.live.federal import MOST_LAYERS, Federal, FederalLayer
from tools_geo.live.provenance import provenance
from tools_geo.live.weblayers import WebLayer, WebLayers
from tools_geo.texts import Called, text

_FACETS = ("foreground", "background")
_MAX_SEARCHES = 4
"""At the same time: first what the user has written, then what it may mean."""
_MAX_DESCRIBED = 16
"""Of so many hits more is asked: of twice as many as are offered, as some cannot be loaded."""
_UNEXPLAINED = 0.3
"""Confidence in what the canton finds for reasons of its own."""
_FEDERAL, _LESS_EACH, _LEAST = 0.6, 0.03, 0.3
_FEDERAL_TILES = ("ch.swisstopo.pixelkarte-farbe", "ch.swisstopo.pixelkarte-grau", "ch.swisstopo.swissimage")


@dataclass(frozen=True)
class _Answer:
    """What all searches together have found, and when."""

    entries: tuple[LayerEntry, ...]
    literal: frozenset[str]
    """The ids that were found with the words of the user."""
    is_all: bool
    """Whether the canton has sent everything that it has found."""
    retrieved_at: datetime
    stale: bool


class LiveLayers:
    """`catalogue` are layers about which something is known beforehand, `search` looks among these, `source`
    names the canton to users.

    All errors are `SourceError`.
    """

    def __init__(
        self,
        canton: CantonSearch,
        weblayers: WebLayers | None,
        federal: Federal | None,
        catalogue: Sequence[LayerEntry],
        thesaurus: Thesaurus,
        search: LayerSearch,
        services: LayerServices,
        *,
        limit: int,
        source: Called,
    ) -> None:
        self._canton = canton
        self._weblayers = weblayers
        self._federal = federal
        self._known = {entry.id: entry for entry in catalogue}
        self._search = search
        self._thesaurus = thesaurus
        self._services = services
        self._limit = limit
        self._source = source

    async def layers(self, query: str) -> Found[Layer | LayerGroup]:
        wanted = self._search.texts(query, _MAX_SEARCHES)
        if not wanted:
            return Found()
        return await canton_first(
            lambda: self._in_canton(query, wanted), lambda: self._beyond(query, wanted[0])
        )

    async def _in_canton(self, query: str, wanted: Sequence[str]) -> Found[Layer | LayerGroup]:
        answer = await self._ask(wanted)
        search = LayerSearch(answer.entries, self._thesaurus, self._search.vocabulary)
        hits = _ranked(answer, search.search(query))
        described = await self._describe([hit.entry.id for hit in hits[:_MAX_DESCRIBED]])
        asked = Cached(None, answer.retrieved_at, answer.stale)
        items = LayerItems(
            services=self._services,
            provenance=lambda _, exact: provenance(self._source(), asked, exact=exact),
            members=lambda group: _members(group, answer.entries, described),
            source=lambda entry: self._served(entry, described),
        )
        hits = [replace(hit, entry=_described(hit.entry, described)) for hit in hits]
        return replace(items.found(hits, limit=self._limit), is_all=answer.is_all)

    async def _ask(self, wanted: Sequence[str]) -> _Answer:
        """All searches at once. One that fails is missed only when none succeeds."""
        searches = (self._canton.results(asked.split(), _FACETS) for asked in wanted)
        tried = await asyncio.gather(*searches, return_exceptions=True)
        answers = [answer for answer in tried if isinstance(answer, Cached)]
        for problem in tried:
            if isinstance(problem, BaseException) and not (answers and isinstance(problem, SourceError)):
                raise problem
        found = [list(entries_of(answer.value.rows, self._known)) for answer in answers]
        # What an earlier search says about a layer counts.
        entries = {entry.id: entry for listed in reversed(found) for entry in listed}
        first = found[0] if isinstance(tried[0], Cached) else []
        return _Answer(
            entries=tuple(sorted(entries.values(), key=lambda entry: entry.position)),
            literal=frozenset(entry.id for entry in first),
            is_all=len(answers) == len(tried) and all(answer.value.is_all for answer in answers),
            retrieved_at=min(answer.retrieved_at for answer in answers),
            stale=any(answer.stale for answer in answers),
        )

    async def _describe(self, ids: Sequence[str]) -> Mapping[str, WebLayer]:
        """What the canton tells about layers and the members of groups; they can be shown without it."""
        if self._weblayers is None or not ids:
            return {}
        try:
            described = (await self._weblayers.of(ids)).value
        except SourceError:
            return {}
        return {m.name: m for layer in described.values() for m in layer.members()} | described

    def _served(self, entry: LayerEntry, described: Mapping[str, WebLayer]) -> LayerSource | None:
        """What the canton calls external has a map service of its own, if any."""
        web = described.get(entry.id)
        return self._services.source(entry) or (web.source if web else None)

    async def _beyond(self, query: str, wanted: str) -> Found[Layer | LayerGroup]:
        nothing = not_found(self._search, query)
        if self._federal is None:
            return nothing
        answer = await self._federal.layers(wanted.split())
        items = LayerItems(
            services=self._services,
            provenance=lambda _, exact: provenance(text("source_federal_layers"), answer, exact=exact),
            members=lambda _: (),
            source=self._services.source,
        )
        hits = [_federal_hit(layer, place, query) for place, layer in enumerate(answer.value)]
        found = items.found(hits, limit=self._limit) if hits else nothing
        return replace(found, is_all=len(hits) < MOST_LAYERS)


def _ranked(answer: _Answer, hits: list[Hit]) -> list[Hit]:
    """Behind the hits, unless they are sure, what the canton has found for reasons of its own."""
    if hits and hits[0].sure:
        return hits
    known = {hit.entry.id for hit in hits}
    known |= {entry.id for entry in answer.entries if entry.parent in known}
    others = (e for e in answer.entries if e.id in answer.literal and e.id not in known and e.parent is None)
    return [*hits, *(Hit(entry, _UNEXPLAINED, literal=False) for entry in others)]


def _members(
    group: LayerEntry, entries: Sequence[LayerEntry], described: Mapping[str, WebLayer]
) -> tuple[LayerEntry, ...]:
    """As the description lists them, which knows them best; else as the search does."""
    listed = {entry.id: entry for entry in entries if entry.parent == group.id}
    web = described.get(group.id)
    members = [
        replace(listed.get(m.name) or LayerEntry(m.name, m.title or m.name), is_visible=m.is_visible)
        for m in (web.members() if web else ())
    ]
    return tuple(_described(entry, described) for entry in members or listed.values())


def _described(entry: LayerEntry, described: Mapping[str, WebLayer]) -> LayerEntry:
    web = described.get(entry.id)
    if web is None:
        return entry
    return replace(
        entry,
        extent=web.extent,
        opacity=web.opacity_share,
        # The canton's own map service does not have what it calls external.
        service=Service.NONE if web.external and entry.service is Service.WMS else entry.service,
        # A search does not always say what is a group, and what is only the facade of one.
        is_group=bool(web.sublayers),
    )


def _federal_hit(layer: FederalLayer, place: int, query: str) -> Hit:
    service = Service.FEDERAL_WMTS if layer.id in _FEDERAL_TILES else Service.FEDERAL_WMS
    owner = text("attribution_federal")
    entry = LayerEntry(layer.id, layer.title, service=service, attribution=owner, external=True)
    sure = layer_terms(spoken(query)) == layer_terms(spoken(layer.title))
    return Hit(entry, max(_LEAST, _FEDERAL - _LESS_EACH * place), literal=False, sure=sure)
