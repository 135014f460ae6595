"""Map layers from the data files."""

from collections.abc import Sequence

from contracts.items import Layer, LayerGroup

from tools_geo.embedded.sources import Origin
from tools_geo.gateways import Found
from tools_geo.layers.catalogue import LayerEntry, members_of
from tools_geo.layers.items import LayerItems, not_found
from tools_geo.layers.search import LayerSearch
from tools_geo.layers.services import LayerServices


class EmbeddedLayers:
    def __init__(
        self,
        entries: Sequence[LayerEntry],
        search: LayerSearch,
        services: LayerServices,
        *,
        limit: int,
        origin: Origin,
    ) -> None:
        members = {entry.id: members_of(entry, entries) for entry in entries}
        self._search = search
        self._limit = limit
        self._items = LayerItems(
            services=services,
            provenance=lambda _, exact: origin("layers", exact=exact),
            members=lambda entry: members[entry.id],
            source=services.source,
        )

    async def layers(self, query: str) -> Found[Layer | LayerGroup]:
        if hits := self._search.search(query):
            return self._items.found(hits, limit=self._limit)
        return not_found(self._search, query)
