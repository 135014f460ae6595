"""Outlines of municipalities, generalised: they are drawn, and never decide what lies where."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from contracts.items import Municipality, Place

from tools_geo.features.geojson import extent_of
from tools_geo.gateways import Found, Remark
from tools_geo.texts import text

Named = Municipality | Place


class Outlines:
    """By the number of the municipality. `source` is whose they are, as users read it."""

    def __init__(self, shapes: Mapping[int, dict[str, Any]] | None = None, source: str = "") -> None:
        self._shapes = shapes or {}
        self._source = source

    def drawn(self, found: Found[Named]) -> Found[Named]:
        """The same with outlines; one whose point is not known is somewhere with them."""
        items = tuple(map(self._with_outline, found.items))
        is_somewhere = all(item.coord is not None or item.extent is not None for item in items)
        if found.remark is Remark.POSITION_UNKNOWN and is_somewhere:
            found = replace(found, remark=None, values={})
        return replace(found, items=items)

    def _with_outline(self, item: Named) -> Named:
        """What its own source says of its shape counts more. Of a source that is down users read that it is:
        then it is told alone."""
        shape = self._shapes.get(item.bfs_number) if isinstance(item, Municipality) else None
        if shape is None or item.geometry is not None:
            return item
        origin = item.provenance
        if origin is not None and self._source and not origin.stale:
            told = text("source_with_outline", source=origin.source, outline=self._source)
            origin = origin.model_copy(update={"source": told})
        extent = item.extent or extent_of([shape])
        return item.model_copy(update={"geometry": shape, "extent": extent, "provenance": origin})
