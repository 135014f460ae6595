"""Features of layers: at a point from the map service, within an area from those who have them whole."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from contracts.items import Coord, Extent, Feature, Layer, LayerGroup, Provenance
from german.words import words
from servicekit.cache import Cached, TtlCache
from servicekit.outbound import Outbound, SourceError, SourceErrorKind

from tools_geo.gateways import Area, FeaturesAt, Found, LayerFeatures, LayerGateway, Remark
from tools_geo.layers.catalogue import LayerEntry, members_of
from tools_geo.layers.thesaurus import is_layer_id
from tools_geo.live.areas import Touches, box_of, inside, is_box, near
from tools_geo.live.attributes import label_of, told
from tools_geo.live.boundaries import Boundaries
from tools_geo.live.feature_info import Info, Refused, Tolerance, infos_at
from tools_geo.live.pages import Sent
from tools_geo.live.provenance import host_of, provenance
from tools_geo.live.shapes import shape_of, shape_of_wkt
from tools_geo.live.vectors import Served, Vectors
from tools_geo.spelling import compact
from tools_geo.texts import text

_LAYERS_AT_ONCE = 25
_MOST_NAMED = 5

_Answers = dict[str, tuple[Feature, ...] | None]
"""By layer; None of one that has failed. Those of which the service knows nothing are missing."""


@dataclass(frozen=True)
class MapService:
    """Where to ask what is at a point; without a URL nobody is asked."""

    outbound: Outbound
    url: str
    cache: TtlCache

    async def infos(
        self, point: Coord, layers: Sequence[str], tolerance_m: float
    ) -> Cached[Mapping[str, list[Info]]]:
        async def load() -> Mapping[str, list[Info]]:
            return await infos_at(
                self.outbound,
                self.url,
                layers,
                point,
                source=text("service_feature_info", host=host_of(self.url)),
                tolerance=Tolerance.of(tolerance_m),
                geometry=True,
            )

        return await self.cache.fetch((point, *layers, tolerance_m), load)


class LiveFeatures:
    """`catalogue` are layers that are known by name; `layers` finds others, and is made when needed."""

    def __init__(
        self,
        map_service: MapService,
        vectors: Vectors,
        boundaries: Boundaries,
        catalogue: Sequence[LayerEntry],
        layers: Callable[[], LayerGateway],
    ) -> None:
        self._map = map_service
        self._vectors = vectors
        self._boundaries = boundaries
        self._catalogue = catalogue
        self._titles = {entry.id: entry.title for entry in catalogue}
        self._make_layers = layers
        self._layers: LayerGateway | None = None

    def names(self) -> tuple[str, ...]:
        known = self._vectors.titles
        return tuple(title for layer in known if (title := self._titles.get(layer) or known[layer]))

    # -- at a point --------------------------------------------------------------------------------

    async def at(self, point: Coord, layers: Sequence[str], tolerance_m: float) -> FeaturesAt:
        place = (round(point[0], 1), round(point[1], 1))
        asked = tuple(dict.fromkeys(layers))
        batches = [asked[start : start + _LAYERS_AT_ONCE] for start in range(0, len(asked), _LAYERS_AT_ONCE)]
        told = await asyncio.gather(*(self._from_map(place, batch, tolerance_m) for batch in batches))
        answers = {layer: found for batch in told for layer, found in batch.items()}
        silent = [layer for layer in asked if layer not in answers]
        others = await asyncio.gather(*(self._from_vectors(place, each, tolerance_m) for each in silent))
        answers |= {layer: found for each in others for layer, found in each.items()}
        return FeaturesAt(
            features=tuple(feature for layer in asked for feature in answers.get(layer) or ()),
            silent=tuple(layer for layer in asked if layer not in answers),
            failed=tuple(layer for layer in asked if layer in answers and answers[layer] is None),
        )

    async def _from_map(self, point: Coord, layers: Sequence[str], tolerance_m: float) -> _Answers:
        """Of a service that refuses all for one that it does not know, each half is asked alone."""
        if not self._map.url:
            return {}
        try:
            answer = await self._map.infos(point, layers, tolerance_m)
        except Refused as refused:
            if len(layers) == 1:
                return {} if refused.is_layer_unknown else {layers[0]: None}
            middle = len(layers) // 2
            halves = (layers[:middle], layers[middle:])
            told = await asyncio.gather(*(self._from_map(point, half, tolerance_m) for half in halves))
            return {layer: found for half in told for layer, found in half.items()}
        except SourceError:
            return dict.fromkeys(layers)
        origin = self._origin(host_of(self._map.url), answer)
        return {
            layer: tuple(
                self._feature(layer, info.title, n, info, origin, point) for n, info in enumerate(infos, 1)
            )
            for layer, infos in answer.value.items()
        }

    async def _from_vectors(self, point: Coord, layer: str, tolerance_m: float) -> _Answers:
        """Where the map service knows nothing of a layer that is known elsewhere."""
        place = {"type": "Point", "coordinates": list(point)}
        try:
            if not await self._vectors.collection(layer):
                return {}
            served = await self._vectors.within(layer, box_of(place, max(tolerance_m, 1)))
        except SourceError:
            return {layer: None}
        return {} if served is None else {layer: self._touching(layer, served, near(place, tolerance_m))}

    # -- within an area ----------------------------------------------------------------------------

    async def within(self, layer: str, area: Area) -> Found[LayerFeatures]:
        meant = await self._meant(layer)
        if isinstance(meant, Found):
            return meant
        try:
            outline = await self._outline(area)
            problem = None
        except SourceError as error:
            outline, problem = None, error
        box = _box(area, outline)
        served = await self._vectors.within(meant.id, box)
        if served is None:
            return Found((), Remark.NO_FEATURES, {"title": meant.title})
        if area.municipality and outline is None:
            features = self._said_to_be_in(area.municipality, meant.id, served, problem)
        else:
            features = self._touching(meant.id, served, _touches(area, outline))
        listed = served.answer.value
        is_whole = box is None or (
            served.is_box_exact and is_box(area.geometry, box) and not area.radius_m and not area.municipality
        )
        found = LayerFeatures(
            layer=meant.id,
            label=self._titles.get(meant.id) or served.title or meant.title,
            features=features,
            provenance=self._origin(served.host, served.answer),
            is_all=listed.is_all,
            matched=listed.matched if is_whole and not area.municipality and not listed.is_all else None,
        )
        return Found((found,), is_all=listed.is_all)

    async def _outline(self, area: Area) -> dict[str, Any] | None:
        if not area.municipality:
            return None
        return await self._boundaries.outline(area.municipality, area.centre)

    def _touching(self, layer: str, served: Served, touches: Touches | None) -> tuple[Feature, ...]:
        features = self._features(layer, served, served.features)
        return tuple(each for each in features if touches is None or touches(each.geometry))

    def _said_to_be_in(
        self, municipality: str, layer: str, served: Served, problem: SourceError | None
    ) -> tuple[Feature, ...]:
        """Those that name the municipality. Raises `SourceError` when none says where it is."""
        said = [(sent, self._boundaries.says(sent.values, municipality)) for sent in served.features]
        if said and all(answer is None for _, answer in said):
            raise problem or SourceError(SourceErrorKind.FAILED, text("service_boundaries"))
        return tuple(self._features(layer, served, [sent for sent, answer in said if answer]))

    def _features(self, layer: str, served: Served, sent: Sequence[Sent]) -> Iterator[Feature]:
        origin = self._origin(served.host, served.answer)
        for number, each in enumerate(sent, 1):
            yield self._feature(layer, served.title, number, each, origin)

    # -- which layer -------------------------------------------------------------------------------

    async def _meant(self, said: str) -> LayerEntry | Found[LayerFeatures]:
        known = await self._vectors.known()
        entries = await self._called(said.strip(), known)
        members = [m for each in entries for m in (members_of(each, self._catalogue) or (each,))]
        own = [each for each in members if each.id in known]
        having = own or (members if self._vectors.can_have_others else [])
        if len(having) == 1:
            return having[0]
        if having:
            titles = ", ".join(f"«{each.title}»" for each in having[:_MOST_NAMED])
            return Found((), Remark.SEVERAL_LAYERS, {"titles": titles})
        return Found((), Remark.NO_FEATURES, {"title": entries[0].title}) if entries else Found()

    async def _called(self, said: str, known: Mapping[str, str]) -> Sequence[LayerEntry]:
        """By its id or its very name, else what a search finds."""
        entries = [*self._catalogue]
        entries += [LayerEntry(each, known[each] or each) for each in known if each not in self._titles]
        if same := [each for each in entries if each.id == said]:
            return same
        if is_layer_id(said):
            return (LayerEntry(said, said),)
        key = compact(words(said))
        if same := [each for each in entries if key and key in map(compact, each.names)]:
            return [each for each in same if compact(words(each.title)) == key] or same
        if self._layers is None:
            self._layers = self._make_layers()
        found = await self._layers.layers(said)
        return [LayerEntry(each.id, each.label) for item in found.items for each in _layers_of(item)]

    # -- items -------------------------------------------------------------------------------------

    def _feature(
        self,
        layer: str,
        title: str,
        number: int,
        said: Info | Sent,
        origin: Provenance,
        point: Coord | None = None,
    ) -> Feature:
        """`point` is where it is at least, if nobody says more."""
        label = self._titles.get(layer) or title or layer
        if isinstance(said, Info):
            attributes, shape = told(said.attributes, said.names), shape_of_wkt(said.geometry)
        else:
            attributes, shape = told(said.values), shape_of(said.geometry)
        return Feature(
            id=f"{layer}:{said.id or number}",
            label=label_of(attributes, label),
            coord=shape.coord if shape else point,
            extent=shape.extent if shape else None,
            geometry=shape.geometry if shape else None,
            layer=layer,
            layer_label=label,
            attributes=attributes,
            provenance=origin,
        )

    def _origin(self, host: str, answer: Cached[Any]) -> Provenance:
        return provenance(text("source_features", host=host), answer, exact=True)


def _layers_of(item: Layer | LayerGroup) -> tuple[Layer, ...]:
    return item.layers if isinstance(item, LayerGroup) else (item,)


def _box(area: Area, outline: dict[str, Any] | None) -> Extent | None:
    if outline is not None:
        return box_of(outline)
    if area.extent is not None:
        return area.extent
    return box_of(area.geometry, area.radius_m) if area.geometry else None


def _touches(area: Area, outline: dict[str, Any] | None) -> Touches | None:
    """None for everywhere."""
    if outline is not None:
        return inside(outline)
    return near(area.geometry, area.radius_m) if area.geometry else None
