"""Features of layers from the data files."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from contracts.items import Attribute, Coord, Extent, Feature, Provenance
from german.words import words
from servicekit.wording import language

from tools_geo.embedded.datafiles import FeatureFile, FeatureRow
from tools_geo.embedded.sources import Origin
from tools_geo.features import shapes
from tools_geo.features.geojson import extent_of
from tools_geo.features.naming import meant
from tools_geo.gateways import Area, FeaturesAt, Found, LayerFeatures
from tools_geo.layers.catalogue import LayerEntry
from tools_geo.layers.search import LayerSearch
from tools_geo.spelling import compact, place_key


class EmbeddedFeatures:
    def __init__(
        self,
        files: Sequence[FeatureFile],
        entries: Sequence[LayerEntry],
        search: LayerSearch,
        *,
        districts: Mapping[str, str],
        origin: Origin,
    ) -> None:
        """`districts`: by the official name of a municipality."""
        self._files = {file.layer: file for file in files}
        self._titles = {entry.id: entry.title for entry in entries if entry.id in self._files}
        self._called = {
            compact(words(name)): file.layer
            for file in files
            for name in (file.things.model_dump().values() if file.things else ())
        }
        self._entries = entries
        self._search = search
        self._districts = districts
        self._origin = origin

    async def at(self, point: Coord, layers: Sequence[str], tolerance_m: float) -> FeaturesAt:
        provenance = self._origin("features", exact=True)
        wanted = tuple(dict.fromkeys(layers))
        return FeaturesAt(
            features=tuple(
                self._feature(layer, row, provenance)
                for layer in wanted
                for row in (self._files[layer].features if layer in self._files else ())
                if shapes.distance_m(row.geometry, point) <= tolerance_m
            ),
            silent=tuple(layer for layer in wanted if layer not in self._files),
            sample=any(layer in self._files for layer in wanted),
        )

    async def within(self, layer: str, area: Area) -> Found[LayerFeatures]:
        called = self._called.get(compact(words(layer)))
        found = called or meant(layer, self._entries, self._search, self._files)
        if isinstance(found, Found):
            return found
        file, reach = self._files[found], shapes.Reach(area)
        provenance = self._origin("features", exact=True)
        there = (row for row in file.features if self._is_in(row, area) and reach.touches(row.geometry))
        features = tuple(self._feature(found, row, provenance) for row in there)
        things = getattr(file.things, language(), "") if file.things else ""
        return Found((LayerFeatures(found, self._titles[found], features, provenance, things=things),))

    def names(self) -> tuple[str, ...]:
        return tuple(self._titles.values())

    def _is_in(self, row: FeatureRow, area: Area) -> bool:
        """Whether it is in the municipality or the district that is asked for, if one is."""
        if area.district:
            return area.district in [place_key(self._districts.get(name, "")) for name in row.municipality]
        return not area.municipality or area.municipality in row.municipality

    def _feature(self, layer: str, row: FeatureRow, provenance: Provenance) -> Feature:
        return Feature(
            id=f"{layer}.{row.id}",
            label=row.label,
            coord=shapes.inner_point(row.geometry),
            extent=extent_of([row.geometry]),
            geometry=row.geometry,
            layer=layer,
            layer_label=self._titles[layer],
            attributes=tuple(Attribute(name=name, value=value, unit=unit) for name, unit, value in row.named),
            provenance=provenance,
        )


def with_extents(
    entries: Sequence[LayerEntry], files: Sequence[FeatureFile], whole: Extent | None
) -> tuple[LayerEntry, ...]:
    """Where each layer has something to show: where its features are if they are known, else everywhere."""
    known = {file.layer: extent_of(row.geometry for row in file.features) for file in files}
    return tuple(replace(entry, extent=known.get(entry.id) or whole) for entry in entries)
