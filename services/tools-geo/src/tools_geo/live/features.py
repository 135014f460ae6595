"""Features of layers: at a point from the map service, within an area from those who have them whole."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from contracts.items import Coord, Extent, Feature, Layer, LayerGroup, Provenance
from german.words import words
from servicekit.cache import Cached, TtlCache
from servicekit.outbound import Outbound, SourceError, SourceErrorKind
from servicekit.wording import language

from tools_geo.embedded.datafiles import Things
from tools_geo.features.geojson import extent_of, polygon_of
from tools_geo.features.naming import meant
from tools_geo.features.shapes import Reach
from tools_geo.gateways import Area, FeaturesAt, Found, LayerFeatures, LayerGateway, Remark
from tools_geo.layers.catalogue import LayerEntry, Service
from tools_geo.layers.search import LayerSearch
from tools_geo.layers.thesaurus import Thesaurus, is_layer_id
from tools_geo.live.attributes import label_of, told
from tools_geo.live.boundaries import Boundaries, Inside
from tools_geo.live.feature_info import Info, Refused, Tolerance, infos_at
from tools_geo.live.pages import Sent
from tools_geo.live.provenance import host_of, provenance
from tools_geo.live.shapes import shape_of, shape_of_wkt
from tools_geo.live.vectors import Served, Vectors
from tools_geo.spelling import compact
from tools_geo.texts import text

_LAYERS_AT_ONCE = 25
_LEAST_M = 1.0
"""A pixel: nobody can point at something more exactly."""

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


class _Touching(Protocol):
    def touches(self, geometry: dict[str, Any] | None) -> bool: ...


@dataclass(frozen=True)
class Names:
    """What is known of layers beforehand."""

    entries: Sequence[LayerEntry] = ()
    thesaurus: Thesaurus = field(default_factory=Thesaurus)
    things: Mapping[str, Things] = field(default_factory=dict)
    """What the features of a layer are called, by its id."""


class LiveFeatures:
    """`layers` finds what has no name here, and is made when needed."""

    def __init__(
        self,
        map_service: MapService,
        vectors: Vectors,
        boundaries: Boundaries,
        names: Names,
        layers: Callable[[], LayerGateway],
    ) -> None:
        self._map = map_service
        self._vectors = vectors
        self._boundaries = boundaries
        self._naming = _Naming(names, vectors, layers)
        self._titles = {entry.id: entry.title for entry in names.entries}

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
            layer: tuple(self._near(layer, infos, origin, point, tolerance_m))
            for layer, infos in answer.value.items()
        }

    def _near(
        self, layer: str, infos: Sequence[Info], origin: Provenance, point: Coord, tolerance_m: float
    ) -> Iterator[Feature]:
        """Some services round generously; without a shape they are believed."""
        place = {"type": "Point", "coordinates": point}
        reach = Reach(Area(geometry=place, radius_m=max(tolerance_m, _LEAST_M)))
        for number, info in enumerate(infos, 1):
            feature = self._feature(layer, info.title, number, info, origin, point)
            if feature.geometry is None or reach.touches(feature.geometry):
                yield feature

    async def _from_vectors(self, point: Coord, layer: str, tolerance_m: float) -> _Answers:
        """Where the map service knows nothing of a layer that is known elsewhere."""
        place = Area(geometry={"type": "Point", "coordinates": point}, radius_m=tolerance_m)
        try:
            if not await self._vectors.collection(layer):
                return {}
            served = await self._vectors.within(layer, _box(place, None))
        except SourceError:
            return {layer: None}
        return {} if served is None else {layer: self._touching(layer, served, Reach(place))}

    # -- within an area ----------------------------------------------------------------------------

    async def within(self, layer: str, area: Area) -> Found[LayerFeatures]:
        if area.district:
            return Found((), Remark.NO_DISTRICTS)
        found = await self._naming.meant(layer.strip())
        if isinstance(found, Found):
            return found
        outline, problem = await self._outline(area)
        box = _box(area, outline)
        served = await self._vectors.within(found, box)
        if served is None:
            return Found((), Remark.NO_FEATURES, {"title": self._titles.get(found, found)})
        if area.municipality and outline is None:
            features = self._said_to_be_in(area.municipality, found, served, problem)
        else:
            features = self._touching(found, served, Inside(outline) if outline else Reach(area))
        listed = served.answer.value
        is_whole = area == Area(area.label, centre=area.centre) or (served.is_box_exact and _is_box(area))
        there = LayerFeatures(
            layer=found,
            label=self._titles.get(found) or served.title or found,
            features=features,
            provenance=self._origin(served.host, served.answer),
            is_all=listed.is_all,
            things=self._naming.things(found),
            matched=listed.matched if is_whole and not listed.is_all else None,
        )
        return Found((there,), is_all=listed.is_all)

    async def _outline(self, area: Area) -> tuple[dict[str, Any] | None, SourceError | None]:
        """Of the municipality; or why there is none."""
        try:
            outline = area.municipality and await self._boundaries.outline(area.municipality, area.centre)
        except SourceError as error:
            return None, error
        return outline or None, None

    def _touching(self, layer: str, served: Served, reach: _Touching) -> tuple[Feature, ...]:
        features = self._features(layer, served, served.features)
        return tuple(each for each in features if reach.touches(each.geometry))

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
        return provenance(text("source_canton_features", host=host), answer, exact=True)


class _Naming:
    """Which layer is meant, by what is known of it beforehand, by its collection, or by a search."""

    def __init__(self, names: Names, vectors: Vectors, layers: Callable[[], LayerGateway]) -> None:
        self._names = names
        self._vectors = vectors
        self._make_layers = layers
        self._layers: LayerGateway | None = None
        self._search: LayerSearch | None = None
        self._entries: Sequence[LayerEntry] = ()
        self._things = {
            compact(words(name)): layer
            for layer, things in names.things.items()
            for name in things.model_dump().values()
        }

    def things(self, layer: str) -> str:
        return getattr(self._names.things.get(layer), language(), "")

    async def meant(self, said: str) -> str | Found[LayerFeatures]:
        """The id of a layer, or why there is none."""
        if is_layer_id(said):
            return said
        known = await self._vectors.known()
        if (called := self._things.get(compact(words(said)))) and self._may_have(called, known):
            return called
        entries = (*self._names.entries, *_others(known, self._names.entries))
        if self._search is None or entries != self._entries:
            self._search, self._entries = LayerSearch(entries, self._names.thesaurus), entries
        askable = {entry.id for entry in entries if self._may_have(entry.id, known, entry)}
        found = meant(said, entries, self._search, askable)
        if isinstance(found, str) or found.remark or not self._vectors.can_have_others:
            return found
        return await self._searched(said) or found

    def _may_have(self, layer: str, known: Mapping[str, str], entry: LayerEntry | None = None) -> bool:
        """What is not known to have features, but is the canton's own, may have some in its data service."""
        is_own = entry is None or (entry.service is Service.WMS and not entry.external)
        return layer in known or (self._vectors.can_have_others and is_own)

    async def _searched(self, said: str) -> str | None:
        """The only layer that the canton finds."""
        if self._layers is None:
            self._layers = self._make_layers()
        found = await self._layers.layers(said)
        layers = [each for item in found.items for each in _layers_of(item)]
        return layers[0].id if len(layers) == 1 and not found.confirm else None


def _others(known: Mapping[str, str], entries: Sequence[LayerEntry]) -> Iterator[LayerEntry]:
    """Collections that have no name here."""
    named = {entry.id for entry in entries}
    for layer, title in known.items():
        if layer not in named:
            yield LayerEntry(layer, title or layer, position=len(named))


def _layers_of(item: Layer | LayerGroup) -> tuple[Layer, ...]:
    return item.layers if isinstance(item, LayerGroup) else (item,)


def _box(area: Area, outline: dict[str, Any] | None) -> Extent | None:
    """What has to be asked for."""
    if outline is not None:
        return extent_of([outline])
    inner = extent_of([area.geometry]) if area.geometry else None
    if area.extent is not None or inner is None:
        return area.extent
    west, south, east, north = inner
    return west - area.radius_m, south - area.radius_m, east + area.radius_m, north + area.radius_m


def _is_box(area: Area) -> bool:
    """Whether an area is nothing but its extent."""
    if area.geometry is None or area.extent is None or area.municipality or area.radius_m:
        return False
    return _corners(area.geometry) == _corners(polygon_of(area.extent))


def _corners(geometry: dict[str, Any]) -> set[tuple[float, ...]]:
    rings = geometry["coordinates"] if geometry["type"] == "Polygon" else []
    return {tuple(point) for ring in rings for point in ring}
