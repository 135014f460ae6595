"""Who has the features of a layer: OGC API Features, or the data service of the canton."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from contracts.items import Extent
from servicekit.cache import Cached

from tools_geo.live.data_service import DataService, NoDataset
from tools_geo.live.ogc_features import Collection, OgcFeatures
from tools_geo.live.pages import Listed, Sent
from tools_geo.live.provenance import host_of


@dataclass(frozen=True)
class Served:
    """The features of a layer in a box."""

    features: list[Sent]
    answer: Cached[Listed]
    host: str
    is_box_exact: bool
    """Whether the box was asked for in its own coordinates."""
    title: str = ""
    """What the service calls the layer."""


class Vectors:
    """Layers in `datasets` are those of the data service. Others are collections, by `collections` or their
    id; what is no collection is looked for in the data service under its id. All errors are `SourceError`.
    """

    def __init__(
        self,
        ogc: OgcFeatures | None,
        ogc_url: str,
        dataset: Callable[[str], DataService] | None,
        data_url: str,
        *,
        collections: Mapping[str, str],
        datasets: Mapping[str, str],
        name: Callable[[str], str],
    ) -> None:
        self._ogc = ogc
        self._ogc_host = host_of(ogc_url)
        self._dataset = dataset
        self._data_host = host_of(data_url)
        self._collections = collections
        self._datasets = datasets
        self._name = name
        self.titles: Mapping[str, str] = dict.fromkeys((*datasets, *collections), "")
        """Of the layers that are known to have features; empty where nobody has said one yet."""

    async def known(self) -> Mapping[str, str]:
        """The titles of the layers that are known to have features, by id."""
        if self._ogc is not None:
            listed = await self._ogc.collections()
            layers = {collection: layer for layer, collection in self._collections.items()}
            titles = {layers.get(each.id, each.id): each.title for each in listed.values()}
            self.titles = dict.fromkeys(self._datasets, "") | titles
        return self.titles

    @property
    def can_have_others(self) -> bool:
        """Whether the only way to know is to ask."""
        return self._dataset is not None

    async def within(self, layer: str, box: Extent | None) -> Served | None:
        """None for a layer that is not known there."""
        collection = await self._collection(layer)
        if collection is not None and self._ogc is not None:
            answer = await self._ogc.within(collection, box)
            features = answer.value.features(self._name(self._ogc_host))
            return Served(features, answer, self._ogc_host, collection.knows_lv95, collection.title)
        return await self._in_dataset(self._datasets.get(layer, layer), box)

    async def collection(self, layer: str) -> bool:
        """Whether the layer is known without asking for it."""
        return layer in self._datasets or await self._collection(layer) is not None

    async def _collection(self, layer: str) -> Collection | None:
        if self._ogc is None or layer in self._datasets:
            return None
        return (await self._ogc.collections()).get(self._collections.get(layer, layer))

    async def _in_dataset(self, dataset: str, box: Extent | None) -> Served | None:
        if self._dataset is None:
            return None
        try:
            answer = await self._dataset(dataset).within(box)
        except NoDataset:
            return None
        features = answer.value.features(self._name(self._data_host))
        return Served(features, answer, self._data_host, is_box_exact=True)
