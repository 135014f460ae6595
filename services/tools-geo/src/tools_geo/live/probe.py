"""Whether the services of the canton have the facets, columns and layers that the settings name.

A search finds nothing in a facet that it does not know, as in one that is empty or not for everybody: that is
all that can be said about it.
"""

from collections.abc import Collection, Iterator, Sequence
from functools import partial
from typing import Any

from servicekit.outbound import Outbound, SourceError, SourceErrorKind
from servicekit.probes import Check, Missing

from tools_geo.embedded import datafiles, dataset_of
from tools_geo.embedded.datafiles import Dataset
from tools_geo.layers.catalogue import Service
from tools_geo.live.feature_info import Refused, features_at, infos_at
from tools_geo.live.provenance import host_of
from tools_geo.settings import Settings

_JSON = ("application/json",)
_COMMON = ("e", "a", "ber", "ent", "ste", "ville")
"""Parts of words that are in the names of every canton; some searches do not look for single letters."""
_LAYERS = "foreground"
_COLUMNS = ("nummer", "egrid", "gemeinde", "grundbuch", "art_txt", "flaechenmass")
_SOMEWHERE = (2_600_000.0, 1_200_000.0)
"""A layer is known or not, wherever one asks."""
_LAYERS_AT_ONCE = 50
_DATASETS = 20
"""So many are looked for; each is a question."""
_NAMED = 3
"""Of many layers so many are named."""


def checks(settings: Settings, outbound: Outbound, live: Collection[str]) -> Iterator[Check]:
    """For the live ones among the fields of `Gateways`."""
    if facets := dict(_facets(settings, live)):
        ask = partial(_missing_facets, outbound, settings.search_url, facets)
        yield Check("SEARCH_URL", settings.search_url, ask)
    if "parcels" in live:
        url = f"{settings.data_url.rstrip('/')}/{settings.data_dataset_parcels}/"
        yield Check("DATA_URL", url, partial(_missing_columns, outbound, url))
    if "geothermal" in live:
        url, layer = settings.featureinfo_url, settings.geothermal_layer
        yield Check("FEATUREINFO_URL", url, partial(_missing_layer, outbound, url, layer))
    data = dataset_of(settings)
    if "features" in live:
        yield from _of_features(settings, outbound, data)
    if "layers" in live and settings.layer_metadata_url and data:
        url = settings.layer_metadata_url
        yield Check("LAYER_METADATA_URL", url, partial(_missing_products, outbound, url, data))


def _of_features(settings: Settings, outbound: Outbound, data: Dataset | None) -> Iterator[Check]:
    if url := settings.features_url:
        wanted = sorted(set(settings.features_collections.values()))
        yield Check("FEATURES_URL", url, partial(_missing_collections, outbound, url, wanted))
    if settings.data_url:
        for dataset in sorted(set(settings.features_datasets.values()))[:_DATASETS]:
            url = f"{settings.data_url.rstrip('/')}/{dataset}/"
            yield Check("FEATURES_DATASETS", url, partial(_missing_dataset, outbound, url))
    layers = [file.layer for file in data.features][:_LAYERS_AT_ONCE] if data else []
    if layers and (url := settings.featureinfo_url):
        yield Check("FEATUREINFO_URL", url, partial(_missing_infos, outbound, url, layers))


def _facets(settings: Settings, live: Collection[str]) -> Iterator[tuple[str, str]]:
    """Facet -> setting."""
    if "addresses" in live:
        yield settings.search_facet_addresses, "SEARCH_FACET_ADDRESSES"
    if {"places", "parcels"} & set(live):
        yield settings.search_facet_municipalities, "SEARCH_FACET_MUNICIPALITIES"
    if "places" in live:
        for facet, setting in (
            (settings.search_facet_districts, "SEARCH_FACET_DISTRICTS"),
            (settings.search_facet_field_names, "SEARCH_FACET_FIELD_NAMES"),
        ):
            if facet:
                yield facet, setting
    if "layers" in live:
        yield _LAYERS, "SEARCH_URL"


async def _missing_facets(outbound: Outbound, url: str, facets: dict[str, str]) -> list[Missing]:
    return [
        (setting, f"facet {facet!r}: nothing is found in it")
        for facet, setting in facets.items()
        if not await _finds_anything(outbound, url, facet)
    ]


async def _finds_anything(outbound: Outbound, url: str, facet: str) -> bool:
    for text in _COMMON:
        if await _listed(outbound, url, {"searchtext": text, "filter": facet, "limit": 1}, "results"):
            return True
    return False


async def _missing_columns(outbound: Outbound, url: str) -> list[Missing]:
    """Any parcel has all columns that one may see."""
    setting, dataset = "DATA_DATASET_PARCELS", url.rstrip("/").rpartition("/")[2]
    try:
        features = await _listed(outbound, url, {"crs": "EPSG:2056", "limit": 1, "offset": 0}, "features")
    except SourceError as error:
        if error.status != 404:
            raise
        return [(setting, f"dataset {dataset!r}")]
    if not features:
        return [(setting, f"dataset {dataset!r}: nothing is in it")]
    columns = features[0].get("properties") or {}
    return [(setting, f"column {name!r}") for name in _COLUMNS if name not in columns]


async def _missing_layer(outbound: Outbound, url: str, layer: str) -> list[Missing]:
    try:
        await features_at(outbound, url, layer, _SOMEWHERE, source=host_of(url))
    except SourceError as error:
        # The service has answered, but not about this layer.
        if error.kind is not SourceErrorKind.FAILED or error.status is not None:
            raise
        return [("GEOTHERMAL_LAYER", f"layer {layer!r}")]
    return []


async def _missing_collections(outbound: Outbound, url: str, wanted: Sequence[str]) -> list[Missing]:
    listed = await _listed(outbound, f"{url.rstrip('/')}/collections", {}, "collections")
    known = {each.get("id") for each in listed}
    if not known:
        return [("FEATURES_URL", "collections: there are none")]
    return [("FEATURES_COLLECTIONS", f"collection {name!r}") for name in wanted if name not in known]


async def _missing_dataset(outbound: Outbound, url: str) -> list[Missing]:
    """It may be empty: some layers are, at times."""
    try:
        await _listed(outbound, url, {"crs": "EPSG:2056", "limit": 1, "offset": 0}, "features")
    except SourceError as error:
        if error.status != 404:
            raise
        return [("FEATURES_DATASETS", f"dataset {url.rstrip('/').rpartition('/')[2]!r}")]
    return []


async def _missing_infos(outbound: Outbound, url: str, layers: Sequence[str]) -> list[Missing]:
    """Layers that people ask for; a service that refuses all for one is only known to lack some."""
    try:
        known = await infos_at(outbound, url, layers, _SOMEWHERE, source=host_of(url))
    except Refused:
        return [("FEATUREINFO_URL", f"some of the layers {_some(layers)}")]
    missing = [layer for layer in layers if layer not in known]
    return [("FEATUREINFO_URL", f"layers {_some(missing)}")] if missing else []


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:_NAMED]) + (", …" if len(names) > _NAMED else "")


async def _missing_products(outbound: Outbound, url: str, data: Dataset) -> list[Missing]:
    """Layers whose words we know beforehand, and which the canton itself should serve."""
    known = [entry.id for entry in datafiles.layer_entries(data) if entry.service is Service.WMS]
    missing: list[str] = []
    for start in range(0, len(known), _LAYERS_AT_ONCE):
        ids = known[start : start + _LAYERS_AT_ONCE]
        described = await _object(outbound, url, {"filter": ",".join(ids)})
        missing += [identity for identity in ids if not described.get(identity)]
    if not missing:
        return []
    return [("LAYER_METADATA_URL", f"{len(missing)} of {len(known)} layers of layers.csv: {_some(missing)}")]


async def _listed(
    outbound: Outbound, url: str, params: dict[str, str | int], name: str
) -> Sequence[dict[str, Any]]:
    values = (await _object(outbound, url, params)).get(name)
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        raise SourceError(SourceErrorKind.UNREADABLE, host_of(url))
    return values


async def _object(outbound: Outbound, url: str, params: dict[str, str | int]) -> dict[str, Any]:
    answer = await outbound.get(url, params=params, source=host_of(url), accept=_JSON)
    document = answer.json()
    if not isinstance(document, dict):
        raise SourceError(SourceErrorKind.UNREADABLE, answer.source)
    return document
