"""From hits to what is offered: as many as can be read, each ready for a map, and a word about the rest."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from contracts.items import Layer, LayerGroup, LayerSource, Provenance

from tools_geo.gateways import Found, Remark
from tools_geo.layers.catalogue import LayerEntry
from tools_geo.layers.search import Hit, LayerSearch
from tools_geo.layers.services import LayerServices
from tools_geo.texts import text

Provider = Callable[[LayerEntry, bool], Provenance]
"""The provenance of an entry, and whether it was found by its name."""


def not_found(search: LayerSearch, query: str) -> Found[Layer | LayerGroup]:
    """No layers; a remark says who else knows the topic, or else what has a similar name."""
    if missing := search.missing(query):
        return Found((), Remark.KNOWN_ELSEWHERE, {"see": missing.see}) if missing.see else Found()
    first, second, *_ = (*search.nearest(query), "", "")
    return Found(nearest=first, second_nearest=second)


@dataclass(frozen=True)
class LayerItems:
    services: LayerServices
    provenance: Provider
    members: Callable[[LayerEntry], Sequence[LayerEntry]]
    """The layers of a group, in their order."""
    source: Callable[[LayerEntry], LayerSource | None]
    """Where clients get a layer; None when they cannot."""

    def found(self, hits: Sequence[Hit], *, limit: int) -> Found[Layer | LayerGroup]:
        """The best hits; when there are more, or none that can be loaded, a remark says so."""
        items = [(hit, item) for hit in hits if (item := self._item(hit)) is not None]
        if items:
            best = tuple(item for _, item in items[:limit])
            if len(items) <= limit:
                return Found(best, confirm=len(best) == 1 and not items[0][0].sure)
            return Found(best, Remark.MORE_LAYERS, {"found": str(len(items)), "shown": str(limit)})
        if hits:
            entry = hits[0].entry
            owner = entry.attribution or self.services.attribution
            return Found((), Remark.LAYER_NOT_LOADABLE, {"title": entry.title, "owner": owner})
        return Found()

    def _item(self, hit: Hit) -> Layer | LayerGroup | None:
        entry = hit.entry
        members = self.members(entry) if entry.is_group else ()
        if not members:
            return self._layer(entry, hit)
        layers = [layer for member in members if (layer := self._layer(member, hit)) is not None]
        if not layers:
            return None
        return LayerGroup(
            id=entry.id,
            label=text("label_layer_group", title=entry.title),
            layers=tuple(layers),
            extent=entry.extent,
            confidence=round(hit.confidence, 2),
            provenance=self.provenance(entry, hit.literal),
        )

    def _layer(self, entry: LayerEntry, hit: Hit) -> Layer | None:
        source = self.source(entry)
        if source is None:
            return None
        return Layer(
            id=entry.id,
            label=entry.title,
            source=source,
            visible=entry.is_visible,
            extent=entry.extent,
            attribution=entry.attribution or self.services.attribution,
            legend_url=self.services.legend(entry),
            confidence=round(hit.confidence, 2),
            provenance=self.provenance(entry, hit.literal),
        )
